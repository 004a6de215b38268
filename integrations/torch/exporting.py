"""A model as StableHLO text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

import hlo
from hlo.errors import ArgumentError, CompileError, HloError
from hlo.torch.decompositions import decompositions
from hlo.torch.layouts import row_major
from hlo.torch.partition import reason_against
from hlo.torch.programs import check_tensor
from hlo.torch.registry import RULES
from hlo.torch.translation import Argument, op_name, outputs_of, python_location, translate


def export(
    model: torch.nn.Module, args: Sequence[Any], kwargs: Mapping[str, Any] | None = None, *, debug_info: bool = True
) -> str:
    """The StableHLO text of a model for arguments like these. Its parameters and buffers are the first arguments of
    @main, under their names; then come the tensors of `args` and `kwargs`. All are row-major. `debug_info`: with the
    Python program's files and lines as locations. Raises CompileError for ops that are not built, all of them, and
    HloError where PyTorch cannot capture the model."""
    if not isinstance(model, torch.nn.Module):
        raise ArgumentError(f"hlo.torch.export takes a torch.nn.Module, found {type(model).__name__}")
    try:
        program = torch.export.export(model, tuple(args), dict(kwargs or {}), strict=False)
        program = program.run_decompositions(_table())
    except HloError:
        raise
    except Exception as error:
        raise HloError(f"PyTorch cannot capture the model: {type(error).__name__}: {error}") from error
    graph = program.graph_module
    _check_ops(graph)
    placeholders = [n.meta["val"] for n in graph.graph.nodes if n.op == "placeholder"]
    for number, value in enumerate(placeholders):
        check_tensor(number, value)
    arguments = [Argument(v.dtype, row_major(v.shape)) if isinstance(v, torch.Tensor) else v for v in placeholders]
    module = translate(graph, arguments, _results(graph))
    return hlo.print_module(module, debug_info=debug_info, local_scope=debug_info)


def _table() -> Any:
    """PyTorch's table for exported programs, which decomposes composite ops, with what has a rule here left whole."""
    table, own = torch.export.default_decompositions(), decompositions()
    for op in list(table):
        if op not in own and str(op).removeprefix("aten.") in RULES:
            table.pop(op)
    table.update(own)
    return table


def _results(graph: torch.fx.GraphModule) -> list[Any]:
    returned = [v.meta["val"] if isinstance(v, torch.fx.Node) else v for v in outputs_of(list(graph.graph.nodes)[-1])]
    return [row_major(v.shape) if isinstance(v, torch.Tensor) else None for v in returned]


def _check_ops(graph: torch.fx.GraphModule) -> None:
    left = [(n, r) for n in graph.graph.nodes if (r := reason_against(n))]
    if left:
        lines = [f"{op_name(n)} ({':'.join(map(str, python_location(n)))}): {r}" for n, r in left]
        raise CompileError("the model has ops that are not built: " + "; ".join(lines))
