"""mbarriers: phases that end when enough threads have arrived and all announced bytes are there; barriers of some warps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

import numpy as np

from hlo.errors import HloError
from hlo.lazy_dataclasses import dataclass
from hlo.runtime.gpu.model.code import Op
from hlo.runtime.gpu.model.machine import Machine, Step
from hlo.runtime.gpu.model.program import Program, barriers_of, decodes
from hlo.runtime.gpu.model.races import WARP

NAMED = 16
"""Barriers that a block has, with that of all its threads."""


@dataclass(frozen=True)
class Load:
    """Bytes on their way to shared memory, which the barrier will be told of. `come`: writes them."""

    block: int
    barrier: int
    size: int
    come: Callable[[], None]
    name: str


@dataclass
class Barriers:
    """[block, barrier]: arrivals that a phase wants, those that it still waits for, bytes that it waits for, its parity.
    [block, barrier, warp]: what those that arrive have seen, and what those that wait see then. `loads`: those that come when
    somebody waits for them, as late as can be. `made`: [block, barrier]: by which thread, and when."""

    count: np.ndarray
    pending: np.ndarray
    bytes: np.ndarray
    parity: np.ndarray
    left: np.ndarray
    known: np.ndarray
    made: np.ndarray
    loads: list[Load] = field(default_factory=list, init=False)
    is_fenced: bool = field(default=False, init=False)

    def make(self, m: Machine, number: np.ndarray, arrivals: np.ndarray) -> None:
        """By the threads of the mask. Until fence.mbarrier_init neither TMA nor other threads see it."""
        barrier = block_of(m), number
        self.count[barrier] = self.pending[barrier] = arrivals
        self.made[barrier] = np.stack([m.thread[m.mask], np.full(m.mask.sum(), m.meetings.time)], axis=-1)
        self.is_fenced = False

    def check(self, m: Machine, number: np.ndarray, name: str) -> None:
        """Whether the threads of the mask know that these barriers are ready."""
        makers, times = np.moveaxis(self.made[block_of(m), number], -1, 0)
        mine = m.thread[m.mask]
        if not self.is_fenced or not (m.meetings.has_seen(mine, makers, times) | (mine == makers)).all():
            raise HloError(f"kernel {name}: an mbarrier that is used before all know that it is ready")

    def arrive(self, m: Machine, number: np.ndarray, size: np.ndarray | int, name: str) -> None:
        """All threads of the mask, each with bytes that it announces."""
        self.check(m, number, name)
        block, warp = block_of(m), warp_of(m)
        np.maximum.at(self.left, (block, number), m.meetings.leave(block, warp))
        self.change(block, number, 1, size, name)

    def change(self, block: np.ndarray, number: np.ndarray, arrivals: int, size: np.ndarray | int, name: str) -> None:
        """Arrivals and bytes announced (negative: bytes that have come), of each thread."""
        np.subtract.at(self.pending, (block, number), arrivals)
        np.add.at(self.bytes, (block, number), size)
        if (self.pending < 0).any():
            raise HloError(f"kernel {name}: more threads arrive at a barrier than its phase waits for")
        ended = (self.pending == 0) & (self.bytes == 0) & (self.count > 0)
        self.parity[ended] ^= 1
        self.pending[ended] = self.count[ended]
        self.known[ended] = self.left[ended]

    def are_over(self, block: np.ndarray, number: np.ndarray, parity: np.ndarray) -> bool:
        """Whether phases of this parity have ended, when all has come that these barriers will be told of."""
        wanted = set(zip(block.tolist(), number.tolist()))
        for load in [one for one in self.loads if (one.block, one.barrier) in wanted]:
            self.loads.remove(load)
            load.come()
            self.change(np.array([load.block]), np.array([load.barrier]), 0, -load.size, load.name)
        return bool((self.parity[block, number] != parity).all())


def block_of(m: Machine) -> np.ndarray:
    """Of each thread that takes part."""
    return (m.thread // m.threads)[m.mask]


def warp_of(m: Machine) -> np.ndarray:
    """In its block, of each thread that takes part."""
    return (m.thread % m.threads // WARP)[m.mask]


@decodes("nvgpu.mbarrier.create")
def _create(program: Program, op: Op) -> Step:
    target, count = program.number(op.results[0]), barriers_of(op)

    def run(m: Machine) -> None:
        blocks, warps = m.size // m.threads, -(-m.threads // WARP)
        shapes = [(blocks, count)] * 4 + [(blocks, count, warps)] * 2 + [(blocks, count, 2)]
        m.values[target] = Barriers(*(np.zeros(shape, np.int64) for shape in shapes))
        m.mbarriers.append(m.values[target])

    return run


@decodes("nvgpu.mbarrier.init")
def _init(program: Program, op: Op) -> Step:
    group, count, number = program.numbers(op.operands)

    return lambda m: m.values[group].make(m, m.values[number][m.mask], m.values[count][m.mask])


@decodes("nvvm.fence.mbarrier.init")
def _fence(program: Program, op: Op) -> Step:
    def run(m: Machine) -> None:
        for barriers in m.mbarriers:
            barriers.is_fenced = True

    return run


@decodes("nvgpu.mbarrier.arrive")
def _arrive(program: Program, op: Op) -> Step:
    (group, number), name = program.numbers(op.operands), program.name

    def run(m: Machine) -> None:
        m.values[group].arrive(m, m.values[number][m.mask], 0, name)

    return run


@decodes("nvgpu.mbarrier.arrive.expect_tx")
def _expect(program: Program, op: Op) -> Step:
    (group, size, number), name = program.numbers(op.operands), program.name

    def run(m: Machine) -> None:
        m.values[group].arrive(m, m.values[number][m.mask], m.values[size][m.mask], name)

    return run


@decodes("nvgpu.mbarrier.try_wait.parity")
def _wait(program: Program, op: Op) -> Step:
    (group, parity, _, number), name = program.numbers(op.operands), program.name

    def run(m: Machine) -> None:
        barriers, addressed = m.values[group], (block_of(m), m.values[number][m.mask])
        wanted = m.values[parity][m.mask]
        barriers.check(m, addressed[1], name)
        m.wait(lambda: barriers.are_over(*addressed, wanted), f"kernel {name}")
        m.meetings.learn(block_of(m), warp_of(m), barriers.known[addressed])

    return run


@decodes("nvvm.barrier")
def _named_barrier(program: Program, op: Op) -> Step:
    """Of so many of a block's threads: always the same ones, all of them. Several of other numbers at a time; 0 is that of the
    whole block."""
    (number, count), name = program.numbers(op.operands), program.name

    def run(m: Machine) -> None:
        wanted = int(m.values[count][0])
        for one in np.unique(m.values[number][m.mask]):
            if not 0 < one < NAMED or wanted % WARP:
                raise HloError(f"kernel {name}: barrier {one} of {wanted} threads")
            taking_part = m.mask & (m.values[number] == one)
            known = m.named.setdefault(int(one), np.zeros(m.size, bool))
            known |= taking_part
            counts = taking_part.reshape(-1, m.threads).sum(1), known.reshape(-1, m.threads).sum(1)
            if not np.isin(counts, (0, wanted)).all():
                raise HloError(f"kernel {name}: {counts[1].max()} threads of a block reach a barrier of {wanted}")
            m.meetings.barrier(taking_part)

    return run
