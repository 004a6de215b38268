"""Elementwise chains, reductions and what is made of them along rows."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from bench.programs.program import Program, normal


def _matrix():
    return (normal(4096, 1024),)


def _chain(x, y):
    return jnp.tanh(x * y + 1.0) * jax.nn.sigmoid(x) - y


def _layer_norm(x, scale, shift):
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    return centred * jax.lax.rsqrt(variance + 1e-5) * scale + shift


PROGRAMS = [
    Program("add 4096x1024", lambda x, y: x + y, lambda: (normal(4096, 1024), normal(4096, 1024, seed=1))),
    Program("add of 8", lambda x, y: x + y, lambda: (normal(8), normal(8, seed=1))),
    Program("elementwise chain 4096x1024", _chain, lambda: (normal(4096, 1024), normal(4096, 1024, seed=1))),
    Program("gelu 4096x1024", lambda x: jax.nn.gelu(x), _matrix),
    Program("exp and log1p 4096x1024", lambda x: jnp.log1p(jnp.exp(x)), _matrix),
    Program("softmax 4096x1024", lambda x: jax.nn.softmax(x, axis=-1), _matrix),
    Program("layer norm 4096x1024", _layer_norm, lambda: (normal(4096, 1024), normal(1024), normal(1024, seed=1))),
    Program("argmax of rows 4096x1024", lambda x: jnp.argmax(x, axis=1), _matrix),
    Program("sum of rows 4096x1024", lambda x: x.sum(axis=1), _matrix),
    Program("sum of columns 4096x1024", lambda x: x.sum(axis=0), _matrix),
    Program("sum of all 4096x1024", lambda x: x.sum(), _matrix),
    Program("sum of the middle 64x256x256", lambda x: x.sum(axis=1), lambda: (normal(64, 256, 256),)),
    Program("mean and variance of columns", lambda x: (x.mean(0), x.var(0)), _matrix),
]
