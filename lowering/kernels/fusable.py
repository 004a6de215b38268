"""Questions about single ops that fusion asks: can it be part of a kernel, what does an element cost, which
dimensions does it go through."""

from __future__ import annotations

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.kernels.read_transposed import copied
from hlo.lowering.linalg.iteration import joined_dimensions
from hlo.lowering.linalg.structured import loop_sizes, reduced_loops
from hlo.lowering.vector.region.accesses import MATH_COST, op_cost
from hlo.lowering.vector.region.graph import VIEWS
from hlo.lowering.vector.region.long_bodies import LONG

CONSTANT_LIKE = ("linalg.fill", "tensor.empty", "tensor.splat", "tensor.from_elements")
OPS_A_COST = 16
"""Ops of a long body that count as one instruction."""
SCALAR_DIALECTS = ("arith", "math", "complex", "index")


def is_scalar_op(op: ir.Operation) -> bool:
    """An op on scalars: arithmetic, or the read of one element."""
    if any(isinstance(r.type, ir.RankedTensorType) for r in op.results) or len(op.regions):
        return False
    return op.name.split(".")[0] in SCALAR_DIALECTS or op.name == "tensor.extract"


def is_splat_constant(op: ir.Operation) -> bool:
    """A scalar or a tensor of equal elements."""
    if op.name not in ("arith.constant", "complex.constant"):
        return False
    if not isinstance(op.results[0].type, ir.RankedTensorType):
        return True
    value = op.attributes["value"]
    return isinstance(value, ir.DenseElementsAttr) and value.is_splat


def is_fusable(op: ir.Operation) -> bool:
    """Whether an op can be part of a kernel."""
    name = op.name
    if name in ("linalg.generic", "tensor.insert_slice", *VIEWS, *CONSTANT_LIKE):
        return True
    return is_splat_constant(op) or is_scalar_op(op)


def is_simple_reshape(op: ir.Operation) -> bool:
    """Whether an element's index before the reshape is affine in the one after: dimensions are split by it, or only
    joined with dimensions of size 1."""
    if op.name == "tensor.expand_shape":
        return True
    shape = op.operands[0].type.shape
    return all(sum(shape[d] != 1 for d in group) <= 1 for group in joined_dimensions(op))


def is_clonable(value: ir.Value) -> bool:
    """Whether a value can be rematerialised anywhere: constants and what is filled with them."""
    op = value.owner
    if isinstance(op, ir.Block):
        return False
    if is_splat_constant(op) or op.name == "tensor.empty":
        return True
    return op.name in CONSTANT_LIKE and all(is_clonable(v) for v in op.operands)


def has_other_lanes(op: ir.Operation) -> bool:
    """Whether an op is a transpose after which other elements are adjacent."""
    maps = copied(op.results[0])
    if maps is None:
        return False
    read, written = maps
    own = [e for e, n in zip(read.results, op.operands[0].type.shape) if n != 1]
    results = [e for e, n in zip(written.results, op.results[0].type.shape) if n != 1]
    return len(own) == len(results) > 1 and own[-1] != results[-1]


def body_cost(op: ir.Operation) -> int:
    """Instructions an element, of which a long body counts as one function."""
    if op.name != "linalg.generic":
        return 0
    names = [inner.operation.name for inner in op.regions[0].blocks[0].operations]
    if len(names) > LONG:
        return max(MATH_COST, len(names) // OPS_A_COST)
    return sum(op_cost(n) for n in names if n not in ("linalg.yield", "arith.constant"))


@dataclass(frozen=True)
class Domain:
    """The extents of a linalg.generic, and which of its dimensions it reduces."""

    shape: tuple[int, ...]
    reduced: tuple[bool, ...]

    @property
    def is_reduction(self) -> bool:
        return any(self.reduced)


def domain_of(op: ir.Operation) -> Domain:
    return Domain(tuple(loop_sizes(op)), tuple(reduced_loops(op)))
