"""Values of other lanes of a warp, of every element type, and folds over lanes.

gpu.shuffle moves 32 bits: narrower types travel in an integer of 32, wider ones in several."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import arith
from mlir.dialects import complex as complex_dialect

from hlo.lowering.gpu.fold import Fold

WARP = 32


def fold_lanes(fold: Fold, state: Sequence[ir.Value], distances: Sequence[int]) -> list[ir.Value]:
    """The first lane of each group has the fold of the group's states, in order; groups are lanes that differ by sums of the
    distances, which double. All lanes have it where the fold commutes."""
    values = list(state)
    for distance in distances:
        values = fold.combine(values, [shuffled(v, distance) for v in values])
    return values


def shuffled(value: ir.Value, distance: int) -> ir.Value:
    """The value that the lane with the number `lane xor distance` has."""
    return _by_words(value, lambda word: _shuffled_word(word, distance))


def _shuffled_word(value: ir.Value, distance: int) -> ir.Value:
    i32, i1 = ir.IntegerType.get_signless(32), ir.IntegerType.get_signless(1)
    mode = {"mode": ir.Attribute.parse("#gpu<shuffle_mode xor>")}
    operands = [value, arith.constant(i32, distance), arith.constant(i32, WARP)]
    return ir.Operation.create("gpu.shuffle", results=[value.type, i1], operands=operands, attributes=mode).results[0]


def _by_words(value: ir.Value, move: Callable[[ir.Value], ir.Value]) -> ir.Value:
    """A value whose parts of 32 bits are moved one by one."""
    kind = value.type
    if isinstance(kind, ir.ComplexType):
        parts = [complex_dialect.ReOp(value).result, complex_dialect.ImOp(value).result]
        return complex_dialect.CreateOp(kind, *(_by_words(part, move) for part in parts)).result
    if isinstance(kind, ir.IntegerType):
        return _integer_by_words(value, kind.width, move)
    width = ir.FloatType(kind).width
    if width == 32:
        return move(value)
    bits = _integer_by_words(arith.bitcast(ir.IntegerType.get_signless(width), value), width, move)
    return arith.bitcast(kind, bits)


def _integer_by_words(value: ir.Value, width: int, move: Callable[[ir.Value], ir.Value]) -> ir.Value:
    i32 = ir.IntegerType.get_signless(32)
    if width == 32:
        return move(value)
    if width < 32:
        return arith.trunci(value.type, move(arith.extui(i32, value)))
    half = arith.constant(value.type, 32)
    low = move(arith.trunci(i32, value))
    high = move(arith.trunci(i32, arith.shrui(value, half)))
    return arith.ori(arith.shli(arith.extui(value.type, high), half), arith.extui(value.type, low))
