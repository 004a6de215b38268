"""mbarriers: phases that end when enough threads have arrived and all announced bytes are there; barriers of some warps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hlo.errors import HloError
from hlo.runtime.gpu.model.code import Op
from hlo.runtime.gpu.model.machine import Machine, Step
from hlo.runtime.gpu.model.program import Program, decodes


@dataclass
class Barriers:
    """[block, barrier]: arrivals that a phase wants, those that it still waits for, bytes that it waits for, its parity."""

    count: np.ndarray
    pending: np.ndarray
    bytes: np.ndarray
    parity: np.ndarray

    def change(self, block: np.ndarray, number: np.ndarray, arrivals: int, size: np.ndarray | int, name: str) -> None:
        """Arrivals and bytes announced (negative: bytes that have come), of each thread."""
        np.subtract.at(self.pending, (block, number), arrivals)
        np.add.at(self.bytes, (block, number), size)
        if (self.pending < 0).any():
            raise HloError(f"kernel {name}: more threads arrive at a barrier than its phase waits for")
        ended = (self.pending == 0) & (self.bytes == 0) & (self.count > 0)
        self.parity[ended] ^= 1
        self.pending[ended] = self.count[ended]


def block_of(m: Machine) -> np.ndarray:
    """Of each thread that takes part."""
    return (m.thread // m.threads)[m.mask]


@decodes("nvgpu.mbarrier.create")
def _create(program: Program, op: Op) -> Step:
    target = program.number(op.results[0])
    count = int(op.results[0].type.element.partition("num_barriers = ")[2].rstrip(">"))

    def run(m: Machine) -> None:
        shape = (m.size // m.threads, count)
        m.values[target] = Barriers(*(np.zeros(shape, np.int64) for _ in range(4)))

    return run


@decodes("nvgpu.mbarrier.init")
def _init(program: Program, op: Op) -> Step:
    group, count, number = program.numbers(op.operands)

    def run(m: Machine) -> None:
        barriers, place = m.values[group], (block_of(m), m.values[number][m.mask])
        barriers.count[place] = barriers.pending[place] = m.values[count][m.mask]

    return run


@decodes("nvgpu.mbarrier.arrive")
def _arrive(program: Program, op: Op) -> Step:
    (group, number), name = program.numbers(op.operands), program.name

    def run(m: Machine) -> None:
        m.values[group].change(block_of(m), m.values[number][m.mask], 1, 0, name)

    return run


@decodes("nvgpu.mbarrier.arrive.expect_tx")
def _expect(program: Program, op: Op) -> Step:
    (group, size, number), name = program.numbers(op.operands), program.name

    def run(m: Machine) -> None:
        m.values[group].change(block_of(m), m.values[number][m.mask], 1, m.values[size][m.mask], name)

    return run


@decodes("nvgpu.mbarrier.try_wait.parity")
def _wait(program: Program, op: Op) -> Step:
    (group, parity, _, number), name = program.numbers(op.operands), program.name

    def run(m: Machine) -> None:
        barriers, place = m.values[group], (block_of(m), m.values[number][m.mask])
        wanted = m.values[parity][m.mask]
        m.wait(lambda: bool((barriers.parity[place] != wanted).all()), f"kernel {name}")

    return run


@decodes("nvvm.barrier")
def _named_barrier(program: Program, op: Op) -> Step:
    """Of so many of a block's threads: all of them must take part, and no others. Several of other numbers at a time."""
    (number, count), name = program.numbers(op.operands), program.name

    def run(m: Machine) -> None:
        wanted = int(m.values[count][0])
        for one in np.unique(m.values[number][m.mask]):
            taking_part = (m.mask & (m.values[number] == one)).reshape(-1, m.threads).sum(1)
            if not np.isin(taking_part, (0, wanted)).all():
                raise HloError(f"kernel {name}: {taking_part.max()} threads of a block reach a barrier of {wanted}")
        m.epochs[m.mask.reshape(-1, m.threads).any(1)] += 1

    return run
