"""LAPACK's routines of Householder reflections for small matrices, as code of the program: geqrf, and orgqr or ungqr.

A reflection is I - t v v^H, where v is 1 in row k and 0 above; below, it replaces the column that it makes zero. Signs and factors t
are LAPACK's (larfg)."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, math

from hlo.dialect.stablehlo.conversion import real_type
from hlo.lowering.linalg.linear_algebra.small_calls import At, Call
from hlo.lowering.linalg.loops import Index, add, element, for_loop, index, scalar, shape, sub
from hlo.lowering.linalg.parts import (
    Array,
    Number,
    chosen,
    conj,
    divided,
    is_zero,
    minus_product,
    plus_square,
    product,
    real_number,
    scaled,
)

TINY = {32: 2.0**-126, 64: 2.0**-1022}
"""The smallest normal number, by bits."""

COLUMNS = 4
"""That a reflection is applied to together."""


def geqrf(call: Call) -> list[ir.Value] | None:
    """Column by column; each reflection is applied to the columns that follow."""
    (a,) = call.operands
    *extents, rows, columns = shape(a)
    steps = min(rows, columns)
    batch = call.batch()
    if batch is None or not call.has_results(a.type, ir.RankedTensorType.get([*extents, steps], element(a))):
        return None

    def factorise(at: At, a: Array, factors: Array) -> list[Array]:
        count = len(a.tensors)

        def step(k: Index, *state: ir.Value) -> list[ir.Value]:
            a, factors = Array(state[:count]), Array(state[count:])
            a, factor = _reflecting(a, at, k, rows)
            factors = factors.store(factor, at(k))
            a = _reflected(a, at, k, conj(factor), rows, columns)
            return [*a.tensors, *factors.tensors]

        state = for_loop(0, steps, step, [*a.tensors, *factors.tensors])
        return [Array(tuple(state[:count])), Array(tuple(state[count:]))]

    matrices = batch.put(a)
    factors = batch.empty(real_type(element(a)), [steps], len(matrices.tensors))
    return call.run("qr", batch, [matrices, factors], factorise)


def orgqr(call: Call) -> list[ir.Value] | None:
    """The first columns of the product of the reflections, from the last one on."""
    a, factors = call.operands
    *extents, rows, columns = shape(a)
    *others, steps = shape(factors)
    batch = call.batch()
    fits = others == extents and element(a) == element(factors) and 0 < steps <= columns <= rows
    if batch is None or not fits or not call.has_results(a.type):
        return None

    def multiply(at: At, a: Array, factors: Array) -> list[Array]:
        zero, one = (tuple(scalar(t.type.element_type, n) for t in a.tensors) for n in (0, 1))
        one = real_number(one[0], one)

        def unit(j: Index, a: Array) -> Array:
            return a.loop(0, rows, lambda i, a: a.store(zero, at(i, j))).store(one, at(j, j))

        def step(number: Index, a: Array) -> Array:
            k = sub(steps - 1, number)
            factor = factors.load(at(k))
            a = _reflected(a, at, k, factor, rows, columns)
            below = lambda i, a: a.store(minus_product(zero, factor, a.load(at(i, k))), at(i, k))
            a = a.loop(add(k, 1), rows, below).loop(0, k, lambda i, a: a.store(zero, at(i, k)))
            return a.store(minus_product(one, factor, one), at(k, k))

        return [a.loop(steps, columns, unit).loop(0, steps, step)]

    return call.run("reflections", batch, [batch.put(a)], multiply, [batch.put(factors)])


def _reflected(a: Array, at: At, k: Index, factor: Number, rows: int, columns: int) -> Array:
    """With reflection k, which lies in column k, applied to the columns that follow."""
    below, parts = add(k, 1), len(a.tensors)

    def several(first: Index, count: int, a: Array) -> Array:
        """Of so many columns: independent sums, which read each element of v once."""
        js = [add(first, n) for n in range(count)]
        heads = [a.load(at(k, j)) for j in js]

        def terms(i: Index, *totals: ir.Value) -> list[ir.Value]:
            v, sums = conj(a.load(at(i, k))), [totals[n : n + parts] for n in range(0, len(totals), parts)]
            return [part for j, total in zip(js, sums) for part in minus_product(total, v, a.load(at(i, j)))]

        totals = for_loop(below, rows, terms, [arith.negf(part) for head in heads for part in head])
        negated = [arith.negf(part) for part in totals]
        wholes = [product(factor, tuple(negated[n : n + parts])) for n in range(0, len(negated), parts)]

        def less(i: Index, a: Array) -> Array:
            v = a.load(at(i, k))
            for j, whole in zip(js, wholes):
                a = a.store(minus_product(a.load(at(i, j)), whole, v), at(i, j))
            return a

        for j, head, whole in zip(js, heads, wholes):
            a = a.store(tuple(arith.subf(x, y) for x, y in zip(head, whole, strict=True)), at(k, j))
        return a.loop(below, rows, less)

    start = add(below, arith.remui(index(sub(columns, below)), index(COLUMNS)))
    return a.loop(below, start, lambda j, a: several(j, 1, a)).loop(
        start, columns, lambda j, a: several(j, COLUMNS, a), COLUMNS
    )


def _reflecting(a: Array, at: At, k: Index, rows: int) -> tuple[Array, Number]:
    """With column k from the diagonal on replaced: its first element by what the reflection makes of it, those below by v; and the factor t.

    The column is scaled by its largest part, so that no square overflows, and what is not zero does not count as zero."""
    alpha = a.load(at(k, k))
    kind = alpha[0].type
    below = add(k, 1)
    larger = lambda i, most: [arith.maximumf(most, _largest(a.load(at(i, k))))]
    (rest,) = for_loop(below, rows, larger, [scalar(kind, 0)])
    size = arith.maximumf(rest, _largest(alpha))
    unit = arith.maximumf(size, scalar(kind, TINY[ir.FloatType(kind).width]))
    scale = arith.divf(scalar(kind, 1), unit)
    square = lambda i, total: [plus_square(total, scaled(a.load(at(i, k)), scale))]
    first = scaled(alpha, scale)
    (total,) = for_loop(below, rows, square, [plus_square(scalar(kind, 0), first)])
    head = arith.negf(math.copysign(math.sqrt(total), alpha[0]))
    behind = (arith.subf(first[0], head), *first[1:])
    factor = tuple(arith.divf(arith.negf(part), head) for part in behind)
    inverse = divided(real_number(scalar(kind, 1), alpha), behind)
    direction = lambda value: product(scaled(value, scale), inverse)

    keeps = is_zero(rest)  # the column is zero below the diagonal, and there is nothing to do
    for part in alpha[1:]:
        keeps = arith.andi(keeps, is_zero(part))
    replaced = lambda i, a: a.store(chosen(keeps, a.load(at(i, k)), direction(a.load(at(i, k)))), at(i, k))
    infinite = arith.cmpf(arith.CmpFPredicate.OEQ, size, scalar(kind, float("inf")))
    norm = arith.select(infinite, arith.negf(math.copysign(size, alpha[0])), arith.mulf(head, unit))
    a = a.loop(below, rows, replaced).store(chosen(keeps, alpha, real_number(norm, alpha)), at(k, k))
    return a, chosen(keeps, real_number(scalar(kind, 0), alpha), factor)


def _largest(a: Number) -> ir.Value:
    """The larger one of the parts' absolute values; NaN if there is one."""
    most = math.absf(a[0])
    for part in a[1:]:
        most = arith.maximumf(most, math.absf(part))
    return most
