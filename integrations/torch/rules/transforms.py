"""Fourier transforms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from hlo.builder.value import Value
from hlo.torch.element_types import COMPLEX, dtype_of
from hlo.torch.registry import rule


@rule("_fft_c2c")
def fft_c2c(b: Any, x: Value, dim: Sequence[int], normalization: int, forward: bool) -> Value:
    result = x
    for d in dim:
        result = _along(b, result, d % x.rank, "FFT" if forward else "IFFT", x.shape[d % x.rank])
    return _scaled(b, result, [x.shape[d] for d in dim], normalization, inverse=not forward)


@rule("_fft_r2c")
def fft_r2c(b: Any, x: Value, dim: Sequence[int], normalization: int, onesided: bool) -> Value:
    if not onesided:
        wide = COMPLEX[dtype_of(x)]
        return fft_c2c(b, b.cast(x, wide), dim, normalization, True)
    last = dim[-1] % x.rank
    result = _along(b, x, last, "RFFT", x.shape[last])
    for d in dim[:-1]:
        result = _along(b, result, d % x.rank, "FFT", x.shape[d % x.rank])
    return _scaled(b, result, [x.shape[d] for d in dim], normalization, inverse=False)


@rule("_fft_c2r")
def fft_c2r(b: Any, x: Value, dim: Sequence[int], normalization: int, last_dim_size: int) -> Value:
    result, last = x, dim[-1] % x.rank
    for d in dim[:-1]:
        result = _along(b, result, d % x.rank, "IFFT", x.shape[d % x.rank])
    result = _along(b, _halved(b, result, last, last_dim_size), last, "IRFFT", last_dim_size)
    return _scaled(b, result, [*(x.shape[d] for d in dim[:-1]), last_dim_size], normalization, inverse=True)


@rule("prims.fft_c2c.default")
def exported_c2c(b: Any, x: Value, *, dim: Sequence[int], forward: bool) -> Value:
    """What exporting decomposes torch.fft into: transforms that sum."""
    return fft_c2c(b, x, dim, 0, forward)


@rule("prims.fft_r2c.default")
def exported_r2c(b: Any, x: Value, *, dim: Sequence[int], onesided: bool) -> Value:
    return fft_r2c(b, x, dim, 0, onesided)


@rule("prims.fft_c2r.default")
def exported_c2r(b: Any, x: Value, *, dim: Sequence[int], last_dim_size: int) -> Value:
    return fft_c2r(b, x, dim, 0, last_dim_size)


def _halved(b: Any, x: Value, along: int, size: int) -> Value:
    """The first size // 2 + 1 elements: what a real transform of this size reads."""
    return b.slice_in_dim(x, 0, size // 2 + 1, 1, along)


def _along(b: Any, x: Value, along: int, kind: str, size: Any) -> Value:
    """A transform of one dimension."""
    order = list(range(x.rank))
    order[along], order[-1] = order[-1], order[along]
    found = b.fft(x if along == x.rank - 1 else b.transpose(x, order), kind, [size])
    return found if along == x.rank - 1 else b.transpose(found, order)


def _scaled(b: Any, x: Value, sizes: Sequence[Any], normalization: int, inverse: bool) -> Value:
    """PyTorch's modes: 0 sums, 1 divides by the root of the count, 2 by the count. StableHLO's inverse has divided by the count."""
    count = math.prod(sizes)
    factor = {0: 1.0, 1: 1 / math.sqrt(count), 2: 1 / count}[normalization] * (count if inverse else 1)
    return x if factor == 1 else b.multiply(x, b.full(x.shape, factor, dtype_of(x)))
