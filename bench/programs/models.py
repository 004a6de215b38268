"""Attention, layers and whole models, forward and gradient."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from bench.programs.program import Program, integers, normal

WIDTH, HEADS, BATCH, TOKENS = 512, 8, 2, 128


def _attention(q, k, v):
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) * (q.shape[-1] ** -0.5)
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores, axis=-1), v)


def _norm(x):
    centred = x - x.mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt((centred * centred).mean(-1, keepdims=True) + 1e-5)


def _heads(x):
    return x.reshape(BATCH, TOKENS, HEADS, WIDTH // HEADS).transpose(0, 2, 1, 3)


def _layer(x, wq, wk, wv, wo, w1, w2):
    y = _norm(x)
    a = _attention(_heads(y @ wq), _heads(y @ wk), _heads(y @ wv))
    x = x + a.transpose(0, 2, 1, 3).reshape(BATCH, TOKENS, WIDTH) @ wo
    return x + jax.nn.gelu(_norm(x) @ w1) @ w2


def _transformer(x, *weights):
    for start in range(0, len(weights), 6):
        x = _layer(x, *weights[start : start + 6])
    return x


def _transformer_inputs(layers: int) -> tuple[np.ndarray, ...]:
    shapes = [(WIDTH, WIDTH)] * 4 + [(WIDTH, 4 * WIDTH), (4 * WIDTH, WIDTH)]
    weights = [normal(*s, seed=10 * n + i, scale=0.03) for n in range(layers) for i, s in enumerate(shapes)]
    return normal(BATCH, TOKENS, WIDTH), *weights


def _gradient(function, count: int):
    """Of the sum of squares, by all arguments but the first."""

    def loss(*arguments):
        return (function(*arguments) ** 2).mean()

    return jax.value_and_grad(loss, argnums=tuple(range(1, count)))


def _mlp(x, w1, b1, w2, b2, w3, b3):
    x = jax.nn.relu(x @ w1 + b1)
    x = jax.nn.relu(x @ w2 + b2)
    return jax.nn.log_softmax(x @ w3 + b3)


def _mlp_inputs():
    sizes = [(784, 512), (512, 256), (256, 10)]
    weights = [w for i, s in enumerate(sizes) for w in (normal(*s, seed=i, scale=0.05), normal(s[1], seed=i))]
    return normal(128, 784), *weights


def _cnn(x, w1, w2, w3):
    convolve = partial(jax.lax.conv_general_dilated, padding="SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    for w in (w1, w2):
        x = jax.nn.relu(convolve(x, w, (1, 1)))
        x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return x.reshape(x.shape[0], -1) @ w3


def _cnn_inputs():
    return (
        normal(32, 28, 28, 1),
        normal(3, 3, 1, 32),
        normal(3, 3, 32, 64, scale=0.1),
        normal(7 * 7 * 64, 10, scale=0.1),
    )


def _embed(table, tokens):
    x = table[tokens]
    return _norm(x).mean(axis=1)


def _adam(w, m, v, g):
    m = 0.9 * m + 0.1 * g
    v = 0.999 * v + 0.001 * g * g
    return w - 1e-3 * m / (jnp.sqrt(v) + 1e-8), m, v


def _qkv():
    return tuple(normal(1, 8, 1024, 64, seed=s) for s in range(3))


PROGRAMS = [
    Program("attention 8 heads 1024x64", _attention, _qkv),
    Program("mlp forward", _mlp, _mlp_inputs),
    Program("mlp gradient", _gradient(_mlp, 7), _mlp_inputs),
    Program("cnn forward", _cnn, _cnn_inputs),
    Program("cnn gradient", _gradient(_cnn, 4), _cnn_inputs),
    Program("transformer 1 layer", _transformer, lambda: _transformer_inputs(1)),
    Program("transformer 1 layer gradient", _gradient(_transformer, 7), lambda: _transformer_inputs(1)),
    Program("transformer 4 layers", _transformer, lambda: _transformer_inputs(4)),
    Program("transformer 4 layers gradient", _gradient(_transformer, 25), lambda: _transformer_inputs(4)),
    Program(
        "embedding and norm",
        _embed,
        lambda: (normal(30000, 256), integers(32, 128, low=0, high=30000)),
    ),
    Program("adam step 2048x2048", _adam, lambda: tuple(abs(normal(2048, 2048, seed=s)) for s in range(4))),
]
