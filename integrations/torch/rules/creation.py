"""New tensors, copies, and conversions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from hlo.builder.value import Value
from hlo.torch.element_types import ELEMENTS, dtype_of
from hlo.torch.registry import rule


def _type(given: torch.dtype | None) -> torch.dtype:
    return torch.get_default_dtype() if given is None else given


@rule("full")
def full(b: Any, size: Sequence[int], fill_value: Any, *, dtype: Any = None, **_: Any) -> Value:
    return b.full(size, fill_value, dtype_of(fill_value) if dtype is None else dtype)


@rule("full_like")
def full_like(b: Any, x: Value, fill_value: Any, *, dtype: Any = None, **_: Any) -> Value:
    return b.full(x.shape, fill_value, dtype or dtype_of(x))


@rule("fill.Scalar", "fill.Tensor")
def fill(b: Any, x: Value, value: Any) -> Value:
    return b.full(x.shape, value, dtype_of(x))


@rule("empty.memory_format", "zeros", "empty_permuted", "_efficientzerotensor")
def empty(b: Any, size: Sequence[int], *_: Any, dtype: Any = None, **__: Any) -> Value:
    """Zeros: what an empty tensor holds is anything."""
    return b.full(size, 0, _type(dtype))


@rule("new_zeros", "new_empty")
def new_zeros(b: Any, x: Value, size: Sequence[int], *, dtype: Any = None, **_: Any) -> Value:
    return b.full(size, 0, dtype or dtype_of(x))


@rule("empty_strided")
def empty_strided(b: Any, size: Sequence[int], stride: Sequence[int], *, dtype: Any = None, **_: Any) -> Value:
    return b.full(size, 0, _type(dtype))


@rule("empty_like", "zeros_like")
def empty_like(b: Any, x: Value, *, dtype: Any = None, **_: Any) -> Value:
    return b.full(x.shape, 0, dtype or dtype_of(x))


@rule("ones")
def ones(b: Any, size: Sequence[int], *, dtype: Any = None, **_: Any) -> Value:
    return b.full(size, 1, _type(dtype))


@rule("ones_like")
def ones_like(b: Any, x: Value, *, dtype: Any = None, **_: Any) -> Value:
    return b.full(x.shape, 1, dtype or dtype_of(x))


@rule("scalar_tensor")
def scalar_tensor(b: Any, value: Any, *, dtype: Any = None, **_: Any) -> Value:
    return b.cast(value, dtype or dtype_of(value))


@rule("arange.start_step")
def arange(b: Any, start: Any, end: Any, step: Any = 1, *, dtype: Any = None, **_: Any) -> Value:
    """start, start + step, ... below end. In a type of integers with the whole parts of the three; else computed in f64."""
    whole = all(type(n) is not float for n in (start, end, step))
    if dtype is None:
        dtype = torch.int64 if whole else torch.get_default_dtype()
    kind = torch.float64 if dtype.is_floating_point else torch.int64
    is_exact = whole or dtype == torch.int64  # how PyTorch counts
    count = len(range(int(start), int(end), int(step))) if is_exact else math.ceil((end - start) / step)
    if kind == torch.int64:
        start, step = int(start), int(step)
    numbers = b.iota(0, [count], ELEMENTS[kind])
    return b.cast(b.add(b.multiply(numbers, b.number(step, kind)), b.number(start, kind)), dtype)


@rule("_to_copy")
def to_copy(b: Any, x: Value, *, dtype: Any = None, **_: Any) -> Value:
    return b.cast(x, dtype or dtype_of(x))


@rule("clone", "alias", "detach", "contiguous", "lift_fresh_copy", "lift_fresh", "resolve_conj", "resolve_neg")
def clone(b: Any, x: Value, **_: Any) -> Value:
    return x


@rule("copy")
def copy(b: Any, x: Value, source: Value, non_blocking: bool = False) -> Value:
    return b.expand_to(b.cast(source, dtype_of(x)), x.shape)


@rule("view.dtype")
def view_dtype(b: Any, x: Value, dtype: torch.dtype) -> Value:
    """The bits as another type of the same size."""
    if dtype == dtype_of(x):
        return x
    if dtype == torch.bool or dtype_of(x) == torch.bool:
        return b.cast(x, dtype)
    return b.op("bitcast_convert", x, dtype=ELEMENTS[dtype])


@rule("_assert_tensor_metadata")
def assert_tensor_metadata(*_: Any, **__: Any) -> None:
    """What exporting puts in front of each `to`: a program is for tensors of the kind that was exported, and runs on no others."""
