"""The pass `recompute-values`: a large value that is needed again much later is computed again from what is there anyway.

Before:  %t = tanh(%x)   %g = %x * %t   ... a layer and its gradient ...   %d = 1 - %t * %t   ... reads %x too
After:   %t = tanh(%x)   %g = %x * %t   ...                                %t' = tanh(%x)   %d = 1 - %t' * %t'

The gradient of a deep model needs every layer's values at its end: those that are kept are its temporaries. Later readers make
the value in their own loops. Equal ops on equal numbers: the bits stay the same."""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.copying import cloned
from hlo.lowering.kernels.fusable import body_cost, is_clonable
from hlo.lowering.kernels.roots import CHEAP
from hlo.lowering.linalg.structured import reduces
from hlo.lowering.memory.storage import byte_size
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.vector.region.graph import RESHAPES

LEAST = 1 << 19
"""Bytes of a value: smaller ones stay in the second cache."""
FAR = 4
"""Times its own size: so much is made by products and reductions between two uses."""
COSTLY = 48
"""Instructions an element from which computing again takes longer than memory."""
MANY = 4
"""Readers of a value."""
SMALL = 8
"""Times smaller than the value: a row's sum may be kept for it."""


@register_pass
class RecomputeValues(Pass):
    """Computes values again for their late readers."""

    def run(self, module: ir.Module) -> None:
        for function in module.body.operations:
            if function.operation.name == "func.func" and len(function.regions[0].blocks):
                _Block(function.regions[0].blocks[0]).run()


@dataclass
class _Again:
    """`op` is to be rematerialised, with `cone` (ops in program order, itself last), in front of the use at `position`."""

    op: ir.Operation
    cone: list[ir.Operation]
    position: int


class _Block:
    def __init__(self, block: ir.Block):
        self.ops = [op.operation for op in block.operations]
        self.position = {op.results[0]: n for n, op in enumerate(self.ops) if len(op.results)}
        self.made = [0]
        """Bytes of products and reductions before each op."""
        self.last: dict[ir.Value, int] = {}
        self.readers: dict[ir.Value, list[int]] = {}
        for op in self.ops:
            self.made.append(self.made[-1] + (_bytes(op.results[0]) if reduces(op) else 0))

    def run(self) -> None:
        if self.made[-1] < FAR * LEAST:
            return
        found = [again for op in self.ops if _is_large_map(op) for again in self.late(op)]
        clones: dict[ir.Value, tuple[int, ir.Value]] = {}
        for again in sorted(found, key=lambda a: a.position):
            self._clone(again, clones)

    def late(self, op: ir.Operation) -> Iterator[_Again]:
        """The first use far behind the one before it, if the value can be had again there."""
        size, before = _bytes(op.results[0]), self.position[op.results[0]]
        for use in self.uses(op.results[0]):
            if self.made[use] - self.made[before + 1] >= FAR * size:
                cone = self.cone(op, use, keeps_maps=False) or self.cone(op, use, keeps_maps=True)
                if cone is not None:
                    yield _Again(op, cone, use)
                return
            before = use

    def uses(self, value: ir.Value) -> list[int]:
        """Positions of readers (of the ops that hold them), in order; asked before anything is changed."""
        if value not in self.readers:
            self.readers[value] = sorted({self._position_of(use.owner.operation) for use in value.uses})
        return self.readers[value]

    def _position_of(self, user: ir.Operation) -> int:
        while len(user.results) == 0 or user.results[0] not in self.position:
            if user.parent is None or user.parent.operation.name == "func.func":
                return len(self.ops) - 1
            user = user.parent.operation
        return self.position[user.results[0]]

    def cone(self, op: ir.Operation, use: int, keeps_maps: bool) -> list[ir.Operation] | None:
        """What makes the value, in program order, from one value that is there at `use` (`keeps_maps`: also a costly one that was
        made element by element) and small ones; None if it is too much."""
        found: dict[ir.Value, ir.Operation] = {}
        waiting, cost, size = [op], 0, _bytes(op.results[0])
        kept: set[ir.Value] = set()
        while waiting:
            one = waiting.pop()
            if one.results[0] in found:
                continue
            cost += body_cost(one)
            if cost > COSTLY or not _is_repeatable(one):
                return None
            found[one.results[0]] = one
            large = [v for v in one.operands if not is_clonable(v) and _bytes(v) * SMALL > size]
            kept |= {v for v in large if self._stays(v, use, keeps_maps)}
            waiting += [v.owner for v in large if v not in kept]
        if len(kept) > 1:
            return None
        return sorted(found.values(), key=lambda o: self.position[o.results[0]])

    def _stays(self, value: ir.Value, use: int, keeps_maps: bool) -> bool:
        """Whether a value is in memory at `use` anyway. What is cheap and made element by element may be in no memory at all."""
        if isinstance(value.owner, ir.Block) or value not in self.position:
            return True
        if _is_repeatable(value.owner) and not (keeps_maps and self._is_kept(value)):
            return False
        return self.last_read(value) >= use

    def _is_kept(self, value: ir.Value) -> bool:
        """Whether fusion will store a value that is made element by element: a costly one, or one with many readers."""
        return body_cost(value.owner) > CHEAP or len(self.uses(value)) >= MANY

    def last_read(self, value: ir.Value) -> int:
        """The last reader's position; what is made of the value in a step or two is made in its own readers."""
        if value not in self.last:
            self.last[value] = max((self._last_read_of(use.owner.operation) for use in value.uses), default=0)
        return self.last[value]

    def _last_read_of(self, user: ir.Operation) -> int:
        at = self._position_of(user)
        if self.ops[at] != user or not _is_repeatable(user) or body_cost(user) > CHEAP or _large_operands(user) > 1:
            return at
        return max(at, self.last_read(user.results[0]))

    def _clone(self, again: _Again, clones: dict[ir.Value, tuple[int, ir.Value]]) -> None:
        """A copy that was made shortly before serves again."""
        reader, size = self.ops[again.position], _bytes(again.op.results[0])
        late = [u for u in again.op.results[0].uses if self._position_of(u.owner.operation) >= again.position]
        values: dict[ir.Value, ir.Value] = {}
        with ir.InsertionPoint(reader):
            for op in again.cone:
                old = op.results[0]
                at, copy = clones.get(old, (-1, None))
                if copy is None or self.made[again.position] - self.made[at] >= FAR * size:
                    copy = cloned(op, values).results[0]
                    self.position[copy] = again.position - 1  # as a reader: in front of that position
                    clones[old] = again.position, copy
                values[old] = copy
        for use in late:
            use.owner.operation.operands[use.operand_number] = values[again.op.results[0]]


def _large_operands(op: ir.Operation) -> int:
    least = _bytes(op.results[0]) // SMALL
    return len({v for v in op.operands if not is_clonable(v) and _bytes(v) > least})


def _is_large_map(op: ir.Operation) -> bool:
    return op.name == "linalg.generic" and _is_repeatable(op) and _bytes(op.results[0]) >= LEAST


def _is_repeatable(op: ir.Operation) -> bool:
    """Whether an op computes each element from its operands' by itself."""
    if op.name in RESHAPES:
        return True
    if op.name != "linalg.generic" or len(op.results) != 1 or reduces(op):
        return False
    return all(inner.operation.name != "tensor.extract" for inner in op.regions[0].blocks[0].operations)


def _bytes(value: ir.Value) -> int:
    return byte_size(value.type) if isinstance(value.type, ir.RankedTensorType) else 0
