"""Convolutions (NHWC) and poolings."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from bench.programs.program import Program, normal


def _convolve(stride: int = 1, groups: int = 1):
    def function(x, w):
        return jax.lax.conv_general_dilated(
            x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=groups
        )

    return function


def _max_pool(x):
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")


def _max_pool_gradient(x):
    return jax.grad(lambda x: _max_pool(x).sum())(x)


PROGRAMS = [
    Program("convolution 3x3 8x56x56x64", _convolve(), lambda: (normal(8, 56, 56, 64), normal(3, 3, 64, 64))),
    Program("convolution 1x1 8x28x28x256", _convolve(), lambda: (normal(8, 28, 28, 256), normal(1, 1, 256, 256))),
    Program("convolution 7x7/2 4x224x224x3", _convolve(2), lambda: (normal(4, 224, 224, 3), normal(7, 7, 3, 64))),
    Program(
        "depthwise 3x3 8x56x56x128",
        _convolve(groups=128),
        lambda: (normal(8, 56, 56, 128), normal(3, 3, 1, 128)),
        operations=2.0 * 9 * 8 * 56 * 56 * 128,
    ),
    Program("max pool 3x3/2 8x56x56x64", _max_pool, lambda: (normal(8, 56, 56, 64),)),
    Program("max pool gradient", _max_pool_gradient, lambda: (normal(8, 56, 56, 64),)),
]
