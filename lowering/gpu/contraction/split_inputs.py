"""The pass `split-inputs`: a product of f32 that the program allows to be made of several products of rounded parts is one.

Before:  %r = linalg.generic C(i, j) += A(i, k) * B(k, j) {hlo.split_inputs = "bf16_x3"} ins(%a, %b : f32)
After:   %p = linalg.generic parts of A: (i, q, k) -> bf16      %s = linalg.generic parts of B: (q, k, j) -> bf16
         %r = linalg.generic C(i, j) += P(i, q, k) * S(q, k, j) ins(%p, %s : bf16)

An f32 is the sum of its parts: the nearest number of the narrow type, the nearest to what is left of it, and so on. Which parts are
multiplied with which lies along the depth, the smallest products first: x3 is low * high + high * low + high * high. Infinities
and NaNs count in the product of the first parts alone, where they give what they give in f32."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mlir import ir
from mlir.dialects import arith, math

from hlo.lowering.finding import ops_within
from hlo.lowering.gpu.contraction.inputs import Input, with_inputs
from hlo.lowering.gpu.contraction.problem import Problem, innermost, problem_of
from hlo.lowering.linalg.contraction import ROUNDED_INPUTS, SPLIT_INPUTS
from hlo.lowering.linalg.structured import empty, generic, iterator_types, loop_index
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.vector.form_kernels import TILED

TERMS: dict[str, tuple[tuple[int, int], ...]] = {
    "x3": ((1, 0), (0, 1), (0, 0)),
    "x6": ((2, 0), (1, 1), (0, 2), (1, 0), (0, 1), (0, 0)),
    "x9": ((2, 2), (2, 1), (1, 2), (2, 0), (1, 1), (0, 2), (1, 0), (0, 1), (0, 0)),
}
"""Which part of the left input is multiplied with which of the right one, by the number of products."""

ENOUGH = 64
"""Rows and columns from which a pass over each input is worth it."""


@register_pass
@dataclass(frozen=True)
class SplitInputs(Pass):
    """Rewrites contractions, in front of the kernels; small ones stay exact."""

    def run(self, module: ir.Module) -> None:
        found = ops_within(module, lambda op: SPLIT_INPUTS in op.attributes)
        with module.context:
            for op in found:
                _split(op)


def _split(op: ir.Operation) -> None:
    problem = problem_of(op)
    kind, _, count = ir.StringAttr(op.attributes[SPLIT_INPUTS]).value.partition("_")
    if problem is None or min(problem.m, problem.n) < ENOUGH or not all(_is_plain(problem, n) for n in (0, 1)):
        return
    with op.location, ir.InsertionPoint(op):
        inputs = [_input(problem, number, kind, [term[number] for term in TERMS[count]]) for number in (0, 1)]
    made = with_inputs(op, inputs, _multiplied if kind != "tf32" else None)
    made.attributes["indexing_maps"] = ir.ArrayAttr.get([ir.AffineMapAttr.get(one) for one in _maps(problem, inputs)])
    made.attributes["iterator_types"] = iterator_types(["reduction", *_iterators(problem)])
    made.attributes[TILED] = ir.UnitAttr.get()
    del made.attributes[SPLIT_INPUTS]
    if kind == "tf32":
        made.attributes[ROUNDED_INPUTS] = ir.StringAttr.get(kind)
    op.results[0].replace_all_uses_with(made.results[0])
    op.erase()


def _is_plain(p: Problem, number: int) -> bool:
    """An f32 a place of the input, none of them twice."""
    places = [e.position if isinstance(e, ir.AffineDimExpr) else -1 for e in p.nest.maps[number].results]
    is_f32 = p.element_type(number) == ir.F32Type.get()
    return is_f32 and -1 not in places and len(set(places)) == len(places)


def _iterators(p: Problem) -> list[str]:
    return ["parallel" if d in p.nest.parallel else "reduction" for d in range(len(p.nest.sizes))]


def _maps(p: Problem, inputs: Sequence[Input]) -> list[ir.AffineMap]:
    """With the number of the term as the first dimension; `inputs` have such maps already."""
    moved = [ir.AffineDimExpr.get(e.position + 1) for e in p.nest.maps[2].results]
    return [*(one.map for one in inputs), ir.AffineMap.get(len(p.nest.sizes) + 1, 0, moved)]


def _multiplied(left: ir.Value, right: ir.Value, total: ir.Value) -> ir.Value:
    return arith.addf(total, arith.mulf(arith.extf(total.type, left), arith.extf(total.type, right)))


def _input(p: Problem, number: int, kind: str, levels: Sequence[int]) -> Input:
    """`levels`: the parts of it, by term. They lie along the depth, or in front of it where that is not what memory is contiguous
    along (bf16, which matrix instructions can turn)."""
    one = p.nest.maps[number]
    outer = [d for d in (*p.batch, *(p.rows if number == p.left else p.columns)) if _has(one, d)]
    inner = innermost(one)
    is_along = inner in p.depth or kind == "tf32"
    last = [] if is_along or inner not in outer else [inner]
    before = [d for d in outer if d not in last]
    order = [*before, -1, *p.depth, *last]
    loops = [d + 1 for d in order]
    shape = [len(levels) if d < 0 else p.nest.sizes[d] for d in order]
    stored = ir.Type.parse("f32" if kind == "tf32" else kind)
    read = ir.AffineMap.get(len(order), 0, [ir.AffineDimExpr.get(order.index(e.position)) for e in one.results])
    made = generic(
        [p.op.operands[number]],
        [read],
        [empty(ir.RankedTensorType.get(shape, stored))],
        [ir.AffineMap.get_identity(len(order))],
        ["parallel"] * len(order),
        lambda value, _: [_part(value, kind, levels, len(before))],
    )[0]
    return Input(made, ir.AffineMap.get(len(p.nest.sizes) + 1, 0, [ir.AffineDimExpr.get(d) for d in loops]))


def _has(one: ir.AffineMap, dimension: int) -> bool:
    return any(e.position == dimension for e in one.results)


# Parts of a number


def _part(value: ir.Value, kind: str, levels: Sequence[int], place: int) -> ir.Value:
    """The part that belongs to the term whose number is the loop index `place`."""
    first, finite = _rounded(value, kind), _is_finite(value)
    zero = arith.constant(value.type, 0.0)
    parts, rest = [_select(finite, first, zero)], _select(finite, arith.subf(value, first), zero)
    for _ in range(max(levels)):
        parts.append(_rounded(rest, kind))
        rest = arith.subf(rest, parts[-1])
    term = loop_index(place)
    found = first
    for number, level in list(enumerate(levels))[-2::-1]:
        is_it = arith.cmpi(arith.CmpIPredicate.eq, term, arith.constant(ir.IndexType.get(), number))
        found = _select(is_it, parts[level], found)
    return found if kind == "tf32" else arith.truncf(ir.Type.parse(kind), found)


def _is_finite(value: ir.Value) -> Any:
    largest = arith.constant(value.type, 3.4028234663852886e38)
    return arith.cmpf(arith.CmpFPredicate.OLE, math.absf(value), largest)


def _rounded(value: ir.Value, kind: str) -> ir.Value:
    """The nearest number of the narrow type, as f32."""
    if kind != "tf32":
        return arith.extf(value.type, arith.truncf(ir.Type.parse(kind), value))
    i32 = ir.IntegerType.get_signless(32)
    bits = arith.addi(arith.bitcast(i32, value), arith.constant(i32, 1 << 12))
    nearest = arith.bitcast(value.type, arith.andi(bits, arith.constant(i32, -1 << 13)))
    return _select(_is_finite(value), nearest, value)


def _select(condition: ir.Value, yes: ir.Value, no: ir.Value) -> ir.Value:
    return arith.SelectOp(condition, yes, no).result
