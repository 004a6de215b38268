"""select_and_scatter as two loop nests, in which vectors go along rows whatever the window is, and which threads divide.

The first nest says which element each window selects: its number in the operand, or -1 of a window of padding only. The second one
adds up, for each element of the operand, the source's elements of those windows around it that have selected it. It is a reduction
over a window of two arrays, selections and source, dilated by the stride:

windows of 3 elements, stride 2:   r[2] = start + (selected[0] == 2 ? source[0] : -0) + (selected[1] == 2 ? source[1] : -0)

Both keep the order of a loop over windows: `select` sees the elements of a window in order, and sources are added in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from mlir import ir
from mlir.dialects import arith, tensor

from hlo.dialect.types import is_float, is_narrow_float
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.data_movement import padded, reshape
from hlo.lowering.linalg.loops import element, linear, scalar, zero
from hlo.lowering.linalg.structured import elementwise, empty, fill, generic, loop_index

Scalars = Sequence[ir.Value]
Keeps = Callable[[ir.Value, ir.Value], ir.Value]
"""Whether `select` keeps the first of two elements."""

MOST_NUMBERS = 2**31
"""Elements of an operand from which on 32 bits do not tell them apart."""
MOST_TAPS, MOST_PHASES = 64, 64
"""Elements of a window over a dilated array, and phases of its loops, up to which a loop nest has vectors (`vector/region/plan.py`)."""
MOST_LOOKS = 16
"""How often elements may look at windows for each time that a window looks at an element: vectors make up for so many."""


@dataclass(frozen=True)
class Windows:
    """Windows over an operand, by dimension: `low` is the padding in front of it, `extents` are its own, `counts` those of windows."""

    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    low: tuple[int, ...]
    extents: tuple[int, ...]
    counts: tuple[int, ...]

    @property
    def are_apart(self) -> bool:
        """Whether no two have an element in common."""
        return all(size <= stride for size, stride in zip(self.sizes, self.strides, strict=True))

    @property
    def suit_loop_nests(self) -> bool:
        """Whether both loop nests have vectors, and do not look at many more windows than there are."""
        if max(self.sizes, default=1) == 1 or not prod(self.counts) or not 0 < prod(self.extents) < MOST_NUMBERS:
            return False
        each = list(zip(self.sizes, self.strides, self.counts, strict=True))
        dilated = [(size, stride) for size, stride, count in each if stride > 1 and count > 1]
        looks = prod(-(-size // stride) for size, stride, count in each if count > 1) - 1
        return (
            prod(size for size, _ in dilated) <= MOST_TAPS
            and prod(stride for _, stride in dilated) <= MOST_PHASES
            and looks * prod(self.extents) <= MOST_LOOKS * prod(self.counts) * prod(self.sizes)
        )

    @property
    def high(self) -> list[int]:
        """How far windows reach behind the end of the operand."""
        each = zip(self.sizes, self.strides, self.low, self.extents, self.counts, strict=True)
        return [max(0, (count - 1) * stride + size - low - n) for size, stride, low, n, count in each]

    @property
    def are_padded(self) -> bool:
        """Whether some window reaches outside of the operand."""
        return max(self.low) > 0 or max(self.high) > 0

    def around_operand(self, array: ir.Value, outside: ir.Value) -> ir.Value:
        """The operand, or an array like it, with padding as far as windows reach."""
        return padded(array, outside, self.low, self.high, [1] * len(self.low))

    def dilated(self, array: ir.Value, between: ir.Value) -> ir.Value:
        """An array with an element a window, such that the windows that element p of the operand may be in are at p + j, for each j of a
        window; as it is along dimensions in which there is one window."""
        low, high, steps = [], [], []
        for size, stride, before, n, count in zip(
            self.sizes, self.strides, self.low, self.extents, self.counts, strict=True
        ):
            first = size - 1 - before if count > 1 else 0
            low.append(first)
            high.append(n + size - 1 - first - ((count - 1) * stride + 1) if count > 1 else 0)
            steps.append(stride if count > 1 else 1)
        return padded(array, between, low, high, steps)


def scattered(windows: Windows, operand: ir.Value, source: ir.Value, start: ir.Value, keeps: Keeps) -> ir.Value:
    """The sums of what windows scatter, each with `start`. Small floats are added in f32, and their sums rounded once."""
    kind = element(source)
    wide = ir.F32Type.get() if is_narrow_float(kind) else kind
    widened = lambda value: arith.extf(wide, value) if wide != kind else value
    nothing, neutral = arith.constant(_number(), -1), scalar(kind, -0.0 if is_float(kind) else 0)
    arrays = [windows.dilated(selected(windows, operand, keeps), nothing), windows.dilated(source, neutral)]

    def add(new: Scalars, old: Scalars) -> list[ir.Value]:
        own = arith.index_cast(_number(), linear([loop_index(d) for d in range(len(windows.extents))], windows.extents))
        update = widened(arith.select(arith.cmpi(arith.CmpIPredicate.eq, new[0], own), new[1], neutral))
        return [arith.addf(old[0], update) if is_float(kind) else arith.addi(old[0], update)]

    sizes = [size if count > 1 else 1 for size, count in zip(windows.sizes, windows.counts, strict=True)]
    strides = [int(count > 1) for count in windows.counts]
    (sums,) = _over_windows(arrays, windows.extents, sizes, strides, [widened(start)], add)
    if wide == kind:
        return sums
    return elementwise([sums], ir.RankedTensorType.get(windows.extents, kind), lambda x: arith.truncf(kind, x))


def selected(windows: Windows, operand: ir.Value, keeps: Keeps) -> ir.Value:
    """The number of the element that each window selects."""
    nothing, anything = arith.constant(_number(), -1), zero(element(operand))
    numbers = windows.around_operand(_numbers(windows.extents), nothing)
    arrays = [windows.around_operand(operand, anything), numbers]

    def better(new: Scalars, old: Scalars) -> list[ir.Value]:
        is_old = arith.andi(arith.cmpi(arith.CmpIPredicate.ne, old[1], nothing), keeps(old[0], new[0]))
        if windows.are_padded:
            is_old = arith.ori(is_old, arith.cmpi(arith.CmpIPredicate.eq, new[1], nothing))
        return [arith.select(is_old, a, b) for a, b in zip(old, new, strict=True)]

    return _over_windows(arrays, windows.counts, windows.sizes, windows.strides, [anything, nothing], better)[1]


def _over_windows(
    arrays: Sequence[ir.Value],
    counts: Sequence[int],
    sizes: Sequence[int],
    strides: Sequence[int],
    starts: Scalars,
    combine: Callable[[Scalars, Scalars], Scalars],
) -> list[ir.Value]:
    """A reduction over the elements of so many windows of the same arrays. `combine`: from their elements and what is carried, which begins with
    `starts`, to what is carried on."""
    rank, wide = len(sizes), [d for d, size in enumerate(sizes) if size > 1]
    types = [ir.RankedTensorType.get(list(counts), v.type) for v in starts]
    outer, loops = [ir.AffineExpr.get_dim(d) for d in range(rank)], rank + len(wide)
    position = [one * stride for one, stride in zip(outer, strides, strict=True)]
    for n, d in enumerate(wide):
        position[d] = position[d] + ir.AffineExpr.get_dim(rank + n)
    maps = [ir.AffineMap.get(loops, 0, position)] * len(arrays)
    results = [ir.AffineMap.get(loops, 0, outer)] * len(starts)
    if not wide:
        body = lambda *scalars: combine(scalars[: len(arrays)], starts)
        return generic(arrays, maps, list(map(empty, types)), results, ["parallel"] * rank, body)
    extents = tensor.empty([sizes[d] for d in wide], element(arrays[0]))  # it tells the loops' sizes, and is not read
    maps.append(ir.AffineMap.get(loops, 0, [ir.AffineExpr.get_dim(rank + n) for n in range(len(wide))]))
    body = lambda *scalars: combine(scalars[: len(arrays)], scalars[len(arrays) + 1 :])
    kinds = ["parallel"] * rank + ["reduction"] * len(wide)
    return generic([*arrays, extents], maps, list(map(fill, starts, types)), results, kinds, body)


def _numbers(extents: Sequence[int]) -> ir.Value:
    """The number of each element of an array."""
    flat = ir.RankedTensorType.get([prod(extents)], _number())
    numbers = elementwise([], flat, lambda: arith.index_cast(_number(), loop_index(0)))
    return reshape(numbers, ir.RankedTensorType.get(list(extents), _number()))


def _number() -> ir.Type:
    return ir.IntegerType.get_signless(32)
