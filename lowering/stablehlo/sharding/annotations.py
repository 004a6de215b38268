"""Shardings in the IR: what a function's ops ask for, read for both passes and written by propagation.

Arguments and results of functions and ops have `sdy.sharding`; a manual computation has in_shardings and
out_shardings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from typing import Any

from mlir import ir

from hlo.dialect.locations import diagnostic
from hlo.dialect.sharding.checks import RESHARDINGS
from hlo.dialect.sharding.model import Mesh
from hlo.dialect.sharding.text import parse_axes, parse_sharding, parse_shardings
from hlo.errors import CompileError
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.functions import SIDES, entries_of, set_entries
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
class Side:
    """The arguments, or the results, of a function: what each is to have, None where nothing is said, and the devices by position, where
    it is not the order of the table. `key`: the attribute of the function that says so."""

    key: str
    tensors: list[Tensor]
    wishes: list[Wish | None]
    orders: list[Order]

    @property
    def unreduced(self) -> list[frozenset[str]]:
        """The axes along which each is yet to be summed."""
        return [wish.unreduced if wish else frozenset[str]() for wish in self.wishes]


@dataclass
class Annotations:
    """`values`: what tensors are to have. `sides`: arguments and results. `alone`: ops that run on one device, whose number it is."""

    values: dict[Tensor, Wish] = field(default_factory=dict)
    sides: list[Side] = field(default_factory=list)
    manual: dict[Node, Manual] = field(default_factory=dict)
    alone: dict[Node, int] = field(default_factory=dict)

    def spec(self, tensor: Tensor) -> Spec:
        return self.values[tensor].spec if tensor in self.values else tensor.whole


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
        for key, tensors in zip(SIDES, (graph.body.arguments, graph.body.returned)):
            entries = entries_of(graph.function, key) or [{} for _ in tensors]
            wishes: list[Wish | None] = []
            for tensor, entry in zip(tensors, entries):
                wish = self.wishes(str(entry[SHARDING]))[0] if SHARDING in entry and tensor.is_tensor else None
                self._refuse_lone(tensor, wish, graph.function)
                wishes.append(wish)
            self.found.sides.append(Side(key, tensors, wishes, [self._order(entry) for entry in entries]))
        arguments = self.found.sides[0]
        self.found.values.update((t, w) for t, w in zip(arguments.tensors, arguments.wishes) if w)
        self.body(graph.body)

    def _order(self, entry: dict[str, Any]) -> Order:
        if ORDER in entry:
            return tuple(ir.DenseI64ArrayAttr(entry[ORDER]))
        return self.table.orders.get(parse_sharding(str(entry[SHARDING])).mesh) if SHARDING in entry else None

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

    def function(self, function: Any, sides: Sequence[Side], specs: Sequence[Sequence[Spec]]) -> None:
        """`specs`: of the arguments, and of the results."""
        for side, own in zip(sides, specs):
            entries = entries_of(function, side.key) or [{} for _ in own]
            for entry, spec, unreduced, order in zip(entries, own, side.unreduced, side.orders):
                entry[SHARDING] = self.single(spec, unreduced)
                if order is not None:
                    entry[ORDER] = ir.DenseI64ArrayAttr.get(order)
            set_entries(function, side.key, entries)


def define_mesh(module: ir.Module, name: str, mesh: Mesh) -> None:
    """At the beginning of the module."""
    attributes = {"mesh": ir.Attribute.parse(f"#sdy.mesh{mesh}"), "sym_name": ir.StringAttr.get(name)}
    with ir.Location.unknown(), ir.InsertionPoint.at_block_begin(module.body):
        ir.Operation.create("sdy.mesh", attributes=attributes)


def manual_computation(
    operands: Sequence[ir.Value],
    types: Sequence[ir.Type],
    arguments: Sequence[ir.Type],
    shardings: Sequence[ir.Attribute],
    axes: Iterable[str],
) -> tuple[ir.Operation, ir.Block]:
    """A manual computation at the insertion point, and its empty body. `types`: of its results; `arguments`: of the body's; `shardings`: of
    operands and of results."""
    names = ", ".join(f'"{name}"' for name in axes)
    attributes = dict(zip(("in_shardings", "out_shardings"), shardings))
    attributes["manual_axes"] = ir.Attribute.parse(f"#sdy<manual_axes{{{names}}}>")
    made = ir.Operation.create("sdy.manual_computation", list(types), list(operands), attributes, regions=2)
    return made, made.regions[0].blocks.append(*arguments, arg_locs=[made.location] * len(arguments))


def manual_return(values: Sequence[ir.Value]) -> None:
    ir.Operation.create("sdy.return", operands=list(values))
