"""What a kernel has to do at least: arithmetic operations, and bytes that it reads and writes; and what a program has to do in one call.

Counted as XLA counts: an operation of a scalar is one, a fused multiply-add is two, functions such as exp are counted separately as
transcendentals; comparisons, selections, conversions and computed indices count nothing. Every argument is read once and every result
written once; of one that is only sliced, what the slices take; of one that is updated in place, what is put into it.

A program's work (read by JAX's `compiled.cost_analysis()`) is that of its kernels, added up over their calls: the body of a loop once, of
a branch the most of each number that a side has, and of what only the run decides (a sort, a custom call) the bytes alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod
from typing import Any

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.finding import callee_of, integer_of
from hlo.lowering.kernel_calls import functions_by_name
from hlo.lowering.linalg.structured import loop_sizes
from hlo.lowering.memory.storage import byte_size, element_bytes

ON_FLOATS = {f"arith.{name}f": 1 for name in ("add", "sub", "mul", "div", "rem", "neg", "maximum", "minimum")}
ON_FLOATS |= {"arith.maxnumf": 1, "arith.minnumf": 1, "math.fma": 2, "math.absf": 1}
ON_COMPLEX = {"complex.add": 2, "complex.sub": 2, "complex.neg": 2, "complex.mul": 6, "complex.div": 11}
ON_INTEGERS = {f"arith.{name}": 1 for name in ("addi", "subi", "muli", "divsi", "divui", "remsi", "remui")}
ON_INTEGERS |= {f"arith.{name}": 1 for name in ("maxsi", "maxui", "minsi", "minui")}
ROUNDING = frozenset(f"math.{name}" for name in ("ceil", "floor", "round", "roundeven", "trunc", "copysign"))
PARTS_OF_COMPLEX = frozenset(f"complex.{name}" for name in ("create", "re", "im", "constant", "eq", "neq", "bitcast"))
SAME_ELEMENTS = ("tensor.collapse_shape", "tensor.expand_shape", "tensor.cast")


@dataclass(frozen=True)
class Work:
    """`operations`, `transcendentals`: None where only the run decides how often loops run. `read`, `written`: bytes. `element`: the
    type of the results of multiplications, else of the other operations; "" where there are none."""

    operations: int | None = 0
    transcendentals: int | None = 0
    read: int = 0
    written: int = 0
    element: str = ""

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """All numbers; 0 for those that only the run decides."""
        return self.operations or 0, self.transcendentals or 0, self.read, self.written

    def __add__(self, other: Work) -> Work:
        operations, transcendentals, read, written = (a + b for a, b in zip(self.counts, other.counts))
        return Work(operations, transcendentals, read, written)

    @property
    def sum(self) -> int:
        """One number for all of it, by which kernels are ordered."""
        return sum(self.counts)


def work_of(kernel: Any, functions: Mapping[str, Any]) -> Work:
    """Of a kernel on tensors; `functions`: those that it may call, by name."""
    read = sum(_bytes_read(v) for v in _arguments(kernel))
    written = sum(_bytes_written(kernel, number, t) for number, t in enumerate(kernel.type.results))
    counter = _Counter(functions)
    counter.function(kernel)
    element = next(iter([*counter.multiplied, *counter.computed]), "")
    if not counter.is_known:
        return Work(None, None, read, written, element)
    return Work(counter.operations, counter.transcendentals, read, written, element)


class _Counter:
    def __init__(self, functions: Mapping[str, Any]):
        self.functions = functions
        self.operations = self.transcendentals = 0
        self.is_known = True
        self.multiplied: list[str] = []
        self.computed: list[str] = []

    def function(self, function: Any, times: int = 1) -> None:
        if not len(function.regions[0].blocks):
            self.is_known = False  # its code has been written by hand
            return
        self.block(function.regions[0].blocks[0], times, in_loops=False)

    def block(self, block: ir.Block, times: int, in_loops: bool) -> None:
        """`in_loops`: whether integers may be indices."""
        for op in block.operations:
            name = op.operation.name
            if name == "func.call":
                self.function(self.functions[callee_of(op)], times)
            elif name == "linalg.generic":
                self.block(op.regions[0].blocks[0], times * iterations(op), in_loops=False)
            elif name == "linalg.fill":
                continue
            elif len(op.regions):
                self.regions(op, times)
            else:
                self.scalar(op, name, times, in_loops)

    def regions(self, op: Any, times: int) -> None:
        count = _times_inside(op)
        if count is None:
            self.is_known = False
            return
        for region in op.regions:
            for block in region.blocks:
                self.block(block, times * count, in_loops=True)

    def scalar(self, op: Any, name: str, times: int, in_loops: bool) -> None:
        count = ON_FLOATS.get(name) or ON_COMPLEX.get(name) or (0 if in_loops else ON_INTEGERS.get(name, 0))
        if count:
            self.operations += count * times
            kind = str(op.results[0].type)
            (self.multiplied if "mul" in name or "fma" in name else self.computed).append(kind)
        elif name.startswith(("math.", "complex.")) and name not in ROUNDING | PARTS_OF_COMPLEX:
            self.transcendentals += times


def _times_inside(op: Any) -> int | None:
    """How often the regions of an op run, at most; None where that is computed."""
    name = op.operation.name
    if name in ("scf.if", "scf.index_switch", "tensor.generate", "tensor.pad"):
        return 1 if name.startswith("scf") else prod(ir.RankedTensorType(op.results[0].type).shape)
    if name != "scf.for":
        return None
    lower, upper, step = (integer_of(v) for v in list(op.operands)[:3])
    if lower is None or upper is None or step is None:
        return None
    return max(0, -((lower - upper) // step))


def iterations(generic: Any) -> int:
    """How many points the loops of a linalg.generic have."""
    return prod(loop_sizes(generic))


def _arguments(kernel: Any) -> list[Any]:
    """Values of the arguments, or their types where the kernel is a declaration."""
    blocks = kernel.regions[0].blocks
    return list(blocks[0].arguments) if len(blocks) else list(kernel.type.inputs)


def _bytes_read(argument: Any) -> int:
    if isinstance(argument, ir.Type):
        return _size(argument)
    return min(_size(argument.type), sum(_bytes_of_use(use) for use in argument.uses))


def _size(kind: ir.Type) -> int:
    return byte_size(kind) if isinstance(kind, ir.RankedTensorType) else element_bytes(kind)


def _bytes_of_use(use: Any) -> int:
    user, number = use.owner, use.operand_number
    name = user.name
    if name in SAME_ELEMENTS:
        return sum(map(_bytes_of_use, user.results[0].uses))
    if name == "tensor.extract_slice":
        return byte_size(user.results[0].type)
    if name in ("func.return", "tensor.dim") or (name == "tensor.insert_slice" and number == 1):
        return 0
    if name == "tensor.extract" and user.parent.name == "linalg.generic":
        return iterations(user.parent) * element_bytes(user.results[0].type)
    return _size(user.operands[number].type)


def _bytes_written(kernel: Any, number: int, kind: ir.Type) -> int:
    blocks = kernel.regions[0].blocks
    if not len(blocks):
        return _size(kind)
    block = blocks[0]
    value = block.operations[len(block.operations) - 1].operands[number]
    parts = 0
    while not isinstance(value.owner, ir.Block) and value.owner.name == "tensor.insert_slice":
        parts += byte_size(value.owner.operands[0].type)
        value = value.owner.operands[1]
    return min(parts, _size(kind)) if value in list(block.arguments) else _size(kind)


def program_work(module: ir.Module, entry: str) -> Work:
    """Of a module whose kernels are functions on tensors, before emit-kernels."""
    functions = functions_by_name(module)
    return _of_blocks(functions[entry].regions[0].blocks, functions)


def _of_blocks(blocks: Iterable[Any], functions: Mapping[str, Any]) -> Work:
    return sum((_of_op(op, functions) for block in blocks for op in block.operations), Work())


def _of_op(op: Any, functions: Mapping[str, Any]) -> Work:
    if op.operation.name == "func.call":
        return _of_call(op, functions)
    regions = [_of_blocks(region.blocks, functions) for region in op.regions]
    if op.operation.name in ("scf.if", "scf.index_switch"):
        return Work(*(max(column) for column in zip(*(one.counts for one in regions))))
    return sum(regions, Work())


def _of_call(call: Any, functions: Mapping[str, Any]) -> Work:
    callee = functions[callee_of(call)]
    if "hlo.kernel" in callee.attributes:
        return work_of(callee, functions)
    if len(callee.regions[0].blocks):
        return _of_blocks(callee.regions[0].blocks, functions)
    return Work(0, 0, sum(map(byte_size, callee.type.inputs)), sum(map(byte_size, callee.type.results)))
