"""Matrix products: square, odd, transposed, narrow, batched; f32, bf16, int8."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

from bench.programs.program import Program, integers, normal


def _product(name: str, m: int, n: int, k: int, dtype: type = np.float32, rate: float = 1) -> Program:
    def inputs() -> tuple[np.ndarray, ...]:
        return normal(m, k, dtype=dtype), normal(k, n, dtype=dtype, seed=1)

    return Program(name, lambda a, b: a @ b, inputs, rate=rate)


def _int8(a, b):
    return jax.lax.dot(a, b, preferred_element_type=jnp.int32)


def _dense(x, w, b):
    return jax.nn.relu(x @ w + b)


def _bytes(n: int) -> tuple[np.ndarray, ...]:
    return tuple(integers(n, n, low=-128, high=128, dtype=np.int8, seed=s) for s in (0, 1))


PROGRAMS = [
    _product("matmul 256", 256, 256, 256),
    _product("matmul 512", 512, 512, 512),
    _product("matmul 1024", 1024, 1024, 1024),
    _product("matmul 2048", 2048, 2048, 2048),
    _product("matmul 1000x777x513", 1000, 777, 513),
    _product("matmul 1024 bf16", 1024, 1024, 1024, ml_dtypes.bfloat16, rate=2),
    Program("matmul 1024 int8", _int8, lambda: _bytes(1024), operations=2.0 * 1024**3, rate=4),
    Program(
        "matmul 1024, a transposed", lambda a, b: a.T @ b, lambda: (normal(1024, 1024), normal(1024, 1024, seed=1))
    ),
    Program(
        "matmul 1024, b transposed", lambda a, b: a @ b.T, lambda: (normal(1024, 1024), normal(1024, 1024, seed=1))
    ),
    Program(
        "dense layer 512x1024x1024",
        _dense,
        lambda: (normal(512, 1024), normal(1024, 1024, seed=1), normal(1024, seed=2)),
    ),
    Program("matrix times vector 4096", lambda a, x: a @ x, lambda: (normal(4096, 4096), normal(4096))),
    Program("vector times matrix 4096", lambda x, a: x @ a, lambda: (normal(4096), normal(4096, 4096))),
    _product("matmul 8x4096x4096", 8, 4096, 4096),
    Program(
        "batched matmul 64x128x128x64",
        lambda a, b: a @ b,
        lambda: (normal(64, 128, 64), normal(64, 64, 128, seed=1)),
    ),
]
