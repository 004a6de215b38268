"""The channels of send and recv: which processes they connect, and what a run must know of them."""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.dialect.locations import location_text
from hlo.dialect.process_grid import Grid
from hlo.dialect.process_groups import strategy_of
from hlo.dialect.quantized import zero_points
from hlo.dialect.types import element_type, is_per_axis, is_quantized, is_tensor


def channel_config(op: Any, grid: Grid) -> dict[str, Any]:
    """Of a send or recv: `channel`, its number; `location`, that of the op; if it names pairs of processes, `ends`,
    their numbers (source, target, source, target, ...), and `zeros`: of each tensor that a process gets to which nobody
    sends, along which dimension its zeros differ, and they."""
    config: dict[str, Any] = {"channel": op.channel_handle.handle, "location": location_text(op)}
    if grid.size > 1 and not op.is_host_transfer and op.source_target_pairs is not None:
        pairs = strategy_of(op)(grid, op.source_target_pairs)
        tensors = [t for t in _result_types(op) if is_tensor(t)]
        config["ends"] = [grid.number(process) for pair in pairs for process in pair]
        config["zeros"] = [_zeros(t) for t in tensors]
    return config


def _zeros(t: ir.Type) -> list[int]:
    element: Any = element_type(t)
    if not is_quantized(element):
        return [0, 0]
    return [element.quantized_dimension if is_per_axis(element) else 0, *zero_points(t)]


def _result_types(op: Any) -> list[ir.Type]:
    """Those that the program was written with, where element types have become others since (legalize-element-types)."""
    if "hlo.result_types" in op.attributes:
        return [ir.TypeAttr(t).value for t in ir.ArrayAttr(op.attributes["hlo.result_types"])]
    return [r.type for r in op.operation.results]
