"""Ops on elements, whose operands and results of one shape have all factors in common (scalars among them have none), and ops
that move or order elements: dimensions that stay as they are keep their factors."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import accumulate
from math import gcd, prod

import hlo.dialect.chlo
import hlo.dialect.stablehlo  # noqa: F401  (their classes are in OPS)
from hlo.dialect.definition import OPS
from hlo.lowering.stablehlo.sharding.graph import Node, Tensor
from hlo.lowering.stablehlo.sharding.halo import Window
from hlo.lowering.stablehlo.sharding.rules.rule import (
    PASS_THROUGH,
    REPETITION,
    WHOLE,
    Dims,
    Labels,
    Rule,
    labelled,
    rule_of,
)

WITH_SCALARS = ("stablehlo.clamp", "stablehlo.select")
ELEMENTWISE = [name for name, op in OPS.items() if op.ELEMENTWISE]


@rule_of(*ELEMENTWISE, "map", "iota", "constant", "chlo.constant", order=PASS_THROUGH)
def elementwise(node: Node) -> Rule | None:
    shape = node.results[0].shape
    allowed = (shape, ()) if node.name in WITH_SCALARS else (shape,)
    if any(t.shape not in allowed for t in (*node.operands, *node.results)):
        return None  # bitcast_convert to elements of another size
    operands, results = ([range(len(t.shape)) for t in side] for side in (node.operands, node.results))
    return labelled(node, operands, results)


@rule_of("optimization_barrier", order=PASS_THROUGH)
@rule_of("all_reduce", "collective_permute", "collective_broadcast", "cross-replica-sum")
def side_by_side(node: Node) -> Rule:
    """Each operand passes to its result."""
    labels = [[(n, d) for d in range(len(t.shape))] for n, t in enumerate(node.operands)]
    return labelled(node, labels, labels)


@rule_of("broadcast_in_dim", order=REPETITION)
def broadcast_in_dim(node: Node) -> Rule:
    """A dimension of size 1 that is repeated has no factor."""
    shape = node.results[0].shape
    pairs = zip(node.operands[0].shape, node.op.broadcast_dimensions)
    return labelled(node, [[d if n == shape[d] else None for n, d in pairs]], [range(len(shape))])


@rule_of("transpose", order=PASS_THROUGH)
def transpose(node: Node) -> Rule:
    permutation = node.op.permutation
    return labelled(node, [range(len(permutation))], [permutation])


@rule_of("reverse")
def reverse(node: Node) -> Rule:
    """Equal parts are exchanged, and each is reversed."""
    labels, reversed_ones = [range(len(node.operands[0].shape))], node.op.dimensions
    return labelled(node, labels, labels, mirrored=reversed_ones, exact=reversed_ones)


@rule_of("triangular_solve")
def triangular_solve(node: Node) -> Rule:
    """The dimension of b that is not solved along is independent, and so are batches."""
    batch = range(len(node.operands[0].shape) - 2)
    b = (*batch, None, len(batch)) if node.op.left_side else (*batch, len(batch), None)
    return labelled(node, [(*batch, None, None), b], [b])


@rule_of("reshape", order=PASS_THROUGH)
def reshape(node: Node) -> Rule:
    """Greatest common divisors, major to minor: (6, 2) -> (4, 3) have the factor 2 in common only, whose rest is whole."""
    rule = Rule()
    shapes = node.operands[0].shape, node.results[0].shape
    sides = _common_factors(rule, *shapes)
    for dims, shape in zip(sides, shapes):
        for factors, n in zip(dims, shape):
            if len(factors) > 1 or prod(rule.sizes[f] for f in factors) != n:
                rule.exact.update(factors)
    rule.operands, rule.results = [sides[0]], [sides[1]]
    return rule


def _common_factors(rule: Rule, left: tuple[int, ...], right: tuple[int, ...]) -> tuple[Dims, Dims]:
    """Each side's dimensions as factors that both have. Dimensions of size 1 have none."""
    made: tuple[list[tuple[int, ...]], list[tuple[int, ...]]] = ([WHOLE] * len(left), [WHOLE] * len(right))
    if 0 in left:
        return tuple(made[0]), tuple(made[1])
    i = j = -1
    a = b = 1  # what is left of dimensions i and j
    while True:
        while a == 1 and i + 1 < len(left):
            i, a = i + 1, left[i + 1]
        while b == 1 and j + 1 < len(right):
            j, b = j + 1, right[j + 1]
        if a == b == 1:
            return tuple(made[0]), tuple(made[1])
        common = gcd(a, b)
        if common > 1:
            factor = rule.factor(common)
            made[0][i] += factor
            made[1][j] += factor
            a, b = a // common, b // common
            continue
        while a != b:  # up to where both sides have seen equally many elements
            if a < b:
                i, a = i + 1, a * left[i + 1]
            else:
                j, b = j + 1, b * right[j + 1]
        a = b = 1


