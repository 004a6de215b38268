"""Call frames of XLA's FFI (XLA_FFI_CallFrame in jaxlib's include/xla/ffi/api/c_api.h): structures of 8-byte words, as templates for
hlo.jax.code.ffi_code."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hlo.dialect.numpy_types import DTYPES
from hlo.errors import CompileError
from hlo.jax.code.ffi_code import CONTEXT_WORDS
from hlo.runtime.calls.signature import ArrayType
from hlo.runtime.custom_calls.registry import CustomCall

VERSION = (0, 5)
"""Major and minor number of the interface."""

EXECUTE = 3
"""The stage of a call."""

BUFFER = 1
"""The kind of each argument and result."""

ARRAY, DICTIONARY, SCALAR, STRING = range(1, 5)
"""Kinds of attributes."""

BUFFER_WORDS = 6
FRAME_WORDS = 22
FRAME_SIZE = 8 * 21
"""Of a frame, and the bytes that it says it has: the last word, for a future, is not among them."""

ARGUMENTS, RESULTS, ATTRIBUTES = 5, 10, 15
"""The words of a frame where the structures for arguments and results, of 5 words each, and for attributes, of 6, begin."""

DATA = 3
"""The word of a buffer with the address of its data."""

NUMBERS = {
    "i1": 1, "i2": 26, "i4": 21, "i8": 2, "i16": 3, "i32": 4, "i64": 5, "ui2": 27, "ui4": 22, "ui8": 6, "ui16": 7, "ui32": 8, "ui64": 9,
    "f16": 10, "f32": 11, "f64": 12, "bf16": 16, "complex<f32>": 15, "complex<f64>": 18, "f8E5M2": 19, "f8E3M4": 29, "f8E4M3": 28,
    "f8E4M3FN": 20, "f8E4M3B11FNUZ": 23, "f8E5M2FNUZ": 24, "f8E4M3FNUZ": 25, "f4E2M1FN": 32, "f8E8M0FNU": 33,
}  # fmt: skip
"""The numbers of element types, by hlo's names."""

NUMBER_OF_DTYPE = {DTYPES[name]: number for name, number in NUMBERS.items()}


class Frame:
    """The call frame of one custom call. `address`: of the context for machine code, as long as the object lives. Raises CompileError for
    what the interface does not have."""

    def __init__(self, handler: int, api: int, call: CustomCall):
        self.call = call
        self.words: list[int] = [FRAME_SIZE, 0, api, 0, EXECUTE, *[0] * (FRAME_WORDS - ARGUMENTS)]
        self.address_words: list[int] = []
        self._kept: list[Any] = []
        operands = self._buffers(ARGUMENTS, call.operands)
        results = self._buffers(RESULTS, call.results)
        config = call.description.config
        self.words[ATTRIBUTES : ATTRIBUTES + 6] = self._attributes(config or {}, call.description.config_types)
        context = [handler, self._array(self.words), len(self.words)]
        for numbers in (self.address_words, operands, results):
            context += [self._array(numbers), len(numbers)]
        assert len(context) == CONTEXT_WORDS
        self.address = self._array(context)

    def _buffers(self, at: int, types: Sequence[ArrayType]) -> list[int]:
        """Fills in the structure at a word, and returns the words for the addresses of data."""
        starts = [self._append([8 * BUFFER_WORDS, 0, self._number(t.dtype), 0, *self._sizes(t.shape)]) for t in types]
        addresses = self._append([8 * start for start in starts])
        self.address_words += range(addresses, addresses + len(starts))
        kinds = self._data(np.full(len(starts), BUFFER, np.int32))
        self.words[at : at + 5] = [8 * 5, 0, len(starts), kinds, 8 * addresses]
        self.address_words.append(at + 4)
        return [start + DATA for start in starts]

    def _append(self, words: Sequence[int]) -> int:
        """Appends to the template; returns the number of the first word."""
        self.words += words
        return len(self.words) - len(words)

    def _sizes(self, shape: Sequence[int]) -> tuple[int, int]:
        return len(shape), self._array(shape)

    def _number(self, dtype: np.dtype) -> int:
        number = NUMBER_OF_DTYPE.get(dtype)
        if number is None:
            raise CompileError(self.call.finding(f"XLA's FFI has no element type {dtype}"))
        return number

    def _attributes(self, values: Mapping[str, Any], types: Mapping[str, Any]) -> list[int]:
        """The structure of a dictionary, which has its names in order."""
        if not isinstance(values, Mapping):
            raise CompileError(self.call.finding(f"attributes must be a dictionary, found {values!r}"))
        names = sorted(values)
        pairs = [self._attribute(name, values[name], types.get(name, "")) for name in names]
        spans = [self._array(self._span(name)) for name in names]
        kinds = self._data(np.array([kind for kind, _ in pairs], np.int32))
        return [8 * 6, 0, len(names), kinds, self._array(spans), self._array([at for _, at in pairs])]

    def _attribute(self, name: str, value: Any, kind: Any) -> tuple[int, int]:
        """An attribute's kind, and the address of its structure."""
        if isinstance(value, str):
            return STRING, self._array(self._span(value))
        if isinstance(value, Mapping):
            return DICTIONARY, self._array(self._attributes(value, kind))
        if isinstance(value, (list, np.ndarray)):
            array = np.asarray(value) if len(value) else np.zeros(0, getattr(value, "dtype", np.int64))
            return ARRAY, self._array([self._number(array.dtype), array.size, self._data(array)])
        if kind not in DTYPES:
            raise CompileError(self.call.finding(f"XLA's FFI has no attribute such as {name} = {value!r}"))
        data = self._data(np.array([value]).astype(DTYPES[kind]))
        return SCALAR, self._array([self._number(DTYPES[kind]), data])

    def _span(self, text: str) -> list[int]:
        data = text.encode()
        return [self._data(np.frombuffer(data + b"\0", np.uint8)), len(data)]

    def _array(self, words: Sequence[int]) -> int:
        """The address of words that live as long as the frame."""
        self._kept.append((ctypes.c_int64 * max(1, len(words)))(*words))
        return ctypes.addressof(self._kept[-1])

    def _data(self, array: np.ndarray) -> int:
        kept = np.ascontiguousarray(array)
        self._kept.append(kept)
        return kept.ctypes.data
