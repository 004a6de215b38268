"""gather and scatter: dimensions of the indices, batching dimensions, dimensions that slices take whole, and the one
dimension that indices point into (a vocabulary split over processes)."""

from __future__ import annotations

from hlo.lowering.stablehlo.sharding.graph import Node
from hlo.lowering.stablehlo.sharding.rules.rule import WHOLE, Rule, combiner, neutral, rule_of


@rule_of("gather")
def gather(node: Node) -> Rule:
    rule, (x, indices) = Rule(), (t.shape for t in node.operands)
    n, sizes = node.op.dimension_numbers, node.op.slice_sizes
    at = [WHOLE if d == n.index_vector_dim else rule.factor(m) for d, m in enumerate(indices)]
    batch = iter([f for d, f in enumerate(at) if d != n.index_vector_dim])
    windows = [d for d in range(len(x)) if d not in n.collapsed_slice_dims and d not in n.operand_batching_dims]
    dims = {d: rule.factor(x[d]) if sizes[d] == x[d] else WHOLE for d in windows}
    offsets = iter([dims[d] for d in windows])
    for d, e in zip(n.operand_batching_dims, n.start_indices_batching_dims):
        dims[d] = at[e]
    if _can_look_up(node, n):
        (looked_up,) = n.start_index_map
        dims[looked_up] = rule.factor(x[looked_up])
        rule.looked_up = next(iter(dims[looked_up]), None)
        rule.reductions = dict.fromkeys(dims[looked_up], "add")
        rule.exact.update(dims[looked_up])
    rule.operands = [tuple(dims.get(d, WHOLE) for d in range(len(x))), tuple(at)]
    rank = len(node.results[0].shape)
    rule.results = [tuple(next(offsets) if d in n.offset_dims else next(batch) for d in range(rank))]
    return rule


def _can_look_up(node: Node, n: object) -> bool:
    """One index for each slice, of one row; rows that are not here count as zeros in a sum."""
    one = len(n.start_index_map) == 1 and n.collapsed_slice_dims == n.start_index_map  # type: ignore[attr-defined]
    return one and neutral("add", node.operands[0].element) is not None


@rule_of("scatter")
def scatter(node: Node) -> Rule | None:
    if len(node.results) != 1:
        return None
    rule, (x, indices, updates) = Rule(), (t.shape for t in node.operands)
    n, kind = node.op.scatter_dimension_numbers, combiner(node)
    batching = dict(zip(n.scatter_indices_batching_dims, n.input_batching_dims))
    into = [WHOLE] * len(x)
    at = []
    for d, m in enumerate(indices):
        at.append(rule.factor(m) if d != n.index_vector_dim and (kind or d in batching) else WHOLE)
        if d in batching:
            into[batching[d]] = at[d]
        elif at[d] and kind:
            rule.reductions[at[d][0]] = kind
            rule.exact.update(at[d])
    batch = iter([f for d, f in enumerate(at) if d != n.index_vector_dim])
    window = iter([d for d in range(len(x)) if d not in n.inserted_window_dims and d not in n.input_batching_dims])
    dims = []
    for d, m in enumerate(updates):
        if d not in n.update_window_dims:
            dims.append(next(batch))
            continue
        w = next(window)
        into[w] = rule.factor(m) if x[w] == m else WHOLE
        dims.append(into[w])
    _look_up(rule, node, into, kind)
    rule.operands, rule.results = [tuple(into), tuple(at), tuple(dims)], [tuple(into)]
    rule.first_only = {0: kind} if kind else {}
    return rule


def _look_up(rule: Rule, node: Node, into: list[tuple[int, ...]], kind: str | None) -> None:
    n = node.op.scatter_dimension_numbers
    if kind and len(n.scatter_dims_to_operand_dims) == 1 and n.inserted_window_dims == n.scatter_dims_to_operand_dims:
        (d,) = n.inserted_window_dims
        into[d] = rule.factor(node.operands[0].shape[d])
        rule.looked_up = next(iter(into[d]), None)
        rule.exact.update(into[d])
