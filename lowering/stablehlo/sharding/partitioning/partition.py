"""The program of one process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from mlir import ir
from mlir.dialects import func

from hlo.dialect.attributes import I32
from hlo.dialect.locations import diagnostic
from hlo.errors import CompileError
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.stablehlo.sharding import rules  # noqa: F401  (registers them)
from hlo.lowering.stablehlo.sharding.annotations import (
    ORDER,
    SHARDING,
    Annotations,
    AnnotationWriter,
    Order,
    read_annotations,
    with_entries,
)
from hlo.lowering.stablehlo.sharding.axes import AxisTable, Spec, read_axes
from hlo.lowering.stablehlo.sharding.graph import Graph, Tensor
from hlo.lowering.stablehlo.sharding.partitioning.device_orders import DeviceOrders, add_meshes, ordered_mesh
from hlo.lowering.stablehlo.sharding.partitioning.emitter import Emitter, remove_unused
from hlo.lowering.stablehlo.sharding.partitioning.partitioner import Partitioner
from hlo.lowering.stablehlo.sharding.rules.rule import neutral

GLOBAL_TYPE, LOCAL_SHARDING = "hlo.global_type", "hlo.sharding"
"""Attributes of arguments and results: the type of the whole array, and how it is cut."""


@register_pass
@dataclass(frozen=True)
class Partition(Pass):
    """Turns a program for one device with shardings into the program of each process of its mesh.

    %a: tensor<8x4xf32> {sdy.sharding =                       %a: tensor<4x4xf32> {hlo.global_type = tensor<8x4xf32>,
        #sdy.sharding<@mesh, [{"x"}, {}]>}                        hlo.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}
    %0 = reduce add across dimensions = [0]         becomes   %0 = reduce add across dimensions = [0]
                                                              %1 = all_reduce add %0, groups [[0, 1]]

    Shardings are taken as they are: `propagate-shardings` gives every op one. The module says how many processes it is
    for (mhlo.num_partitions). Programs without a mesh stay as they are. `poison`: what pads uneven parts is NaN
    (integers: 1), a test that no result depends on it."""

    poison: bool = False

    def run(self, module: ir.Module) -> None:
        table = read_axes(module)
        if table.count == 1:
            return
        orders: set[tuple[int, ...]] = set()
        for function in [op for op in module.body.operations if isinstance(op, func.FuncOp) and not op.is_external]:
            orders |= partition_function(function, table, self.poison)
        add_meshes(module, table, orders)
        with ir.Location.unknown():
            module.operation.attributes["mhlo.num_partitions"] = I32.encode(table.count)
            module.operation.attributes["mhlo.num_replicas"] = I32.encode(1)


def partition_function(function: Any, table: AxisTable, poison: bool = False) -> set[tuple[int, ...]]:
    """Replaces the body of a function by the program of one process. Returns the other orders of devices that its arguments and results are cut by."""
    graph = Graph(function)
    annotations = read_annotations(graph, table)
    specs = [_spec(t, annotations.values) for t in graph.body.arguments]
    results = [
        w.spec if w and t.is_tensor else _spec(t, annotations.values)
        for t, w in zip(graph.body.returned, annotations.results)
    ]
    unreduced = _unreduced(graph, annotations)
    block = _empty_function(function, graph, table, (specs, results), annotations)
    with ir.InsertionPoint(block), function.location:
        emitter = Emitter(table)
        orders = DeviceOrders(emitter, annotations.orders)
        partitioner = Partitioner(table, annotations, emitter, graph.tensors, poison)

        def enter(values: list[ir.Value], cuts: Sequence[Spec]) -> list[ir.Value]:
            moved = orders.entering(values, cuts)
            given = zip(graph.body.arguments, cuts, moved, unreduced[0])
            return [partitioner.summed(t, s, v, u) for t, s, v, u in given]

        partitioner.body(
            graph.body,
            block,
            specs,
            results,
            lambda values: func.ReturnOp(orders.leaving(values, results)),
            given=enter,
            unreduced=unreduced[1],
        )
    remove_unused(block)
    function.operation.erase()
    return {order for side in annotations.orders for order in side if order is not None}


def _unreduced(graph: Graph, annotations: Annotations) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
    """The axes along which arguments and results are yet to be summed. Raises CompileError where their devices have an order of their own, or elements that are not
    added."""
    wishes = [annotations.values.get(t) for t in graph.body.arguments], annotations.results
    sides = graph.body.arguments, graph.body.returned
    found = tuple([w.unreduced if w and t.is_tensor else frozenset() for t, w in zip(*s)] for s in zip(sides, wishes))
    for tensors, axes, orders in zip(sides, found, annotations.orders):
        for tensor, some, order in zip(tensors, axes, orders):
            if some and (order is not None or neutral("add", tensor.element) is None):
                why = "of a mesh with another order of devices" if order is not None else f"of {tensor.type}"
                raise CompileError(diagnostic(graph.function, f"unreduced axes {why} are not supported"))
    return found  # type: ignore[return-value]


def _spec(tensor: Tensor, values: dict[Tensor, Any]) -> Spec:
    return values[tensor].spec if tensor in values else ((),) * len(tensor.shape)


def _empty_function(
    function: Any,
    graph: Graph,
    table: AxisTable,
    specs: tuple[Sequence[Spec], Sequence[Spec]],
    annotations: Annotations,
) -> ir.Block:
    arguments, results = specs
    types = []
    for tensors, cuts in ((graph.body.arguments, arguments), (graph.body.returned, results)):
        types.append([_local_type(table, t, s) for t, s in zip(tensors, cuts)])
    with function.location, ir.InsertionPoint(function):
        new = func.FuncOp(function.name.value, ir.FunctionType.get(*types))
    old = function.operation.attributes
    for name in old:
        if name not in ("function_type", "sym_name"):
            new.operation.attributes[name] = old[name]
    writer = AnnotationWriter(table)
    orders, unreduced = annotations.orders, _unreduced(graph, annotations)
    sides = (
        ("arg_attrs", graph.body.arguments, arguments, orders[0], unreduced[0]),
        ("res_attrs", graph.body.returned, results, orders[1], unreduced[1]),
    )
    for key, tensors, cuts, side, sums in sides:
        entries = [_layout(writer, *one) for one in zip(tensors, cuts, side, sums)]
        new.operation.attributes[key] = _without_sharding(with_entries(old, key, entries))
    with function.location:
        return new.add_entry_block()


def _local_type(table: AxisTable, tensor: Tensor, spec: Spec) -> ir.Type:
    if not tensor.is_tensor or not any(spec):
        return tensor.type
    element = ir.RankedTensorType(tensor.type).element_type
    shape = table.local_shape(tensor.shape, spec)
    return ir.RankedTensorType.get(list(shape), element, loc=ir.Location.unknown())


def _layout(
    writer: AnnotationWriter, tensor: Tensor, spec: Spec, order: Order, unreduced: frozenset[str]
) -> dict[str, ir.Attribute]:
    sharding = writer.single(spec, unreduced)
    if order is not None:
        sharding = ir.Attribute.parse(f"#sdy.sharding{replace(writer.table.sharding(spec), mesh=ordered_mesh(order))}")
    return {GLOBAL_TYPE: ir.TypeAttr.get(tensor.type), LOCAL_SHARDING: sharding}


def _without_sharding(entries: ir.ArrayAttr) -> ir.ArrayAttr:
    kept = [{n.name: n.attr for n in ir.DictAttr(e) if n.name not in (SHARDING, ORDER)} for e in entries]
    return ir.ArrayAttr.get([ir.DictAttr.get(e) for e in kept])
