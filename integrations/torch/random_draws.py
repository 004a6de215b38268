"""Random numbers come from PyTorch's own generator: a graph's draws are made before its program, in their order, and are arguments of it.
The numbers are those of eager mode, from the same seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.fx import GraphModule, Node

aten = torch.ops.aten

_SIZED = [
    aten.rand.default, aten.randn.default, aten.randint.default, aten.randint.low, aten.randperm.default,
    aten.rand_like.default, aten.randn_like.default, aten.randint_like.default, aten.randint_like.low_dtype, aten.normal_functional.default,
    aten.bernoulli.p, aten.uniform.default, aten.exponential.default, aten.cauchy.default, aten.geometric.default, aten.log_normal.default,
    aten.native_dropout.default,
]  # fmt: skip
DRAWS = {
    *_SIZED,
    aten.bernoulli.default,
    aten.multinomial.default,
    aten.normal.Tensor_Tensor,
    aten.normal.Tensor_float,
    aten.normal.float_Tensor,
    aten.poisson.default,
}
"""Ops that draw random numbers: none is decomposed."""

_OF_ANY_VALUE = {
    aten.rand_like.default, aten.randn_like.default, aten.randint_like.default, aten.randint_like.low_dtype, aten.normal_functional.default,
    aten.bernoulli.p, aten.uniform.default, aten.exponential.default, aten.cauchy.default, aten.geometric.default, aten.log_normal.default,
}  # fmt: skip
"""Those that look at nothing but the size and type of their tensor."""


def dropout_mask(sizes: list[int], strides: list[int], kept: float) -> torch.Tensor:
    """What native_dropout keeps, drawn in the order of its operand's memory."""
    return torch.empty_strided(sizes, strides, dtype=torch.bool).bernoulli_(kept)


def drawn_like(
    op: Callable[..., Any], sizes: list[int], strides: list[int], dtype: torch.dtype, /, *rest: Any, **named: Any
) -> torch.Tensor:
    """`op` on any tensor of this size, order of memory and type."""
    return op(torch.empty_strided(sizes, strides, dtype=dtype), *rest, **named)


def _strides_like(operand: torch.Tensor) -> list[int]:
    """Those of a new tensor that PyTorch makes like one of the graph."""
    return [int(n) for n in torch.empty_like(operand).stride()]


def hoist_draws(graph: GraphModule) -> None:
    """Moves the draws of a graph to its beginning, as far as their sizes are numbers, and decomposes native_dropout into a draw and a
    product. Others stay where they are; PyTorch runs them there."""
    first = next((n for n in graph.graph.nodes if n.op != "placeholder"), None)
    for node in list(graph.graph.nodes):
        if node.op != "call_function" or node.target not in _SIZED or first is None:
            continue
        sizes = _static_sizes(node)
        if sizes is not None:
            first = _hoist(graph, node, sizes, first)
    graph.graph.lint()
    graph.recompile()


def _static_sizes(node: Node) -> list[int] | None:
    meta = node.meta["val"]
    sizes = list((meta[0] if isinstance(meta, (tuple, list)) else meta).shape)
    rest = node.args[1:] if node.target in _OF_ANY_VALUE or node.target is aten.native_dropout.default else node.args
    has_nodes = any(
        isinstance(v, Node)
        for a in (*rest, *node.kwargs.values())
        for v in (a if isinstance(a, (list, tuple)) else [a])
    )
    return sizes if all(type(n) is int for n in sizes) and not has_nodes else None


def _hoist(graph: GraphModule, node: Node, sizes: list[int], first: Node) -> Node:
    """Moves one draw before `first`; what is now the first node behind the draws."""
    if node.target is aten.native_dropout.default:
        return _hoist_dropout(graph, node, sizes, first)
    if node.target in _OF_ANY_VALUE:
        tensor = node.args[0]
        like = tensor.meta["val"]  # type: ignore[union-attr]
        node.args = (node.target, sizes, _strides_like(like), like.dtype, *node.args[1:])  # type: ignore[union-attr]
        node.target = drawn_like
    if node is first:
        return node.next
    first.prepend(node)
    return first


def _hoist_dropout(graph: GraphModule, node: Node, sizes: list[int], first: Node) -> Node:
    operand, probability, *train = node.args
    if train and train[0] is False:
        return first
    with graph.graph.inserting_before(first):
        mask = graph.graph.call_function(dropout_mask, (sizes, _strides_like(operand.meta["val"]), 1.0 - probability))  # type: ignore[operator]
    with graph.graph.inserting_before(node):
        scaled = graph.graph.call_function(scaled_by_mask, (operand, mask, probability))
    mask.meta["val"] = node.meta["val"][1]
    scaled.meta.update(val=node.meta["val"], stack_trace=node.meta.get("stack_trace"))
    node.replace_all_uses_with(scaled)
    graph.graph.erase_node(node)
    return scaled if node is first else first


def scaled_by_mask(operand: Any, mask: Any, probability: float) -> Any:
    """The two results of native_dropout, given its mask. A node of the graph; the rule of this name builds it."""
    scale = 0.0 if probability == 1 else 1.0 / (1.0 - probability)
    return operand * mask * scale, mask
