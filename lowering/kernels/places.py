"""How often an op is computed where kernels compute it again for each element that they read: `Places`.

A stencil reads its operand at several places, so that a chain of stencils would compute the first one at all sums of their places."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any

from mlir import ir

from hlo.lowering.kernels.fusable import Domain
from hlo.lowering.linalg.structured import maps_of
from hlo.lowering.vector.region.graph import DYNAMIC
from hlo.lowering.vector.region.padding import is_padding
from hlo.lowering.vector.region.rolls import is_front, roll_of

Place = tuple[tuple[Any, ...], tuple[int, ...]]
"""The way to an element, as far as it is no distance, and its distance in each dimension from the element that it is computed for. Equal places are
computed once."""


class Places:
    """Of the ops that a block's kernels compute, the users first. Each place has the number of elements that are read there."""

    def __init__(self) -> None:
        self._of: dict[ir.Operation, dict[Place, int]] = {}
        self._repeats: dict[ir.Operation, float] = {}

    def start(self, op: ir.Operation, domain: Domain | None) -> None:
        """A kernel computes each element of a root once. What several kernels read counts for one of them. Called after `pass_on`."""
        shape = domain.shape if domain is not None else tuple(op.results[0].type.shape)
        self._of[op] = {((), (0,) * len(shape)): prod(shape)}

    def pass_on(self, op: ir.Operation, uses: Iterable[Any]) -> None:
        """An op is computed where its users read it."""
        size = prod(op.results[0].type.shape)
        found: dict[Place, int] = {}
        for use in uses:
            for place, count in self._of.get(use.owner.operation, {}).items():
                read = _read(use, place)
                found[read] = max(found.get(read, 0), min(count, size))
        self._of[op] = found
        self._repeats[op] = max(0.0, sum(found.values()) / max(1, size) - 1)

    def repeats(self, op: ir.Operation) -> float:
        """How often an element would be computed again, in the mean, if it was not stored."""
        return self._repeats[op]


def _read(use: Any, place: Place) -> Place:
    """Where a user's operand is read when the user is computed at a place."""
    user, number, (way, distances) = use.owner.operation, use.operand_number, place
    start = (0,) * user.operands[number].type.rank
    moved = None
    if user.name == "linalg.generic":
        moved = _accessed(maps_of(user)[number], distances)
    elif number == 0 and (user.name == "tensor.extract_slice" or is_padding(user) or _is_rolled(user)):
        moved = _moved(user, distances)
    elif number == 1 and roll_of(user) is not None:
        return place
    elif user.name == "tensor.insert_slice":
        return (tuple(user.operands[number].type.shape),), start  # equal shapes may be one loop nest
    return (way, moved) if moved is not None else ((*way, distances, user, number), start)


def _is_rolled(op: ir.Operation) -> bool:
    return roll_of(op) is not None or is_front(op)


def _moved(view: ir.Operation, distances: tuple[int, ...]) -> tuple[int, ...] | None:
    """Of a slice or a padded array; None where steps or indices are computed, or dimensions left out."""
    offsets, strides = list(view.opview.static_offsets), list(view.opview.static_strides)
    if len(view.operands) > 2 or len(offsets) != len(distances) or DYNAMIC in offsets or any(s != 1 for s in strides):
        return None
    sign = 1 if view.name == "tensor.extract_slice" else -1
    return tuple(d + sign * o for d, o in zip(distances, offsets, strict=True))


def _accessed(access: ir.AffineMap, distances: tuple[int, ...]) -> tuple[int, ...] | None:
    """By a map that only drops and permutes loops."""
    if access.n_dims != len(distances) or not all(isinstance(e, ir.AffineDimExpr) for e in access.results):
        return None
    return tuple(distances[e.position] for e in access.results)
