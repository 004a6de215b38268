"""The process's memory as 8-byte words, and data that C code keeps pointers to.

`WORD[a >> 3]` is the word at address `a`. What is made here and remembered by value (`interned_text`, `interned_words`)
lives as long as the process: there are few different names and shapes."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterable, Sequence
from typing import Any

WORD = (ctypes.c_uint64 * (1 << 44)).from_address(0)

KEPT: list[Any] = []
"""What must never be freed: JAX holds pointers into it until the process is gone."""

_texts: dict[bytes, tuple[int, int]] = {}
_word_lists: dict[tuple[int, ...], int] = {}


def keep_forever(value: Any) -> Any:
    KEPT.append(value)
    return value


def never_freed() -> None:
    """Keeps what is kept even when the interpreter is torn down."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(KEPT))


def interned_text(text: str | bytes) -> tuple[int, int]:
    """Address and length of a text."""
    data = text.encode() if isinstance(text, str) else text
    if data not in _texts:
        buffer = keep_forever(ctypes.create_string_buffer(data, len(data) + 1))
        _texts[data] = ctypes.addressof(buffer), len(data)
    return _texts[data]


def interned_words(values: Iterable[int]) -> int:
    """The address of an array of 64-bit integers."""
    key = tuple(values)
    if key not in _word_lists:
        _word_lists[key] = ctypes.addressof(keep_forever((ctypes.c_int64 * max(1, len(key)))(*key)))
    return _word_lists[key]


def bytes_at(address: int, size: int) -> bytes:
    return ctypes.string_at(address, size) if size else b""


def words_at(address: int, count: int) -> tuple[int, ...]:
    """Signed 64-bit integers."""
    return tuple((ctypes.c_int64 * count).from_address(address)) if count else ()


def put(field: int, *values: int) -> None:
    """Stores words one after another from the word `field` on."""
    for offset, value in enumerate(values):
        WORD[field + offset] = value


STRING, INTEGER, INTEGERS, FLOAT, BOOLEAN = range(5)


def named_values(pairs: Sequence[tuple[str, Any]]) -> tuple[Any, int]:
    """An array of PJRT_NamedValue, of 7 words each, and their number; the caller keeps the array."""
    array = (ctypes.c_uint64 * (7 * max(1, len(pairs))))()
    for number, (name, value) in enumerate(pairs):
        array[7 * number : 7 * number + 7] = [56, 0, *interned_text(name), *_typed(value)]
    return array, len(pairs)


def _typed(value: Any) -> tuple[int, int, int]:
    """Kind, value and length of a named value."""
    if isinstance(value, str):
        return (STRING, *interned_text(value))
    if isinstance(value, bool):
        return BOOLEAN, int(value), 1
    if isinstance(value, int):
        return INTEGER, value, 1
    if isinstance(value, float):
        return FLOAT, struct.unpack("<I", struct.pack("<f", value))[0], 1
    return INTEGERS, interned_words(value), len(value)
