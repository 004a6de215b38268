"""A window over a dilated input, as windows over the input itself.

Window x of stride t, element k of dilation d, meets position `t * x + d * k - low` of an input whose elements are at
distances of s, the zeros between them left out. Windows x = r + p * j, for p = s / gcd(s, t), are a phase: the same
elements k = k0 + m * s / gcd(s, d) of the window meet elements of the input in all of them, at `stride' * j + dilation'
* m - low'`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from math import gcd

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.windows.reduce_window import Window


@dataclass(frozen=True)
class Phase:
    """`results`, `taps`: the windows and the elements of them that take part, by dimension; `window`: how these move over the input that is
    not dilated."""

    results: tuple[range, ...]
    taps: tuple[range, ...]
    window: Window

    def moved_into(self, whole: Window) -> Window:
        """The window over an input with the padding of `whole`."""
        first = tuple(a - b for (a, _), (b, _) in zip(whole.padding, self.window.padding, strict=True))
        return replace(self.window, first=first)


@dataclass(frozen=True)
class _AlongDimension:
    """A phase in one dimension."""

    results: range
    taps: range
    stride: int
    dilation: int
    padding: tuple[int, int]


def phases_of(window: Window, sizes: Sequence[int], counts: Sequence[int]) -> Iterator[Phase]:
    """The phases in which something meets the input. `sizes`: of the input; `counts`: of windows."""
    dimensions = [
        list(_along_dimension(window, d, size, count))
        for d, (size, count) in enumerate(zip(sizes, counts, strict=True))
    ]
    for own in product(*dimensions):
        moved = replace(
            window,
            sizes=tuple(len(one.taps) for one in own),
            strides=tuple(one.stride for one in own),
            dilations=tuple(one.dilation for one in own),
            base_dilations=(1,) * len(own),
            padding=tuple(one.padding for one in own),
        )
        yield Phase(tuple(one.results for one in own), tuple(one.taps for one in own), moved)


def around(window: Window, phases: Sequence[Phase]) -> Window:
    """A window with padding that is enough for all phases."""
    ends = [[phase.window.padding[d] for phase in phases] for d in range(len(window.sizes))]
    padding = tuple((max(low for low, _ in of), max(high for _, high in of)) for of in ends)
    return replace(window, base_dilations=(1,) * len(ends), padding=padding)


def met_taps(window: Window, sizes: Sequence[int], counts: Sequence[int]) -> tuple[range, ...]:
    """The elements of a window from the first to the last that is inside of the input in any window, by dimension; empty ranges where none
    is. What lies outside of them meets padding alone: of 7 elements over an input of 1 that is padded by 3 on each side, 6."""
    return tuple(_met(window, d, size, count) for d, (size, count) in enumerate(zip(sizes, counts, strict=True)))


def _met(window: Window, d: int, size: int, count: int) -> range:
    stride, dilation, (low, _) = window.strides[d], window.dilations[d], window.padding[d]
    extent = (size - 1) * window.base_dilations[d] + 1

    def is_met(tap: int) -> bool:
        begin = low - dilation * tap
        first = max(0, -(-begin // stride))  # the first window whose element is not in front of the input
        return first < count and first * stride < begin + extent

    met = [tap for tap in range(window.sizes[d]) if is_met(tap)]
    return range(met[0], met[-1] + 1) if met else range(0)


def narrowed(window: Window, taps: Sequence[range]) -> tuple[Window, tuple[range, ...]]:
    """The window of these elements, which begins so much later, and where they are in the kernel."""
    padding = [
        (low - dilation * kept.start, high - dilation * (size - kept.stop))
        for (low, high), dilation, size, kept in zip(window.padding, window.dilations, window.sizes, taps, strict=True)
    ]
    own = zip(taps, window.sizes, window.reversal, strict=True)
    kernel = tuple(_reversed(kept, size) if reversal else kept for kept, size, reversal in own)
    return replace(window, sizes=tuple(map(len, taps)), padding=tuple(padding)), kernel


def _along_dimension(window: Window, d: int, size: int, count: int) -> Iterator[_AlongDimension]:
    stride, dilation, spread = window.strides[d], window.dilations[d], window.base_dilations[d]
    taps, (low, _) = window.sizes[d], window.padding[d]
    period, step = spread // gcd(spread, stride), spread // gcd(spread, dilation)
    for r in range(min(period, count)):
        results = range(r, count, period)
        met = (k for k in range(min(step, taps)) if (stride * r + dilation * k - low) % spread == 0)
        for k in met:
            own = range(k, taps, step)
            before = (low - stride * r - dilation * k) // spread
            moves = stride * period // spread, dilation * step // spread
            reach = (len(results) - 1) * moves[0] + (len(own) - 1) * moves[1] + 1
            yield _AlongDimension(
                results, _reversed(own, taps) if window.reversal[d] else own, *moves, (before, reach - before - size)
            )


def _reversed(taps: range, count: int) -> range:
    """The same elements counted from a window's other end, in rising order."""
    return range(count - 1 - taps[-1], count - taps[0], taps.step)
