"""Two contractions of what is computed again from the same ones, with the same rows and depth: one kernel has both.

    %v = contraction (f(%s), %g)    %k = contraction (h(%s, %p), %q)

dV and dK are such a pair: four products instead of five, and the exponentials once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from mlir import ir

from hlo.lowering.gpu.attention.expressions import Reader
from hlo.lowering.gpu.attention.recognise import NotAttentionError, dimensions_of
from hlo.lowering.gpu.contraction.problem import Problem
from hlo.lowering.gpu.recompute.recognise import Recomputed, factors_of, recomputed_of

WIDEST = 128
"""Columns of each, and depth of what is computed again: sums of both are in registers."""


def pair_of(ops: Sequence[ir.Operation], products: Sequence[ir.Value], given: Collection[ir.Value]) -> Recomputed:
    """The first of two ops, with the second one as `also`. Raises NotAttentionError for what the kernel does not do."""
    one, other = (recomputed_of(op, products, given) for op in ops)
    symbols = _symbols(one, other)
    p = one.values
    reader = Reader({d: p.nest.sizes[d] for d in (*p.batch, *p.rows, *p.depth)}, (), *products, given=given)
    first = reader.node(p.op.operands[p.left], dimensions_of(p.nest.maps[p.left]))
    second = other.values
    places = tuple(symbols.get(d) for d in dimensions_of(second.nest.maps[second.left]) if d is not None)
    also = replace(
        other, values=_aligned(second, p, symbols), expression=reader.node(second.op.operands[second.left], places)
    )
    factors, _ = factors_of([first, also.expression], p)
    if reader.splits:
        raise NotAttentionError("dimensions that are taken apart")
    inlined = {**one.inlined, **other.inlined}
    found = replace(one, factors=factors, expression=first, inlined=inlined, also=also)
    if max(p.n, second.n, *(factor.k for factor in factors.values())) > WIDEST:
        raise NotAttentionError(f"a pair with more than {WIDEST} columns")
    return found


def _symbols(one: Recomputed, other: Recomputed) -> dict[int, int]:
    """By symbol of the other the first one's: what both compute again has both."""
    if None in (one.sum, other.sum) or one.parts or other.parts:
        raise NotAttentionError("a pair of contractions expected, in whole dimensions")
    by_op = {product.op: product for product in one.factors}
    pairs = {
        (theirs, mine)
        for product in other.factors
        if product.op in by_op
        for theirs, mine in zip(product.places, by_op[product.op].places, strict=True)
        if theirs is not None and mine is not None
    }
    symbols = dict(pairs)
    p, q = one.values, other.values
    if len(symbols) != len(pairs) or any(
        {symbols.get(d) for d in _long(q, theirs)} != set(_long(p, mine))
        for mine, theirs in ((p.batch, q.batch), (p.rows, q.rows), (p.depth, q.depth))
    ):
        raise NotAttentionError("contractions with other rows or another depth")
    return symbols


def _long(p: Problem, dimensions: Sequence[int]) -> list[int]:
    return [d for d in dimensions if p.nest.sizes[d] != 1]


def _aligned(p: Problem, to: Problem, symbols: Mapping[int, int]) -> Problem:
    """With its dimensions in the order of another one's."""
    own = {mine: theirs for theirs, mine in symbols.items()}

    def ordered(dimensions: Sequence[int], wanted: Sequence[int]) -> tuple[int, ...]:
        return (*(d for d in dimensions if p.nest.sizes[d] == 1), *(own[d] for d in _long(to, wanted)))

    return replace(p, batch=ordered(p.batch, to.batch), rows=ordered(p.rows, to.rows), depth=ordered(p.depth, to.depth))
