"""Attributes of a module that is compiled for a grid of processes."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.process_grid import Grid
from hlo.dialect.process_groups import grid_of

GRID = "hlo.grid"
"""array<i64: replicas, partitions>."""

MEETINGS = "hlo.meetings"
"""For each collective, who meets whom (lower_collectives.py)."""


def set_grid(module: ir.Module, grid: Grid) -> None:
    """Says for which grid the module is compiled."""
    with module.context:
        sizes = ir.DenseI64ArrayAttr.get([grid.num_replicas, grid.num_partitions])
        module.operation.attributes[GRID] = sizes


def read_grid(module: ir.Module) -> Grid:
    """The grid for which the module is compiled: what `set_grid` said, or else the program itself."""
    attributes = module.operation.attributes
    return Grid(*ir.DenseI64ArrayAttr(attributes[GRID])) if GRID in attributes else grid_of(module)
