"""Arrays on the command line: `2x3xf32=1.5`, `4xi32=1,2,3,4`, `4xi32=random`, `random`, files; and how results are shown and compared."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from hlo.dialect.numpy_types import DTYPES, dtype_name, is_whole, limits, plain
from hlo.errors import ArgumentError
from hlo.runtime.calls.random_arrays import random_array
from hlo.tools.command_line import FINE, INPUT_AT_FAULT

RANDOM = "random"
_IMAGINARY = re.compile(r"i$")
_LITERAL = re.compile(r"((?:\d+x)*)([A-Za-z]\w*(?:<\w+>)?)=(.*)", re.DOTALL)


def read_inputs(texts: Sequence[str], types: Sequence[tuple[tuple[int, ...], np.dtype]], seed: int) -> list[np.ndarray]:
    """One array for each parameter. An .npz file gives several (in the order of its names); no inputs at all means
    `random` for each."""
    if seed < 0:
        raise ArgumentError(f"--seed takes a number from 0, found {seed}")
    arrays: list[np.ndarray] = []
    generator: np.random.Generator | None = None
    for text in texts or [RANDOM] * len(types):
        if not text.endswith(RANDOM):
            arrays.extend(_read(text))
            continue
        generator = generator or np.random.default_rng(seed)  # numpy imports it when it is first used
        arrays.extend([_random(types, len(arrays), generator)] if text == RANDOM else _read(text, generator))
    return [_of_type(array, kind) for array, (_, kind) in zip(arrays, types)] + arrays[len(types) :]


def _read(text: str, generator: np.random.Generator | None = None) -> list[np.ndarray]:
    if text.endswith((".npy", ".npz")):
        return _read_file(text)
    match = _LITERAL.fullmatch(text)
    if not match:
        raise ArgumentError(
            f"--input {text!r}: expected a .npy or .npz file, 'random', or SHAPExTYPE=VALUES such as 2x3xf32=1.5 or 2x3xf32=random"
        )
    if match[2] not in DTYPES:
        raise ArgumentError(f"--input {text!r}: no element type {match[2]!r}; known: {', '.join(DTYPES)}")
    try:
        shape = tuple(int(d) for d in match[1].split("x")[:-1])
        if generator is not None and match[3] == RANDOM:
            return [random_array(shape, DTYPES[match[2]], generator)]
        return [_literal(text, shape, DTYPES[match[2]], match[3])]
    except (ValueError, OverflowError, MemoryError) as error:
        raise ArgumentError(f"--input {text!r}: {error}") from None


def _read_file(path: str) -> list[np.ndarray]:
    """Files with Python objects (pickles) are refused: reading them runs code."""
    try:
        loaded = np.load(path, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return [loaded]
        with loaded:
            return [loaded[name] for name in loaded.files]
    except OSError as error:
        raise ArgumentError(f"cannot read {path!r}: {error.strerror or error}") from None
    except Exception:  # what a damaged file makes numpy, zipfile and the decompressors raise is of a dozen types
        raise ArgumentError(f"cannot read {path!r}: not a {path[-4:]} file of plain numbers") from None


def _of_type(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """numpy's files keep the size of a type that is not numpy's own (bf16, f8, i4), not its name: such an array is read
    as what is wanted."""
    is_nameless = array.dtype.type is np.void and array.dtype.names is None
    is_meant = is_nameless and dtype.kind == "V" and array.dtype.itemsize == dtype.itemsize
    return array.view(dtype) if is_meant else array


def _literal(text: str, shape: tuple[int, ...], dtype: np.dtype, values: str) -> np.ndarray:
    """Raises ValueError, OverflowError or MemoryError for words and sizes that numpy does not take."""
    words = [w for w in re.split(r"[,\s\[\]]+", values) if w]
    with np.errstate(over="ignore"):
        array = np.array([_number(w, dtype) for w in words], _widest(dtype)).astype(dtype)
    if array.size == 1:
        return np.full(shape, array.reshape(-1)[0], dtype)
    if array.size != math.prod(shape):
        raise ArgumentError(
            f"--input {text!r}: {math.prod(shape)} values (or one for all) expected, found {array.size}"
        )
    return array.reshape(shape)


def _widest(dtype: np.dtype) -> type | None:
    """What holds all numbers of a type of integers. numpy takes some lists of Python's for floats."""
    if not is_whole(dtype):
        return None
    return np.int64 if limits(dtype)[0] else np.uint64


