"""Writes the program of one process: blocks, loops, branches and manual computations; op_partitioner.py has the ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlir import ir

from hlo.dialect.elements import splat_of
from hlo.dialect.locations import diagnostic
from hlo.dialect.process_groups import speaks_of_processes
from hlo.dialect.sharding.checks import RESHARDINGS
from hlo.dialect.stablehlo import ReturnOp
from hlo.errors import CompileError
from hlo.lowering.stablehlo.sharding.annotations import SHARDING, Annotations
from hlo.lowering.stablehlo.sharding.axes import AxisTable, Spec
from hlo.lowering.stablehlo.sharding.graph import Body, Node, Tensor
from hlo.lowering.stablehlo.sharding.partitioning.copies import Scope
from hlo.lowering.stablehlo.sharding.partitioning.emitter import Emitter
from hlo.lowering.stablehlo.sharding.partitioning.op_partitioner import OpPartitioner
from hlo.lowering.stablehlo.sharding.rules.rule import Rule, rule_for


class Partitioner(OpPartitioner):
    def __init__(
        self,
        table: AxisTable,
        annotations: Annotations,
        emitter: Emitter,
        tensors: dict[ir.Value, Tensor],
        poison: bool,
    ):
        super().__init__(table, emitter, {t: w.spec for t, w in annotations.values.items()}, tensors, poison)
        self.annotations = annotations
        for tensor, wish in annotations.values.items():
            if wish.unreduced and tensor.node and tensor.node.name in RESHARDINGS:
                self.wanted_summands[tensor.node.operands[0]] = wish.unreduced
        self.location: ir.Location | None = None
        """Of the last op, to which what its block returns belongs."""
        self._manual = 0
        """How many manual computations the op is in."""
        self._rules: dict[Any, Rule | None] = {}

    # Blocks

    def body(
        self,
        body: Body,
        block: ir.Block,
        arguments: Sequence[Spec],
        results: Sequence[Spec],
        terminate: Callable[[list[ir.Value]], Any],
        passes_on: bool = True,
        given: Callable[[list[ir.Value], Sequence[Spec]], list[ir.Value]] = lambda values, specs: values,
        unreduced: Sequence[frozenset[str]] = (),
    ) -> None:
        """Fills a block, whose arguments are there, with a body. `terminate`: makes the terminator of the returned
        values. `given`: makes of the block's arguments those of the body. `unreduced`: axes along which what is
        returned is yet to be summed."""
        scope = Scope(ir.InsertionPoint(block), passes_on)
        self.scopes.append(scope)
        with scope.ip:
            values = given(list(block.arguments), arguments)
            for tensor, spec, value in zip(body.arguments, arguments, values):
                self.define(tensor, spec, value)
            self.nodes(body.nodes)
            sums = unreduced or [frozenset[str]()] * len(results)
            with self.location or ir.Location.current:
                terminate([self.bring_summands(t, s, u) for t, s, u in zip(body.returned, results, sums)])
        self.scopes.pop()

    def nodes(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            self.location = node.op.location
            self.emitter.purpose = node.name.removeprefix("stablehlo.")
            with self.location:
                self.node(node)

    def node(self, node: Node) -> None:
        special = SPECIAL.get(node.name)
        if special:
            special(self, node)
            return
        if speaks_of_processes(node.op) and not self._manual:
            found = f"{node.name} has no meaning in a program for one device that is to be partitioned"
            raise CompileError(diagnostic(node.op, f"{found}; it is allowed in manual computations"))
        device = self.annotations.alone.get(node)
        if device is not None:
            self.alone(node, device)
            return
        rule = rule_for(node, self._rules)
        if rule is None or not rule.sizes:
            self.whole(node, rule is None)
        else:
            self.by_rule(node, rule)

    # Ops that are no computations

    def constant(self, node: Node) -> None:
        """A splat in its own sharding; others whole, of which each process takes its part."""
        (tensor,) = node.results
        spec = self.spec(tensor)
        value = node.op.attributes["value"]
        if not any(spec) or not isinstance(value, ir.DenseElementsAttr) or not value.is_splat:
            self.whole(node, False)
            return
        (type,) = self.local_types([tensor], [spec])
        op = self.emitter.emit("constant", [], [type], {"value": splat_of(value, type)})
        self.scopes[-1].copies[tensor] = {spec: op.results[0]}

    def passed_on(self, node: Node) -> None:
        (tensor,) = node.results
        if not tensor.is_tensor:
            self.define(tensor, (), self.bring(node.operands[0], ()))
            return
        if node.operands[0] in self.summands:
            self.summands[tensor] = self.summands[node.operands[0]]
        spec = self.spec(tensor)
        self.define(tensor, spec, self.bring(node.operands[0], spec))

    def nothing(self, node: Node) -> None:
        """A sharding group has had its effect."""

    def named(self, node: Node) -> None:
        (body,) = node.bodies
        for inside, tensor in zip(body.arguments, node.operands):
            spec = self.spec(tensor)
            self.define(inside, spec, self.bring(tensor, spec))
        self.nodes(body.nodes)
        for tensor, inside in zip(node.results, body.returned):
            spec = self.spec(tensor)
            self.define(tensor, spec, self.bring(inside, spec))

    def manual(self, node: Node) -> None:
        """The body is a program for each process along the manual axes: it follows the op's operands as it is."""
        (body,), found = node.bodies, self.annotations.manual[node]
        self._manual += 1
        for inside, tensor, wish in zip(body.arguments, node.operands, found.operands):
            free = found.free(wish.spec)
            self.specs[inside] = free
            self.define(inside, free, self.bring_summands(tensor, wish.spec, wish.unreduced))
        self.nodes(body.nodes)
        self.location, self.emitter.purpose = node.op.location, "manual_computation"
        for tensor, inside, wish in zip(node.results, body.returned, found.results):
            value = self.bring(inside, found.free(wish.spec))
            self.define(tensor, wish.spec, self.summed(tensor, wish.spec, value, wish.unreduced))
        self._manual -= 1

    def loop(self, node: Node) -> None:
        specs = [self.spec(t) for t in node.results]
        operands = [self.bring(t, s) for t, s in zip(node.operands, specs)]
        op = self._with_regions(node, operands, specs, 2)
        condition, body = node.bodies
        self._region(op, 0, condition, specs, [()])
        self._region(op, 1, body, specs, specs)
        self._finish(node, op, specs)

    def branches(self, node: Node) -> None:
        specs = [self.spec(t) for t in node.results]
        op = self._with_regions(node, [self.bring(node.operands[0], ())], specs, len(node.op.regions))
        for number, body in enumerate(node.bodies):
            self._region(op, number, body, [], specs, passes_on=False)
        self._finish(node, op, specs)

    def _with_regions(self, node: Node, operands: list[ir.Value], specs: list[Spec], count: int) -> ir.Operation:
        types = self.local_types(node.results, specs)
        attributes = {n: node.op.attributes[n] for n in node.op.attributes if n != SHARDING}
        return self.emitter.emit(node.name.removeprefix("stablehlo."), operands, types, attributes, regions=count)

    def _region(
        self,
        op: ir.Operation,
        number: int,
        body: Body,
        arguments: list[Spec],
        results: list[Spec],
        passes_on: bool = True,
    ) -> None:
        outer = self.scopes[-1]
        saved, outer.ip = outer.ip, ir.InsertionPoint(op)
        types = self.local_types(body.arguments, arguments)
        for tensor, spec in zip(body.arguments, arguments):
            self.specs[tensor] = spec
        block = op.regions[number].blocks.append(*types, arg_locs=[op.location] * len(types))
        self.body(body, block, arguments, results, _region_end, passes_on)
        outer.ip = saved

    def _finish(self, node: Node, op: ir.Operation, specs: list[Spec]) -> None:
        for tensor, spec, value in zip(node.results, specs, op.results):
            self.define(tensor, spec, value)


def _region_end(values: list[ir.Value]) -> None:
    ReturnOp.create(*values, results=[])


SPECIAL = {
    "stablehlo.constant": Partitioner.constant,
    "chlo.constant": Partitioner.constant,
    "stablehlo.while": Partitioner.loop,
    "stablehlo.if": Partitioner.branches,
    "stablehlo.case": Partitioner.branches,
    **dict.fromkeys(RESHARDINGS, Partitioner.passed_on),
    "sdy.propagation_barrier": Partitioner.passed_on,
    "sdy.sharding_group": Partitioner.nothing,
    "sdy.named_computation": Partitioner.named,
    "sdy.manual_computation": Partitioner.manual,
}
