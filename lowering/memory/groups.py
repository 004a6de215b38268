"""Which tensor values of a host function share storage, and where in the arena each storage is.

A value lives from its definition to its last use, in positions of the program text (a use inside a loop of a value from
outside counts as the loop's end: the next iteration uses it again). Values are in one group when one is another's contents
(a reshape, a carried value) or takes its buffer when it is dead. A group is one buffer. Groups that live at the same time get
different bytes of the arena; the largest are placed first, each at the lowest offset that is free during its life."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Any

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.finding import block_of, regions_of

ALIASES = ("tensor.expand_shape", "tensor.collapse_shape", "tensor.cast", "tensor.reshape")


@dataclass(eq=False)
class Group:
    """Values in one buffer. `external` names a buffer outside the arena: ("argument" | "result" | "constant"
    | "borrowed", number)."""

    size: int
    external: tuple[str, int] | None = None
    ranges: list[tuple[int, int]] = field(default_factory=list)
    touches: list[int] = field(default_factory=list)
    """Positions where a copy reads or writes the buffer, beyond the uses of its values."""
    offset: int = 0
    alternates: bool = False
    """The buffer is one of two that a loop swaps each step: after the loop it is not known which one it is."""
    donated: bool = False
    """An argument's buffer that the program may overwrite."""
    on_stack: bool = False
    """A buffer in the function's frame, not in the arena: LLVM makes registers of it."""

    @property
    def writable(self) -> bool:
        return self.donated or self.external is None or self.external[0] == "result"

    @property
    def start(self) -> int:
        return min([first for first, _ in self.ranges] + self.touches)

    @property
    def end(self) -> int:
        return max([last for _, last in self.ranges] + self.touches)

    def dead_at(self, position: int) -> bool:
        """No value of the group that is defined before `position` is used after it."""
        return all(last <= position for first, last in self.ranges if first < position)


class Liveness:
    """Positions of ops and blocks, and the range in which each value lives."""

    def __init__(self, function: Any):
        self.positions: dict[Any, int] = {}
        self.ends: dict[Any, int] = {}
        self._blocks: dict[Any, int] = {}
        self._count = 0
        self._number_block(function.regions[0].blocks[0])
        self.ranges: dict[ir.Value, tuple[int, int]] = {}

    def _number_block(self, block: ir.Block) -> None:
        self._blocks[block] = self._next()
        for op in block.operations:
            self.positions[op.operation] = self._next()
            for region in regions_of(op):
                for inner in region.blocks:
                    self._number_block(inner)
            self.ends[op.operation] = self._next()

    def _next(self) -> int:
        self._count += 1
        return self._count

    def definition(self, value: ir.Value) -> int:
        """An op's results begin where it ends (the same position as its start for an op without regions)."""
        if isinstance(value.owner, ir.Block):
            return self._blocks[value.owner]
        op = value.owner.operation
        return self.ends[op] if len(op.regions) else self.positions[op]

    def block_start(self, block: ir.Block) -> int:
        return self._blocks[block]

    def range(self, value: ir.Value) -> tuple[int, int]:
        """From the definition to the last use."""
        if value not in self.ranges:
            uses = [self._use(use.owner.operation, block_of(value)) for use in value.uses]
            first = self.definition(value)
            self.ranges[value] = (first, max(uses, default=first))
        return self.ranges[value]

    def _use(self, user: ir.Operation, home: ir.Block) -> int:
        position = self.positions[user]
        while user.block != home:
            user = user.parent.operation
            if user.name == "scf.while":
                position = self.ends[user]
        return position


class Groups:
    """The groups of a function's values, and the merging of them."""

    def __init__(self, liveness: Liveness):
        self.liveness = liveness
        self._members: dict[ir.Value, Group] = {}
        self._merged: dict[Group, Group] = {}

    def __getitem__(self, value: ir.Value) -> Group:
        return self.find(self._members[value])

    def find(self, group: Group) -> Group:
        """The group that this one has become a part of."""
        while group in self._merged:
            group = self._merged[group]
        return group

    def __iter__(self) -> Iterator[Group]:
        seen = {id(g): g for g in map(self.find, self._members.values())}
        return iter(seen.values())

    def create(self, value: ir.Value, size: int, external: tuple[str, int] | None = None) -> Group:
        group = self._members[value] = Group(size, external, [self.liveness.range(value)])
        return group

    def alias(self, value: ir.Value, of: ir.Value) -> None:
        """The new value has the contents of another: it is in its buffer."""
        self.join(value, self[of])

    def join(self, value: ir.Value, group: Group) -> None:
        self._members[value] = group
        group.ranges.append(self.liveness.range(value))

    def try_merge(self, group: Group, into: Group) -> bool:
        """Gives two groups one buffer if they are in the arena (one may be in a donated argument), equally large, and never
        live at the same time."""
        group, into = self.find(group), self.find(into)
        if group is into:
            return True
        if into.external or (group.external and not group.donated) or group.alternates or group.size != into.size:
            return False
        if _meet(group, into):
            return False
        into.external, into.donated = group.external, group.donated
        into.ranges += group.ranges
        into.touches += group.touches
        self._merged[group] = into
        return True


def _meet(a: Group, b: Group) -> bool:
    return any(x[0] <= y[1] and y[0] <= x[1] for x in a.ranges for y in b.ranges)


ALIGNMENT = 64


def assign_offsets(groups: Iterable[Group]) -> int:
    """Sets `offset` of every group; returns the size of the arena in bytes."""
    placed: list[tuple[int, int, Group]] = []
    lives = sorted(((g.start, g.end, g) for g in groups), key=lambda life: (-life[2].size, life[0]))
    for start, end, group in lives:
        group.offset = _first_gap(group, [other for first, last, other in placed if first <= end and start <= last])
        placed.append((start, end, group))
    return max((aligned(g.offset + g.size) for _, _, g in placed), default=0)


def _first_gap(group: Group, neighbours: list[Group]) -> int:
    offset = 0
    for other in sorted(neighbours, key=lambda g: g.offset):
        if offset + group.size <= other.offset:
            break
        offset = max(offset, aligned(other.offset + other.size))
    return offset


def aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
