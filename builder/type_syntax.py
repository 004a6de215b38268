"""What a user may write for a type: text as in programs, numpy's names, arrays that have it."""

from __future__ import annotations

import re
from operator import index
from typing import Any

import numpy as np
from mlir import ir

from hlo.dialect.elements import DTYPES
from hlo.dialect.reader.grammar import with_signless_integers
from hlo.dialect.types import DYNAMIC, is_element, tensor
from hlo.errors import ArgumentError

_NAMES = {dtype: name for name, dtype in reversed(DTYPES.items()) if name != "index"}
_WORDS = {"pred": "i1", "bool": "i1", "token": "!stablehlo.token", "c64": "complex<f32>", "c128": "complex<f64>"}
_PRIMITIVE = re.compile(r"(?:si?|S)(\d+)|(?:U|u)(\d+)|(?:BF16|F\d+|C64|C128|PRED)")
"""XLA's and the specification's names of element types where they differ from MLIR's."""
_XLA_SHAPE = re.compile(r"(\w+)\[([\d, ]*)\]")


def _word(text: str) -> str:
    """A name of a type in MLIR's spelling."""
    found = _PRIMITIVE.fullmatch(text)
    if found and (found[1] or found[2]):
        return f"i{found[1]}" if found[1] else f"ui{found[2]}"
    return _WORDS.get(text.lower() if found else text, text.lower() if found else text)


def element_of(dtype: Any) -> ir.Type:
    """`"f32"`, `np.float32`, `"float32"`, `float` or an ir.Type as an element type."""
    if isinstance(dtype, ir.Type):
        return _element(dtype)
    if isinstance(dtype, str):
        word = _word(dtype)
        return _element(_parse(_NAMES[np.dtype(word)] if _is_numpy_name(word) else word))
    try:
        return _parse(_NAMES[np.dtype(dtype)])
    except (KeyError, TypeError):
        raise ArgumentError(f"no element type for {dtype!r}; element types: {', '.join(DTYPES)}") from None


def _element(t: ir.Type) -> ir.Type:
    if is_element(t) or isinstance(t, ir.IndexType):
        return t
    raise ArgumentError(f"{t} is no element type; element types: {', '.join(DTYPES)}")


def _is_numpy_name(text: str) -> bool:
    """numpy reads "i4" and "f4" as sizes in bytes: only its long names are taken for numpy's."""
    return text not in DTYPES and text in {dtype.name for dtype in _NAMES}


def type_of(written: Any) -> ir.Type:
    """A type from `"2x3xf32"`, `"tensor<2x3xf32>"`, `"f32"` (a scalar), `"f32[2,3]"`, `((2, 3), "f32")`, an array (or anything with shape
    and dtype), or an ir.Type. A size that is None is dynamic."""
    if isinstance(written, ir.Type):
        return written
    if isinstance(written, str):
        text = _word(written)
        xla = _XLA_SHAPE.fullmatch(text)
        if xla:
            return tensor_of([n for n in xla[2].replace(" ", "").split(",") if n], xla[1])
        text = with_signless_integers(text)
        return _parse(text if text.startswith(("tensor<", "tuple<", "!stablehlo")) else f"tensor<{text}>")
    if isinstance(written, tuple) and len(written) == 2 and isinstance(written[0], (tuple, list)):
        return tensor_of(*written)
    if hasattr(written, "shape") and hasattr(written, "dtype"):
        return tensor_of(written.shape, written.dtype)
    if isinstance(written, (list, tuple)):
        return ir.TupleType.get_tuple([type_of(part) for part in written])
    return tensor_of((), written)


def tensor_of(sizes: Any, dtype: Any) -> ir.Type:
    return tensor([DYNAMIC if n is None else _size(n) for n in sizes], element_of(dtype))


def _size(written: Any) -> int:
    try:
        size = int(written) if isinstance(written, str) else index(written)
    except (TypeError, ValueError):
        size = -1
    if size < 0 and size != DYNAMIC:
        raise ArgumentError(f"sizes are integers from 0, or None, found {written!r}")
    return size


def _parse(text: str) -> ir.Type:
    try:
        return ir.Type.parse(text)
    except ir.MLIRError:
        raise ArgumentError(
            f'{text!r} is no type; types are written "2x3xf32", ((2, 3), "f32") or as an array'
        ) from None
