"""Attention on tensors: a contraction whose input is the softmax of what another contraction gives.

    %d = contraction (%q, %k)     %s = f(%d, ...)     %w = softmax(%s)     %r = g(contraction (%w, %v), ...)

f and g are any ops element by element. Symbols are the dimensions of the second contraction: batch, rows (queries), reduced
(keys), columns (the elements of a head)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from mlir import ir

from hlo.lowering.finding import made_by
from hlo.lowering.gpu.attention.expressions import (
    Apply,
    Element,
    Fold,
    Node,
    Places,
    Product,
    Reader,
    is_apply,
    reachable,
)
from hlo.lowering.gpu.attention.softmax import Softmax, softmax_of
from hlo.lowering.gpu.attention.worth import is_worth_one_kernel
from hlo.lowering.gpu.contraction.problem import Problem, problem_of, turned
from hlo.lowering.linalg.structured import maps_of, reduces
from hlo.lowering.memory.storage import element_bytes
from hlo.lowering.vector.fusable import RESHAPES

WIDEST = {"bf16": 256, "f16": 256, "tf32": 256, "f32": 256, "f64": 128}
"""Elements of a head at most, by what inputs may be multiplied as: bf16 and f16 by tensor cores, all others exactly."""

HALVES = ("bf16", "f16")

SUMS = {"f64": "f64"}
"""Of products; of others they are f32."""

FOLLOWED = ("linalg.generic", *RESHAPES)
"""Between a contraction and the one above it."""

MOST_OPS = 200
"""Between a contraction and the one above it."""

MOST_PER_SCORE = 48
"""Ops: a thread has the code for each of its scores."""

LEAST = 16
"""Queries, keys, elements of a head."""


class NotAttentionError(Exception):
    """Why a contraction is not one of the kernel's."""


@dataclass(frozen=True)
class Statistic:
    """The maxima, or the sums, of the softmax's rows: the op's result, what an element of it is, and its places."""

    value: ir.Value
    fold: Fold
    places: Places


@dataclass(frozen=True)
class Attention:
    """`scores`, `values`: both contractions, the rows of each the same queries, with the same batch. `dot`, `sum`: their results
    in expressions. `expression`: of a score, `result`: of an element of `root`, whose dimensions are the symbols `places`.
    `inlined`: ops that expressions compute, by result. `parts`: by symbol those that it is made of in scores, outermost first, with
    their sizes. `statistics`: what the kernel could write too."""

    scores: Problem
    values: Problem
    dot: Product
    sum: Product
    softmax: Softmax
    result: Node
    root: ir.Value
    places: Places
    inlined: dict[ir.Value, ir.Operation]
    parts: dict[int, dict[int, int]]
    statistics: tuple[Statistic, ...] = ()

    @property
    def expression(self) -> Node:
        return self.softmax.scores

    @property
    def is_exact(self) -> bool:
        """Whether inputs are multiplied as they are, not by tensor cores."""
        return self.scores.kind(self.scores.left) not in HALVES

    @property
    def weight_type(self) -> ir.Type:
        return self.values.element_type(self.values.left)


def attention_of(op: ir.Operation, is_alone: bool = True) -> Attention | None:
    """The attention whose second contraction an op is; None for other ops. Raises NotAttentionError for attention that the
    kernel does not do. `is_alone`: nothing else may read the scores."""
    problem = problem_of(op)
    if problem is None:
        return None
    for side in (0, 1):
        found = _with_weights(problem, side, is_alone)
        if found is not None:
            return found
    return None


def _with_weights(problem: Problem, side: int, is_alone: bool) -> Attention | None:
    """`side`: the input that may be the weights."""
    values = problem if problem.left == side else turned(problem)
    weights = values.op.operands[side]
    if not is_plain(values.nest.maps[side]) or not is_plain(values.nest.maps[2]):
        return None
    refused: NotAttentionError | None = None
    for product in contractions_above(weights, values.op):
        try:
            found = _with_scores(values, product, is_alone)
        except NotAttentionError as error:
            refused = error
            continue
        if found is not None:
            return found
    if refused is not None:
        raise refused
    return None


def contractions_above(value: ir.Value, below: ir.Operation) -> list[ir.Value]:
    """Results of contractions in the same block that a value is made of, through ops element by element and reductions,
    nearest first."""
    found: dict[ir.Value, None] = {}
    seen: set[ir.Value] = set()
    waiting = [value]
    while waiting and len(seen) < MOST_OPS:
        one = waiting.pop(0)
        owner = made_by(one)
        if one in seen or owner is None or owner.name not in FOLLOWED or owner.block != below.block:
            continue
        seen.add(one)
        if problem_of(owner) is not None:
            found[one] = None
        else:
            waiting += owner.operands
    return list(found)


