"""Packing B by columns, for vectors along the contracted loops where A alone is contiguous along them: matrices, or
kernels of convolutions, of few columns.

    B(k, n) = columns[n][k]

It is packed once, by the calling thread: with many rows of A that takes little of the time."""

from __future__ import annotations

from hlo.lowering.vector.contraction.function_text import FunctionText, byte_size
from hlo.lowering.vector.contraction.gather_packing import GATHERED
from hlo.lowering.vector.contraction.packing import OFFSET
from hlo.lowering.vector.contraction.problem import Problem, count, whole
from hlo.lowering.vector.contraction.schedule import by_columns

Loop = tuple[int, int, int]
"""A size, and the strides in B and in the columns."""


def column_bytes(p: Problem, lanes: int) -> int:
    """Of all columns and a vector, in whole lines of the cache."""
    to = by_columns(p, lanes)
    elements = count(p.batch) * count(p.n) * count(to.k[:-1]) * whole(to.k[-1].size, lanes) + lanes
    return whole(elements * byte_size(p.c_type), 64)


def pack_columns(f: FunctionText, p: Problem, lanes: int, source: str, target: str) -> None:
    """What is behind a column is not written: whoever reads it has masks."""
    *outer, innermost = _loops(p, lanes)

    def pack(pointers: list[str], _: list[str]) -> list[str]:
        _pack_run(f, p, lanes, pointers[0], pointers[1], innermost)
        return []

    f.nest(outer, [(source, p.b_type), (target, p.c_type)], pack)


def _loops(p: Problem, lanes: int) -> list[Loop]:
    """Outermost first."""
    to = by_columns(p, lanes)
    outer = [(d.size, d.b, t.b) for d, t in zip((*p.batch, *p.n), (*to.batch, *to.n))]
    inner, inside, left = list[Loop](), 1, list(to.k)
    for dim in reversed(p.k):
        inner.insert(0, (dim.size, dim.b, left[-1].b * inside))
        inside *= dim.size
        if inside == left[-1].size:
            left.pop()
            inside = 1
    return [*outer, *inner]


def _pack_run(f: FunctionText, p: Problem, lanes: int, source: str, target: str, loop: Loop) -> None:
    """Along the innermost loop: vectors are gathered where an instruction does that, else elements are copied one by
    one. The last vector is stored whole, where the next run begins, or behind the last column."""
    (size, stride, step), kind = loop, p.b_type
    if step != 1 or byte_size(kind) not in GATHERED or abs(stride) * lanes >= 1 << 31:
        with f.loop(0, size) as k:
            one = f.load(f.offset(source, f.mul(k, stride), kind), kind, byte_size(kind))
            one = f.op(f"{p.b_extend} {one} : {kind} to {p.c_type}") if p.b_extend else one
            f.store(one, f.offset(target, f.mul(k, step), p.c_type), p.c_type, byte_size(p.c_type))
        return
    offsets = f.constant(f"dense<{[lane * stride for lane in range(lanes)]}>", f"vector<{lanes}x{OFFSET}>")

    def copy(k: str | int, mask: str | None) -> None:
        value = f.gather(f.offset(source, f.mul(k, stride), kind), offsets, lanes, kind, byte_size(kind), mask)
        value = f.extended(value, lanes, kind, p.b_extend, p.c_type)
        f.store_vector(value, f.offset(target, k, p.c_type), lanes, p.c_type)

    main = size // lanes * lanes
    if main:
        with f.loop(0, main, lanes) as k:
            copy(k, None)
    if main < size:
        copy(main, f.mask(lanes, size - main))
