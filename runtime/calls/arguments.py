"""Arguments of calls: arrays of other libraries, lists and numbers as contiguous numpy arrays of the right types; and
arrays for results."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from hlo.dialect.numpy_types import DTYPES
from hlo.errors import ArgumentError
from hlo.runtime.calls.addresses import address_of
from hlo.runtime.calls.signature import ArrayType

_BITS = {"i1": 1, "i2": 2, "ui2": 2, "i4": 4, "ui4": 4, "f4E2M1FN": 4, "f6E2M3FN": 6, "f6E3M2FN": 6}
LARGEST_BYTE = {DTYPES[name]: (1 << bits) - 1 for name, bits in _BITS.items() if name in DTYPES}
"""Of element types that have a byte for fewer than 8 bits: programs rely on its other bits being zero."""


MOST_NAMED = 8
"""Types of arguments that a message names."""


def check_count(types: Sequence[object], found: int) -> None:
    """Raises ArgumentError for another number of arguments than there are types (of arrays, or of MLIR)."""
    count = len(types)
    if found == count:
        return
    named = [*map(str, types[:MOST_NAMED]), *(["..."] if count > MOST_NAMED else [])]
    kinds = f"; the program takes {', '.join(named)}" if named else ""
    raise ArgumentError(f"{count} argument{'' if count == 1 else 's'} expected, found {found}{kinds}")


def canonical(array: np.ndarray, in_place: bool = False) -> np.ndarray:
    """The array, or where bytes hold more than their element type has, one with the same elements: every boolean that is not 0
    is true, and of small integers and floats the low bits count. Views, other libraries and custom calls can make such
    bytes. `in_place`: the array itself is repaired."""
    largest = LARGEST_BYTE.get(array.dtype)
    if largest is None:
        return array
    found = array.view(np.uint8)
    if found.max(initial=0) <= largest:
        return array
    kept = found != 0 if array.dtype == np.bool_ else found & np.uint8(largest)
    if not in_place:
        return kept.view(array.dtype)
    found[...] = kept
    return array


def converted(value: Any, number: int, kind: ArrayType) -> np.ndarray:
    """An argument that is not at once what is needed: other kinds of arrays; copies of arrays that are not contiguous."""
    array = _as_numpy(value, number)
    if array.dtype.kind in "OUS" and not isinstance(value, np.ndarray):
        raise ArgumentError(
            f"argument {number}: {kind} expected, found {type(value).__name__}, which is no array of numbers"
        )
    if array.shape != kind.shape:
        raise ArgumentError(f"argument {number}: shape {kind.shape} expected ({kind}), found {array.shape}")
    if array.dtype != kind.dtype:
        if array.dtype.newbyteorder("=") == kind.dtype:
            return array.astype(kind.dtype)
        found = ArrayType(array.shape, array.dtype)
        raise ArgumentError(f"argument {number}: element type of {kind} expected, found {found}")
    return canonical(np.require(array, requirements=["C", "A"]))


def _as_numpy(value: Any, number: int) -> np.ndarray:
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise ArgumentError(
            f"argument {number}: an array has no masked elements; give its data, or fill it (x.filled())"
        )
    if isinstance(value, np.ndarray | np.generic):
        return np.asarray(value)
    try:
        if hasattr(value, "__array__"):
            return np.asarray(value)
        if hasattr(value, "__dlpack__"):
            return np.from_dlpack(value)
        return np.asarray(value)
    except (TypeError, ValueError, BufferError, RuntimeError) as error:
        raise ArgumentError(f"argument {number}: {type(value).__name__} is no array: {error}") from None


def shapes_of(arrays: Sequence[Any]) -> list[tuple[int, ...]]:
    return [_as_numpy(a, number).shape for number, a in enumerate(arrays)]


def checked_out(out: Any, types: Sequence[ArrayType]) -> list[np.ndarray]:
    """The arrays that results are written into, as numpy itself sees them: a subclass may say anything of its shape."""
    if not isinstance(out, (list, tuple)):
        raise ArgumentError(f"out takes a list of numpy arrays, found {type(out).__name__}")
    if len(out) != len(types):
        raise ArgumentError(f"out: {len(types)} arrays expected, found {len(out)}")
    for number, array in enumerate(out):
        if not isinstance(array, np.ndarray):
            raise ArgumentError(f"out[{number}] must be a numpy array, found {type(array).__name__}")
        if isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array):
            raise ArgumentError(f"out[{number}] has masked elements, which would hide results; give its data")
    arrays = [np.asarray(array) for array in out]
    for number, (array, kind) in enumerate(zip(arrays, types)):
        if array.shape != kind.shape or array.dtype != kind.dtype:
            is_swapped = array.shape == kind.shape and array.dtype.newbyteorder("=") == kind.dtype
            found = "one in the other byte order" if is_swapped else str(ArrayType(array.shape, array.dtype))
            raise ArgumentError(f"out[{number}] must be {kind}, found {found}")
        if not array.flags.writeable:
            raise ArgumentError(f"out[{number}] is read-only")
        if not array.flags.c_contiguous and _shares_elements(array):
            raise ArgumentError(f"out[{number}] has elements that share memory (strides {array.strides})")
    if len(arrays) > 1:
        _check_disjoint(arrays)
    return arrays


def _shares_elements(array: np.ndarray) -> bool:
    """Whether two elements of an array have bytes in common, as in views that repeat elements."""
    steps = sorted((abs(step), count) for step, count in zip(array.strides, array.shape) if count > 1)
    end = array.itemsize
    for step, count in steps:
        if step < end:
            break
        end = step * (count - 1) + end
    else:
        return False
    if not array.size or steps[0][0] < array.itemsize:
        return array.size > 1
    offsets = sum(np.ix_(*(np.arange(count) * step for step, count in steps)), np.zeros((), np.int64))
    places = np.sort(offsets, axis=None)
    return bool((np.diff(places) < array.itemsize).any())


def may_overlap(arrays: Sequence[np.ndarray], others: Sequence[np.ndarray]) -> list[bool]:
    """Whether the bytes from an array's first to its last overlap with those of one of the others, for each array."""
    from bisect import bisect_left  # not where programs are loaded only

    starts: list[int] = []
    ends: list[int] = []
    for start, end in sorted(_bytes_of(other) for other in others if other.size):
        if ends and start <= ends[-1]:
            ends[-1] = max(end, ends[-1])
        else:
            starts.append(start)
            ends.append(end)
    found = []
    for array in arrays:
        start, end = _bytes_of(array)
        last = bisect_left(starts, end) - 1
        found.append(array.size > 0 and last >= 0 and ends[last] > start)
    return found


def _bytes_of(array: np.ndarray) -> tuple[int, int]:
    """The address of the first byte, and the one behind the last."""
    if array.flags.c_contiguous:
        start = address_of(array)
        return start, start + array.nbytes
    return np.lib.array_utils.byte_bounds(array)


def _check_disjoint(arrays: Sequence[np.ndarray]) -> None:
    """Raises ArgumentError for arrays that share an element: one of two results would be lost."""
    bounds = sorted((*_bytes_of(array), number) for number, array in enumerate(arrays) if array.size)
    if all(first[1] <= second[0] for first, second in pairwise(bounds)):
        return
    for (_, end, first), (start, _, second) in combinations(bounds, 2):
        if start < end and np.shares_memory(arrays[first], arrays[second]):
            raise ArgumentError(f"out[{min(first, second)}] and out[{max(first, second)}] share memory")
