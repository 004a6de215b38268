"""Attention on tensors: a contraction whose input is the softmax of what another contraction gives.

    %d = contraction (%q, %k)     %s = f(%d, ...)     %w = softmax(%s)     %r = g(contraction (%w, %v), ...)

f and g are any ops element by element."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from hlo.lowering.finding import made_by
from hlo.lowering.gpu.attention.attention import (
    LEAST,
    Attention,
    NotAttentionError,
    Softmax,
    Statistic,
    check_types,
    dimensions_of,
    end_of,
    factors_of,
    is_plain,
)
from hlo.lowering.gpu.attention.expressions import Apply, Constant, Fold, Node, Reader, is_apply, unconverted
from hlo.lowering.gpu.contraction.problem import Problem, problem_of, turned
from hlo.lowering.memory.storage import element_bytes
from hlo.lowering.vector.fusable import RESHAPES

WIDEST = 256
"""Elements of a head at most."""

FOLLOWED = ("linalg.generic", *RESHAPES)
"""Between a contraction and the one above it."""

MOST_OPS = 200
"""Between a contraction and the one above it."""


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
    last = problem if problem.left == side else turned(problem)
    if not is_plain(last.nest.maps[side]) or not is_plain(last.nest.maps[2]):
        return None
    refused: NotAttentionError | None = None
    for product in contractions_above(last.op.operands[side], last.op):
        try:
            found = _with_scores(last, product, is_alone)
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
    problem, (product,) = problem_of(op), factors
    assert problem is not None, "a contraction"
    found = (_with_scores(last, product, is_alone=False) for last in (problem, turned(problem)))
    return next(one for one in found if one is not None)


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


def _with_scores(last: Problem, product: ir.Value, is_alone: bool) -> Attention | None:
    """`product`: the contraction that may give the scores."""
    symbols = (*last.batch, *last.rows, *last.depth)
    reader = Reader({d: last.nest.sizes[d] for d in symbols}, sorted(last.depth), product)
    softmax = softmax_of(reader.node(last.op.operands[last.left], dimensions_of(last.nest.maps[last.left])))
    if softmax is None or not softmax.scores.has_product:
        return None
    factors, last = factors_of(softmax.scores, last)
    first = next(iter(factors.values()))
    _check(first, last)
    if element_bytes(softmax.scores.kind) > element_bytes(last.element_type(2)):
        raise NotAttentionError(f"scores in {softmax.scores.kind}, which sums in {last.element_type(2)} do not hold")
    end = end_of(last)
    inlined = {**reader.inlined, **end.inlined, product: first.op}
    statistics = _statistics(reader, softmax)
    parts = reader.parts_of_symbols
    found = Attention(last, factors, softmax.scores, end, inlined, parts, softmax, statistics=statistics)
    if is_alone and not _stays_inside(found):
        raise NotAttentionError("scores that something else reads")
    return found


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


def _check(first: Problem, last: Problem) -> None:
    """That there is a kernel for the types and the sizes."""
    for p in (first, last):
        check_types(p)
    sizes = {"queries": first.m, "keys": first.n, "elements of a head": min(first.k, last.n)}
    for name, size in sizes.items():
        if size < LEAST:
            raise NotAttentionError(f"{size} {name}: less than {LEAST}")
    if max(first.k, last.n) > WIDEST:
        raise NotAttentionError(f"heads of {max(first.k, last.n)} elements: more than {WIDEST}")


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


# The softmax in an expression: exp(s - max s) / sum exp(s - max s), with conversions anywhere.
#
# What is subtracted cancels, if it is finite. Where it is not (a row of -inf, an inf, a NaN), the row is NaN in the program; it
# is too if the maximum so far is subtracted instead, 0 instead of -inf: the sum is then 0 or NaN.

LOWEST = -3.38e38
"""What a maximum may begin with: nothing that a score of a row that is not masked is below."""

OLT = 4
"""Ordered and less: the number of arith.cmpf's predicate."""


def softmax_of(weights: Node) -> Softmax | None:
    """The softmax that weights are; None for other expressions."""
    parts = quotient(unconverted(weights))
    if parts is None:
        return None
    exponential, total = parts
    if not is_apply(exponential, "math.exp") or not isinstance(total, Fold) or not _is_total(total, exponential):
        return None
    difference = unconverted(exponential.operands[0])
    if not is_apply(difference, "arith.subf"):
        return None
    scores, shift = difference.operands
    maximum = _maximum(shift, unconverted(scores))
    return Softmax(scores, shift, maximum, total) if maximum else None


def quotient(node: Node) -> tuple[Node, Node] | None:
    """Dividend and divisor of x / y and of x * (1 / y)."""
    if is_apply(node, "arith.divf"):
        return unconverted(node.operands[0]), unconverted(node.operands[1])
    if is_apply(node, "arith.mulf"):
        for one, other in (node.operands, node.operands[::-1]):
            inverse = unconverted(other)
            if is_apply(inverse, "arith.divf") and _constant(inverse.operands[0]) == 1.0:
                return unconverted(one), unconverted(inverse.operands[1])
    return None


def _is_total(node: Fold, exponential: Node) -> bool:
    """The sum of the exponentials along the keys."""
    return (
        node.name == "arith.addf"
        and _constant(node.operands[0]) == 0.0
        and unconverted(node.operands[1]) is exponential
    )


def _maximum(node: Node, scores: Node) -> Fold | None:
    """The maximum of the scores in an expression that is it, perhaps with another 0 or so where it is not finite."""
    node = unconverted(node)
    if isinstance(node, Fold):
        start = _constant(node.operands[0])
        is_low = start is not None and start <= LOWEST
        return node if node.name == "arith.maximumf" and is_low and unconverted(node.operands[1]) is scores else None
    if is_apply(node, "arith.maximumf"):
        pairs = (node.operands, node.operands[::-1])
        return next((_maximum(other, scores) for one, other in pairs if _constant(one) == float("-inf")), None)
    if is_apply(node, "arith.select"):
        condition, yes, no = node.operands
        is_maximum = _constant(no) is not None and _is_finiteness(condition, unconverted(yes))
        return _maximum(yes, scores) if is_maximum else None
    return None


def _is_finiteness(node: Node, of: Node) -> bool:
    """|x| < inf."""
    if not is_apply(node, "arith.cmpf") or _constant(node.operands[1]) != float("inf"):
        return False
    magnitude = unconverted(node.operands[0])
    is_less = isinstance(node, Apply) and ir.IntegerAttr(node.op.attributes["predicate"]).value == OLT
    return is_less and is_apply(magnitude, "math.absf") and unconverted(magnitude.operands[0]) is of


def _constant(node: Node) -> float | None:
    node = unconverted(node)
    return float(node.attribute.value) if isinstance(node, Constant) else None
