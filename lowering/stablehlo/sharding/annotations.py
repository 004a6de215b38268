"""Shardings in the IR: what a function's ops ask for, read for both passes and written by propagation.

Arguments and results of functions and ops have `sdy.sharding`; a manual computation has in_shardings and
out_shardings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mlir import ir

from hlo.dialect.locations import diagnostic
from hlo.dialect.sharding.checks import RESHARDINGS
from hlo.dialect.sharding.text import parse_axes, parse_sharding, parse_shardings
from hlo.errors import CompileError
from hlo.lowering.stablehlo.sharding.axes import AxisTable, Spec, Wish
from hlo.lowering.stablehlo.sharding.graph import Body, Graph, Node, Tensor

SHARDING, ORDER = "sdy.sharding", "hlo.device_order"


@dataclass
class Manual:
    """A manual computation: its axes, and what its operands and results are to have."""

    axes: frozenset[str]
    operands: list[Wish]
    results: list[Wish]

    def manual(self, spec: Spec) -> Spec:
        """The manual axes of a sharding."""
        return tuple(tuple(a for a in axes if a in self.axes) for axes in spec)

    def free(self, spec: Spec) -> Spec:
        """The other axes, which the body's tensors have."""
        return tuple(tuple(a for a in axes if a not in self.axes) for axes in spec)


Order = tuple[int, ...] | None


@dataclass
class Annotations:
    """`values`: what tensors are to have. `results`: what the function's results are to have, None where nothing is
    said. `alone`: ops that run on one device, whose number it is. `orders`: for each argument, and for each result,
    the devices by position, where it is not the order of the table."""

    values: dict[Tensor, Wish] = field(default_factory=dict)
    results: list[Wish | None] = field(default_factory=list)
    manual: dict[Node, Manual] = field(default_factory=dict)
    alone: dict[Node, int] = field(default_factory=dict)
    orders: tuple[list[Order], list[Order]] = field(default_factory=lambda: ([], []))


class _Reader:
    def __init__(self, table: AxisTable):
        self.table = table
        self.found = Annotations()
        self._known: dict[str, list[Wish]] = {}

    def wishes(self, text: str) -> list[Wish]:
        if text not in self._known:
            several = text.startswith("#sdy.sharding_per_value")
            shardings = parse_shardings(text) if several else (parse_sharding(text),)
            self._known[text] = [self.table.wish(s) for s in shardings]
        return self._known[text]

    def function(self, graph: Graph) -> None:
        function, attributes = graph.function, graph.function.operation.attributes
        for argument, wish in zip(graph.body.arguments, self._declared(function, attributes, "arg_attrs")):
            if wish and argument.is_tensor:
                self.found.values[argument] = wish
        results = self._declared(function, attributes, "res_attrs")
        for tensor, wish in (*self.found.values.items(), *zip(graph.body.returned, results)):
            self._refuse_lone(tensor, wish, function)
        counts = len(graph.body.arguments), len(graph.body.returned)
        self.found.orders = (
            self._orders(attributes, "arg_attrs", counts[0]),
            self._orders(attributes, "res_attrs", counts[1]),
        )
        self.found.results = [*results, *[None] * (len(graph.body.returned) - len(results))]
        self.body(graph.body)

    def _declared(self, function: Any, attributes: Any, key: str) -> list[Wish | None]:
        if key not in attributes:
            return []
        dictionaries = [ir.DictAttr(a) for a in ir.ArrayAttr(attributes[key])]
        return [self.wishes(str(d[SHARDING]))[0] if SHARDING in d else None for d in dictionaries]

    def _orders(self, attributes: Any, key: str, count: int) -> list[Order]:
        dictionaries = [ir.DictAttr(a) for a in ir.ArrayAttr(attributes[key])] if key in attributes else []
        return [self._order(d) for d in dictionaries] or [None] * count

    def _order(self, dictionary: Any) -> Order:
        if ORDER in dictionary:
            return tuple(ir.DenseI64ArrayAttr(dictionary[ORDER]))
        return self.table.orders.get(parse_sharding(str(dictionary[SHARDING])).mesh) if SHARDING in dictionary else None

    def body(self, body: Body) -> None:
        for node in body.nodes:
            attributes = node.op.attributes
            device = self._only_device(attributes)
            if device is not None:
                self.found.alone[node] = device
            if node.name in RESHARDINGS:
                self._ask(node.results[0], self.wishes(str(attributes["sharding"]))[0])
            elif node.name == "sdy.manual_computation":
                self._manual(node)
            elif node.results and SHARDING in attributes and node not in self.found.alone:
                for tensor, wish in zip(node.results, self.wishes(str(attributes[SHARDING]))):
                    self._ask(tensor, wish)
            for inner in node.bodies:
                self.body(inner)

    def _only_device(self, attributes: Any) -> int | None:
        """The device of an op that is to run on one only (a maximal sharding: of a mesh that is one device)."""
        if SHARDING not in attributes:
            return None
        text = str(attributes[SHARDING])
        if not text.startswith("#sdy.sharding_per_value"):
            return None
        return next((self.table.lone[s.mesh] for s in parse_shardings(text) if s.mesh in self.table.lone), None)

    def _ask(self, tensor: Tensor, wish: Wish) -> None:
        if tensor.is_tensor:
            self._refuse_lone(tensor, wish, tensor.node.op if tensor.node else None)
            self.found.values[tensor] = wish

    def _refuse_lone(self, tensor: Tensor, wish: Wish | None, op: Any) -> None:
        if wish and tensor.is_tensor and len(wish.spec) != len(tensor.shape):
            message = "a sharding on one device (of a mesh without axes) is supported for custom calls and other computations only"
            raise CompileError(diagnostic(op, message))

    def _manual(self, node: Node) -> None:
        attributes = node.op.attributes
        operands, results = (self.wishes(str(attributes[k])) for k in ("in_shardings", "out_shardings"))
        names = parse_axes(str(attributes["manual_axes"]))
        meshes = [s.mesh for k in ("in_shardings", "out_shardings") for s in parse_shardings(str(attributes[k]))]
        if any(mesh in self.table.orders for mesh in meshes):
            message = f"the mesh of a manual computation must have its devices in the order of @{self.table.mesh}"
            raise CompileError(diagnostic(node.op, f"{message}, the first of the module; found @{meshes[0]}"))
        parts = self.table.parts[meshes[0]] if meshes else {}
        axes = frozenset(a for name in names for a in parts.get(name, ()))
        manual = Manual(axes, [], [])
        sides = ((manual.operands, operands, node.operands), (manual.results, results, node.results))
        for made, wishes, tensors in sides:
            made += [_without_uneven(self.table, manual, w, t) for w, t in zip(wishes, tensors)]
        self.found.manual[node] = manual
        for tensor, wish in zip(node.results, manual.results):
            self._ask(tensor, wish)


