"""The GPU benchmark's programs, each written once: with jax.numpy it is compiled (by hlo and by XLA), with numpy it says what
is right. Nothing but numpy is needed to import this."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class GpuProgram:
    """`function(xp, *arrays)`. `shapes`: of the arguments, and `small` for the numpy model of a card; element types by
    `dtypes` (numpy's names, or those of ml_dtypes). `platform`: the one that JAX writes the program for. `operations`:
    floating point operations of a call, for programs that are bound by them; others are bound by the bytes of arguments
    and results. `tolerance`: of an element, relative to the largest."""

    name: str
    function: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...]
    small: tuple[tuple[int, ...], ...]
    dtypes: tuple[str, ...]
    result: str = "float32"
    operations: float = 0
    tolerance: float = 1e-5
    platform: str = "cuda"

    @property
    def file(self) -> str:
        return self.name.replace(" ", "_")


def dtype_of(name: str) -> np.dtype:
    if name != "bfloat16" and not name.startswith("float8"):
        return np.dtype(name)
    import ml_dtypes

    return np.dtype(getattr(ml_dtypes, name))


def inputs(program: GpuProgram, shapes: Sequence[tuple[int, ...]], seed: int) -> list[np.ndarray]:
    """Normal numbers: no zeros, whose products cost a card less power and so less time."""
    generator = np.random.default_rng(seed)
    arrays = [generator.standard_normal(shape, np.float32) for shape in shapes]
    return [a.astype(dtype_of(name)) for a, name in zip(arrays, program.dtypes)]


def expected(program: GpuProgram, arrays: Sequence[np.ndarray]) -> np.ndarray:
    """By numpy, from the same (rounded) arguments, in f32 (or f64) with numpy's pairwise sums."""
    return np.asarray(program.function(np, *(a if a.dtype == np.float64 else a.astype(np.float32) for a in arrays)))


def is_right(program: GpuProgram, found: np.ndarray, wanted: np.ndarray) -> bool:
    difference = np.abs(found.astype(wanted.dtype) - wanted).max(initial=0)
    return bool(difference <= program.tolerance * np.abs(wanted).max(initial=1e-30))


def _rounded(xp: Any, x: Any) -> Any:
    """To bf16; numpy, which says what is right, does not round."""
    return x if xp is np else x.astype(xp.bfloat16)


def _dot(xp: Any, x: Any, y: Any) -> Any:
    """Matrix product with a sum in f32."""
    return xp.matmul(x, y) if xp is np else xp.matmul(x, y, preferred_element_type=xp.float32)


def _chain(xp: Any, x: Any, y: Any) -> Any:
    return xp.tanh(x * y + 1) * x - y


def _softmax(xp: Any, x: Any) -> Any:
    e = xp.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _layer_norm(xp: Any, x: Any, scale: Any, shift: Any) -> Any:
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    return centred / xp.sqrt(variance + 1e-5) * scale + shift


def _gelu(xp: Any, x: Any) -> Any:
    return 0.5 * x * (1 + xp.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def _matmul(xp: Any, x: Any, y: Any) -> Any:
    return _rounded(xp, _dot(xp, x, y))


def _matmul_bias_gelu(xp: Any, x: Any, y: Any, bias: Any) -> Any:
    return _rounded(xp, _gelu(xp, _dot(xp, x, y) + bias))


def _attention(xp: Any, q: Any, k: Any, v: Any) -> Any:
    scores = _dot(xp, q, xp.swapaxes(k, -1, -2)) * (1 / q.shape[-1] ** 0.5)
    return _rounded(xp, _dot(xp, _rounded(xp, _softmax(xp, scores)), v))


def _exact(xp: Any, x: Any, y: Any) -> Any:
    """Matrix product in f32, which XLA too does not round."""
    return xp.matmul(x, y) if xp is np else xp.matmul(x, y, precision="highest")


def _exact_attention(xp: Any, q: Any, k: Any, v: Any) -> Any:
    scores = _exact(xp, q, xp.swapaxes(k, -1, -2)) * (1 / q.shape[-1] ** 0.5)
    return _exact(xp, _softmax(xp, scores), v)


def _causal_attention(xp: Any, q: Any, k: Any, v: Any) -> Any:
    scores = _dot(xp, q, xp.swapaxes(k, -1, -2)) * (1 / q.shape[-1] ** 0.5)
    place = xp.arange(q.shape[-2])
    scores = xp.where(place[:, None] >= place, scores, -1e30)
    return _rounded(xp, _dot(xp, _rounded(xp, _softmax(xp, scores)), v))


def _layers(xp: Any, x: Any, w: Any) -> Any:
    """Of a deep network of small layers: what launching costs."""
    for _ in range(LAYERS):
        x = xp.tanh(xp.matmul(x, w) * 0.05)
    return x


def _by(precision: str) -> Callable[..., Any]:
    """f32 rounded, or split, as one of JAX's DotAlgorithmPreset says."""

    def product(xp: Any, x: Any, y: Any) -> Any:
        return xp.matmul(x, y) if xp is np else xp.matmul(x, y, precision=precision)

    return product


def _bytes(xp: Any, x: Any, y: Any) -> Any:
    return xp.matmul(x, y) if xp is np else xp.matmul(x, y, preferred_element_type=xp.int32)


def _convolution(xp: Any, x: Any, w: Any) -> Any:
    """3 x 3, images as rows of channels, without padding."""
    height, width = x.shape[1] - 2, x.shape[2] - 2
    if xp is np:
        return sum(x[:, i : i + height, j : j + width] @ w[i, j] for i in range(3) for j in range(3))
    import jax

    dimensions = ("NHWC", "HWIO", "NHWC")
    made = jax.lax.conv_general_dilated(
        x, w, (1, 1), "VALID", dimension_numbers=dimensions, preferred_element_type=xp.float32
    )
    return _rounded(xp, made)


def _cholesky(xp: Any, x: Any) -> Any:
    return xp.linalg.cholesky(x @ x.T / x.shape[0] + xp.eye(x.shape[0], dtype=x.dtype))


LAYERS = 200
BIG, WIDE = (8192, 8192), (16384, 4096)
HEADS, WIDE_HEADS = (8, 4096, 64), (8, 4096, 128)
BF16 = "bfloat16"


def _square(
    size: int, name: str, function: Callable[..., Any] = _matmul, kind: str = BF16, tolerance: float = 2e-2
) -> GpuProgram:
    extra = 1 if function is _matmul_bias_gelu else 0
    shapes = ((size, size),) * 2 + ((size,),) * extra
    small = ((64, 64),) * 2 + ((64,),) * extra
    dtypes = (kind,) * 2 + ("float32",) * extra
    return GpuProgram(name, function, shapes, small, dtypes, BF16, 2.0 * size**3, tolerance)


F32 = ("float32",)
PROGRAMS = [
    GpuProgram("add 8192x8192", lambda xp, x, y: x + y, (BIG, BIG), ((64, 96),) * 2, F32 * 2),
    GpuProgram("chain 8192x8192", _chain, (BIG, BIG), ((64, 96),) * 2, F32 * 2),
    GpuProgram("softmax 16384x4096", _softmax, (WIDE,), ((64, 512),), F32),
    GpuProgram("layer norm 16384x4096", _layer_norm, (WIDE, WIDE[1:], WIDE[1:]), ((64, 512), (512,), (512,)), F32 * 3),
    GpuProgram("sum of rows 16384x4096", lambda xp, x: x.sum(axis=1), (WIDE,), ((64, 512),), F32),
    GpuProgram("sum of columns 16384x4096", lambda xp, x: x.sum(axis=0), (WIDE,), ((64, 96),), F32, tolerance=1e-4),
    GpuProgram("sum of all 8192x8192", lambda xp, x: x.sum(), (BIG,), ((64, 512),), F32, tolerance=1e-3),
    GpuProgram("transpose 8192x8192", lambda xp, x: xp.swapaxes(x, 0, 1), (BIG,), ((64, 96),), F32),
    _square(4096, "matmul bf16 4096"),
    _square(8192, "matmul bf16 8192"),
    _square(4096, "matmul bias gelu bf16 4096", _matmul_bias_gelu),
    GpuProgram(
        "matmul f32 4096", lambda xp, x, y: xp.matmul(x, y), ((4096, 4096),) * 2, ((64, 64),) * 2, F32 * 2,
        operations=2.0 * 4096**3, tolerance=1e-4,
    ),
    GpuProgram(
        "attention bf16 8x4096x64", _attention, (HEADS,) * 3, ((2, 64, 16),) * 3, (BF16,) * 3, BF16,
        operations=4.0 * 8 * 4096**2 * 64, tolerance=2e-2,
    ),
    GpuProgram(
        "attention bf16 8x4096x128", _attention, (WIDE_HEADS,) * 3, ((2, 64, 16),) * 3, (BF16,) * 3, BF16,
        operations=4.0 * 8 * 4096**2 * 128, tolerance=2e-2,
    ),
    GpuProgram(
        "attention f32 8x4096x64", _exact_attention, (HEADS,) * 3, ((2, 64, 16),) * 3, F32 * 3,
        operations=4.0 * 8 * 4096**2 * 64,
    ),
    GpuProgram(
        "causal attention bf16 8x4096x128", _causal_attention, (WIDE_HEADS,) * 3, ((2, 160, 16),) * 3, (BF16,) * 3, BF16,
        operations=2.0 * 8 * 4096**2 * 128, tolerance=2e-2,
    ),
    GpuProgram("200 small layers", _layers, ((64, 256), (256, 256)), ((8, 16), (16, 16)), F32 * 2, tolerance=1e-2),
    _square(4096, "matmul bf16 transposed 4096", lambda xp, x, y: _matmul(xp, x.T, y.T)),
    GpuProgram(
        "matmul bf16 512x512x8192", _matmul, ((512, 8192), (8192, 512)), ((32, 64), (64, 32)), (BF16,) * 2, BF16,
        operations=2.0 * 512**2 * 8192, tolerance=2e-2,
    ),
    _square(4096, "matmul f16 4096", _dot, "float16", 2e-3),
    _square(8192, "matmul i8 8192", _bytes, "int8", 1e-6),
    _square(8192, "matmul f8 8192", _dot, "float8_e4m3fn", 2e-2),
    _square(4096, "matmul f8 other format 4096", _dot, "float8_e5m2", 2e-2),
    _square(4096, "matmul tf32 4096", _by("TF32_TF32_F32"), "float32", 2e-3),
    _square(4096, "matmul bf16 x3 4096", _by("BF16_BF16_F32_X3"), "float32", 1e-4),
    _square(4096, "matmul f64 4096", lambda xp, x, y: xp.matmul(x, y), "float64", 1e-13),
    GpuProgram(
        "convolution bf16 16x58x58x256", _convolution, ((16, 58, 58, 256), (3, 3, 256, 256)), ((2, 8, 8, 16), (3, 3, 16, 32)),
        (BF16,) * 2, BF16, operations=2.0 * 16 * 56 * 56 * 256 * 256 * 9, tolerance=2e-2,
    ),
    GpuProgram("sort 4194304", lambda xp, x: xp.sort(x), ((1 << 22,),), ((500,),), F32),
    GpuProgram("sum so far 256x65536", lambda xp, x: xp.cumsum(x, axis=1), ((256, 65536),), ((4, 300),), F32, tolerance=1e-4),
    GpuProgram("cholesky 1024", _cholesky, ((1024, 1024),), ((40, 40),), F32, tolerance=1e-4, platform="tpu"),
]  # fmt: skip
