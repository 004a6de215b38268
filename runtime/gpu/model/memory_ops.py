"""Loads, stores and views of memory; every index is checked against its memref."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hlo.errors import HloError
from hlo.runtime.gpu.model.code import Op
from hlo.runtime.gpu.model.machine import Machine, Step
from hlo.runtime.gpu.model.program import Program, computes, decodes
from hlo.runtime.gpu.model.types import Memref, byte_size, memref_at, numpy_type


def _addresses(m: Machine, memory: Memref, indices: Sequence[np.ndarray], name: str) -> np.ndarray:
    """One address a thread that takes part; indices are checked."""
    offset = np.zeros(m.size, np.int64)
    for index, size, stride in zip(indices, memory.shape, memory.strides):
        wrong = m.mask & ((index < 0) | (index >= size))
        if wrong.any():
            at = int(np.flatnonzero(wrong)[0])
            raise HloError(f"kernel {name}: thread {at} uses index {index[at]} of a dimension of size {size}")
        offset = offset + index * stride
    return (memory.address + offset * memory.dtype.itemsize)[m.mask]


@decodes("memref.load")
def _load(program: Program, op: Op) -> Step:
    source, *indices = program.numbers(op.operands)
    target, name = program.number(op.results[0]), program.name
    dtype = numpy_type(op.results[0].type)

    def run(m: Machine) -> None:
        memory = m.values[source]
        addresses = _addresses(m, memory, [m.values[i] for i in indices], name)
        value = np.zeros(m.size, dtype)
        value[m.mask] = m.read(addresses, m.thread[m.mask], dtype, name)
        m.values[target] = value

    return run


@decodes("memref.store")
def _store(program: Program, op: Op) -> Step:
    value, target, *indices = program.numbers(op.operands)
    name = program.name

    def run(m: Machine) -> None:
        addresses = _addresses(m, m.values[target], [m.values[i] for i in indices], name)
        m.write(addresses, m.thread[m.mask], np.ascontiguousarray(m.values[value][m.mask]), name)

    return run


ATOMIC: dict[int, tuple[np.ufunc, bool]] = {
    1: (np.add, False),
    2: (np.bitwise_and, False),
    6: (np.maximum, False),
    7: (np.maximum, True),
    10: (np.minimum, False),
    11: (np.minimum, True),
    14: (np.bitwise_or, False),
}
"""By the number of arith's AtomicRMWKind: what combines, and whether elements are unsigned."""


@decodes("memref.atomic_rmw")
def _atomic(program: Program, op: Op) -> Step:
    """What was there before is not given: nothing uses it."""
    value, target, *indices = program.numbers(op.operands)
    (combine, is_unsigned), name = ATOMIC[op.attributes["kind"]], program.name

    def run(m: Machine) -> None:
        addresses = _addresses(m, m.values[target], [m.values[i] for i in indices], name)
        values = np.ascontiguousarray(m.values[value][m.mask])
        values = values.view(f"u{values.itemsize}") if is_unsigned else values
        m.update(addresses, m.thread[m.mask], values, combine, name)

    return run


def vector_addresses(m: Machine, memory: Memref, indices: Sequence[np.ndarray], width: int, name: str) -> np.ndarray:
    """A row of neighbours' addresses for each thread that takes part; the whole must be aligned and inside."""
    *outer, last = indices
    _addresses(m, memory, [*outer, last + (width - 1)], name)
    first = _addresses(m, memory, indices, name)
    if (first % (width * memory.dtype.itemsize)).any():
        raise HloError(
            f"kernel {name}: an access of {width} x {memory.dtype} at an address that is no multiple of its size"
        )
    return first[:, None] + np.arange(width) * memory.dtype.itemsize