def _without_uneven(table: AxisTable, manual: Manual, wish: Wish, tensor: Tensor) -> Wish:
    """Free axes behind manual ones must cut the part evenly; those that do not are left out."""
    spec = []
    for n, axes, own in zip(tensor.shape, wish.spec, manual.manual(wish.spec)):
        spec.append(own if own and n % table.size(axes) else axes)
    return replace(wish, spec=tuple(spec))


def read_annotations(graph: Graph, table: AxisTable) -> Annotations:
    """All that the ops of a function ask for. The module's shardings have been checked."""
    reader = _Reader(table)
    reader.function(graph)
    return reader.found


class AnnotationWriter:
    """Writes shardings as closed ones of the table's main mesh."""

    def __init__(self, table: AxisTable):
        self.table = table
        self._attributes: dict[str, ir.Attribute] = {}

    def per_value(self, specs: Sequence[Spec], unreduced: Sequence[frozenset[str]] = ()) -> ir.Attribute:
        """`unreduced`: axes along which the values are yet to be summed."""
        sums = unreduced or [frozenset[str]()] * len(specs)
        texts = [self.table.sharding_text(s, u) for s, u in zip(specs, sums)]
        return self._attribute(f"#sdy.sharding_per_value<[{', '.join(texts)}]>")

    def single(self, spec: Spec, unreduced: frozenset[str] = frozenset()) -> ir.Attribute:
        return self._attribute(f"#sdy.sharding{self.table.sharding_text(spec, unreduced)}")

    def _attribute(self, text: str) -> ir.Attribute:
        if text not in self._attributes:
            self._attributes[text] = ir.Attribute.parse(text)
        return self._attributes[text]

    def function(
        self,
        function: Any,
        specs: Sequence[Sequence[Spec]],
        wishes: Sequence[Sequence[Wish | None]],
        orders: tuple[list[Order], list[Order]],
    ) -> None:
        """`specs`, `wishes`, `orders`: of the arguments, and of the results."""
        attributes = function.operation.attributes
        for key, own, asked, side in zip(("arg_attrs", "res_attrs"), specs, wishes, orders):
            sums = [wish.unreduced if wish else frozenset[str]() for wish in asked]
            entries = [{SHARDING: self.single(s, u), **_order_entry(o)} for s, u, o in zip(own, sums, side)]
            attributes[key] = with_entries(attributes, key, entries)


def _order_entry(order: Order) -> dict[str, ir.Attribute]:
    return {} if order is None else {ORDER: ir.DenseI64ArrayAttr.get(order)}


def with_entries(attributes: Any, key: str, entries: Sequence[dict[str, ir.Attribute]]) -> ir.ArrayAttr:
    """The dictionaries of a function's arguments or results, with more entries in them."""
    old = [ir.DictAttr(a) for a in ir.ArrayAttr(attributes[key])] if key in attributes else []
    known = [{n.name: n.attr for n in d} for d in old] or [{} for _ in entries]
    return ir.ArrayAttr.get([ir.DictAttr.get({**have, **more}) for have, more in zip(known, entries)])
