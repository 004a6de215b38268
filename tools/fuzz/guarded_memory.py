"""Runs programs with all their memory next to pages that cannot be touched: arguments, results, constants and the arena each
end where (or begin where) such a page begins (ends), so that an access outside is a fault. What is not written yet
holds a pattern; results must not depend on it."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from hlo.runtime.calls.executable import Executable

PAGE = mmap.PAGESIZE
PATTERNS = (0xFF, 0x00, 0x5A)

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


class Guarded:
    """Arrays next to guard pages; `at_end`: the bytes behind an array are guarded, else those before it."""

    def __init__(self, at_end: bool, pattern: int):
        self.at_end = at_end
        self.pattern = pattern
        self._kept: list[Any] = []

    def bytes(self, size: int) -> np.ndarray:
        inner = max(-(-size // PAGE), 1) * PAGE
        pages = mmap.mmap(-1, inner + 2 * PAGE)
        start = ctypes.addressof(ctypes.c_char.from_buffer(pages))
        for guard in (start, start + PAGE + inner):
            if _libc.mprotect(guard, PAGE, 0):
                raise OSError(ctypes.get_errno(), "mprotect")
        self._kept.append(pages)
        offset = PAGE + (inner - size if self.at_end else 0)
        block = np.frombuffer(pages, np.uint8, size, offset) if size else np.empty(0, np.uint8)
        block[...] = self.pattern
        return block

    def empty(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        count = int(np.prod(shape, dtype=np.int64))
        return self.bytes(count * dtype.itemsize).view(dtype).reshape(shape)

    def copy(self, array: np.ndarray) -> np.ndarray:
        made = self.empty(array.shape, array.dtype)
        made[...] = array
        return made

    def take(self, size: int) -> np.ndarray:
        """The executable's arena, as `allocator.Pool` gives it."""
        return self.bytes(size)

    def give(self, block: np.ndarray) -> None:
        pass


def run(executable: Executable, arrays: Sequence[np.ndarray], at_end: bool, pattern: int) -> list[np.ndarray]:
    """The results of a run in guarded memory."""
    guarded = Guarded(at_end, pattern)
    constants = [guarded.copy(c) for c in executable.program.constants]
    others = executable.tail[len(constants) :]
    kept = executable.tail, executable._arenas
    executable.tail = (*(c.ctypes.data for c in constants), *others)
    executable._arenas = guarded  # type: ignore[assignment]
    try:
        results = [guarded.empty(t.shape, t.dtype) for t in executable.signature.results]
        executable._run([guarded.copy(a) for a in arrays], results)
        return [r.copy() for r in results]
    finally:
        executable.tail, executable._arenas = kept


def same(first: Iterable[np.ndarray], second: Iterable[np.ndarray]) -> bool:
    return all(a.tobytes() == b.tobytes() for a, b in zip(first, second, strict=True))


def check(executable: Executable, arrays: Sequence[np.ndarray]) -> None:
    """Raises AssertionError when results depend on what memory held; dies of a fault when memory outside is touched."""
    wanted = executable(*arrays)
    for number, pattern in enumerate(PATTERNS):
        found = run(executable, arrays, at_end=number != 1, pattern=pattern)
        assert same(wanted, found), f"results depend on unwritten memory (pattern {pattern:#x})"
