"""A caching allocator: memory of a result array returns to the pool when the array dies, and the next result of that
size is made in it. A steady state touches no fresh pages."""

from __future__ import annotations

import _thread
import ctypes
import itertools
from collections import defaultdict
from collections.abc import Sequence
from math import prod
from sys import getrefcount
from typing import Any

import numpy as np

from hlo.errors import HloError
from hlo.runtime.calls.addresses import address_of
from hlo.runtime.calls.escaped_exceptions import when_gone

ALIGNMENT = 64
HUGE_PAGE = 2 << 20
_BYTE = np.dtype(np.uint8)
_VIEW = np.ndarray.view
Kind = tuple[tuple[int, ...], np.dtype]

LEAST_POOLED = 1 << 15
"""Bytes from which a result comes from the pool; the C library's allocator keeps smaller ones at hand itself."""

LIMIT = 1 << 30
"""Bytes kept for reuse at most."""

COUNTED = 1 << 29
"""Bytes of blocks whose references are counted, used ones among them, at most."""


def small_array(shape: tuple[int, ...], dtype: np.dtype, size: int) -> np.ndarray:
    """A new array of `size` bytes, aligned to 64."""
    raw = np.empty(size + ALIGNMENT, _BYTE)
    return np.ndarray(shape, dtype, raw, -address_of(raw) % ALIGNMENT)


class SmallArrays:
    """Arrays of the same types, all of them small, for one call after the other, of one thread at a time: they lie in memory that earlier ones had, where nothing
    refers to these any more. A view of an array refers to what owns its memory, whatever lies between: so the references to that are counted."""

    KEPT = 4
    """Calls whose arrays may be alive while others come into the memory of earlier ones."""

    def __init__(self, kinds: Sequence[Kind]):
        sizes = [_rounded(prod(shape) * dtype.itemsize) for shape, dtype in kinds]
        self._layout = [(kind, start) for kind, start in zip(kinds, itertools.accumulate(sizes, initial=0))]
        self._bytes = sum(sizes)
        self._blocks: list[_Block] = []

    def take(self) -> tuple[np.ndarray, ...]:
        for block in self._blocks:
            memory = block.memory
            if getrefcount(memory) == block.alone:
                return tuple(map(_VIEW, block.arrays))
        block = _Block(self._bytes, self._layout)
        self._blocks = [block, *self._blocks[: self.KEPT - 1]]
        return tuple(map(_VIEW, block.arrays))


class _Block:
    """Arrays in memory of their own. `alone`: how many references to the memory there are while none of the arrays' views is alive."""

    __slots__ = "alone", "arrays", "first", "memory"

    def __init__(self, size: int, layout: Sequence[tuple[Kind, int]] = ()):
        self.memory = memory = np.empty(size + ALIGNMENT, _BYTE)
        self.first = first = -address_of(memory) % ALIGNMENT
        self.arrays = tuple(np.ndarray(shape, dtype, memory, first + start) for (shape, dtype), start in layout)
        self.alone = getrefcount(memory)


class _Blocks:
    """Of one size. `hot`: those that were handed out last while they were new, the newest first; `cold`: the others, which are looked at in cyclic order from `next` on. A program with many results finds those of its last call but one behind each other."""

    __slots__ = "cold", "hot", "next"

    def __init__(self) -> None:
        self.hot: list[_Block] = []
        self.cold: list[_Block] = []
        self.next = 0

    def __len__(self) -> int:
        return len(self.hot) + len(self.cold)

    def add(self, block: _Block, hot: int, grows: bool) -> None:
        """A new block; the oldest of `hot` hot ones becomes a cold one, in exchange for another unless `grows`."""
        self.hot.insert(0, block)
        if len(self.hot) > hot or not grows:
            oldest = self.hot.pop()
            if grows:
                self.cold.insert(self.next, oldest)
            elif self.cold:
                self.cold[self.next] = oldest
            self.next = (self.next + 1) % max(1, len(self.cold))


