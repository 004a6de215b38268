"""A contraction, or a reduction, of what is computed element by element from other contractions.

    %s = contraction (%q, %k)    %p = contraction (%g, %v)    %x = f(%s, %p, %m, ...)    %r = contraction (%x, %k)  or  sum %x

f is any expression, with vectors over rows or over the depth (%m) from memory. Rows and depth of the last op are rows and columns
of the others, either way round. Symbols are the dimensions of the last op.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from mlir import ir

from hlo.lowering.finding import made_by
from hlo.lowering.gpu.attention.expressions import (
    Apply,
    Constant,
    Element,
    Fold,
    Node,
    Places,
    Product,
    Reader,
    reachable,
)
from hlo.lowering.gpu.attention.recognise import (
    LEAST,
    MOST_PER_SCORE,
    NotAttentionError,
    dimensions_of,
    end_of,
    is_plain,
    matched,
)
from hlo.lowering.gpu.contraction.problem import Problem, problem_of, turned
from hlo.lowering.gpu.contraction.read_narrow import source_of, with_sources
from hlo.lowering.gpu.nest import nest_of
from hlo.lowering.linalg.contraction import ROUNDED_INPUTS

# Right inputs that a conversion made wider: f32 made of bf16 is read as bf16.
#
# Before:  %w = linalg.generic {extf} ins(%k : bf16)     %r = linalg.generic {C += A * B} ins(%x : f32, %w : f32)
# After:                                                 %r = linalg.generic {C += A * extf(B)} ins(%x : f32, %k : bf16)


WIDENINGS = ("arith.extf",)


def narrow_kind(value: ir.Value) -> str:
    """The type of a tensor's elements before they were widened."""
    source = _source(value)
    return str((source.operands[0] if source else value).type.element_type)


def read_narrow(op: ir.Operation, number: int) -> ir.Operation:
    """The contraction with the narrow source of an input instead of it, in its place; the op itself if there is none."""
    sources = [_source(v) if n == number else None for n, v in enumerate(list(op.operands)[:2])]
    return with_sources(op, sources) if any(sources) else op


def _source(value: ir.Value) -> ir.Operation | None:
    return source_of(value, WIDENINGS) if made_by(value) is not None else None


# One contraction or reduction


KINDS = ("bf16", "f16")
"""Of the inputs: those that tensor cores multiply into f32."""

WIDEST = 256
"""Depth of the contractions that are computed again, and columns of the result, at most."""


@dataclass(frozen=True)
class Recomputed:
    """`values`: the last op; its left input is not in memory, its columns are those of the other one (none for a reduction).
    `factors`: the contractions that are computed again, by their result in `expression`, which is an element of the left input.
    `fold`: how a reduction combines, and what it begins with. `sum`, `result`, `root`, `places`, `inlined`, `parts`: as those of
    attention."""

    values: Problem
    factors: dict[Product, Problem]
    expression: Node
    fold: tuple[str, float] | None
    sum: Product | None
    result: Node | None
    root: ir.Value
    places: Places
    inlined: dict[ir.Value, ir.Operation]
    parts: dict[int, dict[int, int]]

    @property
    def kind(self) -> str:
        """Of what is multiplied by the right input: bf16 or f16."""
        return narrow_kind(self.values.op.operands[self.values.right])

    @property
    def terms(self) -> int:
        """How many numbers of that kind an element of the left input becomes: an f32 that may not be rounded is the sum of three
        bf16."""
        return 3 if self.values.kind(self.values.left) not in KINDS else 1


def recomputed_of(op: ir.Operation, products: Sequence[ir.Value], given: Collection[ir.Value]) -> Recomputed:
    """`products`: results of contractions that are not in memory; `given`: values that are. Raises NotAttentionError for what
    the kernel does not do."""
    problem = problem_of(op)
    if problem is None:
        return _reduction(op, products, given)
    for side in (0, 1):
        values = problem if problem.left == side else turned(problem)
        if not is_plain(values.nest.maps[side]) or not is_plain(values.nest.maps[2]):
            raise NotAttentionError("a contraction of sums of dimensions")
        symbols = (*values.batch, *values.rows, *values.depth)
        reader = Reader({d: values.nest.sizes[d] for d in symbols}, (), *products, given=given)
        expression = reader.node(op.operands[side], dimensions_of(values.nest.maps[side]))
        if expression.has_product:
            return _contraction(values, expression, reader)
    raise NotAttentionError("a contraction of other values")


def _contraction(values: Problem, expression: Node, reader: Reader) -> Recomputed:
    factors, values = factors_of(expression, values)
    end = end_of(values)
    inlined = {**reader.inlined, **end.inlined}
    found = _recomputed(
        values, factors, expression, reader, inlined, sum=end.sum, result=end.result, root=end.root, places=end.places
    )
    _check_right(found)
    return found


