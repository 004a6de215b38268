"""wgmma: 64 rows by a warpgroup, both inputs in shared memory, found by matrix descriptors. Done when it is started."""

from __future__ import annotations

import numpy as np

from hlo.errors import HloError
from hlo.runtime.gpu.model.box_ops import swizzled
from hlo.runtime.gpu.model.code import Op
from hlo.runtime.gpu.model.machine import Machine, Step
from hlo.runtime.gpu.model.matrix_ops import ELEMENTS, read_tf32
from hlo.runtime.gpu.model.program import Program, decodes

WARPGROUP, ROWS = 128, 64
DEPTH_BYTES = 32
LINE = 128
UNIT = 16
FIELD = (1 << 14) - 1
SWIZZLE_128 = 1

NOTHING = (
    "nvgpu.tma.prefetch.descriptor",
    "nvvm.fence.mbarrier.init",
    "nvvm.setmaxregister",
    "nvvm.wgmma.fence.aligned",
    "nvvm.wgmma.commit.group.sync.aligned",
    "nvvm.wgmma.wait.group.sync.aligned",
)
"""What is done when it is started has no need of these: hazards between started products are not found."""


@decodes(*NOTHING)
def _nothing(program: Program, op: Op) -> Step:
    return lambda m: None


@decodes("llvm.mlir.undef")
def _undefined(program: Program, op: Op) -> Step:
    target, kind = program.number(op.results[0]), op.results[0].type.element
    counts = {np.dtype(np.float32): kind.count("f32"), np.dtype(np.int32): kind.count("i32")}
    fields = [dtype for dtype, count in counts.items() for _ in range(count)]

    def run(m: Machine) -> None:
        m.values[target] = [m.broadcast(np.nan if d.kind == "f" else -(1 << 31), d) for d in fields]

    return run


@decodes("llvm.insertvalue")
def _insert(program: Program, op: Op) -> Step:
    (whole, one), target = program.numbers(op.operands), program.number(op.results[0])
    (position,) = op.attributes["position"]

    def run(m: Machine) -> None:
        found = list(m.values[whole])
        found[position] = m.values[one]
        m.values[target] = found

    return run


@decodes("memref.extract_aligned_pointer_as_index")
def _address(program: Program, op: Op) -> Step:
    source, target = program.number(op.operands[0]), program.number(op.results[0])

    def run(m: Machine) -> None:
        m.values[target] = m.values[source].address + np.zeros(m.size, np.int64)

    return run


@decodes("nvvm.wgmma.mma_async")
def _multiply(program: Program, op: Op) -> Step:
    numbers, target, name = program.numbers(op.operands), program.number(op.results[0]), program.name
    kinds = [_word(op, name) for name in ("typeA", "typeB")]
    is_from_zero = _word(op, "scaleD") == "zero"
    columns = int(_word(op, "shape").partition("n = ")[2].partition(",")[0])
    is_transposed = (_word(op, "layoutA") == "col", _word(op, "layoutB") == "row")

    def run(m: Machine) -> None:
        sums, left, right = (m.values[n] for n in numbers)
        groups = m.mask.reshape(-1, WARPGROUP)
        if (groups.any(1) != groups.all(1)).any():
            raise HloError(f"kernel {name}: a warpgroup's product that only some of its threads reach")
        lanes = np.flatnonzero(m.mask).reshape(-1, WARPGROUP)
        a = _matrix(m, left[lanes], lanes[:, 0], ROWS, is_transposed[0], kinds[0], name)
        b = _matrix(m, right[lanes], lanes[:, 0], columns, is_transposed[1], kinds[1], name)
        old = [np.zeros_like(x) for x in sums] if is_from_zero else sums
        m.values[target] = _added(old, a @ b.transpose(0, 2, 1), lanes)

    return run


def _word(op: Op, attribute: str) -> str:
    """What is between the brackets of an attribute's text."""
    return str(op.attributes[attribute]).partition("<")[2][:-1]


def _matrix(
    m: Machine, descriptors: np.ndarray, leader: np.ndarray, count: int, is_transposed: bool, kind: str, name: str
) -> np.ndarray:
    """[warpgroup, row or column, depth] in f32. `kind`: of the elements, by PTX's name; `leader`: a thread of each warpgroup, which
    counts as the reader."""
    dtype = ELEMENTS[kind]
    if is_transposed and dtype.itemsize != 2:
        raise HloError(f"kernel {name}: a matrix of {kind} that does not lie along the depth")
    base = m.dynamic[leader]
    one = descriptors[:, 0].astype(np.int64)
    if (descriptors != descriptors[:, :1]).any() or ((one >> 62) & 3 != SWIZZLE_128).any():
        raise HloError(f"kernel {name}: a matrix descriptor that is not the same in all lanes, or has another swizzle")
    start, between_boxes, between_groups = (((one >> bit) & FIELD) * UNIT for bit in (0, 16, 32))
    first = base + ((start - base) & (FIELD * UNIT + UNIT - 1))
    row, k = np.arange(count)[:, None], np.arange(DEPTH_BYTES // dtype.itemsize)[None]
    outer, line, inner = (k // 8, k % 8, row % 64) if is_transposed else (row // 8, row % 8, k)
    offset = line * LINE + inner * dtype.itemsize + outer * between_groups[:, None, None]
    if is_transposed:
        offset = offset + row // 64 * between_boxes[:, None, None]
    addresses = swizzled(first[:, None, None] + offset)
    if (addresses - base[:, None, None] + dtype.itemsize > m.shared_bytes).any():
        raise HloError(f"kernel {name}: a matrix that ends outside of shared memory")
    found = m.read(addresses, leader[:, None, None], dtype, name)
    return (read_tf32(found, name) if kind == "tf32" else found).astype(np.float32)


def _added(sums: list[np.ndarray], products: np.ndarray, lanes: np.ndarray) -> list[np.ndarray]:
    """Each thread has 2 x 8 rows and two neighbours of each eight columns."""
    lane = np.arange(WARPGROUP)
    row, column = lane // 32 * 16 + lane % 32 // 4, 2 * (lane % 4)
    found = []
    for number, old in enumerate(sums):
        j, half, side = number // 4, number // 2 % 2, number % 2
        new = old.copy()
        new[lanes] = old[lanes] + products[:, row + 8 * half, 8 * j + column + side].astype(old.dtype)
        found.append(new)
    return found
