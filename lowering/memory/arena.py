"""Offsets in the arena: groups that live at the same time get different bytes; the largest are placed first, each at the
lowest offset that is free during its life."""

from __future__ import annotations

from collections.abc import Iterable

from hlo.lowering.memory.groups import Group

ALIGNMENT = 64


def assign_offsets(groups: Iterable[Group]) -> int:
    """Sets `offset` of every group; returns the size of the arena in bytes."""
    placed: list[Group] = []
    for group in sorted(groups, key=lambda g: (-g.size, g.start)):
        group.offset = _first_gap(group, [p for p in placed if p.start <= group.end and group.start <= p.end])
        placed.append(group)
    return max((aligned(g.offset + g.size) for g in placed), default=0)


def _first_gap(group: Group, neighbours: list[Group]) -> int:
    offset = 0
    for other in sorted(neighbours, key=lambda g: g.offset):
        if offset + group.size <= other.offset:
            break
        offset = max(offset, aligned(other.offset + other.size))
    return offset


def aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
