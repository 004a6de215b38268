"""Which thread this is, and how threads wait for each other."""

from __future__ import annotations

import numpy as np

from hlo.errors import HloError
from hlo.runtime.gpu.model.code import Op
from hlo.runtime.gpu.model.limits import DYNAMIC_ALIGNMENT
from hlo.runtime.gpu.model.machine import Machine, Step
from hlo.runtime.gpu.model.program import Program, decodes
from hlo.runtime.gpu.model.types import Memref


@decodes("gpu.global_id", "gpu.thread_id", "gpu.block_id", "gpu.block_dim")
def _identity(program: Program, op: Op) -> Step:
    """gpu.global_id, thread_id, block_id, block_dim: launches have one dimension."""
    target, name = program.number(op.results[0]), op.name
    dimension = str(op.attributes["dimension"])[-2]

    def run(m: Machine) -> None:
        of = {
            "gpu.global_id": lambda: m.thread,
            "gpu.thread_id": lambda: m.thread % m.threads,
            "gpu.block_id": lambda: m.thread // m.threads,
            "gpu.block_dim": lambda: m.broadcast(m.threads, np.dtype(np.int64)),
        }
        others = int(name == "gpu.block_dim")
        m.values[target] = of[name]() if dimension == "x" else m.broadcast(others, np.dtype(np.int64))

    return run


@decodes("gpu.barrier")
def _barrier(program: Program, op: Op) -> Step:
    name = program.name

    def run(m: Machine) -> None:
        taking_part = m.mask.reshape(-1, m.threads)
        if (taking_part.any(1) != taking_part.all(1)).any():
            raise HloError(f"kernel {name}: a barrier that only some threads of a block reach")
        m.meetings.barrier(m.mask)

    return run


WARP = 32


@decodes("gpu.shuffle")
def _shuffle(program: Program, op: Op) -> Step:
    """Every thread gets the value of another one of its warp; all of the warp must take part."""
    source, distance, _ = program.numbers(op.operands)
    target, valid = program.numbers(op.results)
    mode, name = str(op.attributes["mode"]), program.name

    def run(m: Machine) -> None:
        warps = m.mask.reshape(-1, WARP)
        if (warps.any(1) != warps.all(1)).any():
            raise HloError(f"kernel {name}: a shuffle that only some threads of a warp reach")
        lane, offset = m.thread % WARP, m.values[distance]
        other = {"xor": lane ^ offset, "down": lane + offset, "up": lane - offset, "idx": offset}[mode.split()[-1][:-1]]
        inside = (other >= 0) & (other < WARP)
        m.values[target] = m.values[source][m.thread - lane + np.where(inside, other, lane)]
        m.values[valid] = inside

    return run


@decodes("gpu.dynamic_shared_memory")
def _dynamic_shared_memory(program: Program, op: Op) -> Step:
    target = program.number(op.results[0])

    def run(m: Machine) -> None:
        address = m.shared(m.shared_bytes, DYNAMIC_ALIGNMENT)
        m.dynamic = address
        m.values[target] = Memref(address, (m.shared_bytes,), (1,), np.dtype(np.int8))

    return run
