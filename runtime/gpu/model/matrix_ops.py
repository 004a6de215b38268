"""Tensor cores: mma.sync m16n8k16, as PTX lays its fragments out over the lanes of a warp."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hlo.errors import HloError
from hlo.runtime.gpu.model.code import Op
from hlo.runtime.gpu.model.machine import Machine, Step
from hlo.runtime.gpu.model.program import Program, decodes
from hlo.runtime.gpu.model.types import NUMPY

WARP = 32


@decodes("nvvm.mma.sync")
def _mma(program: Program, op: Op) -> Step:
    numbers, target, name = program.numbers(op.operands), program.number(op.results[0]), program.name
    dtype = NUMPY[str(op.attributes["multiplicandAPtxType"]).partition("<")[2][:-1]]

    def run(m: Machine) -> None:
        if not m.mask.all():
            raise HloError(f"kernel {name}: a matrix instruction that only some threads reach")
        operands = [m.values[n] for n in numbers]
        m.values[target] = multiply(operands[:4], operands[4:6], operands[6:], dtype)

    return run


def multiply(
    a: Sequence[np.ndarray], b: Sequence[np.ndarray], c: Sequence[np.ndarray], dtype: np.dtype
) -> list[np.ndarray]:
    """One register a thread in each array: two elements of A and B, one of C."""
    lane = np.arange(WARP)
    group, pair = lane // 4, 2 * (lane % 4)
    left, right = (np.zeros((len(a[0]) // WARP, *shape), np.float32) for shape in ((16, 16), (16, 8)))
    total = np.zeros((len(a[0]) // WARP, 16, 8), np.float32)
    for register, (down, along) in zip(a, ((0, 0), (8, 0), (0, 8), (8, 8))):
        for side in range(2):
            left[:, group + down, pair + along + side] = _pairs(register, dtype)[..., side]
    for register, down in zip(b, (0, 8)):
        for side in range(2):
            right[:, pair + down + side, group] = _pairs(register, dtype)[..., side]
    places = [(group + down, pair + side) for down in (0, 8) for side in (0, 1)]
    for register, (row, column) in zip(c, places):
        total[:, row, column] = register.reshape(-1, WARP)
    total += left @ right
    return [total[:, row, column].reshape(-1) for row, column in places]


def _pairs(register: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """[warps, lanes, 2] elements of a register: an i32, or a vector of two."""
    packed = np.ascontiguousarray(register).view(dtype)
    return packed.reshape(-1, WARP, 2).astype(np.float32)


@decodes("llvm.extractvalue")
def _extract(program: Program, op: Op) -> Step:
    source, target = program.number(op.operands[0]), program.number(op.results[0])
    (position,) = op.attributes["position"]

    def run(m: Machine) -> None:
        m.values[target] = m.values[source][position]

    return run
