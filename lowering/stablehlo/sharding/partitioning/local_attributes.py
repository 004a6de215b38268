"""Attributes that tell sizes, of ops that run on parts: a copied op's become local."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir

from hlo.dialect.attributes import I64Matrix
from hlo.dialect.types import shape
from hlo.lowering.stablehlo.sharding.graph import Node
from hlo.lowering.stablehlo.sharding.partitioning.emitter import array


def _local_limits(node: Node, copy: ir.Operation) -> None:
    """Of a slice: dimensions taken whole end where the local ones do."""
    sizes = zip(node.op.limit_indices, node.operands[0].shape, shape(copy.operands[0].type))
    copy.attributes["limit_indices"] = array([mine if mine != n else limit for limit, n, mine in sizes])


def _local_result(node: Node, copy: ir.Operation) -> None:
    copy.attributes["slice_sizes"] = array(shape(copy.results[0].type))


def _local_windows(node: Node, copy: ir.Operation) -> None:
    sizes = zip(node.op.slice_sizes, node.operands[0].shape, shape(copy.operands[0].type))
    copy.attributes["slice_sizes"] = array([mine if size == n and size != 1 else size for size, n, mine in sizes])


LOCAL_ATTRIBUTES = {
    "stablehlo.slice": _local_limits,
    "stablehlo.dynamic_slice": _local_result,
    "stablehlo.gather": _local_windows,
}
"""Ops whose attributes tell sizes."""


def _whole_slice(node: Node, copy: ir.Operation, windowed: Sequence[int]) -> None:
    """From its window a slice takes everything that its strides meet."""
    starts, limits = list(node.op.start_indices), list(copy.attributes["limit_indices"])
    for d in windowed:
        starts[d], limits[d] = 0, shape(copy.operands[0].type)[d]
    copy.attributes["start_indices"], copy.attributes["limit_indices"] = array(starts), array(limits)


def _no_edges(node: Node, copy: ir.Operation, windowed: Sequence[int]) -> None:
    for name in ("edge_padding_low", "edge_padding_high"):
        copy.attributes[name] = array([0 if d in windowed else n for d, n in enumerate(getattr(node.op, name))])


def _no_padding(node: Node, copy: ir.Operation, windowed: Sequence[int]) -> None:
    """Of all dimensions, or of the spatial ones of a convolution."""
    numbers = getattr(node.op, "dimension_numbers", None)
    dimensions = numbers.input_spatial_dimensions if numbers else range(len(node.op.padding))
    padding = [(0, 0) if d in windowed else pair for d, pair in zip(dimensions, node.op.padding)]
    copy.attributes["padding"] = I64Matrix.encode(padding)


LOCAL_WINDOWS: dict[str, Callable[[Node, ir.Operation, Sequence[int]], None]] = {
    "stablehlo.slice": _whole_slice,
    "stablehlo.pad": _no_edges,
    "stablehlo.reduce_window": _no_padding,
    "stablehlo.convolution": _no_padding,
}
"""Ops that read windows: in those dimensions their operand is what a process reads, padding included."""
