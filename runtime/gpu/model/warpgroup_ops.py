"""wgmma: 64 rows by a warpgroup, inputs in shared memory, found by matrix descriptors; the left one also in registers.

Products are computed when they are started; products_under_way.py has what must wait for them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from hlo.errors import HloError
from hlo.runtime.gpu.model.box_ops import swizzled
from hlo.runtime.gpu.model.code import Op
from hlo.runtime.gpu.model.machine import Machine, Step
from hlo.runtime.gpu.model.matrix_ops import ELEMENTS, read_tf32
from hlo.runtime.gpu.model.products_under_way import Sums, started_of
from hlo.runtime.gpu.model.program import Program, decodes

WARPGROUP, ROWS = 128, 64
DEPTH_BYTES = 32
ROW = 128
UNIT = 16
FIELD = (1 << 14) - 1
SWIZZLE_128 = 1


@decodes("nvgpu.tma.prefetch.descriptor")
def _nothing(program: Program, op: Op) -> Step:
    return lambda m: None


@decodes("nvvm.setmaxregister")
def _set_registers(program: Program, op: Op) -> Step:
    count, name = int(op.attributes["regCount"]), program.name
    increases = _word(op, "action").endswith("increase")
    return lambda m: m.registers.set(m.mask, count, increases, name)


@decodes("nvvm.wgmma.fence.aligned")
def _fence(program: Program, op: Op) -> Step:
    return lambda m: m.products.fence(m)


@decodes("nvvm.wgmma.commit.group.sync.aligned")
def _commit(program: Program, op: Op) -> Step:
    return lambda m: m.products.commit(m)


@decodes("nvvm.wgmma.wait.group.sync.aligned")
def _wait(program: Program, op: Op) -> Step:
    most = int(op.attributes["group"])
    return lambda m: m.products.wait(m, most)


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
    (whole, one), target, name = program.numbers(op.operands), program.number(op.results[0]), program.name
    (position,) = op.attributes["position"]

    def run(m: Machine) -> None:
        if isinstance(m.values[whole], Sums):
            m.values[whole].check(m, name)
        found = list(m.values[whole])
        found[position] = m.values[one]
        m.values[target] = found

    return run


@decodes("llvm.extractvalue")
def _extract(program: Program, op: Op) -> Step:
    source, target, name = program.number(op.operands[0]), program.number(op.results[0]), program.name
    (position,) = op.attributes["position"]

    def run(m: Machine) -> None:
        if isinstance(m.values[source], Sums):
            m.values[source].check(m, name)
        m.values[target] = m.values[source][position]

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
        lanes = _warpgroups(m, name)
        a, a_from = _matrix(m, left[lanes], lanes[:, 0], ROWS, is_transposed[0], kinds[0], name)
        b, b_from = _matrix(m, right[lanes], lanes[:, 0], columns, is_transposed[1], kinds[1], name)
        old = [np.zeros_like(x) for x in sums] if is_from_zero else sums
        started = m.products.start(m, lanes, [a_from, b_from], name)
        m.values[target] = Sums(_added(old, a @ b.transpose(0, 2, 1), lanes), [*started_of(sums), started])

    return run


FROM_REGISTERS = re.compile(
    r"wgmma\.mma_async\.sync\.aligned\.m64n(\d+)k16\.f32\.(bf16|f16)\.(?:bf16|f16) "
    r"\{([^}]*)\}, \{([^}]*)\}, \$(\d+), p, 1, 1, ([01]);"
)
"""Columns, elements, sums, the left input, the right one's descriptor, whether that one does not lie along the depth."""


