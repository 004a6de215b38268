"""cp.async: copies to shared memory that are under way until their thread waits for them.

What a copy is to bring is read when it starts and written when its thread waits; meanwhile its target holds 0xA5, so
that a read before the wait shows. Each thread has groups of its own: blocks may go through a loop more often than
others. For races a copy writes both when it starts and when it ends."""

from __future__ import annotations

import numpy as np

from hlo.errors import HloError
from hlo.runtime.gpu.model.code import Op
from hlo.runtime.gpu.model.machine import Copy, Group, Machine, Step
from hlo.runtime.gpu.model.memory_ops import vector_addresses
from hlo.runtime.gpu.model.program import Program, decodes


@decodes("nvgpu.device_async_copy")
def _start(program: Program, op: Op) -> Step:
    target, *rest = program.numbers(op.operands)
    rank = len(op.operands[0].type.shape)
    indices, (source, *rest) = rest[:rank], rest[rank:]
    rank = len(op.operands[1 + rank].type.shape)
    origins, count = rest[:rank], rest[rank] if len(rest) > rank else None
    width, name = int(op.attributes["dstElements"]), program.name

    def run(m: Machine) -> None:
        to, by = m.values[target], m.values[source]
        addresses = vector_addresses(m, to, [m.values[n] for n in indices], width, name)
        threads = m.thread[m.mask][:, None]
        elements = np.zeros((m.size, width), by.dtype)
        wanted = m.broadcast(width, np.dtype(np.int64)) if count is None else m.values[count]
        if not np.isin(wanted, (0, width)).all():
            raise HloError(f"kernel {name}: a copy of a part of its {width} elements")
        outer, m.mask = m.mask, m.mask & (wanted > 0)
        if m.mask.any():
            found = vector_addresses(m, by, [m.values[n] for n in origins], width, name)
            elements[m.mask] = m.read(found, m.thread[m.mask][:, None], by.dtype, name)
        m.mask = outer
        m.write(addresses, threads, _poison(addresses.shape, by.dtype), name)
        m.copies.started.append(Copy(addresses, threads, elements[m.mask]))

    return run


def _poison(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    return np.full((*shape[:-1], shape[-1] * dtype.itemsize), 0xA5, np.uint8).view(dtype)


@decodes("nvvm.cp.async.commit.group")
def _end_group(program: Program, op: Op) -> Step:
    def run(m: Machine) -> None:
        mine = [_split(copy, m.mask) for copy in m.copies.started]
        m.copies.groups.append(Group(m.mask.copy(), [done for done, _ in mine]))
        m.copies.started = [rest for _, rest in mine if rest.threads.size]

    return run


@decodes("nvvm.cp.async.wait.group")
def _wait(program: Program, op: Op) -> Step:
    most, name = op.attributes["n"], program.name

    def run(m: Machine) -> None:
        later = np.zeros(m.size, np.int64)
        ready: list[np.ndarray] = []
        for group in reversed(m.copies.groups):
            later += group.threads
            ready.insert(0, m.mask & group.threads & (later > most))
        for group, threads in zip(m.copies.groups, ready):
            parts = [_split(copy, threads) for copy in group.copies]
            for done, _ in parts:
                if done.threads.size:
                    m.write(done.addresses, done.threads, done.elements, name)
            group.threads &= ~threads
            group.copies = [rest for _, rest in parts]
        m.copies.groups = [group for group in m.copies.groups if group.threads.any()]

    return run


def _split(copy: Copy, threads: np.ndarray) -> tuple[Copy, Copy]:
    """The copies of these threads, and the others."""
    mine = threads[copy.threads[:, 0]]
    if mine.all():
        return copy, Copy(copy.addresses[:0], copy.threads[:0], copy.elements[:0])
    return tuple(Copy(copy.addresses[of], copy.threads[of], copy.elements[of]) for of in (mine, ~mine))  # type: ignore[return-value]
