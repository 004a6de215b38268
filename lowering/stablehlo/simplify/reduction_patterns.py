"""Reductions of integers of which only the low bits are used, for simplify-algebra: these are those of the low bits of what is reduced.

%w = convert %x : ui8 -> ui32
%s = reduce add %w : ui32                 becomes         %t = reduce add %x : ui8
%t = convert %s : ui32 -> ui8

JAX adds up small integers in 32 bits, also where the sum is to be of their type (jnp.packbits). A vector has four times as many of them."""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.dialect.stablehlo import ConvertOp, ReduceOp
from hlo.dialect.types import element_type, is_bool, is_integer
from hlo.lowering.stablehlo.arithmetic import Tensor, convert, reduced
from hlo.lowering.stablehlo.rewriting import combining_op, defining
from hlo.lowering.stablehlo.simplify.table import simplifies

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
