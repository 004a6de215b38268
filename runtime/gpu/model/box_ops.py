"""TMA: boxes of arrays, copied to shared memory in lines of 128 bytes, swizzled."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from hlo.errors import HloError
from hlo.runtime.gpu.model.barrier_ops import Load, block_of
from hlo.runtime.gpu.model.code import Op
from hlo.runtime.gpu.model.machine import Machine, Step
from hlo.runtime.gpu.model.matrix_ops import tf32
from hlo.runtime.gpu.model.program import Program, decodes
from hlo.runtime.gpu.model.types import element_of
from hlo.runtime.gpu.plan import TensorMap

ROW = 128
"""Bytes of a box's innermost dimension."""

UNDEFINED = 0xFF
"""Bytes that are on their way: NaN, as a float."""

ALIGNMENT = 1024
"""Bytes: of a box in shared memory."""


def swizzled(addresses: np.ndarray) -> np.ndarray:
    """Where the bytes are: the number of a 16-byte chunk in its row is xored with that of its row among eight."""
    return addresses ^ (((addresses >> 7) & 7) << 4)


@decodes("nvgpu.tma.async.load")
def _load(program: Program, op: Op) -> Step:
    to, group, descriptor, *rest = program.numbers(op.operands)
    name, rank = program.name, op.operands[2].type.element.partition("memref<")[2].partition(">")[0].count("x")
    coordinates, number = rest[:rank], rest[rank]

    def run(m: Machine) -> None:
        address, one = m.values[descriptor]
        addresses = np.broadcast_to(m.values[to].address, m.size)[m.mask]
        corners = np.stack([m.values[n][m.mask] for n in coordinates], axis=1)
        m.memory.span(address, _span(one))
        whose = zip(block_of(m), m.values[number][m.mask])
        for target, corner, (block, barrier) in zip(addresses, corners, whose, strict=True):
            box = _box(m, address, one, corner).reshape(-1).view(np.uint8)
            _check(one, target, name)
            m.products.check_write(int(target), box.nbytes, name)
            swizzled_bytes = swizzled(target + np.arange(box.nbytes))
            m.memory.write(swizzled_bytes, np.full(box.nbytes, UNDEFINED, np.uint8))
            come = partial(m.memory.write, swizzled_bytes, box)
            m.values[group].loads.append(Load(int(block), int(barrier), box.nbytes, come, name))

    return run


def _span(one: TensorMap) -> int:
    """Bytes from the first element to the end of the last one."""
    size = element_of(one).itemsize
    return size + sum((count - 1) * stride for count, stride in zip(one.sizes, (size, *one.strides)))


def _check(one: TensorMap, target: int, name: str) -> None:
    if target % ALIGNMENT or one.box[0] * element_of(one).itemsize != ROW:
        raise HloError(f"kernel {name}: TMA of {one.box} elements and shared memory at {target % ALIGNMENT}")


def _addresses(address: int, one: TensorMap, corner: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Addresses of the elements of the box at a corner (innermost first), outermost dimension first; which are in the array."""
    offset, inside = np.zeros((), np.int64), np.ones((), bool)
    dtype = element_of(one)
    steps = one.steps or (1,) * len(one.box)
    for first, count, step, size, stride in zip(corner, one.box, steps, one.sizes, (dtype.itemsize, *one.strides)):
        index = first + np.arange(count) * step
        offset = (index * stride).reshape(-1, *[1] * offset.ndim) + offset
        inside = ((index >= 0) & (index < size)).reshape(-1, *[1] * inside.ndim) & inside
    return address + np.where(inside, offset, 0), inside


def _box(m: Machine, address: int, one: TensorMap, corner: Sequence[int]) -> np.ndarray:
    """Elements of the box at a corner; 0 outside the array."""
    dtype = element_of(one)
    addresses, inside = _addresses(address, one, corner)
    found = m.memory.read(addresses, dtype)
    if one.kind == "tf32":
        found = tf32(found)
    return np.where(inside, found, np.zeros((), dtype))
