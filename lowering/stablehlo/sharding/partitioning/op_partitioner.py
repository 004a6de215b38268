"""Ops on parts: each op of a process's program, with the collectives that its sharding asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from hlo.dialect.attributes import I64, I64Matrix
from hlo.dialect.sharding.checks import RESHARDINGS
from hlo.dialect.types import is_tensor
from hlo.dialect.types import tensor as tensor_type
from hlo.lowering.copying import cloned_with
from hlo.lowering.replacing import replace
from hlo.lowering.stablehlo.arithmetic import Tensor as Array
from hlo.lowering.stablehlo.rewriting import fill_region
from hlo.lowering.stablehlo.sharding.annotations import SHARDING
from hlo.lowering.stablehlo.sharding.assignment import Chooser, Offer, partial_axes
from hlo.lowering.stablehlo.sharding.axes import AxisTable, Spec
from hlo.lowering.stablehlo.sharding.graph import Node, Tensor
from hlo.lowering.stablehlo.sharding.partitioning.copies import Copies, Summands
from hlo.lowering.stablehlo.sharding.partitioning.emitter import Emitter
from hlo.lowering.stablehlo.sharding.partitioning.local_attributes import LOCAL_ATTRIBUTES, LOCAL_WINDOWS
from hlo.lowering.stablehlo.sharding.partitioning.remarks import GATHERED
from hlo.lowering.stablehlo.sharding.resharding import plan_combine
from hlo.lowering.stablehlo.sharding.rules.rule import Assignment, Rule

LINEAR = ("stablehlo.add", "stablehlo.subtract", "stablehlo.negate")
"""Ops that give the summands of their result from those of their operands."""


class OpPartitioner(Copies):
    """`tensors`: those of the function that is partitioned, by value."""

    def __init__(
        self,
        table: AxisTable,
        emitter: Emitter,
        specs: dict[Tensor, Spec],
        tensors: dict[ir.Value, Tensor],
        poison: bool,
    ):
        super().__init__(table, emitter, specs, poison)
        self.tensors = tensors

    def whole(self, node: Node, remark: bool) -> None:
        """Every process computes the whole op."""
        moved = [t for t in node.operands if t.whole not in self.known(t)]
        operands = [self.bring(t, t.whole) for t in node.operands]
        results = self._copy(node, operands, [t.type for t in node.results])
        if remark and moved and results:
            results[0].owner.attributes[GATHERED] = I64.encode(sum(t.bytes for t in moved))
        for tensor, value in zip(node.results, results):
            self.define(tensor, tensor.whole, value)

    def alone(self, node: Node, device: int) -> None:
        """One process runs the op, as a maximal sharding asks for, and gives its results to all others: calls of the
        host's functions are called once.

        %p = partition_id = device
        %0 = if %p { the op } else { zeros }
        %1 = collective_broadcast %0"""
        operands = [self.bring(t, t.whole) for t in node.operands]
        types, processes = (
            [t.type for t in node.results],
            [device, *(n for n in range(self.table.count) if n != device)],
        )
        choice = self.emitter.emit("if", [self.emitter.process.equals(device).value], types, regions=2)
        fill_region(choice.regions[0], [], lambda: self._copy(node, operands, types))
        fill_region(choice.regions[1], [], lambda: self._nothing(types))
        for tensor, value in zip(node.results, choice.results):
            if is_tensor(value.type):
                groups = I64Matrix.encode([processes])
                value = self.emitter.collective("collective_broadcast", Array(value), replica_groups=groups).value
            self.define(tensor, tensor.whole, value)

    def _nothing(self, types: Sequence[ir.Type]) -> list[ir.Value]:
        """Zeros, and tokens."""
        emit = self.emitter
        return [
            emit.neutral("add", t).value if is_tensor(t) else emit.emit("after_all", [], [t]).results[0] for t in types
        ]

    def by_rule(self, node: Node, rule: Rule) -> None:
        assignment = self._for_summands(node, rule) or self._choose(node, rule)
        partial = partial_axes(rule, assignment)
        operands = [self._operand(node, rule, assignment, n) for n in range(len(node.operands))]
        for n, kind in rule.first_only.items() if partial else ():
            operands[n] = self.parts.first_only(operands[n], partial, kind)
        inside = None
        lookup = assignment.get(rule.looked_up, ()) if rule.looked_up is not None else ()
        if lookup:
            size = rule.sizes[rule.looked_up or 0] // self.table.size(lookup)
            operands[1], inside = self.parts.local_indices(node, operands[1], lookup, size)
        windowed = self._windows(node, rule, assignment, operands)
        mirrored = [assignment[f] for f in sorted(rule.mirrored) if assignment.get(f)]
        if mirrored:
            operands[0] = self.parts.mirrored(operands[0], mirrored)
        specs = [rule.spec(self.table, dims, assignment) for dims in rule.results]
        if node.name == "stablehlo.concatenate" and specs[0][node.op.dimension]:
            results = [self._side_by_side(node, rule, operands, specs[0])]
        else:
            types = self.local_types(node.results, specs)
            results = list(map(Array, self._copy(node, [x.value for x in operands], types)))
        if windowed and node.name in LOCAL_WINDOWS:
            LOCAL_WINDOWS[node.name](node, results[0].value.owner, windowed)
        if node.name == "stablehlo.iota" and specs[0][node.op.iota_dimension]:
            axes, size = specs[0][node.op.iota_dimension], results[0].shape[node.op.iota_dimension]
            results = [results[0] + self.emitter.offset(results[0].type, axes, size)]
        if inside is not None:
            results = [self.parts.only_inside(node, results[0], inside)]
        for tensor, spec, x in zip(node.results, specs, results):
            value = x.value
            if partial and set(rule.reductions.values()) == {"add"}:
                self.summands[tensor] = Summands(frozenset(partial), spec, value)
            if partial:
                spec, value = self._combined(tensor, spec, x, partial, next(iter(rule.reductions.values())))
            self.define(tensor, spec, value)
        self._linear(node)

    def _for_summands(self, node: Node, rule: Rule) -> Assignment | None:
        """The assignment by which an op gives the summands that the program wants of its result: that of its operands
        as they are cut. None where there are none."""
        wanted = self.wanted_summands.get(node.results[0])
        if not wanted:
            return None
        assignment: Assignment = {}
        for n, tensor in enumerate([*node.operands, *node.results]):
            for factor, axes in rule.projection(self.table, n, self.spec(tensor)).items():
                assignment.setdefault(factor, axes)
        used = [a for axes in assignment.values() for a in axes]
        fits = len(used) == len(set(used)) and set(partial_axes(rule, assignment)) == wanted
        return assignment if fits else None

    def _linear(self, node: Node) -> None:
        """What is linear in values that are yet to be summed can be computed before: erased where nobody reads it."""
        known = [self.summands.get(t) for t in node.operands]
        if node.name not in LINEAR or not known or None in known or len({(k.axes, k.spec) for k in known if k}) > 1:
            return
        first = next(k for k in known if k)
        (tensor,) = node.results
        (value,) = self._copy(node, [k.value for k in known if k], self.local_types([tensor], [first.spec]))
        self.summands[tensor] = Summands(first.axes, first.spec, value)

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

    def _operand(self, node: Node, rule: Rule, assignment: Assignment, n: int) -> Array:
        """One operand in the sharding of the assignment, what pads its contracted dimensions masked."""
        tensor, dims = node.operands[n], rule.operands[n]
        value = Array(self.bring(tensor, rule.spec(self.table, dims, assignment)))
        for d, factors in enumerate(dims):
            for f in factors:
                axes = assignment.get(f, ())
                if f in rule.reductions and tensor.shape[d] % self.table.size(axes):
                    value = self.parts.masked(value, d, axes, tensor.shape[d], rule.reductions[f])
        return value

    def _windows(self, node: Node, rule: Rule, assignment: Assignment, operands: list[Array]) -> list[int]:
        """Extends operands by their halos from the neighbours' parts; the dimensions of the first operand of which that is
        so."""
        found = []
        for n, d, axes, made, window in rule.reads(assignment):
            fill = rule.filled.get(n)
            outside = operands[fill] if isinstance(fill, int) else None
            if isinstance(fill, str):
                outside = self.emitter.neutral(fill, tensor_type([], operands[n].element))
            operands[n] = self.parts.window(operands[n], d, axes, node.operands[n].shape[d], made, window, outside)
            found += [d] if n == 0 else []
        return found

    def _side_by_side(self, node: Node, rule: Rule, operands: list[Array], spec: Spec) -> Array:
        """A part of a concatenation along a cut dimension: one operand is there in windows, the others whole."""
        d, (large,) = node.op.dimension, {n for n, _ in rule.windows}
        own = self.table.local_shape(node.results[0].shape, spec)[d]
        pieces, start = [], 0
        for n, (tensor, value) in enumerate(zip(node.operands, operands)):
            if tensor.shape[d]:
                piece = value if n == large else self.parts.own_part(value, d, spec[d], own, start)
                pieces.append((start, piece))
            start += tensor.shape[d]
        return self.parts.merged(pieces, d, spec[d])

    def _combined(self, tensor: Tensor, spec: Spec, x: Array, partial: Any, kind: str) -> tuple[Spec, ir.Value]:
        steps, after = plan_combine(self.table, tensor.shape, spec, partial, self.spec(tensor))
        return after, self.parts.moved(x, tensor.shape, steps, spec, kind).value

    def _copy(self, node: Node, operands: Sequence[ir.Value], types: Sequence[ir.Type]) -> list[ir.Value]:
        """The op on other operands: a copy, with the attributes that tell local sizes."""
        copy = cloned_with(node.op, operands, types)
        if SHARDING in copy.attributes:
            del copy.attributes[SHARDING]
        localize = LOCAL_ATTRIBUTES.get(node.name)
        if localize:
            localize(node, copy)
        if len(copy.regions):
            self._read_outside(copy)
        return list(copy.results)

    def _read_outside(self, copy: ir.Operation) -> None:
        """Values from outside that the regions of a copied op read are whole; constraints in them say nothing."""
        tensors = self.tensors
        constraints: list[ir.Operation] = []

        def visit(op: ir.Operation) -> ir.WalkResult:
            for n, value in enumerate(op.operands):
                if op != copy and value in tensors:
                    op.operands[n] = self.bring(tensors[value], tensors[value].whole)
            if op.name in RESHARDINGS:
                constraints.append(op)
            return ir.WalkResult.ADVANCE

        copy.walk(visit)
        for op in constraints:
            replace(op, list(op.operands))