def kept(node: Node, whole: Collection[int], tensors: int = 1, windows: dict[int, Window] | None = None) -> Rule:
    """The rule of an op whose first operands, so many `tensors`, and results have their dimensions in common. Those in `whole` are needed
    whole, as are all other operands; of those in `windows` an index of the result reads several."""
    dims: Labels = [None if d in whole else d for d in range(len(node.operands[0].shape))]
    operands = [dims] * tensors + [[None] * len(t.shape) for t in node.operands[tensors:]]
    read = {(k, d): window for d, window in (windows or {}).items() for k in range(tensors)}
    return labelled(node, operands, [dims] * len(node.results), windows=read)


ALONG: dict[str, Callable[[Node], Collection[int]]] = {
    "all_gather": lambda node: {node.op.all_gather_dim},
    "all_to_all": lambda node: {node.op.split_dimension, node.op.concat_dimension},
    "cholesky": lambda node: _last(node, 2),
    "chlo.top_k": lambda node: _last(node, 1),
    "fft": lambda node: _last(node, len(node.op.fft_length)),
    "reduce_scatter": lambda node: {node.op.scatter_dimension},
}
"""The dimensions that ops work along, by mnemonic."""


def _last(node: Node, count: int) -> Collection[int]:
    rank = len(node.operands[0].shape)
    return range(rank - count, rank)


@rule_of(*ALONG)
def along(node: Node) -> Rule | None:
    """Collectives of several arrays are not cut."""
    return kept(node, ALONG[node.name.removeprefix("stablehlo.")](node)) if len(node.operands) == 1 else None


@rule_of("sort")
def sort(node: Node) -> Rule:
    return kept(node, {node.op.dimension % len(node.operands[0].shape)}, len(node.operands))


def _changed(node: Node, other: Tensor) -> Collection[int]:
    """The dimensions of the first operand that have another size in another tensor."""
    return {d for d, (n, m) in enumerate(zip(node.operands[0].shape, other.shape)) if n != m}


@rule_of("dynamic_slice", order=PASS_THROUGH)
def dynamic_slice(node: Node) -> Rule:
    return kept(node, _changed(node, node.results[0]))


@rule_of("dynamic_update_slice", order=PASS_THROUGH)
def dynamic_update_slice(node: Node) -> Rule:
    return kept(node, _changed(node, node.operands[1]), 2)


@rule_of("slice", order=PASS_THROUGH)
def slice_(node: Node) -> Rule:
    op = node.op
    windows = {d: Window(op.strides[d], *[op.start_indices[d]] * 2) for d in _changed(node, node.results[0])}
    return kept(node, (), windows=windows)


@rule_of("pad", order=PASS_THROUGH)
def pad(node: Node) -> Rule:
    """Padding at the edges shifts; padding between elements needs the dimension whole."""
    op = node.op
    interior = {d for d, n in enumerate(op.interior_padding) if n}
    edges = enumerate(zip(op.edge_padding_low, op.edge_padding_high))
    rule = kept(node, interior, windows={d: Window(1, -low, -low) for d, (low, high) in edges if low or high})
    rule.filled = {0: 1}
    return rule


@rule_of("concatenate", order=PASS_THROUGH)
def concatenate(node: Node) -> Rule:
    """Along the dimension that grows an operand that makes up most of the result is read in windows, the others are needed
    whole; where there is none, all are."""
    d, size = node.op.dimension, node.results[0].shape[node.op.dimension]
    starts = accumulate((t.shape[d] for t in node.operands), initial=0)
    windows = {k: Window(1, -start, -start) for k, start in enumerate(starts)}
    large = [k for k, t in enumerate(node.operands) if t.shape[d] and windows[k].is_near(t.shape[d], size)]
    if not large:
        return kept(node, {d}, len(node.operands))
    rank = len(node.results[0].shape)
    # the label of the dimension that grows is the last one
    cut = [rank if e == d else e for e in range(rank)]
    operands = [
        cut if k == large[0] else [None if e == d else e for e in range(rank)] for k in range(len(node.operands))
    ]
    return labelled(node, operands, [cut], windows={(large[0], rank): windows[large[0]]})