def _with_scores(values: Problem, product: ir.Value, is_alone: bool) -> Attention | None:
    """`product`: the contraction that may give the scores."""
    symbols = (*values.batch, *values.rows, *values.depth)
    reader = Reader({d: values.nest.sizes[d] for d in symbols}, sorted(values.depth), product)
    softmax = softmax_of(reader.node(values.op.operands[values.left], dimensions_of(values.nest.maps[values.left])))
    if softmax is None or not softmax.scores.has_product:
        return None
    scores = softmax.scores
    dots = [one for one in reachable(scores) if isinstance(one, Product)]
    if len(dots) != 1:
        raise NotAttentionError("scores that read a contraction at several places")
    count = sum(isinstance(one, Apply) for one in reachable(scores))
    if count > MOST_PER_SCORE:
        raise NotAttentionError(f"{count} ops a score: more than {MOST_PER_SCORE}")
    first, values = matched(dots[0], values)
    _check(first, values)
    if element_bytes(scores.kind) > element_bytes(values.element_type(2)):
        raise NotAttentionError(f"scores in {scores.kind}, which sums in {values.element_type(2)} do not hold")
    end = end_of(values)
    inlined = {**reader.inlined, **end.inlined, product: dots[0].op}
    found = Attention(
        first, values, dots[0], end.sum, softmax, end.result, end.root, end.places, inlined, reader.parts_of_symbols
    )
    found = replace(found, statistics=_statistics(reader, softmax))
    if is_alone and not _stays_inside(found):
        raise NotAttentionError("scores that something else reads")
    return found


def _statistics(reader: Reader, softmax: Softmax) -> tuple[Statistic, ...]:
    """Both, or none where the maximum is not that of what it is subtracted from."""
    if _wide(softmax.maximum.operands[1]) is not _wide(softmax.scores):
        return ()
    return tuple(
        Statistic(value, fold, places)
        for fold in (softmax.maximum, softmax.total)
        for value, places in reader.places_of(fold)
    )


def _wide(node: Node) -> Node:
    """Before it was widened, which changes no value."""
    while is_apply(node, "arith.extf"):
        node = node.operands[0]
    return node


def is_plain(one: ir.AffineMap) -> bool:
    return all(isinstance(e, ir.AffineDimExpr) for e in one.results)


def dimensions_of(one: ir.AffineMap) -> tuple[int, ...]:
    return tuple(e.position for e in one.results)


def matched(dot: Product, values: Problem) -> tuple[Problem, Problem]:
    """Both contractions with the same batch and rows. What one of them has as rows and the other as batch is batch."""
    p = problem_of(dot.op)
    assert p is not None, "what multiplies and adds"
    symbols: dict[int, int] = {}
    for expression, place in zip(p.nest.maps[2].results, dot.places, strict=True):
        if not isinstance(expression, ir.AffineDimExpr):
            raise NotAttentionError("scores that are no plain dimensions")
        if place is not None:
            symbols[expression.position] = place
    own = {symbol: d for d, symbol in symbols.items()}
    keys = [own.get(d) for d in values.depth if values.nest.sizes[d] != 1]
    if None in keys or len(own) != len(symbols):
        raise NotAttentionError("scores without the keys")
    if set(keys) <= set(p.rows):
        p = turned(p)
    rows = [d for d in values.rows if values.nest.sizes[d] == 1 or own.get(d) in p.rows]
    batch = [d for d in (*values.batch, *values.rows) if d not in rows]
    if not set(keys) <= set(p.columns) or any(values.nest.sizes[d] != 1 and d not in own for d in (*batch, *rows)):
        raise NotAttentionError("scores of another shape")
    first = replace(
        p,
        batch=tuple(own[d] for d in batch if d in own),
        rows=tuple(own[d] for d in rows if d in own),
        columns=tuple(d for d in keys if d is not None),
    )
    used = (*first.batch, *first.rows, *first.columns)
    if any(p.nest.sizes[d] != 1 for d in p.nest.parallel if d not in used):
        raise NotAttentionError("a dimension of the scores that the weights lack")
    return first, replace(values, batch=tuple(batch), rows=tuple(rows))


