"""TMA from shared to global memory: under way from their start until their thread waits for what it ended as a group.

A copy reads its box when it is waited for, as late as it may: what has changed there since is an error. So is a box that threads
wrote and did not fence (fence.proxy.async: TMA does not see their writes otherwise), and a launch that ends before the wait."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from hlo.errors import HloError

if TYPE_CHECKING:
    from hlo.runtime.gpu.model.machine import Machine


@dataclass(frozen=True)
class BoxStore:
    """`sources`: addresses of bytes in shared memory; `found`: what was there at the start; `inside`: which elements have a place
    in the array, at `targets`."""

    thread: int
    sources: np.ndarray
    found: np.ndarray
    inside: np.ndarray
    targets: np.ndarray
    dtype: np.dtype
    name: str

    def end(self, m: Machine) -> None:
        now = m.read(self.sources, np.full(len(self.sources), self.thread), np.dtype(np.uint8), self.name)
        if (now != self.found).any():
            raise HloError(f"kernel {self.name}: shared memory was changed before TMA had copied it")
        elements = self.found.view(self.dtype)[self.inside]
        m.write(self.targets, np.full(len(self.targets), self.thread), elements, self.name)


@dataclass
class BoxStores:
    """Of a launch, by thread: those since its last end of a group, and groups in order. `unfenced`: addresses in shared memory
    that threads wrote, and these threads."""

    started: dict[int, list[BoxStore]] = field(default_factory=dict)
    groups: dict[int, list[list[BoxStore]]] = field(default_factory=dict)
    unfenced: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)

    def written(self, addresses: np.ndarray, threads: np.ndarray) -> None:
        self.unfenced.append((addresses.reshape(-1), np.broadcast_to(threads, addresses.shape).reshape(-1)))

    def fence(self, mask: np.ndarray) -> None:
        """These threads' writes can be seen by TMA."""
        rest = [(addresses[~mask[threads]], threads[~mask[threads]]) for addresses, threads in self.unfenced]
        self.unfenced = [one for one in rest if len(one[0])]

    def start(self, one: BoxStore) -> None:
        if any(np.isin(addresses, one.sources).any() for addresses, _ in self.unfenced):
            raise HloError(f"kernel {one.name}: TMA from shared memory whose writers had no fence.proxy.async")
        self.started.setdefault(one.thread, []).append(one)

    def end_group(self, thread: int) -> None:
        self.groups.setdefault(thread, []).append(self.started.pop(thread, []))

    def wait(self, m: Machine, thread: int, most: int) -> None:
        """Until at most so many groups of the thread's are under way."""
        groups = self.groups.get(thread, [])
        for group in groups[: max(len(groups) - most, 0)]:
            for one in group:
                one.end(m)
        self.groups[thread] = groups[len(groups) - most :] if most else []

    def finish(self) -> None:
        """The launch ends."""
        left = [*self.started.values(), *(group for groups in self.groups.values() for group in groups)]
        for one in (one for group in left for one in group):
            raise HloError(f"kernel {one.name}: a block that ends while TMA copies from its shared memory")
