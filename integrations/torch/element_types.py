"""Element types of tensors and of values, and how PyTorch promotes them."""

from __future__ import annotations

from typing import Any

import torch

from hlo.builder.value import Value
from hlo.dialect.types import element_type

ELEMENTS = {
    torch.bool: "i1",
    torch.int8: "i8",
    torch.int16: "i16",
    torch.int32: "i32",
    torch.int64: "i64",
    torch.uint8: "ui8",
    torch.uint16: "ui16",
    torch.uint32: "ui32",
    torch.uint64: "ui64",
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.float32: "f32",
    torch.float64: "f64",
    torch.complex64: "complex<f32>",
    torch.complex128: "complex<f64>",
    torch.float8_e4m3fn: "f8E4M3FN",
    torch.float8_e5m2: "f8E5M2",
    torch.float8_e4m3fnuz: "f8E4M3FNUZ",
    torch.float8_e5m2fnuz: "f8E5M2FNUZ",
}
DTYPES = {name: dtype for dtype, name in ELEMENTS.items()}
HALVES = (torch.bfloat16, torch.float16)
REAL_PART = {torch.complex64: torch.float32, torch.complex128: torch.float64}
COMPLEX = {torch.float32: torch.complex64, torch.float64: torch.complex128}
WRAPPED = {bool: torch.bool, int: torch.int64, float: torch.float64, complex: torch.complex128}
"""The element type of the tensor that PyTorch makes of a Python number."""


def dtype_of(value: Any) -> torch.dtype:
    """The element type of a value, or the one that PyTorch gives a Python number."""
    if isinstance(value, Value):
        return DTYPES[str(element_type(value.type))]
    return _NUMBERS[type(value)]()


_NUMBERS = {
    bool: lambda: torch.bool,
    int: lambda: torch.int64,
    float: torch.get_default_dtype,
    complex: lambda: COMPLEX.get(torch.get_default_dtype(), torch.complex64),
}


def is_integral(dtype: torch.dtype) -> bool:
    """Whether a type is of integers or booleans."""
    return not dtype.is_floating_point and not dtype.is_complex


def result_type(*arguments: Any) -> torch.dtype:
    """The common type of values and numbers (torch.result_type): tensors with dimensions decide unless scalars are of a higher
    category (boolean, integer, float, complex), and numbers count least."""
    groups: list[torch.dtype | None] = [None, None, None]
    for argument in arguments:
        group = (0 if argument.rank else 1) if isinstance(argument, Value) else 2
        found, so_far = dtype_of(argument), groups[group]
        groups[group] = found if so_far is None else torch.promote_types(so_far, found)
    result = _combined(groups[0], _combined(groups[1], groups[2]))
    assert result is not None
    return result


def _combined(higher: torch.dtype | None, lower: torch.dtype | None) -> torch.dtype | None:
    if higher is None or lower is None:
        return lower if higher is None else higher
    if higher.is_complex:
        return higher
    if higher.is_floating_point:
        return torch.promote_types(higher, COMPLEX.get(higher, torch.complex64)) if lower.is_complex else higher
    return torch.promote_types(higher, lower) if higher == torch.bool or not is_integral(lower) else higher


def float_type(dtype: torch.dtype) -> torch.dtype:
    """The type in which functions of real numbers are given for integers: the default one."""
    return torch.get_default_dtype() if is_integral(dtype) else dtype


def wide_type(dtype: torch.dtype) -> torch.dtype:
    """The type in which PyTorch computes: f32 for the floats of 16 bits."""
    return torch.float32 if dtype in HALVES else dtype
