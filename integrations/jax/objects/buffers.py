"""Buffers: arrays that JAX holds. Executables read and make them where they lie; `np.asarray` of a JAX array is a view.

Host arrays become buffers in machine code, but for rare ones (hlo.jax.code.host_array_code); arrays of other libraries are
used without a copy, and these are told when their memory is no longer needed."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from hlo.jax.code.header import CODE_OF_DTYPE, DTYPE_OF_CODE, TOKEN_CODE
from hlo.jax.code.process_memory import WORD, interned_words, put, words_at
from hlo.jax.code.record_words import ADDRESS, CODE_WORD, SIZE
from hlo.jax.objects.device_memories import READY, DeviceMemory, device_memory_of
from hlo.jax.objects.native import borrowed, copied_buffer, new_buffer
from hlo.jax.objects.records import OBJECTS, collect, record, template
from hlo.jax.table import slot
from hlo.runtime.calls.addresses import address_of
from hlo.runtime.calls.allocator import ALIGNMENT
from hlo.runtime.calls.arguments import canonical
from hlo.runtime.calls.signature import ArrayType

_NO_SUCH_TYPE = "hlo has no element type with PJRT's number {}"
_Form = Any


class Borrowed:
    """What an array in memory of another library is in Python. `released`: tells the owner that nobody uses the memory any more."""

    __slots__ = ("released",)

    def __init__(self, released: Callable[[], None]):
        self.released = released


def buffer_form(kind: ArrayType, device_memory: DeviceMemory) -> _Form:
    """The record of buffers of one type in one memory, but for the address of their data."""
    code, rank = CODE_OF_DTYPE.get(kind.dtype), len(kind.shape)
    if code is None:
        raise NotImplementedError(f"JAX arrays cannot have the element type of {kind}")
    return template(
        code, interned_words(kind.shape), rank, device_memory.device, device_memory.memory, 0, kind.nbytes, READY
    )


def token_form(device_memory: DeviceMemory) -> _Form:
    return template(TOKEN_CODE, 0, 0, device_memory.device, device_memory.memory, 0, 0, READY)


def borrowed_bytes() -> int:
    """Of arrays that are in memory of other libraries now."""
    collect()
    return sum(WORD[(handle >> 3) + SIZE] for handle, thing in list(OBJECTS.items()) if type(thing) is Borrowed)


@slot()
def Client_BufferFromHostBuffer(fields: int) -> None:
    """What machine code leaves to Python (hlo.jax.code.host_array_code)."""
    _, data, code, sizes, rank, strides, stride_count, _, device, memory, layout = _fields(fields, 11)
    dtype = DTYPE_OF_CODE.get(code & 0xFFFFFFFF)
    if dtype is None:
        raise NotImplementedError(_NO_SUCH_TYPE.format(code & 0xFFFFFFFF))
    _refuse_layout(layout, rank)
    shape = words_at(sizes, rank)
    host = _host_view(data, shape, dtype, words_at(strides, stride_count) if strides else ())
    form = buffer_form(ArrayType(shape, dtype), device_memory_of(memory or device))
    WORD[fields + 11], WORD[fields + 12] = READY, copied_buffer(canonical(host), form)


@slot()
def Client_CreateViewOfDeviceBuffer(fields: int) -> None:
    """An array in the memory of another library (DLPack), which is told when nobody uses it any more: at once for
    memory at an address that programs do not take, of which the buffer is a copy."""
    _, data, sizes, rank, code, layout, device, function, argument, _, _, memory = _fields(fields, 12)
    dtype = DTYPE_OF_CODE.get(code & 0xFFFFFFFF)
    if dtype is None:
        raise NotImplementedError(_NO_SUCH_TYPE.format(code & 0xFFFFFFFF))
    _refuse_layout(layout, rank)
    host = _host_view(data, words_at(sizes, rank), dtype, ())
    form = buffer_form(ArrayType(host.shape, dtype), device_memory_of(memory or device))
    end = functools.partial(_tell_owner, function, data, argument)
    if canonical(host) is host and address_of(host) % ALIGNMENT == 0:
        WORD[fields + 10] = _borrowed_buffer(host, form, end)
    else:
        WORD[fields + 10] = copied_buffer(canonical(host), form)
        end()


def _tell_owner(function: int, data: int, argument: int) -> None:
    if function:
        ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(function)(data, argument)


def _fields(fields: int, count: int) -> tuple[int, ...]:
    return tuple(WORD[fields : fields + count])


def _borrowed_buffer(host: np.ndarray, form: _Form, end: Callable[[], None]) -> int:
    """The handle of a buffer in the host's memory; `end` is called when it is no longer needed."""
    handle = record(Borrowed(end), form)
    WORD[(handle >> 3) + ADDRESS] = address_of(host)
    return handle


