"""Attention on tensors, and each part of its gradient: a contraction, or a reduction, of what is computed element by element from other
contractions, which is nowhere in memory.

    %d = contraction (%q, %k)     %s = f(%d, ...)     %w = softmax(%s)     %r = g(contraction (%w, %v), ...)
    %s = contraction (%q, %k)     %p = contraction (%g, %v)     %x = f(%s, %p, %m, ...)     %r = contraction (%x, %k)  or  sum %x

f and g are any ops element by element, with vectors over rows or over keys (%m) from memory: in the gradient, the rows' maxima and sums.
Symbols are the dimensions of the last op: batch, rows (queries), k (keys), columns (the elements of a head); rows and k are rows and columns
of the other contractions, either way round."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.expressions.nodes import (
    Apply,
    Constant,
    Coordinates,
    Element,
    Fold,
    Node,
    Product,
    is_apply,
    reachable,
)
from hlo.lowering.expressions.reader import Reader
from hlo.lowering.expressions.softmax import Softmax, softmax_of
from hlo.lowering.finding import made_by
from hlo.lowering.gpu.contraction.prepare_products import narrow_source
from hlo.lowering.gpu.contraction.problem import Problem, problem_of, swapped
from hlo.lowering.gpu.evaluate import Output, Outputs, made_by_user
from hlo.lowering.linalg.contraction import ROUNDED_INPUTS
from hlo.lowering.linalg.structured import dimensions_of, is_plain, nest_of
from hlo.lowering.memory.storage import element_bytes
from hlo.lowering.vector.region.graph import RESHAPES

HALVES = ("bf16", "f16")
"""What tensor cores multiply into f32 here."""

MOST_OPS_PER_SCORE = 48
"""A thread has the code for each of its scores."""

LEAST = 16
"""Queries, keys, elements of a head."""


class NotAttentionError(Exception):
    """Why a contraction is not one of the kernel's."""


@dataclass(frozen=True)
class Statistic:
    """The maxima, or the sums, of the softmax's rows: the op's result, what an element of it is, and its coordinates."""

    value: ir.Value
    fold: Fold
    coordinates: Coordinates


@dataclass(frozen=True)
class End:
    """What the program makes of the last op: an element of `root` at the symbols `coordinates`, by ops that are `inlined`. `outputs`: the same, of a
    contraction's sums."""

    root: ir.Value
    coordinates: Coordinates
    inlined: dict[ir.Value, ir.Operation]
    outputs: Outputs | None = None


@dataclass(frozen=True)
class Attention:
    """`last`: the last op; its left input is not in memory, its columns are those of the other one (none for a reduction). `factors`: the
    contractions that the left input is computed from, by their result in `expression`, which is an element of it, or of a `softmax` a score.
    `fold`: how a reduction combines, and what it begins with. `inlined`: ops that expressions compute, by result. `parts`: by symbol those that
    it is made of in expressions, outermost first, with their sizes. `statistics`: what the kernel could write too."""

    last: Problem
    factors: dict[Product, Problem]
    expression: Node
    end: End
    inlined: dict[ir.Value, ir.Operation]
    parts: dict[int, dict[int, int]]
    softmax: Softmax | None = None
    fold: tuple[str, float] | None = None
    statistics: tuple[Statistic, ...] = ()

    @property
    def dot(self) -> Product:
        """The only factor of a softmax."""
        (found,) = self.factors
        return found

    @property
    def scores(self) -> Problem:
        return self.factors[self.dot]

    @property
    def kind(self) -> str:
        """Of what is multiplied by the right input of the last op."""
        return narrow_kind(self.last.op.operands[self.last.right])

    @property
    def terms(self) -> int:
        """How many numbers of that kind an element of the left input becomes: an f32 that may not be rounded is the sum of three
        bf16."""
        return 3 if self.last.kind(self.last.left) not in HALVES else 1

    @property
    def inputs(self) -> list[ir.Value]:
        """What the kernel takes: the operands of the contractions but the left one of the last, and the elements that expressions read."""
        operands = [p.op.operands[number] for p in self.factors.values() for number in (p.left, p.right)]
        nodes = reachable(self.expression)
        if self.end.outputs is not None:
            operands.append(self.last.op.operands[self.last.right])
            nodes += self.end.outputs.nodes
        return list(dict.fromkeys([*operands, *(one.value for one in nodes if isinstance(one, Element))]))


