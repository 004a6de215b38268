"""Reductions that need less, for simplify-algebra.

Of integers of which only the low bits are used: these are those of the low bits of what is reduced.

%w = convert %x : ui8 -> ui32
%s = reduce add %w : ui32                 becomes         %t = reduce add %x : ui8
%t = convert %s : ui32 -> ui8

JAX adds up small integers in 32 bits, also where the sum is to be of their type (jnp.packbits). A vector has four times as many of them.

Of windows over equal elements, the number of elements that a padded average pool divides by:

%o = constant 1.0 : 8x56x56x64xf32                    %o = constant 1.0 : 1x56x56x1xf32
%n = reduce_window add %o, 3x3 : 8x56x56x64xf32       %m = reduce_window add %o, 3x3 : 1x56x56x1xf32
                                        becomes       %n = broadcast_in_dim %m : 8x56x56x64xf32"""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.dialect.stablehlo import ConvertOp, ReduceOp, ReduceWindowOp
from hlo.dialect.types import element_type, is_bool, is_integer, rank, shape, tensor
from hlo.lowering.copying import cloned_with
from hlo.lowering.stablehlo.arithmetic import Tensor, broadcast, convert, reduced
from hlo.lowering.stablehlo.rewriting import combining_op, defining
from hlo.lowering.stablehlo.simplify.table import simplifies
from hlo.lowering.stablehlo.simplify.unit_dimensions import with_shape

MODULAR = frozenset(f"stablehlo.{name}" for name in ("add", "multiply", "and", "or", "xor"))
"""Ops of integers whose result's low bits depend on those of the operands only."""


@simplifies(ConvertOp)
def convert_of_reduction(op: Any) -> ir.Value | None:
    """A reduction of extended integers whose result is cut off: one of the narrow type."""
    reduce, narrow = defining(op.operands[0], "reduce"), element_type(op.results[0].type)
    name = None if reduce is None else _combined_by(reduce)
    if name is None or not _cuts_off(element_type(op.operands[0].type), narrow):
        return None
    extended = defining(reduce.inputs[0], "convert")
    if extended is None or not (is_integer(source := element_type(extended.operands[0].type)) or is_bool(source)):
        return None
    operand, start = (convert(Tensor(v), narrow) for v in (extended.operands[0], reduce.init_values[0]))
    return reduced(operand, list(reduce.dimensions), name, start).value


def _combined_by(reduce: ReduceOp) -> str | None:
    """The name of the op that is all a reduction of one array does, if it is one of `MODULAR`; None where others use the result too."""
    if len(reduce.results) != 1 or len(list(reduce.results[0].uses)) != 1:
        return None
    combiner = combining_op(reduce.body.blocks[0])
    is_modular = combiner is not None and combiner.operation.name in MODULAR
    return combiner.operation.name.removeprefix("stablehlo.") if is_modular else None


def _cuts_off(wide: ir.Type, narrow: ir.Type) -> bool:
    return is_integer(wide) and is_integer(narrow) and narrow.width < wide.width


@simplifies(ReduceWindowOp)
def reduce_once(op: Any) -> ir.Value | None:
    """Dimensions along which all elements of the operand are equal, and that windows do not move in, are reduced at one index."""
    if len(op.inputs) != 1 or any(n < 0 for n in (*shape(op.inputs[0].type), *shape(op.results[0].type))):
        return None
    sizes = shape(op.inputs[0].type)
    repeated = {d for d in _equal_along(op.inputs[0]) if sizes[d] > 1 and _stays(op, d)}
    if not repeated:
        return None
    operand = _narrowed(op.inputs[0], repeated)
    result_type = op.results[0].type
    made = cloned_with(op, [operand], [tensor(_with_ones(result_type, repeated), element_type(result_type))])
    return broadcast(Tensor(made.results[0]), shape(op.results[0].type), range(len(sizes))).value


def _equal_along(value: ir.Value) -> set[int]:
    """Dimensions along which all elements are known to be equal."""
    dimensions, constant, repeated = (
        set(range(rank(value.type))),
        defining(value, "constant"),
        defining(value, "broadcast_in_dim"),
    )
    if constant is not None:
        return dimensions if getattr(constant.attributes["value"], "is_splat", False) else set()
    if repeated is None:
        return set()
    given = zip(repeated.broadcast_dimensions, shape(repeated.operand.type), strict=True)
    return dimensions - {d for d, size in given if size != 1}


def _stays(op: Any, d: int) -> bool:
    """Whether each window has one element along a dimension, and there is one for each."""
    moves = op.window_dimensions[d], op.window_strides[d], op.base_dilations[d]
    return moves == (1, 1, 1) and tuple(op.padding[d]) == (0, 0)


def _narrowed(value: ir.Value, repeated: set[int]) -> ir.Value:
    sizes, constant = _with_ones(value.type, repeated), defining(value, "constant")
    if constant is not None:
        return with_shape(value, constant, sizes)
    made = defining(value, "broadcast_in_dim")
    return broadcast(Tensor(made.operand), sizes, made.broadcast_dimensions).value


def _with_ones(kind: ir.Type, repeated: set[int]) -> list[int]:
    return [1 if d in repeated else n for d, n in enumerate(shape(kind))]
