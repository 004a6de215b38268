"""Graphs with ops that are not built: PyTorch runs those, programs run what lies between them."""

from __future__ import annotations

import logging
import operator
from collections.abc import Callable
from typing import Any

import torch
from torch._prims.rng_prims import run_and_save_rng_state, run_with_rng_state
from torch.fx import GraphModule, Node
from torch.fx.passes.split_module import split_module

from hlo.torch.element_types import ELEMENTS
from hlo.torch.programs import Program
from hlo.torch.random_draws import DRAWS, drawn_like, dropout_mask
from hlo.torch.registry import EAGER, LIMITS, RULES
from hlo.torch.sizes import SCALAR_FUNCTIONS
from hlo.torch.translation import op_name
from hlo.torch.updates import ASSERT, COPY, LAST, move_to_the_end, take_updates

LOG = logging.getLogger("hlo.torch")

aten = torch.ops.aten

_DRAWN = {*DRAWS, drawn_like, dropout_mask, run_and_save_rng_state, run_with_rng_state}
_SILENT = {*_DRAWN, *LAST}


def divide(graph: GraphModule, options: dict[str, Any]) -> Callable[..., Any]:
    """A graph as one program, or, where PyTorch must run some of its ops, as a graph of programs and these ops. Warns which they are."""
    move_to_the_end(graph)
    reasons = {n: reason_against(n) for n in graph.graph.nodes if n.op in ("call_function", "get_attr")}
    left = {n: r for n, r in reasons.items() if r is not None}
    _warn(left)
    built = [n for n in reasons if n not in left and _is_tensor_op(n)]
    if built and all(n.target is COPY for n in left):
        updates = take_updates(graph)
        if len(updates) == len(left):
            return Program(graph, options, updates)
    if not built:
        return graph
    return _split(graph, left, options)


def _warn(left: dict[Node, str]) -> None:
    named = sorted({f"{op_name(n)} ({r})" for n, r in left.items() if n.target not in _SILENT and not _is_check(n)})
    if named:
        LOG.warning("not compiled by hlo, run by PyTorch between compiled parts: %s", ", ".join(named))


def _is_check(node: Node) -> bool:
    """Whether a node raises PyTorch's error about a factorisation, by the numbers that the factorisation gives."""
    return node.target is torch.ops.higher_order.with_effects and node.args[1] is aten._linalg_check_errors.default


def _is_tensor_op(node: Node) -> bool:
    return node.op == "call_function" and node.target not in SCALAR_FUNCTIONS


def reason_against(node: Node) -> str | None:
    """Why PyTorch must run a node; None for one that is built."""
    if node.op != "call_function" or node.target in SCALAR_FUNCTIONS:
        return None
    if node.target in _DRAWN:
        return "draws random numbers"
    if node.target is COPY:
        return "changes an argument"
    if node.target is ASSERT or _is_check(node):
        return "raises PyTorch's errors"
    name = op_name(node)
    if name not in RULES:
        return EAGER.get(name, "no rule")
    found = next((r for m in _metas(node) if (r := _against_tensor(m))), None)
    if found is None and name in LIMITS:
        return LIMITS[name](*_with_metas(node.args), **_with_metas(node.kwargs))
    return found


def _metas(node: Node) -> list[Any]:
    own = node.meta.get("val")
    return [*(own if isinstance(own, (list, tuple)) else [own]), *(n.meta.get("val") for n in node.all_input_nodes)]


def _with_metas(given: Any) -> Any:
    return torch.fx.node.map_arg(given, lambda n: n.meta.get("val"))


def _against_tensor(meta: Any) -> str | None:
    if not isinstance(meta, torch.Tensor):
        return None
    if meta.dtype not in ELEMENTS:
        return f"element type {meta.dtype}"
    if meta.device.type not in ("cpu", "meta"):
        return f"device {meta.device}"
    return None if meta.layout == torch.strided else f"layout {meta.layout}"


def _split(graph: GraphModule, left: dict[Node, str], options: dict[str, Any]) -> GraphModule:
    """The graph in consecutive parts, those that are built as programs."""
    numbers: dict[Node, int] = {}
    number, was_left = 0, None
    for node in graph.graph.nodes:
        if node.op in ("placeholder", "output"):
            continue
        if node.target is operator.getitem and node.args[0] in left:
            left[node] = left[node.args[0]]
        if was_left is not None and (node in left) != was_left:
            number += 1
        was_left = node in left
        numbers[node] = number
    eager = {numbers[n] for n in left}
    divided = split_module(graph, graph, numbers.__getitem__, keep_original_order=True)
    for name, part in list(divided.named_children()):
        position = name.removeprefix("submod_")
        if isinstance(part, GraphModule) and position.isdigit() and int(position) not in eager:
            setattr(divided, name, _Part(part, options))
    return divided


class _Part(torch.nn.Module):
    """A part of a graph that is compiled; run by PyTorch where it holds nothing but numbers."""

    def __init__(self, part: GraphModule, options: dict[str, Any]):
        super().__init__()
        self.is_single = not isinstance(next(n for n in part.graph.nodes if n.op == "output").args[0], (tuple, list))
        has_ops = any(_is_tensor_op(n) for n in part.graph.nodes)
        self.run: Any = Program(part, options) if has_ops else part
        self.is_program = has_ops

    def forward(self, *arguments: Any) -> Any:
        if not self.is_program:
            return self.run(*arguments)
        results = self.run(list(arguments))
        return results[0] if self.is_single else tuple(results)
