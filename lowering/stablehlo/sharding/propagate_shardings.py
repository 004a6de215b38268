"""Every tensor of a program gets a sharding, from the few that the program gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from hlo.dialect.assembly.shardy import DIRECTIONS
from hlo.dialect.sharding.checks import RESHARDINGS
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.functions import defined_functions
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.stablehlo.calls.inline_calls import InlineCalls
from hlo.lowering.stablehlo.rewriting import function_blocks, nested_blocks
from hlo.lowering.stablehlo.sharding import rules  # noqa: F401  (registers them)
from hlo.lowering.stablehlo.sharding.annotations import (
    SHARDING,
    Annotations,
    AnnotationWriter,
    Manual,
    read_annotations,
)
from hlo.lowering.stablehlo.sharding.axes import Axes, AxisTable, Spec, Wish, read_axes
from hlo.lowering.stablehlo.sharding.graph import Body, Graph, Node, Tensor
from hlo.lowering.stablehlo.sharding.propagation import Propagation, boundary
from hlo.lowering.stablehlo.sharding.rules.rule import Rule, rule_for
from hlo.lowering.stablehlo.sharding.rules.written import written_rule


@register_pass
@dataclass(frozen=True)
class PropagateShardings(Pass):
    """Annotates every op, argument and result with the sharding that Shardy's rules of propagation give it.

    %a: T {sdy.sharding = <@mesh, [{"x"}, {}]>}       %0 = stablehlo.tanh %a {sdy.sharding =
    %0 = stablehlo.tanh %a : T                becomes      #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : T

    Calls are inlined. Constants are copied for each reader, so that no sharding goes from one reader to another.
    Programs without a mesh stay as they are. `even`: arguments and results get no axes, or parts of axes, that nobody asked for and that do not cut them
    evenly."""

    even: bool = False

    def run(self, module: ir.Module) -> None:
        table = read_axes(module)
        if table.count == 1:
            return
        InlineCalls().run(module)
        for block in list(function_blocks(module)):
            copy_constants(block)
        for function in defined_functions(module):
            _Function(Graph(function), table, self.even).run()


COPIED = ("stablehlo.constant", "stablehlo.iota", "chlo.constant")


def copy_constants(block: ir.Block) -> None:
    """Gives each reader of a constant its own copy, and of what repeats one. Later ops first: they read others."""
    for op in reversed(list(block.operations)):
        if len(op.regions):
            for inner in nested_blocks(op):
                copy_constants(inner)
        elif _is_constant(op):
            for use in list(op.results[0].uses)[1:]:
                use.owner.operands[use.operand_number] = op.operation.clone(ir.InsertionPoint(op)).results[0]


def _is_constant(op: Any) -> bool:
    name = op.operation.name
    if name == "stablehlo.broadcast_in_dim":
        owner = op.operands[0].owner
        return not isinstance(owner, ir.Block) and owner.name in COPIED
    return name in COPIED and bool(op.results[0].type.rank)


class _Function:
    def __init__(self, graph: Graph, table: AxisTable, even: bool):
        self.graph, self.table, self.even = graph, table, even
        self.annotations: Annotations = read_annotations(graph, table)
        self.propagation = Propagation(table, dict(self.annotations.values))
        self.stand_ins: dict[Node, list[Tensor]] = {}
        """Of a manual computation: its operands as it reads them."""
        self.groups: dict[int, list[Tensor]] = {}
        self._rules: dict[Any, Rule | None] = {}

    def run(self) -> None:
        self._edges(self.graph.body)
        for members in self.groups.values():
            self.propagation.same(members)
        results = []
        for tensor, wish in zip(self.graph.body.returned, self.annotations.sides[1].wishes):
            results.append(self.propagation.wanted(tensor, wish) if wish else tensor)
        self.propagation.run()
        self._write(results)

    def _edges(self, body: Body) -> None:
        for node in body.nodes:
            if node in self.annotations.alone:
                continue
            make = EDGES.get(node.name)
            if make:
                make(self, node)
                for inner in node.bodies:
                    self._edges(inner)
                continue
            rule = rule_for(node, self._rules) or written_rule(node)
            if rule and len(rule.sizes):
                self.propagation.edge([*node.operands, *node.results], rule)

    # Edges of ops that are no computations

    def loop(self, node: Node) -> None:
        condition, body = node.bodies
        for columns in zip(node.operands, condition.arguments, body.arguments, body.returned, node.results):
            self.propagation.same(list(columns))

    def branches(self, node: Node) -> None:
        for number, result in enumerate(node.results):
            self.propagation.same([result, *(b.returned[number] for b in node.bodies)])

    def passed_on(self, node: Node) -> None:
        self.propagation.same([node.operands[0], node.results[0]])

    def barrier(self, node: Node) -> None:
        direction = DIRECTIONS[node.op.attributes["allowed_direction"].value]
        if direction != "NONE":
            targets = {"FORWARD": frozenset((1,)), "BACKWARD": frozenset((0,))}.get(direction)
            self.propagation.same([node.operands[0], node.results[0]], targets)

    def group(self, node: Node) -> None:
        self.groups.setdefault(node.op.attributes["group_id"].value, []).append(node.operands[0])

    def named(self, node: Node) -> None:
        (body,) = node.bodies
        for pair in (*zip(node.operands, body.arguments), *zip(body.returned, node.results)):
            self.propagation.same(list(pair))

    def manual(self, node: Node) -> None:
        (body,), found = node.bodies, self.annotations.manual[node]
        self._ban(body, found.axes)
        self.stand_ins[node] = [self.propagation.wanted(t, w) for t, w in zip(node.operands, found.operands)]
        for outside, inside, wish in (
            *zip(self.stand_ins[node], body.arguments, found.operands),
            *zip(node.results, body.returned, found.results),
        ):
            self.propagation.edge([outside, inside], boundary(self.table, outside.shape, found.manual(wish.spec)))

    def _ban(self, body: Body, axes: frozenset[str]) -> None:
        banned = self.propagation.banned
        tensors = [*body.arguments, *(t for n in body.all_nodes() for t in n.results)]
        tensors += [a for n in body.all_nodes() for b in n.bodies for a in b.arguments]
        for tensor in tensors:
            banned[tensor] = banned.get(tensor, frozenset()) | axes

    # Writing

    def _write(self, results: Sequence[Tensor]) -> None:
        writer, spec = AnnotationWriter(self.table), self.propagation.spec
        for node in self.graph.body.all_nodes():
            attributes = node.op.attributes
            if node in self.annotations.alone:
                continue
            if node.name in RESHARDINGS:
                asked = self.annotations.values.get(node.results[0])
                attributes["sharding"] = writer.single(spec(node.results[0]), asked.unreduced if asked else frozenset())
            elif node.name == "sdy.manual_computation":
                self._write_manual(writer, node, self.annotations.manual[node])
            elif any(any(spec(t)) for t in node.results):
                attributes[SHARDING] = writer.per_value([spec(t) for t in node.results])
            elif node.results and SHARDING in attributes:
                del attributes[SHARDING]
        sides = self.annotations.sides
        pairs = zip(sides, (self.graph.body.arguments, results))
        specs = [[self._even(t, w) for t, w in zip(tensors, side.wishes)] for side, tensors in pairs]
        writer.function(self.graph.function, sides, specs)

    def _even(self, tensor: Tensor, wish: Wish | None) -> Spec:
        """The sharding of an argument or a result."""
        spec = self.propagation.spec(tensor)
        if not self.even:
            return spec
        given = wish.spec if wish else tensor.whole
        return tuple(self._even_axes(n, axes, asked) for n, axes, asked in zip(tensor.shape, spec, given))

    def _even_axes(self, n: int, axes: Axes, asked: Axes) -> Axes:
        counts = [k for k in range(len(asked), len(axes) + 1) if k == len(asked) or self.table.are_whole(axes[:k])]
        return axes[: max((k for k in counts if n % self.table.size(axes[:k]) == 0), default=len(asked))]

    def _write_manual(self, writer: AnnotationWriter, node: Node, manual: Manual) -> None:
        sides = (
            ("in_shardings", self.stand_ins[node], manual.operands),
            ("out_shardings", node.results, manual.results),
        )
        for key, tensors, wishes in sides:
            specs = [_kept(self.propagation.spec(t), w.spec) for t, w in zip(tensors, wishes)]
            node.op.attributes[key] = writer.per_value(specs, [w.unreduced for w in wishes])


def _kept(spec: Spec, given: Spec) -> Spec:
    """Manual axes stay where the program has them, whatever has been propagated."""
    return tuple(s if s[: len(g)] == g else g for s, g in zip(spec, given))


EDGES = {
    "stablehlo.while": _Function.loop,
    "stablehlo.if": _Function.branches,
    "stablehlo.case": _Function.branches,
    **dict.fromkeys(RESHARDINGS, _Function.passed_on),
    "sdy.propagation_barrier": _Function.barrier,
    "sdy.sharding_group": _Function.group,
    "sdy.named_computation": _Function.named,
    "sdy.manual_computation": _Function.manual,
}
