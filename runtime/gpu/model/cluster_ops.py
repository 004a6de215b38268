"""Blocks of a cluster: barriers of all of them, arrivals at mbarriers in each other's shared memory."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hlo.errors import HloError
from hlo.runtime.gpu.model.barrier_ops import Barriers
from hlo.runtime.gpu.model.code import Op
from hlo.runtime.gpu.model.machine import Machine, Step
from hlo.runtime.gpu.model.program import Program, decodes


@dataclass(frozen=True)
class Place:
    """Of an mbarrier, for each thread: its block and its number."""

    barriers: Barriers
    block: np.ndarray
    number: np.ndarray


@decodes("nvgpu.mbarrier.get")
def _get(program: Program, op: Op) -> Step:
    (group, number), target = program.numbers(op.operands), program.number(op.results[0])

    def run(m: Machine) -> None:
        m.values[target] = Place(m.values[group], m.thread // m.threads, m.values[number])

    return run


@decodes("llvm.inttoptr")
def _pointer(program: Program, op: Op) -> Step:
    source, target = program.number(op.operands[0]), program.number(op.results[0])

    def run(m: Machine) -> None:
        m.values[target] = m.values[source]

    return run


@decodes("nvvm.mapa")
def _in_block(program: Program, op: Op) -> Step:
    """The same place in another block of the cluster."""
    (source, rank), target, name = program.numbers(op.operands), program.number(op.results[0]), program.name

    def run(m: Machine) -> None:
        one, ranks, size = m.values[source], m.values[rank], m.cluster.size
        if (m.mask & ((ranks < 0) | (ranks >= size))).any():
            raise HloError(f"kernel {name}: a block outside of its cluster of {size}")
        m.values[target] = replace(one, block=one.block // size * size + ranks)

    return run


@decodes("nvvm.mbarrier.arrive")
def _arrive(program: Program, op: Op) -> Step:
    place, name = program.number(op.operands[0]), program.name

    def run(m: Machine) -> None:
        one, mine = m.values[place], m.thread // m.threads
        m.cluster.reach(mine[m.mask], one.block[m.mask], name)
        one.barriers.change(one.block[m.mask], one.number[m.mask], 1, 0, name)

    return run


@decodes("nvvm.cluster.arrive")
def _come(program: Program, op: Op) -> Step:
    return lambda m: m.cluster.arrive(m.mask, program.name)


@decodes("nvvm.cluster.wait")
def _meet(program: Program, op: Op) -> Step:
    def run(m: Machine) -> None:
        m.cluster.meet(program.name)
        m.meetings.barrier(m.mask)

    return run
