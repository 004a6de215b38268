"""The parts of tensors that a process's program has made, in all shardings that were asked for.

Every tensor has the sharding that propagation chose, and may have copies in others. Copies belong to the block in which
the tensor is defined; those that a loop's body asks for are made before the loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.stablehlo.arithmetic import Tensor as Array
from hlo.lowering.stablehlo.sharding.assignment import reshard_cost
from hlo.lowering.stablehlo.sharding.axes import AxisTable, Spec
from hlo.lowering.stablehlo.sharding.graph import Tensor
from hlo.lowering.stablehlo.sharding.partitioning.emitter import Emitter
from hlo.lowering.stablehlo.sharding.partitioning.parts import Parts


@dataclass(eq=False)
class Scope:
    """A block under construction. `ip`: where ops go that the block's values need. `passes_on`: copies of values from
    outside are made outside (loops, and bodies that are no blocks of their own)."""

    ip: ir.InsertionPoint
    passes_on: bool = True
    copies: dict[Tensor, dict[Spec, ir.Value]] = field(default_factory=dict)


@dataclass(frozen=True)
class Summands:
    """What the processes along some axes have, whose sum is a tensor in a sharding."""

    axes: frozenset[str]
    spec: Spec
    value: ir.Value


class Copies:
    """`specs`: what propagation chose. `scopes`: the blocks under construction, the innermost last."""

    def __init__(self, table: AxisTable, emitter: Emitter, specs: dict[Tensor, Spec], poison: bool):
        self.table, self.emitter, self.specs = table, emitter, specs
        self.parts = Parts(table, emitter, poison)
        self.scopes: list[Scope] = []
        self.summands: dict[Tensor, Summands] = {}
        """What has been summed, as it was before."""

        self.wanted_summands: dict[Tensor, frozenset[str]] = {}
        """The axes along which the program wants the summands of a tensor."""

    def spec(self, tensor: Tensor) -> Spec:
        """What propagation chose."""
        return self.specs.get(tensor) or tensor.whole

    def local_types(self, tensors: Sequence[Tensor], specs: Sequence[Spec]) -> list[ir.Type]:
        return [self.table.local_type(t.type, s) for t, s in zip(tensors, specs)]

    def known(self, tensor: Tensor) -> dict[Spec, ir.Value]:
        """All copies that the current block may read."""
        found: dict[Spec, ir.Value] = {}
        for scope in self.scopes:
            if tensor in scope.copies:
                found.update(scope.copies[tensor])
        return found

    def bring(self, tensor: Tensor, spec: Spec) -> ir.Value:
        """The tensor's part in a sharding, made from the nearest copy if it is not there yet."""
        copies = self.known(tensor)
        if spec in copies:
            return copies[spec]
        source = next(iter(copies))
        if len(copies) > 1:
            source = min(copies, key=lambda s: self._distance(tensor, s, spec))
        scope = self._home(tensor)
        with scope.ip:
            value = self.parts.reshard(Array(copies[source]), tensor.shape, source, spec).value
        scope.copies.setdefault(tensor, {})[spec] = value
        return value

    def _distance(self, tensor: Tensor, source: Spec, target: Spec) -> float:
        return reshard_cost(self.table, tensor.shape, tensor.item_bytes, source, target)

    def _home(self, tensor: Tensor) -> Scope:
        """The outermost block that may hold a copy: that of the tensor, or the branch that asks for it."""
        for scope in reversed(self.scopes):
            if tensor in scope.copies or not scope.passes_on:
                return scope
        return self.scopes[0]

    def define(self, tensor: Tensor, spec: Spec, value: ir.Value) -> None:
        self.scopes[-1].copies[tensor] = {spec: value}
        if tensor.is_tensor:
            self.bring(tensor, self.spec(tensor))  # erased if all readers take the other copy

    def summed(self, tensor: Tensor, spec: Spec, value: ir.Value, unreduced: frozenset[str]) -> ir.Value:
        """The sum of what the processes along some axes have."""
        if not unreduced:
            return value
        self.summands[tensor] = Summands(unreduced, spec, value)
        axes = self.table.in_order(unreduced)
        return self.emitter.collective("all_reduce", Array(value), reducer="add", axes=axes).value

    def bring_summands(self, tensor: Tensor, spec: Spec, unreduced: frozenset[str]) -> ir.Value:
        """A part for each process along some axes, whose sum is the tensor: those that it was summed from, or else the
        tensor for the first process and zeros."""
        if not unreduced:
            return self.bring(tensor, spec)
        known = self.summands.get(tensor)
        if known and (known.axes, known.spec) == (unreduced, spec):
            return known.value
        return self.parts.first_only(Array(self.bring(tensor, spec)), self.table.in_order(unreduced), "add").value
