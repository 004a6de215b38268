"""Arguments and results whose mesh has its devices in another order than the program's: each part goes to the process that has its position in
the program, and back. What is inside of the program is not told from which order it came."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from mlir import ir

from hlo.lowering.stablehlo.arithmetic import Tensor
from hlo.lowering.stablehlo.sharding.annotations import Order
from hlo.lowering.stablehlo.sharding.axes import AxisTable, Spec
from hlo.lowering.stablehlo.sharding.partitioning.emitter import Emitter


def ordered_mesh(order: Sequence[int]) -> str:
    """The name of the program's mesh with its devices in another order."""
    return f"devices_{'_'.join(map(str, order))}"


def add_meshes(module: ir.Module, table: AxisTable, orders: Iterable[tuple[int, ...]]) -> None:
    """Defines these meshes."""
    with ir.Location.unknown(), ir.InsertionPoint.at_block_begin(module.body):
        for order in sorted(orders):
            axes = ", ".join(f'"{name}"={size}' for name, size in table.main.axes)
            mesh = ir.Attribute.parse(f"#sdy.mesh<[{axes}], device_ids={list(order)}>")
            ir.Operation.create(
                "sdy.mesh", attributes={"mesh": mesh, "sym_name": ir.StringAttr.get(ordered_mesh(order))}
            )


class DeviceOrders:
    """Moves the parts of arguments and results of one function. `orders`: those of both, None for the program's own."""

    def __init__(self, emitter: Emitter, orders: tuple[Sequence[Order], Sequence[Order]]):
        self.emitter = emitter
        self.arguments, self.results = orders

    def entering(self, values: Sequence[ir.Value], specs: Sequence[Spec]) -> list[ir.Value]:
        devices = self.emitter.table.devices
        return [self._moved(v, s, order, devices) for v, s, order in zip(values, specs, self.arguments)]

    def leaving(self, values: Sequence[ir.Value], specs: Sequence[Spec]) -> list[ir.Value]:
        devices = self.emitter.table.devices
        return [self._moved(v, s, order and devices, order) for v, s, order in zip(values, specs, self.results)]

    def _moved(self, value: Any, spec: Spec, source: Order, target: Order) -> ir.Value:
        """The part that the process at the same position of the source order has."""
        if source is None or target is None or not any(spec):
            return value
        return self.emitter.permuted(Tensor(value), list(zip(source, target))).value