@decodes("vector.load")
def _vector_load(program: Program, op: Op) -> Step:
    source, *indices = program.numbers(op.operands)
    target, name = program.number(op.results[0]), program.name
    (width,) = op.results[0].type.shape

    def run(m: Machine) -> None:
        memory = m.values[source]
        addresses = vector_addresses(m, memory, [m.values[i] for i in indices], width, name)
        m.count_conflicts(addresses, memory.dtype)
        value = np.zeros((m.size, width), memory.dtype)
        value[m.mask] = m.read(addresses, m.thread[m.mask][:, None], memory.dtype, name)
        m.values[target] = value

    return run


@decodes("vector.store")
def _vector_store(program: Program, op: Op) -> Step:
    value, target, *indices = program.numbers(op.operands)
    (width,), name = op.operands[0].type.shape, program.name

    def run(m: Machine) -> None:
        memory = m.values[target]
        addresses = vector_addresses(m, memory, [m.values[i] for i in indices], width, name)
        m.count_conflicts(addresses, memory.dtype)
        m.write(addresses, m.thread[m.mask][:, None], np.ascontiguousarray(m.values[value][m.mask]), name)

    return run


@computes("memref.collapse_shape", "memref.expand_shape")
def _reshape(op: Op) -> Callable[[Memref], Memref]:
    """Of identity layouts, which is what device code has."""
    kind = op.results[0].type
    return lambda memory: memref_at(memory.address, kind)


@decodes("memref.view")
def _view(program: Program, op: Op) -> Step:
    (base, offset), target, kind = program.numbers(op.operands)[:2], program.number(op.results[0]), op.results[0].type
    size, name = byte_size(kind), program.name

    def run(m: Machine) -> None:
        (room,), first = m.values[base].shape, m.values[offset]
        if (first + size > room).any():
            raise HloError(f"kernel {name}: a view of {size} bytes at {first.max()} of {room} bytes of memory")
        m.values[target] = memref_at(m.values[base].address + first, kind)

    return run


DYNAMIC = -(1 << 63)


@computes("memref.reinterpret_cast")
def _reinterpret(op: Op) -> Callable[..., Memref]:
    """Static and dynamic offsets, sizes and strides, in elements."""
    static = [op.attributes[f"static_{n}"] for n in ("offsets", "sizes", "strides")]
    dtype = numpy_type(op.results[0].type)

    def cast(base: Memref, *dynamic: Any) -> Memref:
        rest = iter(dynamic)
        (offset,), sizes, strides = ([next(rest) if x == DYNAMIC else x for x in one] for one in static)
        return Memref(base.address + offset * dtype.itemsize, tuple(sizes), tuple(strides), dtype)

    return cast


@decodes("memref.extract_strided_metadata")
def _metadata(program: Program, op: Op) -> Step:
    """memref.extract_strided_metadata: base, offset, sizes, strides."""
    source, targets = program.number(op.operands[0]), program.numbers(op.results)
    dtype = numpy_type(op.operands[0].type)

    def run(m: Machine) -> None:
        memory = m.values[source]
        whole = np.dtype(np.int64)
        m.values[targets[0]] = Memref(memory.address, (), (), dtype)
        numbers = [0, *memory.shape, *memory.strides]
        for target, number in zip(targets[1:], numbers, strict=True):
            m.values[target] = m.broadcast(number, whole)

    return run


@decodes("memref.get_global")
def _global(program: Program, op: Op) -> Step:
    target, kind = program.number(op.results[0]), op.results[0].type
    name = op.attributes["name"]

    def run(m: Machine) -> None:
        m.values[target] = memref_at(m.globals[name], kind)

    return run


@decodes("memref.alloca")
def _alloca(program: Program, op: Op) -> Step:
    """Memory of each thread's own."""
    target, kind = program.number(op.results[0]), op.results[0].type
    room = -(-max(byte_size(kind), 1) // 16) * 16

    def run(m: Machine) -> None:
        base = m.borrow(room * m.size)
        m.values[target] = memref_at(base + m.thread * room, kind)

    return run