def narrow_kind(value: ir.Value) -> str:
    """The type of a tensor's elements before they were widened."""
    source = narrow_source(value)
    return str((source.operands[0] if source else value).type.element_type)


# The contractions that a left input is computed from


def factors_of(expression: Node, last: Problem) -> tuple[dict[Product, Problem], Problem]:
    """The contractions in an expression, and the last op, all with the same batch and rows."""
    nodes = reachable(expression)
    count = sum(isinstance(one, Apply) for one in nodes)
    if count > MOST_OPS_PER_SCORE:
        raise NotAttentionError(f"{count} ops a score: more than {MOST_OPS_PER_SCORE}")
    products = [one for one in nodes if isinstance(one, Product)]
    if len({one.op for one in products}) != len(products):
        raise NotAttentionError("a contraction that is read several times")
    found = [(one, *_matched(one, last)) for one in products]
    _, _, first = found[0]
    if any((other.batch, other.rows) != (first.batch, first.rows) for _, _, other in found):
        raise NotAttentionError("contractions with different batches")
    return {one: problem for one, problem, _ in found}, first


def _matched(dot: Product, last: Problem) -> tuple[Problem, Problem]:
    """Both contractions with the same batch and rows. What one of them has as rows and the other as batch is batch."""
    p = problem_of(dot.op)
    assert p is not None, "what multiplies and adds"
    symbols: dict[int, int] = {}
    for expression, symbol in zip(p.nest.maps[2].results, dot.coordinates, strict=True):
        if not isinstance(expression, ir.AffineDimExpr):
            raise NotAttentionError("scores that are no plain dimensions")
        if symbol is not None:
            symbols[expression.position] = symbol
    own = {symbol: d for d, symbol in symbols.items()}
    keys = [own.get(d) for d in last.k_dims if last.nest.sizes[d] != 1]
    if None in keys or len(own) != len(symbols):
        raise NotAttentionError("scores without the keys")
    if set(keys) <= set(p.rows):
        p = swapped(p)
    rows = [d for d in last.rows if last.nest.sizes[d] == 1 or own.get(d) in p.rows]
    batch = [d for d in (*last.batch, *last.rows) if d not in rows]
    if not set(keys) <= set(p.columns) or any(last.nest.sizes[d] != 1 and d not in own for d in (*batch, *rows)):
        raise NotAttentionError("scores of another shape")
    first = replace(
        p,
        batch=tuple(own[d] for d in batch if d in own),
        rows=tuple(own[d] for d in rows if d in own),
        columns=tuple(d for d in keys if d is not None),
    )
    used = (*first.batch, *first.rows, *first.columns)
    if any(p.nest.sizes[d] != 1 for d in p.nest.parallel if d not in used):
        raise NotAttentionError("a dimension of the scores that the last op lacks")
    return first, replace(last, batch=tuple(batch), rows=tuple(rows))


def check_types(p: Problem) -> None:
    """That tensor cores multiply the inputs of a contraction and add the products as its result wants them."""
    left, right, total = p.kind(p.left), p.kind(p.right), str(p.element_type(2))
    if left not in HALVES or right != left or total != "f32":
        raise NotAttentionError(f"products of {left} and {right} in {total}: bf16 or f16 in f32 expected")


# What becomes of the last contraction