def _number(word: str, dtype: np.dtype) -> object:
    if word in ("true", "false"):
        return word == "true"
    if is_whole(dtype):
        return _integer(word, dtype)
    try:
        return complex(_IMAGINARY.sub("j", word)) if dtype.kind == "c" else float(word)
    except ValueError:
        raise ValueError(f"{word!r} is no {dtype_name(dtype)}") from None


def _integer(word: str, dtype: np.dtype) -> int:
    """Raises ValueError for one that the type does not hold."""
    least, greatest = limits(dtype)
    with suppress(ValueError):
        if least <= (number := int(word, 0)) <= greatest:
            return number
    raise ValueError(f"{word!r} is no {dtype_name(dtype)}: whole numbers from {least} to {greatest} are")


def _random(
    types: Sequence[tuple[tuple[int, ...], np.dtype]], position: int, generator: np.random.Generator
) -> np.ndarray:
    if position >= len(types):
        raise ArgumentError(f"--input random: the program has only {len(types)} arguments")
    shape, dtype = types[position]
    if None in shape:
        raise ArgumentError(f"--input random: argument {position} has a dynamic shape; give one, such as 4xf32=random")
    return random_array(shape, dtype, generator)


def show(array: np.ndarray) -> str:
    """`2x3xf32` and the values, long arrays shortened."""
    shape = "".join(f"{d}x" for d in array.shape)
    return f"{shape}{dtype_name(array.dtype)}\n{np.array2string(plain(array), threshold=200, edgeitems=4)}"


def compare_with_file(path: str, results: Sequence[np.ndarray]) -> int:
    """Prints how the results differ from the arrays of a .npy or .npz file; the exit code."""
    from hlo.tools.run.compare import difference

    if not path.endswith((".npy", ".npz")):
        raise ArgumentError(f"--expected {path!r}: expected a .npy or .npz file")
    arrays = _read_file(path)
    if len(arrays) != len(results):
        raise ArgumentError(
            f"--expected {path!r}: {len(results)} arrays expected, one for each result, found {len(arrays)}"
        )
    for number, (found, given) in enumerate(zip(results, arrays)):
        wanted = _of_type(given, found.dtype)
        kinds = [f"{dtype_name(a.dtype)}{list(a.shape)}" for a in (found, wanted)]
        if kinds[0] != kinds[1]:
            print(f"result {number}: {kinds[0]}, expected {kinds[1]}", file=sys.stderr)
            return INPUT_AT_FAULT
        differs = difference(found, wanted)
        if differs:
            where = f"largest difference {differs.distance:g} at {list(differs.index)}"
            print(f"result {number}: {where}: {differs.compiled}, expected {differs.reference}", file=sys.stderr)
            return INPUT_AT_FAULT
    print(f"{len(results)} results agree with {path}")
    return FINE


def write_outputs(path: str, arrays: Sequence[np.ndarray]) -> None:
    """One array to a .npy file, several (or any number, for .npz) to output_0, output_1, ..."""
    import io

    from hlo.tools.command_line import write_output

    buffer = io.BytesIO()
    if path.endswith(".npy") and len(arrays) == 1:
        np.save(buffer, arrays[0])
    elif path.endswith(".npz"):
        named: dict[str, Any] = {f"output_{i}": a for i, a in enumerate(arrays)}
        np.savez(buffer, **named)
    else:
        kind = "one result: .npy or .npz" if len(arrays) == 1 else f"{len(arrays)} results: .npz"
        raise ArgumentError(f"--output {path!r}: the program has {kind}")
    write_output(path, buffer.getvalue())
