"""Buffers with memory from machine code (hlo.jax.buffer_code), as Python sees them."""

from __future__ import annotations

import ctypes
import weakref
from typing import Any

import numpy as np

from hlo.jax.header import DTYPE_OF_CODE
from hlo.jax.process_memory import WORD, words_at
from hlo.jax.record_words import ADDRESS, NATIVE, SIZE
from hlo.jax.records import CODE
from hlo.runtime.allocator import LEAST_POOLED

SMALL = LEAST_POOLED
"""Bytes up to which buffers are made by machine code; larger ones are worth hlo's caching allocator."""

_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
_new, _take = _pointer(CODE["NewBuffer"]), _pointer(CODE["TakeBlock"])
_bytes = (_pointer(CODE["Bytes"])(None) or 0) >> 3
_free = ctypes.CDLL(None).free
_free.argtypes = [ctypes.c_void_p]


def is_native(handle: int) -> bool:
    return bool(WORD[(handle >> 3) + NATIVE])


def new_copy(host: np.ndarray, form: Any) -> int:
    """The handle of a buffer with a copy of an array."""
    handle = _new(ctypes.addressof(form)) or 0
    view_of(handle)[...] = host
    return handle


def view_of(handle: int) -> np.ndarray:
    """A buffer's memory as an array, for as long as somebody holds the buffer."""
    word = handle >> 3
    shape, dtype = words_at(WORD[word + 2], WORD[word + 3]), DTYPE_OF_CODE[WORD[word + 1]]
    if not WORD[word + SIZE]:
        return np.empty(shape, dtype)
    memory: Any = (ctypes.c_char * WORD[word + SIZE]).from_address(WORD[word + ADDRESS])
    return np.ndarray(shape, dtype, memory)


def take_array(handle: int) -> np.ndarray:
    """The buffer's memory as an array that owns it; the buffer has none any more."""
    array = view_of(handle)
    block = _take(handle)
    if array.base is None:
        _free(block)
    else:
        weakref.finalize(array.base, _free, block).atexit = False
    return array


def bytes_of_native() -> int:
    return WORD[_bytes]
