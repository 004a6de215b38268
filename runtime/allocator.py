"""A caching allocator: memory of a result array returns to the pool when the array dies, and the next result of that
size is made in it. A steady state touches no fresh pages."""

from __future__ import annotations

import _thread
import ctypes
from collections import defaultdict
from math import prod

import numpy as np

from hlo.errors import HloError
from hlo.runtime.addresses import address_of
from hlo.runtime.escaped_exceptions import when_gone

ALIGNMENT = 64
HUGE_PAGE = 2 << 20
_BYTE = np.dtype(np.uint8)

LEAST_POOLED = 1 << 15
"""Bytes from which a result comes from the pool; the C library's allocator keeps smaller ones at hand itself."""

LIMIT = 1 << 30
"""Bytes kept for reuse at most."""


def small_array(shape: tuple[int, ...], dtype: np.dtype, size: int) -> tuple[np.ndarray, int]:
    """A new array of `size` bytes, aligned to 64, and its address."""
    raw = np.empty(size + ALIGNMENT, _BYTE)
    at = address_of(raw)
    shift = -at % ALIGNMENT
    return np.ndarray(shape, dtype, raw, shift), at + shift


class Pool:
    """Blocks of memory by size. Thread-safe: list operations are atomic."""

    def __init__(self, limit: int = LIMIT):
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
            return small_array(shape, dtype, size)[0]
        block = self.take(size)
        lent = (ctypes.c_char * block.nbytes).from_buffer(block.data)  # views of the array keep this object alive
        when_gone(lent, self.give, block)
        return np.frombuffer(memoryview(lent), np.uint8, size).view(dtype).reshape(shape)


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

    pages = mmap.mmap(-1, size + HUGE_PAGE)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        pages.madvise(mmap.MADV_HUGEPAGE)
    raw = np.frombuffer(pages, np.uint8)
    start = -raw.ctypes.data % HUGE_PAGE
    return raw[start : start + size]


POOL = Pool()
"""Results of all executables."""