class CountedBlocks:
    """Blocks of less than a huge page for one array each. Free is the one that no array refers to: a finalizer, which would say so,
    takes longer than a program on such arrays. Thread-safe."""

    HOT = 4
    """Blocks of a size that are always looked at: what a program used a moment ago is in the cache."""
    LOOKS = 16
    """At how many of the others."""
    KEPT = 1024
    """Blocks of a size; the arrays of others keep their memory for themselves."""

    def __init__(self, limit: int = COUNTED):
        self._blocks: dict[int, _Blocks] = {}
        self._kept = 0
        self._limit = limit
        self._lock = _thread.allocate_lock()

    def array(self, shape: tuple[int, ...], dtype: np.dtype, size: int) -> np.ndarray:
        """An array of so many bytes."""
        return np.ndarray(shape, dtype, *self.memory(size))

    def memory(self, size: int) -> tuple[np.ndarray, int]:
        """What has memory for so many bytes, and where in it they begin; theirs as long as anything refers to it."""
        with self._lock:
            return self._free(_rounded(size))

    def _free(self, size: int) -> tuple[np.ndarray, int]:
        """Memory and the offset in it, both of multiples of 64 bytes."""
        blocks = self._blocks.get(size) or _Blocks()
        for block in blocks.hot:
            memory = block.memory
            if getrefcount(memory) == block.alone:
                return memory, block.first
        cold = blocks.cold
        for _ in range(min(self.LOOKS, len(cold))):
            block = cold[blocks.next]
            blocks.next = (blocks.next + 1) % len(cold)
            memory = block.memory
            if getrefcount(memory) == block.alone:
                return memory, block.first
        block = _Block(size)
        self._keep(size, blocks, block)
        return block.memory, block.first

    def _keep(self, size: int, blocks: _Blocks, block: _Block) -> None:
        """Sizes that were not added to for longest go first."""
        self._blocks.pop(size, None)
        self._blocks[size] = blocks
        grows = len(blocks) < self.KEPT and size * (len(blocks) + 1) <= self._limit
        blocks.add(block, self.HOT, grows)
        self._kept += size if grows else 0
        while self._kept > self._limit:
            oldest = next(iter(self._blocks))
            self._kept -= oldest * len(self._blocks.pop(oldest))


class Pool:
    """Blocks of memory by size. Thread-safe: list operations are atomic."""

    def __init__(self, limit: int = LIMIT):
        self._counted = CountedBlocks()
        self._free: dict[int, list[np.ndarray]] = defaultdict(list)
        self._kept = 0
        self._limit = limit
        self._lock = _thread.allocate_lock()

    def take(self, size: int) -> np.ndarray:
        """A block of at least `size` bytes, aligned to 64 (to 2 MiB when it is that large)."""
        key = _rounded(size)
        try:
            block = self._free[key].pop()
        except IndexError:
            return _fresh(key)
        with self._lock:
            self._kept -= key
        return block

    def give(self, block: np.ndarray) -> None:
        """Returns a block; one over the limit is freed."""
        with self._lock:
            if self._kept + block.nbytes > self._limit:
                return
            self._kept += block.nbytes
        self._free[block.nbytes].append(block)

    def array(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """A new array, aligned to 64 bytes if it has as many, whose memory comes back to the pool when nothing refers to it any more."""
        size = prod(shape) * dtype.itemsize
        if size < ALIGNMENT:
            return np.empty(shape, dtype)
        if size < LEAST_POOLED:  # a vector across two pages that a loop reads and writes costs as much as the loop
            return small_array(shape, dtype, size)
        if size < HUGE_PAGE:
            return self._counted.array(shape, dtype, size)
        return np.frombuffer(memoryview(self.buffer(size)), np.uint8, size).view(dtype).reshape(shape)

    def memory(self, size: int) -> tuple[Any, int]:
        """A buffer and where in it `size` bytes begin, which are in use as long as anything refers to the buffer."""
        return self._counted.memory(size) if size < HUGE_PAGE else (self.buffer(size), 0)

    def buffer(self, size: int) -> ctypes.Array[ctypes.c_char]:
        """At least `size` bytes as a buffer; its memory comes back to the pool when neither it nor a view of it is referred to any more."""
        block = self.take(size)
        buffer = (ctypes.c_char * block.nbytes).from_buffer(block.data)
        when_gone(buffer, self.give, block)
        return buffer


def _rounded(size: int) -> int:
    step = ALIGNMENT if size < HUGE_PAGE else HUGE_PAGE
    return max(-(-size // step) * step, ALIGNMENT)


def _fresh(size: int) -> np.ndarray:
    try:
        return _allocated(size)
    except (MemoryError, OSError, OverflowError):
        raise HloError(f"not enough memory for an array of {size} bytes") from None


def _allocated(size: int) -> np.ndarray:
    if size < HUGE_PAGE:
        raw = np.empty(size + ALIGNMENT, np.uint8)
        start = -address_of(raw) % ALIGNMENT
        return raw[start : start + size]
    import mmap  # here: few programs need it, and loading one is to stay cheap

    pages = mmap.mmap(-1, size + HUGE_PAGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)  # shared ones would be a child's too
    if hasattr(mmap, "MADV_HUGEPAGE"):
        pages.madvise(mmap.MADV_HUGEPAGE)
    raw = np.frombuffer(pages, np.uint8)
    start = -raw.ctypes.data % HUGE_PAGE
    return raw[start : start + size]


POOL = Pool()
"""Results of all executables."""
