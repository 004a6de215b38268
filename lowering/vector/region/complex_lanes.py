"""Complex numbers in lanes: w of them are a vector of 2w floats, real and imaginary parts interleaved, as memory has
them. A computation separates them by shuffles and puts its results together; LLVM removes the pairs of shuffles between
ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from mlir import ir
from mlir.dialects import arith, vector

from hlo.lowering.vector.region.number import Number

if TYPE_CHECKING:
    from hlo.lowering.vector.region.code import Code


def parts_of(element: ir.Type) -> tuple[int, ir.Type]:
    """How many elements of a vector one number takes, and their type."""
    return (2, element.element_type) if isinstance(element, ir.ComplexType) else (1, element)


def positions(lanes: Sequence[int]) -> list[int]:
    """The elements of a vector that these lanes are; -1: any."""
    return [max(2 * lane, -1) + (part if lane >= 0 else 0) for lane in lanes for part in (0, 1)]


def takes(name: str, result_types: Sequence[ir.Type]) -> bool:
    """Whether the op, on vectors, is one of `IN_LANES`: a choice only if it is one of complex numbers."""
    return name in IN_LANES and (name != "arith.select" or isinstance(result_types[0], ir.ComplexType))


def interleaved(code: Code, a: Number, b: Number) -> Number:
    """Lanes of a and b interleaved, two elements a lane."""
    level, order = max(a.level, b.level), [lane + part * a.width for lane in range(a.width) for part in (0, 1)]
    with code.at(level):
        return Number(vector.shuffle(a.value, b.value, order), level, a.width)


def _part(number: int) -> Callable[[Code, Number], Number]:
    def take(code: Code, a: Number) -> Number:
        with code.at(a.level):
            value = vector.shuffle(a.value, a.value, list(range(number, 2 * a.width, 2)))
        return Number(value, a.level, a.width)

    return take


def _part_by_part(op: Callable[..., ir.Value], code: Code, a: Number, b: Number) -> Number:
    level = max(a.level, b.level)
    with code.at(level):
        return Number(op(a.value, b.value), level, a.width)


_sum = partial(_part_by_part, arith.addf)


def _select(code: Code, condition: Number, yes: Number, no: Number) -> Number:
    both, level = interleaved(code, condition, condition), max(n.level for n in (condition, yes, no))
    with code.at(level):
        chosen = ir.Operation.create("arith.select", [yes.value.type], [both.value, yes.value, no.value])
    return Number(chosen.result, level, yes.width)


def _product(code: Code, a: Number, b: Number) -> Number:
    """(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re): products of b's parts with a.re, of b's parts exchanged
    with a.im, whose signs alternate."""
    places = range(2 * a.width)
    real, imaginary = (_rearranged(code, a, [place - place % 2 + part for place in places]) for part in (0, 1))
    with code.at(0):
        kind = ir.VectorType(b.value.type)
        parts = [ir.FloatAttr.get(kind.element_type, (-1.0, 1.0)[place % 2]) for place in places]
        signs = Number(arith.constant(kind, ir.DenseElementsAttr.get(parts, kind)), 0, b.width)
    turned = _part_by_part(arith.mulf, code, imaginary, _rearranged(code, b, [place ^ 1 for place in places]))
    return _sum(code, _part_by_part(arith.mulf, code, real, b), _part_by_part(arith.mulf, code, turned, signs))


def _rearranged(code: Code, a: Number, places: Sequence[int]) -> Number:
    """Its parts in another order."""
    with code.at(a.level):
        return Number(vector.shuffle(a.value, a.value, list(places)), a.level, a.width)


IN_LANES: dict[str, Callable[..., Number]] = {
    "complex.re": _part(0),
    "complex.im": _part(1),
    "complex.create": interleaved,
    "complex.add": _sum,
    "complex.mul": _product,
    "arith.select": _select,
}
"""Ops on vectors of complex numbers, by name."""
WITHOUT_LANES = ("complex.constant",)
"""Ops that have no operands: their results are put in all lanes."""


def broadcast(code: Code, number: Number, width: int) -> Number:
    """A scalar in all lanes."""
    part = [number.element.element_type]
    re, im = (code.splat(code.op(f"complex.{name}", part, [number])[0], width) for name in ("re", "im"))
    return interleaved(code, re, im)


def extract_lane(code: Code, a: Number, lane: int) -> Number:
    with code.at(a.level):
        parts = [Number(vector.extract(a.value, [], [position]), a.level) for position in positions([lane])]
    return code.op("complex.create", [a.element], parts)[0]


def parts_in_memory(memref: ir.Value) -> ir.Value:
    """An array of complex numbers, one-dimensional, as an array of their parts: the address is the same."""
    type = ir.MemRefType(memref.type)
    parts, part = parts_of(type.element_type)
    flat = ir.MemRefType.get([parts * n for n in type.shape], part)
    return ir.Operation.create("builtin.unrealized_conversion_cast", [flat], [memref]).result


def is_in_lanes(op: Any) -> bool:
    """Whether vectors can do what an op of a body does, as far as it has to do with complex numbers."""
    return not op.name.startswith("complex.") or op.name in IN_LANES or op.name in WITHOUT_LANES