def end_of(last: Problem) -> End:
    root, coordinates = _followed(last)
    reader = Reader({d: last.nest.sizes[d] for d in last.nest.parallel}, (), last.op.results[0])
    result = reader.node(root, coordinates)
    sums = [one for one in reachable(result) if isinstance(one, Product)]
    if len(sums) != 1:
        raise NotAttentionError("a last contraction that does not begin with 0, or is read several times")
    outputs = Outputs(sums[0], (Output(root, coordinates, result),))
    return End(root, coordinates, {**reader.inlined, last.op.results[0]: last.op}, outputs)


def _followed(last: Problem) -> tuple[ir.Value, Coordinates]:
    """The last value that is made of the result, element by element, and its coordinates."""
    value = last.op.results[0]
    coordinates: Coordinates = dimensions_of(last.nest.maps[2])
    while len(uses := list(value.uses)) == 1 and uses[0].owner.operation.block == last.op.block:
        made = made_by_user(uses[0].owner.operation, uses[0].operand_number, coordinates)
        if len(made) != 1 or len(uses[0].owner.operation.results) != 1:
            break
        ((value, coordinates),) = made.items()
    return value, coordinates


WIDEST = 256
"""Elements of a head at most."""

FOLLOWED = ("linalg.generic", *RESHAPES)
"""Between a contraction and the one above it."""

MOST_OPS = 200
"""Between a contraction and the one above it."""


def attention_of(op: ir.Operation, products: Sequence[ir.Value] = ()) -> Attention | None:
    """The attention whose second contraction an op is; None for other ops. Raises NotAttentionError for attention that the
    kernel does not do. `products`: what may be the scores, if that is known."""
    refused: NotAttentionError | None = None
    for last in _both_ways(op):
        for product in products or contractions_above(op.operands[last.left], op):
            try:
                found = _with_scores(last, product)
            except NotAttentionError as error:
                refused = error
                continue
            if found is not None:
                return found
    if refused is not None:
        raise refused
    return None


def backward_of(op: ir.Operation, products: Sequence[ir.Value], given: Collection[ir.Value]) -> Attention:
    """`products`: results of contractions that are not in memory; `given`: values that are. Raises NotAttentionError for what
    the kernel does not do."""
    if problem_of(op) is None:
        return _reduction(op, products, given)
    for last in _both_ways(op):
        reader = _reader(last, (), products, given)
        expression = reader.node(op.operands[last.left], dimensions_of(last.nest.maps[last.left]))
        if expression.has_product:
            return _checked(_attention(last, expression, reader))
    raise NotAttentionError("a contraction of other values, or of sums of dimensions")


def _both_ways(op: ir.Operation) -> Iterator[Problem]:
    """A contraction with each of its inputs as the left one, whose elements are computed; not those at sums of dimensions."""
    problem = problem_of(op)
    if problem is None:
        return
    for number in (0, 1):
        last = problem if problem.left == number else swapped(problem)
        if is_plain(last.nest.maps[number]) and is_plain(last.nest.maps[2]):
            yield last


def _reader(last: Problem, reduced: Sequence[int], products: Sequence[ir.Value], given: Collection[ir.Value]) -> Reader:
    """Of expressions over batch, rows and k."""
    symbols = (*last.batch, *last.rows, *last.k_dims)
    return Reader({d: last.nest.sizes[d] for d in symbols}, reduced, *products, given=given)


def _with_scores(last: Problem, product: ir.Value) -> Attention | None:
    """`product`: the contraction that may give the scores."""
    reader = _reader(last, sorted(last.k_dims), [product], ())
    softmax = softmax_of(reader.node(last.op.operands[last.left], dimensions_of(last.nest.maps[last.left])))
    if softmax is None or not softmax.scores.has_product:
        return None
    found = _attention(last, softmax.scores, reader, softmax=softmax)
    check_types(found.last)
    _check_columns(found.last)
    if element_bytes(softmax.scores.kind) > element_bytes(found.last.element_type(2)):
        raise NotAttentionError(
            f"scores in {softmax.scores.kind}, which sums in {found.last.element_type(2)} do not hold"
        )
    return found


