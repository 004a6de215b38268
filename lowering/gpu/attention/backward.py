"""The parts of attention's gradient: contractions and reductions of what is computed element by element from the scores, and perhaps from
other contractions of their shape.

    %s = contraction (%q, %k)    %p = contraction (%g, %v)    %x = f(%s, %p, %m, ...)    %r = contraction (%x, %k)  or  sum %x

f is any expression, with vectors over rows or over the depth (%m) from memory."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from mlir import ir

from hlo.lowering.gpu.attention.attention import (
    HALVES,
    LEAST,
    Attention,
    End,
    NotAttentionError,
    check_types,
    dimensions_of,
    end_of,
    factors_of,
    is_plain,
)
from hlo.lowering.gpu.attention.expressions import Constant, Coordinates, Fold, Node, Product, Reader
from hlo.lowering.gpu.contraction.problem import Problem, problem_of, turned
from hlo.lowering.gpu.nest import nest_of
from hlo.lowering.linalg.contraction import ROUNDED_INPUTS

WIDEST = 256
"""Depth of the contractions that are computed again, and columns of the result, at most."""


def backward_of(op: ir.Operation, products: Sequence[ir.Value], given: Collection[ir.Value]) -> Attention:
    """`products`: results of contractions that are not in memory; `given`: values that are. Raises NotAttentionError for what
    the kernel does not do."""
    problem = problem_of(op)
    if problem is None:
        return _reduction(op, products, given)
    for side in (0, 1):
        last = problem if problem.left == side else turned(problem)
        if not is_plain(last.nest.maps[side]) or not is_plain(last.nest.maps[2]):
            raise NotAttentionError("a contraction of sums of dimensions")
        symbols = (*last.batch, *last.rows, *last.depth)
        reader = Reader({d: last.nest.sizes[d] for d in symbols}, (), *products, given=given)
        expression = reader.node(op.operands[side], dimensions_of(last.nest.maps[side]))
        if expression.has_product:
            return _contraction(last, expression, reader)
    raise NotAttentionError("a contraction of other values")


def _contraction(last: Problem, expression: Node, reader: Reader) -> Attention:
    factors, last = _factors(expression, last)
    found = _attention(last, factors, expression, end_of(last), reader)
    _check_right(found)
    return found


def _reduction(op: ir.Operation, products: Sequence[ir.Value], given: Collection[ir.Value]) -> Attention:
    nest, root = nest_of(op), op.results[0]
    if nest.inputs != 1 or not is_plain(nest.maps[0]) or not is_plain(nest.maps[1]):
        raise NotAttentionError("a reduction of several inputs or of sums of dimensions")
    reader = Reader(dict(enumerate(nest.sizes)), nest.reduction, *products, given=set(given) - {root})
    coordinates: Coordinates = dimensions_of(nest.maps[1])
    fold = reader.node(root, coordinates)
    if not isinstance(fold, Fold) or not fold.has_product or not isinstance(fold.operands[0], Constant):
        raise NotAttentionError("a reduction of other values")
    start = float(fold.operands[0].attribute.value)
    if fold.name == "arith.addf" and start != 0.0:
        raise NotAttentionError("a sum that does not begin with 0")
    last = Problem(op, nest, (), nest.parallel, (), nest.reduction, 0, 0)
    factors, last = _factors(fold.operands[1], last)
    shape = ir.RankedTensorType(root.type).shape
    end = End(root, tuple(None if size == 1 else p for p, size in zip(coordinates, shape)), {root: op})
    return _attention(last, factors, fold.operands[1], end, reader, (fold.name, start))


def _attention(
    last: Problem,
    factors: dict[Product, Problem],
    expression: Node,
    end: End,
    reader: Reader,
    fold: tuple[str, float] | None = None,
) -> Attention:
    inlined = {**reader.inlined, **end.inlined, **{p.op.results[0]: p.op for p in factors}}
    return Attention(last, factors, expression, end, inlined, reader.parts_of_symbols, fold=fold)


def _factors(expression: Node, last: Problem) -> tuple[dict[Product, Problem], Problem]:
    """Those that tensor cores have the types for, and tiles the sizes."""
    factors, last = factors_of(expression, last)
    for p in factors.values():
        check_types(p)
        if min(p.m, p.n, p.k) < LEAST or p.k > WIDEST:
            raise NotAttentionError(f"{p.m} x {p.n} products of {p.k}")
    return factors, last


def _check_right(found: Attention) -> None:
    p = found.last
    left = p.kind(p.left)
    if found.kind not in HALVES or str(p.element_type(2)) != "f32" or not LEAST <= p.n <= WIDEST:
        raise NotAttentionError(f"products with {p.n} columns of {found.kind}")
    if left not in (found.kind, "f32", "tf32") or (left not in HALVES and found.kind != "bf16"):
        raise NotAttentionError(f"products of {left} and {found.kind}")
    if ROUNDED_INPUTS in p.op.attributes and left in HALVES and left != found.kind:
        raise NotAttentionError("inputs rounded to another type")
