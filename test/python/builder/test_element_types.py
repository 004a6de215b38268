"""Every op on every element type that the verifier lets it have: compiled, as the reference says, or refused by name.

A normal run takes every 97th of the pairs; all of them take minutes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from test_builder_ops import CASES, NOT_RUN, OTHER_NUMBERS, argument, is_type, method, numbers

import hlo
from hlo.dialect.elements import DTYPES
from hlo.dialect.numpy_types import SMALL_FLOATS

TYPES = [name for name in DTYPES if name != "index"]
PAIRS = [(name, kind) for name in CASES if name not in NOT_RUN for kind in TYPES]
COMPLEX = ("complex<f32>", "complex<f64>")
REFUSED = {
    "stablehlo.remainder": COMPLEX,
    "chlo.broadcast_remainder": COMPLEX,
    "chlo.next_after": SMALL_FLOATS,
    "chlo.broadcast_next_after": SMALL_FLOATS,
}
"""Element types that the verifier takes and the compiler refuses: docs/status.md, and the next number of a small float."""
DIGITS = {"float32": 1e-5, "complex64": 1e-5, "float64": 1e-9, "complex128": 1e-9, "float16": 2e-3, "bfloat16": 2e-2}


def retyped(written: Any, kind: str) -> Any:
    """A type of the table of ops with another element type."""
    if isinstance(written, list):
        return [retyped(w, kind) for w in written]
    found = re.fullmatch(r"((?:\d+x)*)(?:f32|i32|complex<f32>)", written) if isinstance(written, str) else None
    return found[1] + kind if found and is_type(written) else written


def program(name: str, kind: str) -> Any:
    arguments, named, _ = CASES[name]
    b = hlo.Builder()
    built = method(b, name)(*(argument(b, retyped(a, kind), name) for a in arguments), **named)
    return b.build(*(() if built is None else built if isinstance(built, tuple) else (built,)))


def outputs(module: Any, name: str, target: str) -> list[np.ndarray]:
    executable = hlo.compile(module, target=target)
    return executable(*numbers(name, executable.signature.arguments))


@pytest.mark.sampled(97)
@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_op_on_element_type(name: str, kind: str) -> None:
    try:
        module = program(name, kind)
    except hlo.HloError:
        return  # the verifier says that the op does not have it
    if kind in REFUSED.get(name, ()):
        with pytest.raises(hlo.CompileError, match="is not supported"):
            hlo.compile(module)
        return
    for found, expected in zip(outputs(module, name, "cpu"), outputs(module, name, "reference"), strict=True):
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        wide = np.complex128 if found.dtype.kind == "c" else np.float64
        if name not in OTHER_NUMBERS:
            digits = DIGITS.get(found.dtype.name, 0)
            np.testing.assert_allclose(found.astype(wide), expected.astype(wide), digits, digits)
