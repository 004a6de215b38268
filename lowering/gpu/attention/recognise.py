"""Attention on tensors: a contraction whose input is the softmax of what another contraction gives, and each part of its gradient: contractions
and reductions of what is computed element by element from the scores, and perhaps from other contractions of their shape.

    %d = contraction (%q, %k)     %s = f(%d, ...)     %w = softmax(%s)     %r = g(contraction (%w, %v), ...)
    %s = contraction (%q, %k)     %p = contraction (%g, %v)     %x = f(%s, %p, %m, ...)     %r = contraction (%x, %k)  or  sum %x

f and g are any ops element by element, with vectors over rows or over keys (%m) from memory."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from mlir import ir

from hlo.lowering.expressions.nodes import Constant, Fold, Node, is_apply
from hlo.lowering.expressions.reader import Reader
from hlo.lowering.expressions.softmax import Softmax, softmax_of
from hlo.lowering.finding import made_by
from hlo.lowering.gpu.attention.attention import (
    HALVES,
    LEAST,
    Attention,
    End,
    NotAttentionError,
    Statistic,
    check_types,
    end_of,
    factors_of,
)
from hlo.lowering.gpu.contraction.problem import Problem, problem_of, swapped
from hlo.lowering.linalg.contraction import ROUNDED_INPUTS
from hlo.lowering.linalg.structured import dimensions_of, is_plain, nest_of
from hlo.lowering.memory.storage import element_bytes
from hlo.lowering.vector.region.graph import RESHAPES

WIDEST = 256
"""Elements of a head at most."""

FOLLOWED = ("linalg.generic", *RESHAPES)
"""Between a contraction and the one above it."""

MOST_OPS = 200
"""Between a contraction and the one above it."""


def attention_of(op: ir.Operation, is_alone: bool = True) -> Attention | None:
    """The attention whose second contraction an op is; None for other ops. Raises NotAttentionError for attention that the
    kernel does not do. `is_alone`: nothing else may read the scores."""
    refused: NotAttentionError | None = None
    for last in _both_ways(op):
        for product in contractions_above(op.operands[last.left], op):
            try:
                found = _with_scores(last, product)
                if found is not None and is_alone and not _stays_inside(found):
                    raise NotAttentionError("scores that something else reads")
            except NotAttentionError as error:
                refused = error
                continue
            if found is not None:
                return found
    if refused is not None:
        raise refused
    return None


def forward_of(op: ir.Operation, factors: Sequence[ir.Value]) -> Attention:
    """The attention whose second contraction an op is known to be, and whose first one gives the factor."""
    (product,) = factors
    return next(one for last in _both_ways(op) if (one := _with_scores(last, product)) is not None)


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


def _stays_inside(found: Attention) -> bool:
    """Nothing else needs what depends on the scores, and the kernel need not be given it."""
    inside, outside = set(found.inlined), set(found.inputs)
    made = _dependents([found.dot.op.results[0], found.last.op.results[0]], inside)
    return not outside & set(made) and all(_users_are(value, inside) for value in made if value != found.end.root)


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
