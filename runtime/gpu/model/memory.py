"""Device memory of the model: one array of bytes, blocks of it handed out with gaps between them.

Addresses begin far from 0, so that an address taken for a number, or the other way round, is found."""

from __future__ import annotations

import threading

import numpy as np

from hlo.errors import HloError
from hlo.runtime.gpu.model.races import Notes

FIRST = 1 << 32
GAP = 256
ALIGNMENT = 256


class Memory:
    """Allocation and typed access. All accesses are checked against the bounds of the blocks they begin in."""

    def __init__(self, capacity: int = 1 << 30):
        self.capacity = capacity
        self.bytes = np.zeros(0, np.uint8)
        self._blocks: dict[int, int] = {}
        self._free: dict[int, list[int]] = {}
        self._top = 0
        self._lock = threading.Lock()
        self.notes = Notes()

    def allocate(self, size: int) -> int:
        """An address; fresh memory holds 0xA5 in each byte, so that a read before a write shows."""
        room = -(-max(size, 1) // ALIGNMENT) * ALIGNMENT + GAP
        with self._lock:
            if self._free.get(room):
                offset = self._free[room].pop()
            else:
                offset, self._top = self._top, self._top + room
                self._grow()
            self._blocks[offset] = size
        self.bytes[offset : offset + room] = 0xA5
        return FIRST + offset

    def _grow(self) -> None:
        if self._top > self.capacity:
            raise HloError(f"the model's memory of {self.capacity} bytes is used up")
        if self._top > len(self.bytes):
            grown = np.zeros(max(2 * len(self.bytes), self._top, 1 << 16), np.uint8)
            grown[: len(self.bytes)] = self.bytes
            self.bytes = grown

    def available(self) -> int:
        """Bytes that one allocation can have."""
        return self.capacity - self._top - GAP

    def free(self, address: int) -> None:
        with self._lock:
            size = self._blocks.pop(address - FIRST)
            room = -(-max(size, 1) // ALIGNMENT) * ALIGNMENT + GAP
            self._free.setdefault(room, []).append(address - FIRST)

    def span(self, address: int, size: int) -> slice:
        """Where a block's bytes are, checked."""
        offset = address - FIRST
        home = max((start for start in self._blocks if start <= offset), default=-1)
        if home < 0 or offset + size > home + self._blocks[home]:
            raise HloError(f"access to {size} bytes at {address:#x}, outside of every allocation")
        return slice(offset, offset + size)

    def read(self, addresses: np.ndarray, dtype: np.dtype) -> np.ndarray:
        """One element an address."""
        return self.bytes.view(dtype)[(addresses - FIRST) // dtype.itemsize]

    def write(self, addresses: np.ndarray, values: np.ndarray) -> None:
        self.bytes.view(values.dtype)[(addresses - FIRST) // values.dtype.itemsize] = values

    def update(self, addresses: np.ndarray, values: np.ndarray, combine: np.ufunc) -> None:
        """Combines each value with the element at its address, one after the other."""
        combine.at(self.bytes.view(values.dtype), (addresses - FIRST) // values.dtype.itemsize, values)