def _reduction(op: ir.Operation, products: Sequence[ir.Value], given: Collection[ir.Value]) -> Recomputed:
    nest, root = nest_of(op), op.results[0]
    if nest.inputs != 1 or not is_plain(nest.maps[0]) or not is_plain(nest.maps[1]):
        raise NotAttentionError("a reduction of several inputs or of sums of dimensions")
    reader = Reader(dict(enumerate(nest.sizes)), nest.reduction, *products, given=set(given) - {root})
    places: Places = dimensions_of(nest.maps[1])
    fold = reader.node(root, places)
    if not isinstance(fold, Fold) or not fold.has_product or not isinstance(fold.operands[0], Constant):
        raise NotAttentionError("a reduction of other values")
    start = float(fold.operands[0].attribute.value)
    if fold.name == "arith.addf" and start != 0.0:
        raise NotAttentionError("a sum that does not begin with 0")
    factors, values = factors_of(fold.operands[1], Problem(op, nest, (), nest.parallel, (), nest.reduction, 0, 0))
    inlined = {**reader.inlined, root: op}
    shape = ir.RankedTensorType(root.type).shape
    places = tuple(None if size == 1 else p for p, size in zip(places, shape))
    fold_of = (fold.name, start)
    return _recomputed(values, factors, fold.operands[1], reader, inlined, fold=fold_of, root=root, places=places)


def _recomputed(
    values: Problem,
    factors: dict[Product, Problem],
    expression: Node,
    reader: Reader,
    inlined: dict[ir.Value, ir.Operation],
    root: ir.Value,
    places: Places,
    fold: tuple[str, float] | None = None,
    sum: Product | None = None,
    result: Node | None = None,
) -> Recomputed:
    inlined = {**inlined, **{p.op.results[0]: p.op for p in factors}}
    return Recomputed(values, factors, expression, fold, sum, result, root, places, inlined, reader.parts_of_symbols)


def factors_of(expression: Node, values: Problem) -> tuple[dict[Product, Problem], Problem]:
    """The contractions in an expression, and the last op, all with the same batch and rows."""
    nodes = reachable(expression)
    count = sum(isinstance(one, Apply) for one in nodes)
    if count > MOST_PER_SCORE:
        raise NotAttentionError(f"{count} ops an element: more than {MOST_PER_SCORE}")
    products = [one for one in nodes if isinstance(one, Product)]
    if len({one.op for one in products}) != len(products):
        raise NotAttentionError("a contraction that is read at several places")
    found = [(one, *matched(one, values)) for one in products]
    _, _, first = found[0]
    if any((other.batch, other.rows) != (first.batch, first.rows) for _, _, other in found):
        raise NotAttentionError("contractions with different batches")
    for _, problem, _ in found:
        _check(problem)
    return {one: problem for one, problem, _ in found}, first


def _check(p: Problem) -> None:
    """That tensor cores have the types, and tiles the sizes."""
    kinds = [str(p.element_type(n)) for n in (p.left, p.right, 2)]
    if kinds[0] not in KINDS or kinds[1] != kinds[0] or kinds[2] != "f32":
        raise NotAttentionError(f"products of {kinds[0]} and {kinds[1]} in {kinds[2]}: bf16 or f16 in f32 expected")
    if min(p.m, p.n, p.k) < LEAST or p.k > WIDEST:
        raise NotAttentionError(f"{p.m} x {p.n} products of {p.k}")


def _check_right(found: Recomputed) -> None:
    p = found.values
    left = p.kind(p.left)
    if found.kind not in KINDS or str(p.element_type(2)) != "f32" or not LEAST <= p.n <= WIDEST:
        raise NotAttentionError(f"products with {p.n} columns of {found.kind}")
    if left not in (found.kind, "f32", "tf32") or (left not in KINDS and found.kind != "bf16"):
        raise NotAttentionError(f"products of {left} and {found.kind}")
    if ROUNDED_INPUTS in p.op.attributes and p.kind(p.left) in KINDS and p.kind(p.left) != found.kind:
        raise NotAttentionError("inputs rounded to another type")


def inputs_of(found: Recomputed) -> list[ir.Value]:
    """What the kernel takes: the operands of the contractions and the elements that expressions read."""
    operands = [p.op.operands[side] for p in found.factors.values() for side in (p.left, p.right)]
    nodes = reachable(found.expression)
    if found.result is not None:
        operands.append(found.values.op.operands[found.values.right])
        nodes += reachable(found.result)
    return list(dict.fromkeys([*operands, *(one.value for one in nodes if isinstance(one, Element))]))
