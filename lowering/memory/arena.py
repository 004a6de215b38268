"""Offsets in the arena: groups that live at the same time get different bytes; the largest are placed first, each at the
lowest offset that is free during its life."""

from __future__ import annotations

from collections.abc import Iterable

from hlo.lowering.memory.groups import Group

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