def _host_view(data: int, shape: tuple[int, ...], dtype: np.dtype, strides: tuple[int, ...]) -> np.ndarray:
    """The host's array where it lies; strides are in bytes and may be negative."""
    if not prod(shape):
        return np.empty(shape, dtype)
    strides = strides or _row_major(shape, dtype.itemsize)
    reach = [(n - 1) * stride for n, stride in zip(shape, strides)]
    low = sum(r for r in reach if r < 0)
    size = sum(r for r in reach if r > 0) - low + dtype.itemsize
    memory: Any = (ctypes.c_char * size).from_address(data + low)
    return np.ndarray(shape, dtype, memory, -low, strides)


def _row_major(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    return tuple(itemsize * prod(shape[axis + 1 :]) for axis in range(len(shape)))


@slot("Buffer_CopyToDevice", "Buffer_CopyToMemory")
def Buffer_Copy(fields: int) -> None:
    """A copy on a device, which may be the same; it has memory of its own, so that either may be donated. Fields:
    buffer, device or memory, copy."""
    source, target = _fields(fields, 2)
    WORD[fields + 2] = copy_of(source, device_memory_of(target))


def copy_of(source: int, device_memory: DeviceMemory) -> int:
    """The handle of a copy of a buffer. Raises ValueError for one that is deleted, and MemoryError."""
    with borrowed(source) as array:
        if WORD[(source >> 3) + CODE_WORD] == TOKEN_CODE:
            return new_buffer(token_form(device_memory))
        return copied_buffer(array, buffer_form(ArrayType(array.shape, array.dtype), device_memory))


@slot()
def Buffer_GetMemoryLayout(fields: int) -> None:
    """A structure in the arguments, of the tiled kind with no tiles: dimensions from the one that changes fastest."""
    rank = WORD[(WORD[fields] >> 3) + 3]
    put(fields + 1, *(WORD[fields + 1], WORD[fields + 2]), 0, 0, interned_words(range(rank - 1, -1, -1)), rank)
    put(fields + 7, 0, 0, 0, 0)


@slot()
def Buffer_ToHostBuffer(fields: int) -> None:
    source, layout, destination, size = _fields(fields, 4)
    with borrowed(source) as array:
        if not destination:
            WORD[fields + 3] = array.nbytes
            return
        ordered = _in_layout(array, layout)
        ctypes.memmove(destination, address_of(ordered), min(ordered.nbytes, size))
    WORD[fields + 4] = READY


@slot()
def Buffer_CopyRawToHost(fields: int) -> None:
    """Fields: buffer, destination, offset, size, event."""
    source, destination, offset, size = _fields(fields, 4)
    with borrowed(source) as array:
        if offset + size > array.nbytes:
            raise ValueError(f"{size} bytes at {offset} were asked of a buffer of {array.nbytes} bytes")
        ctypes.memmove(destination, address_of(array) + offset, size)
    WORD[fields + 4] = READY


def _in_layout(array: np.ndarray, layout: int) -> np.ndarray:
    order = _order(layout)
    if order is None or order == tuple(range(array.ndim - 1, -1, -1)):
        return array
    return np.ascontiguousarray(array.transpose(order[::-1]))


def _order(layout: int) -> tuple[int, ...] | None:
    """Dimensions from the one that changes fastest, of a PJRT_Buffer_MemoryLayout; None for none, or of the strided kind."""
    words = layout >> 3
    if not layout or WORD[words + 9] & 0xFFFFFFFF:
        return None
    return words_at(WORD[words + 4], WORD[words + 5])


def _refuse_layout(layout: int, rank: int) -> None:
    order = _order(layout)
    if order not in (None, tuple(range(rank - 1, -1, -1))):
        raise NotImplementedError(f"arrays of hlo are row-major; found a layout with the order {order}")
