"""Attention, and each part of its gradient: a contraction, or a reduction, of what is computed element by element from other contractions.

    %s = contraction (%q, %k)    %x = f(%s, ...)    %r = g(contraction (%x, %v), ...)  or  sum %x

Nothing as large as %s is in memory. Forward, f ends in a softmax of the rows; in the gradient it reads the rows' maxima and sums, vectors over
rows or over keys. Symbols are the dimensions of the last op: batch, rows (queries), k (keys), columns (the elements of a head); rows and
k are rows and columns of the other contractions, either way round."""

from __future__ import annotations

from dataclasses import replace

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.expressions.nodes import Apply, Coordinates, Element, Fold, Node, Product, reachable
from hlo.lowering.expressions.reader import Reader
from hlo.lowering.expressions.softmax import Softmax
from hlo.lowering.gpu.contraction.problem import Problem, problem_of, swapped
from hlo.lowering.gpu.contraction.read_narrow import narrow_source
from hlo.lowering.gpu.epilogue import Output, Outputs, made_by_user
from hlo.lowering.linalg.structured import dimensions_of

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
