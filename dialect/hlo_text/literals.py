"""The elements of constants: `2`, `{1, -inf, nan}`, `{ { (1, 2) }, { (3, 4) } }`."""

from __future__ import annotations

import re

import numpy as np

from hlo.dialect.elements import DTYPES
from hlo.dialect.hlo_text.shapes import ELEMENTS, Shape

_ITEM = re.compile(r"\([^(){}]*\)|[^\s{},()]+(?:\(0x[0-9a-fA-F]{1,16}\))?")
_PAIR = re.compile(r"\(([^(),]+),([^(),]+)\)")
_FLOAT = re.compile(r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|inf|nan)(?:\(0x[0-9a-fA-F]+\))?")
_INTEGER = re.compile(r"[-+]?\d{1,20}")
_BOOLEANS = {"true": True, "false": False, "1": True, "0": False}


def elements(text: str, shape: Shape) -> np.ndarray:
    """The array of a literal. Raises ValueError with what was found and what was expected."""
    if "..." in text:
        raise ValueError(
            "the elements of a constant, found '...': print the module with them (as_hlo_text(print_large_constants=True), "
            "XLA_FLAGS=--xla_dump_large_constants)"
        )
    if any(bound is not None for bound in shape.bounds):
        raise ValueError("a constant of known sizes, found one with bounds")
    items = _ITEM.findall(text)
    skeleton = re.sub(r"\s", "", _ITEM.sub("", text))
    count = int(np.prod(shape.sizes, dtype=object)) if shape.sizes else 1
    if len(items) != count:
        raise ValueError(f"{count} elements, found {len(items)}")
    if skeleton != _skeleton(shape.sizes) if count else skeleton.strip("{},"):
        raise ValueError(f"elements in braces as the shape {list(shape.sizes)} has them, found others")
    return _array(items, shape.element).reshape(shape.sizes)


def _skeleton(sizes: tuple[int, ...]) -> str:
    """The braces and commas of an array."""
    text = ""
    for size in reversed(sizes):
        text = "{" + ",".join([text] * size) + "}"
    return text


def _array(items: list[str], element: str) -> np.ndarray:
    dtype = DTYPES[ELEMENTS[element]]
    if element == "pred":
        return np.array([_boolean(item) for item in items], dtype)
    if element[0] in "su":
        return _integers(items, element, dtype)
    if element[0] == "c":
        return np.array([_complex(item) for item in items], np.complex128).astype(dtype)
    with np.errstate(over="ignore"):
        return np.array([_float(item) for item in items], np.float64).astype(dtype)


def _boolean(item: str) -> bool:
    if item not in _BOOLEANS:
        raise ValueError(f"true, false, 1 or 0, found {item!r}")
    return _BOOLEANS[item]


def _integers(items: list[str], element: str, dtype: np.dtype) -> np.ndarray:
    bits = int(element[1:])
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if element[0] == "s" else (0, 2**bits - 1)
    for item in items:
        if not _INTEGER.fullmatch(item) or not low <= int(item) <= high:
            raise ValueError(f"integers from {low} to {high}, found {item!r}")
    wide = np.array([int(item) for item in items], np.int64 if element[0] == "s" else np.uint64)
    return wide.astype(dtype)


def _float(item: str) -> float:
    if not _FLOAT.fullmatch(item):
        raise ValueError(f"a floating-point number, found {item!r}")
    return float(item.partition("(")[0])


def _complex(item: str) -> complex:
    pair = _PAIR.fullmatch(re.sub(r"\s", "", item))
    if not pair:
        raise ValueError(f"a complex number (real, imaginary), found {item!r}")
    return complex(_float(pair[1]), _float(pair[2]))
