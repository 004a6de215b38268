"""Tensor cores: mma.sync and ldmatrix, as PTX lays fragments out over the lanes of a warp.

Of an f32 that is multiplied as tf32 the instruction reads the first 19 bits: the model wants the others to be 0."""

from __future__ import annotations

from collections.abc import Sequence

import ml_dtypes
import numpy as np

from hlo.errors import HloError
from hlo.runtime.gpu.model.arithmetic import Function
from hlo.runtime.gpu.model.code import Op
from hlo.runtime.gpu.model.machine import Machine, Step
from hlo.runtime.gpu.model.memory_ops import vector_addresses
from hlo.runtime.gpu.model.program import Program, computes, decodes
from hlo.runtime.gpu.model.types import NUMPY

WARP = 32


@decodes("nvvm.mma.sync")
def _mma(program: Program, op: Op) -> Step:
    numbers, target, name = program.numbers(op.operands), program.number(op.results[0]), program.name
    kinds = [str(op.attributes[f"multiplicand{side}PtxType"]).partition("<")[2][:-1] for side in "AB"]
    left, right = (ELEMENTS[kind] for kind in kinds)

    def run(m: Machine) -> None:
        if not _by_warps(m):
            raise HloError(f"kernel {name}: a matrix instruction that only some threads reach")
        operands = [m.values[n] for n in numbers]
        if "tf32" in kinds:
            operands[:6] = [read_tf32(register, name) for register in operands[:6]]
        m.values[target] = multiply(operands[:4], operands[4:6], operands[6:], left, right)

    return run


def _by_warps(m: Machine) -> bool:
    """Of each warp all threads take part, or none."""
    warps = m.mask.reshape(-1, WARP)
    return bool((warps.any(1) == warps.all(1)).all())


ELEMENTS = {
    "bf16": NUMPY["bf16"],
    "tf32": NUMPY["f32"],
    "f16": NUMPY["f16"],
    "e4m3": np.dtype(ml_dtypes.float8_e4m3fn),
    "e5m2": np.dtype(ml_dtypes.float8_e5m2),
    "s8": np.dtype(np.int8),
    "u8": np.dtype(np.uint8),
}
"""By PTX's name."""


TF32_REST = (1 << 13) - 1
"""Bits of an f32 that tf32 does not have."""


@computes("nvvm.convert.float.to.tf32")
def _to_tf32(op: Op) -> Function:
    return lambda x: tf32(x).view(np.int32)


def tf32(x: np.ndarray) -> np.ndarray:
    """f32 to the nearest with ten bits after the point, halves away from zero (cvt.rna); infinities and NaNs stay."""
    bits = x.view(np.uint32)
    rounded = (bits + np.uint32(1 << 12)) & np.uint32(~TF32_REST & 0xFFFFFFFF)
    return np.where(np.isfinite(x), rounded, bits & np.uint32(~TF32_REST & 0xFFFFFFFF)).view(np.float32)


def multiply(
    a: Sequence[np.ndarray], b: Sequence[np.ndarray], c: Sequence[np.ndarray], left: np.dtype, right: np.dtype
) -> list[np.ndarray]:
    """One register a thread in each array: four bytes of elements of A and B, one sum of C."""
    lane = np.arange(WARP)
    group, member = lane // 4, lane % 4
    width = 4 // left.itemsize
    warps, depth, sums = a[0].shape[0] // WARP, 8 * width, c[0].dtype
    lefts, rights, total = (np.zeros((warps, *shape), sums) for shape in ((16, depth), (depth, 8), (16, 8)))
    for register, (down, along) in zip(a, ((0, 0), (8, 0), (0, 4), (8, 4))):
        for side in range(width):
            lefts[:, group + down, (member + along) * width + side] = _elements(register, left)[..., side]
    for register, down in zip(b, (0, 4)):
        for side in range(width):
            rights[:, (member + down) * width + side, group] = _elements(register, right)[..., side]
    coordinates = [(group + down, 2 * member + side) for down in (0, 8) for side in (0, 1)]
    for register, (row, column) in zip(c, coordinates):
        total[:, row, column] = register.reshape(-1, WARP)
    total += lefts @ rights
    return [total[:, row, column].reshape(-1) for row, column in coordinates]


def read_tf32(x: np.ndarray, name: str) -> np.ndarray:
    """Elements of a matrix instruction. Raises HloError for one that was not rounded."""
    if (x.view(np.int32) & TF32_REST).any():
        raise HloError(f"kernel {name}: an f32 that was not rounded to tf32")
    return x


def _elements(register: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """[warps, lanes, element] of a register: an i32, or a vector."""
    packed = np.ascontiguousarray(register).view(dtype)
    return packed.reshape(-1, WARP, 4 // dtype.itemsize)


ROW = 16
"""Bytes of a row of a matrix that ldmatrix loads."""

BANKS = 128
"""Bytes that shared memory gives at once."""


@decodes("nvgpu.ldmatrix")
def _load_matrices(program: Program, op: Op) -> Step:
    source, *indices = program.numbers(op.operands)
    target, name = program.number(op.results[0]), program.name
    count, is_transposed = int(op.attributes["numTiles"]), bool(op.attributes["transpose"])

    def run(m: Machine) -> None:
        memory = m.values[source]
        if not _by_warps(m) or count != 4:
            raise HloError(f"kernel {name}: ldmatrix that only some threads reach, or not of four matrices")
        width = ROW // memory.dtype.itemsize
        addresses = vector_addresses(m, memory, [m.values[n] for n in indices], width, name)
        rows = m.read(addresses, m.thread[m.mask][:, None], memory.dtype, name)
        m.conflicts += _conflicts(addresses[:, 0])
        found = _distributed(np.ascontiguousarray(rows), is_transposed)
        m.values[target] = np.zeros((m.size, *found.shape[1:]), found.dtype)
        m.values[target][m.mask] = found

    return run


def _conflicts(addresses: np.ndarray) -> int:
    """Of the eight rows of a matrix, those that are in banks of others."""
    chunks = np.sort(addresses.reshape(-1, 8) % BANKS // ROW, axis=1)
    return int((np.diff(chunks, axis=1) == 0).sum())


def _distributed(rows: np.ndarray, is_transposed: bool) -> np.ndarray:
    """[thread, matrix, elements of four bytes] of the rows that the threads point to."""
    matrices = rows.view(np.uint16).reshape(-1, 4, 8, 8)  # [warp, matrix, row, two bytes]
    if is_transposed:
        matrices = matrices.transpose(0, 1, 3, 2)
    lane = np.arange(WARP)
    pairs = np.stack([matrices[:, :, lane // 4, 2 * (lane % 4) + side] for side in (0, 1)], axis=-1)
    found = np.ascontiguousarray(pairs.transpose(0, 2, 1, 3)).reshape(len(rows), 4, 2)
    return found.view(rows.dtype)
