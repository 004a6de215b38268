"""What wgmma has started and not finished: registers and shared memory that must be left alone until then.

The model computes a product when it is started; on a card it is done when a wait has told so. Noted here: who has started what,
in which group; the sums that must not be read, the shared memory that must not be overwritten before. PTX ISA, "Asynchronous
wgmma": registers are only safe behind a fence in front of a group's first product, and behind a wait for the group."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np

from hlo.errors import HloError
from hlo.lazy_dataclasses import dataclass

if TYPE_CHECKING:
    from hlo.runtime.gpu.model.machine import Machine

WARPGROUP = 128
PIECE = 1024
"""Bytes of shared memory that are noted as one: boxes and swizzled rows are multiples of it."""


@dataclass(eq=False)
class Started:
    """One product. `lanes`: [warpgroup, 128] threads; `pieces`: by warpgroup those of shared memory that it reads; `done`: by
    warpgroup."""

    lanes: np.ndarray
    pieces: list[np.ndarray]
    done: np.ndarray

    def is_under_way(self, mask: np.ndarray) -> bool:
        """For any of the mask's threads."""
        return bool((mask[self.lanes[:, 0]] & ~self.done).any())


class Sums(list[Any]):
    """Registers: an array each. `started`: the products that may still write them."""

    def __init__(self, registers: list[Any], started: list[Started]):
        super().__init__(registers)
        self.started = [one for one in started if not one.done.all()]

    def check(self, m: Machine, name: str) -> None:
        """Raises HloError where they are not there yet."""
        if any(one.is_under_way(m.mask) for one in self.started):
            raise HloError(f"kernel {name}: sums of a product that is under way")


def started_of(value: Any) -> list[Started]:
    return value.started if isinstance(value, Sums) else []


@dataclass
class Products:
    """Of a launch. `fenced`: by thread, whether it may start products; `open`: those of no group yet."""

    fenced: np.ndarray
    open: list[Started] = field(default_factory=list)
    groups: list[list[Started]] = field(default_factory=list)

    def fence(self, m: Machine) -> None:
        self.fenced |= m.mask

    def start(self, m: Machine, lanes: np.ndarray, addresses: list[np.ndarray], name: str) -> Started:
        """`addresses`: [warpgroup, ...] of shared memory that is read."""
        if not self.fenced[lanes].all():
            raise HloError(f"kernel {name}: a product without wgmma.fence in front of its group")
        pieces = [
            np.unique(np.concatenate([a[group].ravel() // PIECE for a in addresses])) for group in range(len(lanes))
        ]
        self.open.append(Started(lanes, pieces, np.zeros(len(lanes), bool)))
        return self.open[-1]

    def commit(self, m: Machine) -> None:
        """Products since the last one are a group, which a fence must come before."""
        mine = [one for one in self.open if m.mask[one.lanes[0, 0]]]
        self.open = [one for one in self.open if one not in mine]
        self.groups.append(mine)
        self.fenced &= ~m.mask

    def wait(self, m: Machine, most: int) -> None:
        """At most so many groups of each thread are under way."""
        later = np.zeros(m.size, np.int64)
        for group in reversed(self.groups):
            for one in group:
                one.done |= m.mask[one.lanes[:, 0]] & (later[one.lanes[:, 0]] >= most)
            for one in group[:1]:
                later[one.lanes[:, 0]] += 1
        self.groups = [group for group in self.groups if not all(one.done.all() for one in group)]

    def check_write(self, address: int, size: int, name: str) -> None:
        """Of shared memory by TMA."""
        first, last = address // PIECE, (address + size - 1) // PIECE
        for one in [*self.open, *(p for group in self.groups for p in group)]:
            for pieces, is_done in zip(one.pieces, one.done):
                if not is_done and ((pieces >= first) & (pieces <= last)).any():
                    raise HloError(f"kernel {name}: TMA to shared memory that a product under way reads")