@decodes("llvm.inline_asm")
def _inline(program: Program, op: Op) -> Step:
    """Products whose left input is in registers; no text at all: registers are used here, neither before nor behind."""
    text, numbers = str(op.attributes["asm_string"]), program.numbers(op.operands)
    if not op.results:
        return _stored_never(program, text, numbers)
    target, name = program.number(op.results[0]), program.name
    products = FROM_REGISTERS.findall(text)
    if text.count("wgmma") != len(products) or bool(text) != bool(products):
        raise HloError(f"the model of a GPU does not know the instructions {text!r} (kernel {name})")

    def run(m: Machine) -> None:
        count = op.results[0].type.element.count(",") + 1
        operands = [m.values[n] for n in numbers]
        found: list[np.ndarray] = list(operands[:count])
        started = []
        lanes = _warpgroups(m, name) if products else None
        for columns, kind, sums, left, descriptor, is_transposed in products:
            assert lanes is not None
            at = [
                int(n) - count for n in re.findall(r"\d+", left)
            ]  # outputs are the first operands, inputs tied to them
            if [int(n) for n in re.findall(r"\d+", sums)] != list(range(int(columns) // 2)):
                raise HloError(f"kernel {name}: other sums than the results")
            a = _fragment([operands[n] for n in at], lanes, ELEMENTS[kind])
            right = operands[int(descriptor) - count][lanes]
            b, b_from = _matrix(m, right, lanes[:, 0], int(columns), is_transposed == "1", kind, name)
            started.append(m.products.start(m, lanes, [b_from], name))
            found = _added(found, a @ b.transpose(0, 2, 1), lanes)
        m.values[target] = Sums(found, started)

    return run


NEVER = re.compile(r"setp\.lt\.f32 p, \$0, 0f00000000;\n@p st\.volatile\.shared\.f32 \[a\], \$0;\n}$")


def _stored_never(program: Program, text: str, numbers: Sequence[int]) -> Step:
    """A store of a negative number, which there is none of."""
    (source,), name = numbers, program.name
    if not NEVER.search(text):
        raise HloError(f"the model of a GPU does not know the instructions {text!r} (kernel {name})")

    def run(m: Machine) -> None:
        if (m.values[source][m.mask] < 0).any():
            raise HloError(f"kernel {name}: a negative number where none is expected is stored at 0")

    return run


def _warpgroups(m: Machine, name: str) -> np.ndarray:
    """[warpgroup, 128] threads that take part."""
    groups = m.mask.reshape(-1, WARPGROUP)
    if (groups.any(1) != groups.all(1)).any():
        raise HloError(f"kernel {name}: a warpgroup's product that only some of its threads reach")
    return np.flatnonzero(m.mask).reshape(-1, WARPGROUP)


def _fragment(registers: Sequence[np.ndarray], lanes: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """[warpgroup, row, depth] in f32 of four registers of two elements: rows are 16 a warp; a thread has two neighbours along the
    depth in the row of its quad, in the eighth one below, and the same eight elements further along."""
    lane = np.arange(WARPGROUP)
    row, depth = lane // 32 * 16 + lane % 32 // 4, 2 * (lane % 4)
    found = np.zeros((len(lanes), ROWS, 16), np.float32)
    for register, (down, along) in zip(registers, ((0, 0), (8, 0), (0, 8), (8, 8)), strict=True):
        pairs = np.ascontiguousarray(register[lanes]).view(dtype).reshape(*lanes.shape, 2)
        for side in (0, 1):
            found[:, row + down, depth + along + side] = pairs[..., side]
    return found


def _word(op: Op, attribute: str) -> str:
    """What is between the brackets of an attribute's text."""
    return str(op.attributes[attribute]).partition("<")[2][:-1]


def _matrix(
    m: Machine, descriptors: np.ndarray, leader: np.ndarray, count: int, is_transposed: bool, kind: str, name: str
) -> tuple[np.ndarray, np.ndarray]:
    """[warpgroup, row or column, depth] in f32, and the addresses. `kind`: of the elements, by PTX's name; `leader`: a
    thread of each warpgroup, which counts as the reader."""
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
    outer, row_in_eight, inner = (k // 8, k % 8, row % 64) if is_transposed else (row // 8, row % 8, k)
    offset = row_in_eight * ROW + inner * dtype.itemsize + outer * between_groups[:, None, None]
    if is_transposed:
        offset = offset + row // 64 * between_boxes[:, None, None]
    addresses = swizzled(first[:, None, None] + offset)
    if (addresses - base[:, None, None] + dtype.itemsize > m.shared_bytes).any():
        raise HloError(f"kernel {name}: a matrix that ends outside of shared memory")
    found = m.read(addresses, leader[:, None, None], dtype, name)
    return (read_tf32(found, name) if kind == "tf32" else found).astype(np.float32), addresses


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
