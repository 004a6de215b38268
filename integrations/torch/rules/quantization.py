"""Numbers rounded to what a quantised type holds, as in training that takes quantisation into account ("fake quantisation")."""

from __future__ import annotations

from typing import Any

import torch

from hlo.builder.value import Value
from hlo.torch.element_types import dtype_of
from hlo.torch.registry import rule


@rule("fake_quantize_per_tensor_affine_cachemask")
def fake_quantize(b: Any, x: Value, scale: float, zero_point: int, low: int, high: int) -> tuple[Value, Value]:
    """The numbers, and a mask of those that lie in the range of the quantised type: what a gradient passes."""
    kind = dtype_of(b.wide(x))
    return _rounded(b, x, b.full(x.shape, scale, kind), b.full(x.shape, zero_point, kind), low, high)


@rule("_fake_quantize_per_tensor_affine_cachemask_tensor_qparams")
def fake_quantize_by_tensors(
    b: Any, x: Value, scale: Value, zero_point: Value, enabled: Value, low: int, high: int
) -> tuple[Value, Value]:
    """The same with a scale and zero point that the program computes; x as it is, and a mask of all, if it is not enabled."""
    kind = dtype_of(b.wide(x))
    factor, offset = (b.full(x.shape, b.reshape(v, []), kind) for v in (scale, zero_point))
    rounded, mask = _rounded(b, x, factor, offset, low, high)
    is_off = b.expand_to(b.eq(b.reshape(enabled, []), 0), x.shape)
    return b.select(is_off, x, rounded), b.or_(is_off, mask)


@rule("fake_quantize_per_channel_affine_cachemask")
def fake_quantize_channels(
    b: Any, x: Value, scale: Value, zero_point: Value, axis: int, low: int, high: int
) -> tuple[Value, Value]:
    """The same with a scale and zero point for each channel."""
    kind = dtype_of(b.wide(x))
    factor, offset = (b.over(b.cast(v, kind), x.shape, [axis % x.rank]) for v in (scale, zero_point))
    return _rounded(b, x, factor, offset, low, high)


def _rounded(b: Any, x: Value, scale: Value, zero_point: Value, low: int, high: int) -> tuple[Value, Value]:
    """(clamp(round(x / scale) + zero_point) - zero_point) * scale; NaN becomes the least number, as PyTorch's
    conversion to integers has it."""
    wide = b.wide(x)
    level = b.add(b.round_nearest_even(b.multiply(wide, b.divide(1, scale))), zero_point)
    bottom, top = (b.full(x.shape, v, dtype_of(wide)) for v in (low, high))
    mask = b.and_(b.ge(level, bottom), b.le(level, top))
    kept = b.select(b.ne(level, level), bottom, b.minimum(b.maximum(level, bottom), top))
    return b.cast(b.multiply(b.subtract(kept, zero_point), scale), dtype_of(x)), b.cast(mask, torch.bool)
