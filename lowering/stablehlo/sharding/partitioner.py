"""Writes the program of one process: each op on local parts, with the collectives that its sharding asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlir import ir

from hlo.dialect.attributes import I64
from hlo.dialect.locations import diagnostic
from hlo.dialect.sharding.checks import RESHARDINGS
from hlo.dialect.stablehlo import ReturnOp
from hlo.errors import CompileError
from hlo.lowering.stablehlo.rewriting import is_pure
from hlo.lowering.stablehlo.sharding.alone import run_alone
from hlo.lowering.stablehlo.sharding.annotations import SHARDING, Annotations
from hlo.lowering.stablehlo.sharding.assignment import Chooser, Offer, partial_axes
from hlo.lowering.stablehlo.sharding.axes import AxisTable, Spec
from hlo.lowering.stablehlo.sharding.copies import Copies, Scope
from hlo.lowering.stablehlo.sharding.emitter import Emitter
from hlo.lowering.stablehlo.sharding.graph import Body, Node, Tensor
from hlo.lowering.stablehlo.sharding.local_attributes import LOCAL_ATTRIBUTES, LOCAL_WINDOWS
from hlo.lowering.stablehlo.sharding.remarks import GATHERED
from hlo.lowering.stablehlo.sharding.resharding import plan_combine
from hlo.lowering.stablehlo.sharding.rule import Assignment, Rule, rule_for
from hlo.lowering.stablehlo.sharding.windows import Windows

COLLECTIVES = frozenset(
    (
        *("stablehlo.all_gather", "stablehlo.all_reduce", "stablehlo.all_to_all", "stablehlo.reduce_scatter"),
        *("stablehlo.collective_broadcast", "stablehlo.collective_permute", "stablehlo.cross-replica-sum"),
        *("stablehlo.partition_id", "stablehlo.replica_id"),
    )
)
"""Ops that speak of processes: they stand in manual computations only."""


class Partitioner(Copies):
    def __init__(self, table: AxisTable, annotations: Annotations, emitter: Emitter, poison: bool = False):
        super().__init__(table, emitter, {t: w.spec for t, w in annotations.values.items()}, poison)
        self.annotations = annotations
        self.windows = Windows(emitter)
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
        ends: Callable[[list[ir.Value]], Any],
        passes_on: bool = True,
    ) -> None:
        """Fills a block, whose arguments are there, with a body. `ends`: makes the terminator of the returned values."""
        saved = self.emitter.ip
        scope = Scope(ir.InsertionPoint(block), passes_on)
        self.scopes.append(scope)
        self.emitter.ip = scope.ip
        for tensor, spec, value in zip(body.arguments, arguments, block.arguments):
            self.define(tensor, spec, value)
        self.nodes(body.nodes)
        values = [self.bring(t, s) for t, s in zip(body.returned, results)]
        with scope.ip, self.emitter.location:
            ends(values)
        self.scopes.pop()
        self.emitter.ip = saved

    def nodes(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            self.emitter.location = node.op.location
            self.emitter.purpose = node.name.removeprefix("stablehlo.")
            self.node(node)

    def node(self, node: Node) -> None:
        special = SPECIAL.get(node.name)
        if special:
            special(self, node)
            return
        if node.name in COLLECTIVES and not self._manual:
            found = f"{node.name} has no meaning in a program for one device that is to be partitioned"
            raise CompileError(diagnostic(node.op, f"{found}; it is allowed in manual computations"))
        device = self.annotations.alone.get(node)
        if device is not None:
            self._alone(node, device)
            return
        rule = rule_for(node, self._rules)
        if rule is None or not rule.sizes:
            self._whole(node, rule is None)
        else:
            self._by_rule(node, rule)

    # Ops

    def _whole(self, node: Node, remark: bool) -> None:
        """Every process computes the whole op."""
        moved = [t for t in node.operands if ((),) * len(t.shape) not in self.known(t)]
        operands = [self.bring(t, ((),) * len(t.shape)) for t in node.operands]
        results = self._copy(node, operands, [t.type for t in node.results])
        if remark and moved and results:
            results[0].owner.attributes[GATHERED] = I64.encode(sum(t.bytes for t in moved))
        for tensor, value in zip(node.results, results):
            self.define(tensor, ((),) * len(tensor.shape), value)

    def _alone(self, node: Node, device: int) -> None:
        """One process runs the op, and gives its results to all others."""
        operands = [self.bring(t, ((),) * len(t.shape)) for t in node.operands]
        others = (n for n in range(self.table.count) if n != device)
        results = run_alone(self.emitter, node.op, operands, (device, *others))
        for tensor, value in zip(node.results, results):
            self.define(tensor, ((),) * len(tensor.shape), value)

    def _by_rule(self, node: Node, rule: Rule) -> None:
        assignment = self._choose(node, rule)
        partial = partial_axes(rule, assignment)
        operands = [self._operand(node, rule, assignment, n) for n in range(len(node.operands))]
        for n, kind in rule.first_only.items() if partial else ():
            operands[n] = self.parts.first_only(operands[n], node.operands[n].element, partial, kind)
        inside = None
        lookup = assignment.get(rule.looked_up, ()) if rule.looked_up is not None else ()
        if lookup:
            size = rule.sizes[rule.looked_up or 0] // self.table.size(lookup)
            operands[1], inside = self.parts.local_indices(node, operands[1], lookup, size)
        windowed = self._windows(node, rule, assignment, operands)
        specs = [rule.spec(self.table, dims, assignment) for dims in rule.results]
        results = self._copy(node, operands, [self.local_type(t, s) for t, s in zip(node.results, specs)])
        if windowed:
            LOCAL_WINDOWS[node.name](node, results[0].owner, windowed)
        if node.name == "stablehlo.iota":
            results = [self._shifted_iota(node, results[0], specs[0])]
        if inside is not None:
            results = [self.parts.only_inside(node, results[0], inside)]
        for tensor, spec, value in zip(node.results, specs, results):
            if partial:
                spec, value = self._combined(tensor, spec, value, partial, next(iter(rule.reductions.values())))
            self.define(tensor, spec, value)

    def _choose(self, node: Node, rule: Rule) -> Assignment:
        """Equal ops on equal copies are decided once."""
        offers = []
        for tensor in node.operands:
            first, copies = self.spec(tensor), self.known(tensor)
            specs = (first, *(s for s in copies if s != first)) if first in copies else tuple(copies)
            offers.append(Offer(tensor.item_bytes, specs))
        results = tuple(Offer(t.item_bytes, (self.spec(t),)) for t in node.results)
        key = "choice", tuple(offers), results
        if key not in rule.cache:
            rule.cache[key] = Chooser(self.table, rule, offers, results).choose()
        return rule.cache[key]

    def _operand(self, node: Node, rule: Rule, assignment: Assignment, n: int) -> ir.Value:
        """One operand in the sharding of the assignment, what pads its contracted dimensions masked."""
        tensor, dims = node.operands[n], rule.operands[n]
        value = self.bring(tensor, rule.spec(self.table, dims, assignment))
        for d, factors in enumerate(dims):
            for f in factors:
                axes = assignment.get(f, ())
                if f in rule.reductions and tensor.shape[d] % self.table.size(axes):
                    value = self.parts.masked(value, tensor.element, d, axes, tensor.shape[d], rule.reductions[f])
        return value

    def _windows(self, node: Node, rule: Rule, assignment: Assignment, operands: list[ir.Value]) -> list[int]:
        """Lends operands what they read of their neighbours' parts; the dimensions of the first operand of which that is
        so."""
        found = []
        for (n, f), window in rule.windows.items():
            axes = assignment.get(f, ())
            if not axes:
                continue
            tensor, d = node.operands[n], rule.operands[n].index((f,))
            made = node.results[0].shape[rule.results[0].index((f,))]
            fill = rule.filled.get(n)
            if isinstance(fill, str):
                outside = self.emitter.neutral(fill, (), tensor.element)
            else:
                outside = None if fill is None else operands[fill]
            operands[n] = self.windows.read(
                operands[n], tensor.element, d, axes, tensor.shape[d], made, window, outside
            )
            found += [d] if n == 0 else []
        return found

    def _combined(self, tensor: Tensor, spec: Spec, value: ir.Value, partial: Any, kind: str) -> tuple[Spec, ir.Value]:
        steps, after = plan_combine(self.table, tensor.shape, spec, partial, self.spec(tensor))
        for step in steps:
            shape = self.table.local_shape(tensor.shape, step.spec)
            more = {"scatter_dimension": I64.encode(step.dimension)}
            value = self.emitter.collective(
                step.kind,
                value,
                shape,
                tensor.element,
                kind,
                axes=step.axes,
                **(more if step.kind == "reduce_scatter" else {}),
            )
        return after, value

    def _shifted_iota(self, node: Node, value: ir.Value, spec: Spec) -> ir.Value:
        d, element = node.op.iota_dimension, node.results[0].element
        if not spec[d]:
            return value
        shape = tuple(ir.RankedTensorType(value.type).shape)
        start = self.emitter.offset(shape, element, spec[d], shape[d])
        return self.emitter.one("add", [value, start], shape, element)

    def _copy(self, node: Node, operands: Sequence[ir.Value], types: Sequence[ir.Type]) -> list[ir.Value]:
        """The op on other operands: a copy, with the attributes that tell local sizes."""
        with ir.Location.unknown():
            copy = node.op.operation.clone(ip=self.emitter.ip)
        for n, value in enumerate(operands):
            copy.operands[n] = value
        for result, type in zip(copy.results, types):
            if result.type != type:
                result.set_type(type)
        if SHARDING in copy.attributes:
            del copy.attributes[SHARDING]
        localize = LOCAL_ATTRIBUTES.get(node.name)
        if localize:
            localize(node, copy)
        if len(copy.regions):
            self._read_outside(copy)
        if is_pure(node.op):
            self.emitter.made.append(copy)
        return list(copy.results)

    def _read_outside(self, copy: ir.Operation) -> None:
        """Values from outside that the regions of a copied op read are whole; constraints in them say nothing."""
        tensors = self.tensors
        constraints: list[ir.Operation] = []

        def visit(op: ir.Operation) -> ir.WalkResult:
            for n, value in enumerate(op.operands):
                if op != copy and value in tensors:
                    op.operands[n] = self.bring(tensors[value], ((),) * len(tensors[value].shape))
            if op.name in RESHARDINGS:
                constraints.append(op)
            return ir.WalkResult.ADVANCE

        copy.walk(visit)
        for op in constraints:
            op.results[0].replace_all_uses_with(op.operands[0])
            op.erase()

    tensors: dict[ir.Value, Tensor]
    """Those of the function that is partitioned, by value."""

    # Ops that are no computations

    def constant(self, node: Node) -> None:
        """A splat in its own sharding; others whole, of which each process takes its part."""
        (tensor,) = node.results
        spec = self.spec(tensor)
        try:
            value = node.op.attributes["value"]
        except TypeError:  # the bindings cannot hold elements of complex<...>
            value = None
        if not any(spec) or not isinstance(value, ir.DenseElementsAttr) or not value.is_splat:
            self._whole(node, False)
            return
        type = self.local_type(tensor, spec)
        text = str(value)
        attribute = self.emitter.parsed(f"{text[: text.rindex(' : ')]} : {type}")
        op = self.emitter.emit("constant", [], [type], {"value": attribute})
        self.scopes[-1].copies[tensor] = {spec: op.results[0]}

    def passed_on(self, node: Node) -> None:
        (tensor,) = node.results
        if not tensor.is_tensor:
            self.define(tensor, (), self.bring(node.operands[0], ()))
            return
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
            self.define(inside, free, self.bring(tensor, wish.spec))
        self.nodes(body.nodes)
        self.emitter.location, self.emitter.purpose = node.op.location, "manual_computation"
        for tensor, inside, wish in zip(node.results, body.returned, found.results):
            self.define(tensor, wish.spec, self.bring(inside, found.free(wish.spec)))
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
        types = [self.local_type(t, s) for t, s in zip(node.results, specs)]
        attributes = {n: node.op.attributes[n] for n in node.op.attributes if n != SHARDING}
        op = self.emitter.emit(node.name.removeprefix("stablehlo."), operands, types, attributes, regions=count)
        self.emitter.made.pop()
        return op

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
        types = [self.local_type(t, s) for t, s in zip(body.arguments, arguments)]
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
