"""Buffers as Python sees them: records whose memory is from machine code (hlo.jax.code.buffer_code), or another's."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from hlo.jax.code.buffer_code import STATISTICS
from hlo.jax.code.header import DTYPE_OF_CODE
from hlo.jax.code.process_memory import WORD, words_at
from hlo.jax.code.record_words import ADDRESS, BLOCK, COUNT, DELETED, SIZE
from hlo.jax.objects.records import CODE

_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
_new, _borrow = _pointer(CODE["NewBuffer"]), _pointer(CODE["Borrow"])
_statistics = (_pointer(CODE["Statistics"])(None) or 0) >> 3

release = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(CODE["Release"])
"""Gives up a reference to a buffer."""

delete = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(CODE["Delete"])
"""JAX must not use the buffer again; its memory is free as soon as nobody looks at it."""


_TOKEN = np.dtype(np.bool_)


def new_buffer(form: Any) -> int:
    """The handle of a buffer with memory of its own. Raises MemoryError."""
    handle = _new(ctypes.addressof(form))
    if not handle:
        raise MemoryError(f"{form[SIZE]} bytes for an array")
    return handle


def copied_buffer(host: np.ndarray, form: Any) -> int:
    """The handle of a buffer with a copy of an array. Raises MemoryError."""
    handle = new_buffer(form)
    view_of(handle)[...] = host
    return handle


def view_of(handle: int) -> np.ndarray:
    """A buffer's memory as an array, for as long as somebody holds the buffer."""
    word = handle >> 3
    shape, dtype = words_at(WORD[word + 2], WORD[word + 3]), DTYPE_OF_CODE.get(WORD[word + 1], _TOKEN)
    if not WORD[word + SIZE]:
        return np.empty(shape, dtype)
    memory: Any = (ctypes.c_char * WORD[word + SIZE]).from_address(WORD[word + ADDRESS])
    return np.ndarray(shape, dtype, memory)


@contextmanager
def borrowed(handle: int) -> Iterator[np.ndarray]:
    """The array of a buffer, with a reference to it. Raises ValueError for one that is deleted."""
    try:
        if _borrow(handle):
            raise ValueError("this buffer has been deleted or donated")
        yield view_of(handle)
    finally:
        release(handle)


def is_deleted(handle: int) -> bool:
    return bool(WORD[(handle >> 3) + DELETED])


def is_private(handle: int) -> bool:
    """Nobody but the buffer sees its memory: no owner outside of hlo, no numpy view, no other call."""
    word = handle >> 3
    return WORD[word + COUNT] == 1 and bool(WORD[word + BLOCK])


def statistics() -> tuple[int, ...]:
    """Of buffers' own memory, in the order of hlo.jax.code.buffer_code: bytes, the most of them, how often memory was taken,
    the largest; the bytes of host arrays that are used where they lie."""
    return tuple(WORD[_statistics : _statistics + STATISTICS])
