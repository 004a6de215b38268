"""Arguments that a graph changes: weights by an optimizer, running statistics by a norm. AOTAutograd leaves
`copy_(argument, value)` for them in graphs that are functional otherwise; here the values become further results, which
programs write into the memory of the arguments."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

COPY = torch.ops.aten.copy_.default
ASSERT = torch.ops.aten._assert_async.msg
LAST = (ASSERT, COPY)
"""What PyTorch does after all that a graph computes, in this order: errors leave the arguments as they are."""


def move_to_the_end(graph: GraphModule) -> None:
    """Moves assertions and then the copies into arguments to the end of the graph: nothing but they knows that an argument changes."""
    *nodes, output = graph.graph.nodes
    for node in sorted((n for n in nodes if n.target in LAST), key=lambda n: LAST.index(n.target)):
        if node.target is COPY:
            node.replace_all_uses_with(node.args[1])
        output.prepend(node)
    graph.recompile()


def take_updates(graph: GraphModule) -> list[int]:
    """Replaces the copies into arguments by results after those that the graph returns; the numbers of the arguments.
    None of them where one copies something else than a tensor of the same size and type, or two go to one argument:
    PyTorch makes them then."""
    nodes = list(graph.graph.nodes)
    copies = [n for n in nodes if n.target is COPY]
    inputs, output = [n for n in nodes if n.op == "placeholder"], nodes[-1]
    targets = [n.args[0] for n in copies]
    if len(set(targets)) < len(targets) or not all(_is_whole(n) for n in copies):
        return []
    output.args = ([*_listed(output.args[0]), *(n.args[1] for n in copies)],)
    for node in copies:
        graph.graph.erase_node(node)
    graph.recompile()
    return [inputs.index(target) for target in targets]  # type: ignore[arg-type]


def _is_whole(copy: Node) -> bool:
    target, value = copy.args[:2]
    if not isinstance(target, Node) or not isinstance(value, Node) or target.op != "placeholder":
        return False
    kept, made = target.meta["val"], value.meta["val"]
    return kept.dtype == made.dtype and list(kept.shape) == list(made.shape)


def _listed(returned: Any) -> list[Any]:
    return list(returned) if isinstance(returned, (list, tuple)) else [returned]