def _reduction(op: ir.Operation, products: Sequence[ir.Value], given: Collection[ir.Value]) -> Attention:
    nest, root = nest_of(op), op.results[0]
    if nest.inputs != 1 or not is_plain(nest.maps[0]) or not is_plain(nest.maps[1]):
        raise NotAttentionError("a reduction of several inputs or of sums of dimensions")
    last = Problem(op, nest, (), nest.parallel, (), nest.reduction, 0, 0)
    reader = _reader(last, nest.reduction, products, set(given) - {root})
    fold = reader.node(root, dimensions_of(nest.maps[1]))
    if not isinstance(fold, Fold) or not fold.has_product or not isinstance(fold.operands[0], Constant):
        raise NotAttentionError("a reduction of other values")
    start = float(fold.operands[0].attribute.value)
    if fold.name == "arith.addf" and start != 0.0:
        raise NotAttentionError("a sum that does not begin with 0")
    return _attention(last, fold.operands[1], reader, fold=(fold.name, start))


def _attention(
    last: Problem,
    expression: Node,
    reader: Reader,
    softmax: Softmax | None = None,
    fold: tuple[str, float] | None = None,
) -> Attention:
    """With factors that tensor cores have the types for, and tiles the sizes."""
    factors, last = factors_of(expression, last)
    for p in factors.values():
        check_types(p)
        for name, size in {"queries": p.m, "keys": p.n, "elements of a head": p.k}.items():
            if size < LEAST:
                raise NotAttentionError(f"{size} {name}: less than {LEAST}")
        if p.k > WIDEST:
            raise NotAttentionError(f"heads of {p.k} elements: more than {WIDEST}")
    if fold is None:
        end = end_of(last)
    else:
        root, coordinates = last.op.results[0], dimensions_of(last.nest.maps[1])
        shape = ir.RankedTensorType(root.type).shape
        end = End(root, tuple(None if size == 1 else p for p, size in zip(coordinates, shape)), {root: last.op})
    inlined = {**reader.inlined, **end.inlined, **{p.op.results[0]: p.op for p in factors}}
    statistics = _statistics(reader, softmax) if softmax is not None else ()
    return Attention(last, factors, expression, end, inlined, reader.parts_of_symbols, softmax, fold, statistics)


def _check_columns(p: Problem) -> None:
    if not LEAST <= p.n <= WIDEST:
        raise NotAttentionError(f"heads of {p.n} elements: {LEAST} to {WIDEST} expected")


def _checked(found: Attention) -> Attention:
    """A contraction of the gradient, whose types tensor cores have."""
    p = found.last
    left = p.kind(p.left)
    _check_columns(p)
    if found.kind not in HALVES or str(p.element_type(2)) != "f32":
        raise NotAttentionError(f"products of {found.kind} in {p.element_type(2)}")
    if left not in (found.kind, "f32", "tf32") or (left not in HALVES and found.kind != "bf16"):
        raise NotAttentionError(f"products of {left} and {found.kind}")
    if ROUNDED_INPUTS in p.op.attributes and left in HALVES and left != found.kind:
        raise NotAttentionError("inputs rounded to another type")
    return found


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


def _statistics(reader: Reader, softmax: Softmax) -> tuple[Statistic, ...]:
    """Both, or none where the maximum is not that of what it is subtracted from."""
    if _wide(softmax.maximum.operands[1]) is not _wide(softmax.scores):
        return ()
    return tuple(
        Statistic(value, fold, coordinates)
        for fold in (softmax.maximum, softmax.total)
        for value, coordinates in reader.coordinates_of(fold)
    )


def _wide(node: Node) -> Node:
    """Before it was widened, which changes no value."""
    while is_apply(node, "arith.extf"):
        node = node.operands[0]
    return node
