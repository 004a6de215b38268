"""Sums of arrays that are padded to lie beside each other are concatenations, for simplify-algebra. Adjacent ranges are what the
gradient of a split into parts is written as:

    %a = pad %x, 0, low = [0], high = [3]
    %b = pad %y, 0, low = [2], high = [0]      becomes      %s = concatenate (%x + 0), (%y + 0)
    %s = add %a, %b

and every second element what `jax.lax.associative_scan` is:

    %a = pad %x, 0, high = [1], interior = [1]
    %b = pad %y, 0, low = [1], interior = [1]      becomes      %s = reshape (concatenate (%x + 0 as columns), (%y + 0 as columns))
    %s = add %a, %b

x + 0 is x but for -0.0, which the sum makes 0.0. An update of zeros at known indices is such a pad."""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.dialect.stablehlo import AddOp, DynamicUpdateSliceOp
from hlo.dialect.types import element_type, is_bool, is_float, shape, tensor
from hlo.lowering.stablehlo.arithmetic import Tensor, broadcast, constant, joined, padded, part_along, reshaped
from hlo.lowering.stablehlo.constants import is_zero, splat
from hlo.lowering.stablehlo.rewriting import defining
from hlo.lowering.stablehlo.simplify.table import simplifies


@simplifies(AddOp)
def add_pads(op: Any) -> ir.Value | None:
    pads = [_zero_padded(v) for v in (op.lhs, op.rhs)]
    if pads[0] is None or pads[1] is None or is_bool(element_type(op.result.type)) or op.lhs == op.rhs:
        return None
    along = {d for pad in pads for d in _padded(pad)}
    if len(along) != 1:
        return None
    (d,) = along
    first, second = sorted(pads, key=lambda pad: pad.edge_padding_low[d])
    if any(first.interior_padding) or any(second.interior_padding):
        return _interleaved(first, second, d)
    if first.edge_padding_low[d] + shape(first.operand.type)[d] != second.edge_padding_low[d]:
        return None
    together = joined(list(map(Tensor, (*_parts(first, d), *_parts(second, d)))), d)
    low, high = list(first.edge_padding_low), list(second.edge_padding_high)
    if not any((*low, *high)):
        return together.value
    return padded(together, Tensor(first.padding_value), low, high).value


def _interleaved(first: Any, second: Any, d: int) -> ir.Value | None:
    """The elements of both arrays by turns, where each has every second one of the sum."""
    x, y = (Tensor(pad.operand) for pad in (first, second))
    count, rest = y.shape[d], x.shape[d] - y.shape[d]
    begins = first.edge_padding_low[d], second.edge_padding_low[d]
    if {first.interior_padding[d], second.interior_padding[d]} != {1} or begins != (0, 1) or rest not in (0, 1):
        return None
    if shape(first.result.type)[d] != 2 * count + rest or not count:
        return None
    x, y = (part + broadcast(Tensor(first.padding_value), part.shape) for part in (x, y))
    column = [*y.shape[: d + 1], 1, *y.shape[d + 1 :]]
    pairs = joined([reshaped(part, column) for part in (part_along(x, d, 0, count), y)], d + 1)
    turns = reshaped(pairs, [*y.shape[:d], 2 * count, *y.shape[d + 1 :]])
    return joined([turns, part_along(x, d, count, 1)], d).value if rest else turns.value


def _zero_padded(value: ir.Value) -> Any:
    """The pad that makes a value for one use: of known size, nothing cut off, zeros around."""
    pad = defining(value, "pad")
    if pad is None or len(list(value.uses)) != 1:
        return None
    edges = (*pad.edge_padding_low, *pad.edge_padding_high)
    if any(e < 0 for e in edges) or any(n < 0 for n in shape(pad.operand.type)):
        return None
    return pad if is_zero(pad.padding_value, negative=False) else None


def _padded(pad: Any) -> list[int]:
    around = zip(pad.edge_padding_low, pad.edge_padding_high, pad.interior_padding)
    return [d for d, padding in enumerate(around) if any(padding)]


def _parts(pad: Any, d: int) -> list[ir.Value]:
    """The arrays in adjacent ranges of the operand, in the order of the sum."""
    operand: ir.Value = pad.operand
    if not is_float(element_type(operand.type)):
        return [operand]
    if _is_concatenation(operand, d) and all(map(_has_zero_added, operand.owner.operands)):
        return list(operand.owner.operands)
    return [(Tensor(operand) + broadcast(Tensor(pad.padding_value), shape(operand.type))).value]


def _is_concatenation(value: ir.Value, d: int) -> bool:
    op = defining(value, "concatenate")
    return op is not None and bool(op.dimension == d)


def _has_zero_added(value: ir.Value) -> bool:
    op = defining(value, "add")
    other = defining(op.operands[1], "broadcast_in_dim") if op is not None else None
    return other is not None and is_zero(other.operands[0], negative=False)


@simplifies(DynamicUpdateSliceOp)
def update_of_zeros(op: DynamicUpdateSliceOp) -> ir.Value | None:
    """dynamic_update_slice(0, x, constant indices) = pad(x, 0)."""
    sizes, inner = shape(op.operand.type), shape(op.update.type)
    starts = [splat(v) for v in op.start_indices]
    if not is_zero(op.operand, negative=False) or any(s is None or s < 0 for s in starts):
        return None
    if any(n < 0 for n in (*sizes, *inner)):
        return None
    low = [min(int(start), size - n) for start, size, n in zip(starts, sizes, inner)]
    high = [size - n - at for size, n, at in zip(sizes, inner, low)]
    return padded(Tensor(op.update), constant(tensor([], element_type(op.operand.type)), 0), low, high).value
