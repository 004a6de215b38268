"""gather and scatter: dimensions of the indices, batching dimensions, dimensions that slices take whole, and the one
dimension that indices point into (a vocabulary split over processes)."""

from __future__ import annotations

from hlo.lowering.stablehlo.sharding.graph import Node
from hlo.lowering.stablehlo.sharding.rules.rule import Label, Rule, combiner, labelled, neutral, rule_of

ROW = ("row", 0)
"""The label of the dimension that indices point into."""


@rule_of("gather")
def gather(node: Node) -> Rule:
    x, indices = (t.shape for t in node.operands)
    n, sizes = node.op.dimension_numbers, node.op.slice_sizes
    at = _of_indices(indices, n.index_vector_dim)
    windows = [d for d in range(len(x)) if d not in n.collapsed_slice_dims and d not in n.operand_batching_dims]
    labels: dict[int, Label] = {d: ("offset", d) for d in windows if sizes[d] == x[d]}
    labels |= {d: at[e] for d, e in zip(n.operand_batching_dims, n.start_indices_batching_dims)}
    offsets = iter([labels.get(d) for d in windows])
    batch = iter([label for d, label in enumerate(at) if d != n.index_vector_dim])
    result = [next(offsets) if d in n.offset_dims else next(batch) for d in range(len(node.results[0].shape))]
    reductions = {}
    if n.collapsed_slice_dims == n.start_index_map and _is_one_row(n.start_index_map, node):
        labels[n.start_index_map[0]] = ROW
        reductions = {ROW: "add"}
    operand = [labels.get(d) for d in range(len(x))]
    return labelled(node, [operand, at], [result], reductions=reductions, exact=[ROW], looked_up=ROW)


def _is_one_row(index_map: tuple[int, ...], node: Node) -> bool:
    """One index for each slice, of one row; rows that are not here count as zeros in a sum."""
    return len(index_map) == 1 and neutral("add", node.operands[0].element) is not None


def _of_indices(sizes: tuple[int, ...], vector: int) -> list[Label]:
    return [("index", d) if d != vector else None for d in range(len(sizes))]


@rule_of("scatter")
def scatter(node: Node) -> Rule | None:
    if len(node.results) != 1:
        return None
    x, indices, updates = (t.shape for t in node.operands)
    n, kind = node.op.scatter_dimension_numbers, combiner(node)
    batching = dict(zip(n.scatter_indices_batching_dims, n.input_batching_dims))
    at = _of_indices(indices, n.index_vector_dim)
    added = [label for d, label in enumerate(at) if label and d not in batching]
    into: list[Label] = [None] * len(x)
    for d, e in batching.items():
        into[e] = at[d]
    batch = iter([label for d, label in enumerate(at) if d != n.index_vector_dim])
    window = iter([d for d in range(len(x)) if d not in n.inserted_window_dims and d not in n.input_batching_dims])
    update: list[Label] = []
    for d, m in enumerate(updates):
        if d not in n.update_window_dims:
            update.append(next(batch))
            continue
        w = next(window)
        into[w] = ("offset", d) if x[w] == m else None
        update.append(into[w])
    if kind and len(n.scatter_dims_to_operand_dims) == 1 and n.inserted_window_dims == n.scatter_dims_to_operand_dims:
        into[n.inserted_window_dims[0]] = ROW
    return labelled(
        node,
        [into, at, update],
        [into],
        whole=() if kind else added,
        reductions=dict.fromkeys(added, kind) if kind else {},
        exact=[*added, ROW],
        looked_up=ROW,
        first_only={0: kind} if kind else {},
    )
