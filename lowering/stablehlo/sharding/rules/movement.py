"""Ops that move elements: dimensions that stay as they are keep their factors."""

from __future__ import annotations

from collections.abc import Collection
from itertools import accumulate
from math import gcd, prod

from hlo.lowering.stablehlo.sharding.graph import Node
from hlo.lowering.stablehlo.sharding.halo import Window
from hlo.lowering.stablehlo.sharding.rules.rule import PASS_THROUGH, REPETITION, WHOLE, Dims, Rule, rule_of


@rule_of("broadcast_in_dim", order=REPETITION)
def broadcast_in_dim(node: Node) -> Rule:
    """A dimension of size 1 that is repeated has no factor."""
    rule, shape = Rule(), node.results[0].shape
    result = rule.factors(shape)
    to = node.op.broadcast_dimensions
    rule.operands = [tuple(result[d] if n == shape[d] else WHOLE for n, d in zip(node.operands[0].shape, to))]
    rule.results = [result]
    return rule


@rule_of("transpose", order=PASS_THROUGH)
def transpose(node: Node) -> Rule:
    rule = Rule()
    dims = rule.factors(node.operands[0].shape)
    rule.operands, rule.results = [dims], [tuple(dims[d] for d in node.op.permutation)]
    return rule


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


def untouched(node: Node, touched: Collection[int], tensors: int | None = None) -> Rule:
    """The first `tensors` operands (all) and the results have in common the factors of the dimensions that the op does not work
    along."""
    rule = Rule()
    dims = tuple(WHOLE if d in touched else rule.factor(n) for d, n in enumerate(node.operands[0].shape))
    count = len(node.operands) if tensors is None else tensors
    rule.operands = [dims] * count + [(WHOLE,) * len(t.shape) for t in node.operands[count:]]
    rule.results = [dims] * len(node.results)
    return rule


@rule_of("concatenate", order=PASS_THROUGH)
def concatenate(node: Node) -> Rule:
    """Along the dimension that grows an operand that makes up most of the result is read in windows, the others are needed
    whole; where there is none, all are."""
    d, made = node.op.dimension, node.results[0].shape
    starts = accumulate((t.shape[d] for t in node.operands), initial=0)
    windows = [Window(1, -start, -start) for start in starts]
    large = [k for k, t in enumerate(node.operands) if t.shape[d] and windows[k].is_near(t.shape[d], made[d])]
    if not large:
        return untouched(node, {d})
    (k,) = large
    rule = untouched(node, {d})
    factor = rule.factor(node.operands[k].shape[d])
    dims = (*rule.results[0][:d], factor, *rule.results[0][d + 1 :])
    rule.operands = [dims if n == k else others for n, others in enumerate(rule.operands)]
    rule.results = [dims]
    rule.windows = {(k, factor[0]): windows[k]}
    return rule


def in_windows(node: Node, windows: dict[int, Window], tensors: int = 1, touched: Collection[int] = ()) -> Rule:
    """Some dimensions of the first operands are read in windows, those `touched` are needed whole, others are kept."""
    rule = Rule()
    made = node.results[0].shape
    dims = []
    for d, n in enumerate(node.operands[0].shape):
        whole = d in touched or 0 in (n, made[d])
        dims.append(WHOLE if whole else rule.factor(min(n, made[d]) if d in windows else n))
        if dims[d] and d in windows:
            rule.windows.update({(k, dims[d][0]): windows[d] for k in range(tensors)})
    count = len(node.operands) - tensors
    rule.operands = [tuple(dims)] * tensors + [(WHOLE,) * len(t.shape) for t in node.operands[-count:] if count]
    rule.results = [tuple(dims)] * len(node.results)
    return rule


@rule_of("pad", order=PASS_THROUGH)
def pad(node: Node) -> Rule:
    """Padding at the edges shifts; padding between elements needs the dimension whole."""
    op = node.op
    interior = {d for d, n in enumerate(op.interior_padding) if n}
    pairs = enumerate(zip(op.edge_padding_low, op.edge_padding_high))
    windows = {d: Window(1, -low, -low) for d, (low, high) in pairs if (low or high) and d not in interior}
    rule = in_windows(node, windows, touched=interior)
    rule.filled = {0: 1}
    return rule


@rule_of("slice", order=PASS_THROUGH)
def slice_(node: Node) -> Rule:
    op = node.op
    sizes = zip(node.operands[0].shape, node.results[0].shape)
    changed = [d for d, (n, m) in enumerate(sizes) if n != m]
    return in_windows(node, {d: Window(op.strides[d], op.start_indices[d], op.start_indices[d]) for d in changed})


@rule_of("dynamic_slice", order=PASS_THROUGH)
def dynamic_slice(node: Node) -> Rule:
    pairs = zip(node.operands[0].shape, node.results[0].shape)
    return untouched(node, {d for d, (n, m) in enumerate(pairs) if n != m}, tensors=1)


@rule_of("dynamic_update_slice", order=PASS_THROUGH)
def dynamic_update_slice(node: Node) -> Rule:
    pairs = zip(node.operands[0].shape, node.operands[1].shape)
    return untouched(node, {d for d, (n, m) in enumerate(pairs) if n != m}, tensors=2)


@rule_of("reverse")
def reverse(node: Node) -> Rule:
    """Equal parts are exchanged, and each is reversed."""
    rule = Rule()
    dims = rule.factors(node.operands[0].shape)
    rule.operands, rule.results = [dims], [dims]
    rule.mirrored = {f for d in node.op.dimensions for f in dims[d]}
    rule.exact = set(rule.mirrored)
    return rule


@rule_of("sort")
def sort(node: Node) -> Rule:
    return untouched(node, {node.op.dimension % len(node.operands[0].shape)})


@rule_of("chlo.top_k")
def top_k(node: Node) -> Rule:
    return untouched(node, {len(node.operands[0].shape) - 1})


@rule_of("cholesky", "chlo.scan")
def leading(node: Node) -> Rule | None:
    """Matrices: batch dimensions are independent."""
    if node.name == "chlo.scan":
        return None
    rank = len(node.operands[0].shape)
    return untouched(node, {rank - 2, rank - 1})


@rule_of("triangular_solve")
def triangular_solve(node: Node) -> Rule:
    """The dimension of b that is not solved along is independent too."""
    rule = Rule()
    a, b = (t.shape for t in node.operands)
    batch = rule.factors(a[:-2])
    free = rule.factor(b[-1] if node.op.left_side else b[-2])
    last = (WHOLE, free) if node.op.left_side else (free, WHOLE)
    rule.operands = [(*batch, WHOLE, WHOLE), (*batch, *last)]
    rule.results = [(*batch, *last)]
    return rule


@rule_of("fft")
def fft(node: Node) -> Rule:
    rank = len(node.operands[0].shape)
    return untouched(node, set(range(rank - len(node.op.fft_length), rank)))
