"""The program of one process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mlir import ir
from mlir.dialects import func

from hlo.dialect.attributes import I32
from hlo.dialect.locations import diagnostic
from hlo.errors import CompileError
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.copying import attributes_of
from hlo.lowering.functions import defined_functions, entries_of, set_entries
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.stablehlo.arithmetic import Tensor
from hlo.lowering.stablehlo.sharding import rules  # noqa: F401  (registers them)
from hlo.lowering.stablehlo.sharding.annotations import (
    ORDER,
    SHARDING,
    AnnotationWriter,
    Order,
    Side,
    define_mesh,
    read_annotations,
)
from hlo.lowering.stablehlo.sharding.axes import AxisTable, Spec, read_axes
from hlo.lowering.stablehlo.sharding.graph import Graph
from hlo.lowering.stablehlo.sharding.graph import Tensor as Value
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
        for function in defined_functions(module):
            orders |= partition_function(function, table, self.poison)
        for order in sorted(orders, reverse=True):
            define_mesh(module, ordered_mesh(order), replace(table.main, device_ids=order))
        with ir.Location.unknown():
            module.operation.attributes["mhlo.num_partitions"] = I32.encode(table.count)
            module.operation.attributes["mhlo.num_replicas"] = I32.encode(1)


def partition_function(function: Any, table: AxisTable, poison: bool) -> set[tuple[int, ...]]:
    """Replaces the body of a function by the program of one process. Returns the other orders of devices that its
    arguments and results are cut by."""
    graph = Graph(function)
    annotations = read_annotations(graph, table)
    arguments, results = annotations.sides
    specs = [[w.spec if w else annotations.spec(t) for t, w in zip(s.tensors, s.wishes)] for s in annotations.sides]
    for side in annotations.sides:
        _check_unreduced(function, side)
    block = _empty_function(function, table, annotations.sides, specs)
    with ir.InsertionPoint(block), function.location:
        emitter = Emitter(table)
        partitioner = Partitioner(table, annotations, emitter, graph.tensors, poison)

        def enter(values: list[ir.Value], cuts: Sequence[Spec]) -> list[ir.Value]:
            moved = _reordered(emitter, values, cuts, arguments.orders)
            given = zip(arguments.tensors, cuts, moved, arguments.unreduced)
            return [partitioner.summed(t, s, v, u) for t, s, v, u in given]

        def leave(values: list[ir.Value]) -> Any:
            return func.ReturnOp(_reordered(emitter, values, specs[1], results.orders, leaves=True))

        partitioner.body(
            graph.body,
            block,
            specs[0],
            specs[1],
            leave,
            given=enter,
            unreduced=results.unreduced,
        )
    remove_unused(block)
    function.operation.erase()
    return {order for side in annotations.sides for order in side.orders if order is not None}


def _reordered(
    emitter: Emitter, values: Sequence[ir.Value], specs: Sequence[Spec], orders: Sequence[Order], leaves: bool = False
) -> list[ir.Value]:
    """Parts of arguments whose mesh has its devices in another order than the program's: each goes to the process that has its position in
    the program, and results go back. The program itself does not know from which order they came."""
    found = []
    for value, spec, order in zip(values, specs, orders):
        if order is not None and any(spec):
            pairs = list(zip(order, emitter.table.devices))
            value = emitter.permuted(Tensor(value), [pair[::-1] for pair in pairs] if leaves else pairs).value
        found.append(value)
    return found


def ordered_mesh(order: Sequence[int]) -> str:
    """The name of the program's mesh with its devices in another order."""
    return f"devices_{'_'.join(map(str, order))}"


def _check_unreduced(function: Any, side: Side) -> None:
    """Raises CompileError where the devices of what is yet to be summed have an order of their own, or elements are not added."""
    for tensor, axes, order in zip(side.tensors, side.unreduced, side.orders):
        if axes and (order is not None or neutral("add", tensor.element) is None):
            why = "of a mesh with another order of devices" if order is not None else f"of {tensor.type}"
            raise CompileError(diagnostic(function, f"unreduced axes {why} are not supported"))


def _empty_function(
    function: Any, table: AxisTable, sides: Sequence[Side], specs: Sequence[Sequence[Spec]]
) -> ir.Block:
    with function.location, ir.InsertionPoint(function):
        types = [[table.local_type(t.type, s) for t, s in zip(side.tensors, cuts)] for side, cuts in zip(sides, specs)]
        new = func.FuncOp(function.name.value, ir.FunctionType.get(*types))
    for name, attribute in attributes_of(function.operation, "function_type", "sym_name").items():
        new.operation.attributes[name] = attribute
    writer = AnnotationWriter(table)
    for side, cuts in zip(sides, specs):
        entries = entries_of(function, side.key) or [{} for _ in cuts]
        layouts = [_layout(writer, *one) for one in zip(side.tensors, cuts, side.orders, side.unreduced)]
        kept = [{n: a for n, a in entry.items() if n not in (SHARDING, ORDER)} for entry in entries]
        set_entries(new, side.key, [{**entry, **layout} for entry, layout in zip(kept, layouts)])
    with function.location:
        return new.add_entry_block()


def _layout(
    writer: AnnotationWriter, tensor: Value, spec: Spec, order: Order, unreduced: frozenset[str]
) -> dict[str, ir.Attribute]:
    sharding = writer.single(spec, unreduced)
    if order is not None:
        sharding = ir.Attribute.parse(f"#sdy.sharding{replace(writer.table.sharding(spec), mesh=ordered_mesh(order))}")
    return {GLOBAL_TYPE: ir.TypeAttr.get(tensor.type), LOCAL_SHARDING: sharding}