def _check(first: Problem, values: Problem) -> None:
    """That there is a kernel for the types and the sizes."""
    kinds = [[p.kind(p.left), p.kind(p.right), str(p.element_type(2))] for p in (first, values)]
    for left, right, total in kinds:
        if left not in WIDEST or right != left or total != SUMS.get(left, "f32"):
            raise NotAttentionError(
                f"products of {left} and {right} in {total}: bf16 or f16 in f32, f32 or f64 expected"
            )
    if kinds[0] != kinds[1] and any(one[0] not in HALVES for one in kinds):
        raise NotAttentionError(f"products of {kinds[0][0]}, then of {kinds[1][0]}")
    sizes = {"queries": first.m, "keys": first.n, "elements of a head": min(first.k, values.n)}
    for name, size in sizes.items():
        if size < LEAST:
            raise NotAttentionError(f"{size} {name}: less than {LEAST}")
    widest = min(WIDEST[one[0]] for one in kinds)
    if max(first.k, values.n) > widest:
        raise NotAttentionError(f"heads of {max(first.k, values.n)} elements: more than {widest}")
    if kinds[0][0] not in HALVES and not is_worth_one_kernel(first, values):
        raise NotAttentionError(f"{first.n} keys for {first.batches} x {first.m} queries: few blocks for long")


@dataclass(frozen=True)
class End:
    """What the program makes of a contraction's `sum`: `result`, an element of `root` at `places`, by ops that are `inlined`."""

    sum: Product
    result: Node
    root: ir.Value
    places: Places
    inlined: dict[ir.Value, ir.Operation]


def end_of(values: Problem) -> End:
    root, places = followed(values)
    reader = Reader({d: values.nest.sizes[d] for d in values.nest.parallel}, (), values.op.results[0])
    result = reader.node(root, places)
    sums = [one for one in reachable(result) if isinstance(one, Product)]
    if len(sums) != 1:
        raise NotAttentionError("a last contraction that does not begin with 0, or is read at several places")
    return End(sums[0], result, root, places, {**reader.inlined, values.op.results[0]: values.op})


def followed(values: Problem) -> tuple[ir.Value, Places]:
    """The last value that is made of the result, element by element, and its places."""
    value, places = values.op.results[0], dimensions_of(values.nest.maps[2])
    while True:
        user = _only_user(value)
        if user is None or not _is_permuting(user.owner.operation, user.operand_number):
            return value, places
        maps = maps_of(user.owner.operation)
        by_dimension = dict(zip(dimensions_of(maps[user.operand_number]), places))
        places = tuple(by_dimension[d] for d in dimensions_of(maps[-1]))
        value = user.owner.operation.results[0]


def _only_user(value: ir.Value) -> Any:
    uses = list(value.uses)
    return uses[0] if len(uses) == 1 else None


def _is_permuting(op: ir.Operation, number: int) -> bool:
    """An op element by element on a value, all of whose elements become one of the result."""
    if op.name != "linalg.generic" or len(op.results) != 1 or op.block != _block_of(op.operands[number]):
        return False
    maps = maps_of(op)
    is_input = number < len(maps) - 1
    return is_input and not reduces(op) and maps[number].is_permutation and maps[-1].is_permutation


def _block_of(value: ir.Value) -> ir.Block:
    return value.owner if isinstance(value.owner, ir.Block) else value.owner.operation.block


def inputs_of(found: Attention) -> list[ir.Value]:
    """What the kernel takes: both operands of each contraction but the weights, and the elements that expressions read."""
    first, values = found.scores, found.values
    operands = [first.op.operands[first.left], first.op.operands[first.right], values.op.operands[values.right]]
    nodes = [*reachable(found.expression), *reachable(found.result)]
    elements = [one.value for one in nodes if isinstance(one, Element)]
    return list(dict.fromkeys([*operands, *elements]))


def _stays_inside(found: Attention) -> bool:
    """Nothing else needs what depends on the scores, and the kernel need not be given it."""
    inside, outside = set(found.inlined), set(inputs_of(found))
    made = _dependents([found.dot.op.results[0], found.sum.op.results[0]], inside)
    return not outside & set(made) and all(_users_are(value, inside) for value in made if value != found.root)


def _dependents(values: Sequence[ir.Value], inside: set[ir.Value]) -> list[ir.Value]:
    """The values and those of `inside` that are made from them."""
    found: dict[ir.Value, None] = {}
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if value in found:
            continue
        found[value] = None
        waiting += [r for use in value.uses for r in use.owner.operation.results if r in inside]
    return list(found)


def _users_are(value: ir.Value, inside: set[ir.Value]) -> bool:
    return all(any(r in inside for r in use.owner.operation.results) for use in value.uses)
