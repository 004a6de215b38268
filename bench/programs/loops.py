"""Loops: recurrent networks, solvers, small bodies. Operations are given: XLA counts a loop's body once."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from bench.programs.program import Program, normal

STEPS, BATCH, WIDTH = 64, 32, 256


def _lstm(xs, w, u, b):
    def step(state, x):
        h, c = state
        i, f, g, o = jnp.split(x @ w + h @ u + b, 4, axis=-1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zero = jnp.zeros((BATCH, WIDTH))
    return jax.lax.scan(step, (zero, zero), xs)[1]


def _lstm_inputs():
    weights = [normal(WIDTH, 4 * WIDTH, seed=s, scale=0.05) for s in (1, 2)]
    return normal(STEPS, BATCH, WIDTH), *weights, normal(4 * WIDTH)


def _jacobi(x):
    def sweep(_, x):
        inner = 0.25 * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:])
        return x.at[1:-1, 1:-1].set(inner)

    return jax.lax.fori_loop(0, 50, sweep, x)


def _until_small(x):
    def body(state):
        n, x = state
        return n + 1, x * 0.98

    return jax.lax.while_loop(lambda s: (s[0] < 1000) & (jnp.abs(s[1]).max() > 1e-3), body, (0, x))


def _tiny(x):
    return jax.lax.fori_loop(0, 2000, lambda _, x: x * 0.999 + 0.001, x)


def _bodies(position, velocity, mass):
    def step(_, state):
        p, v = state
        d = p[None] - p[:, None]
        r = jax.lax.rsqrt((d * d).sum(-1) + 1e-2)
        a = (d * (mass[None] * r * r * r)[..., None]).sum(1)
        v = v + 1e-3 * a
        return p + 1e-3 * v, v

    return jax.lax.fori_loop(0, 20, step, (position, velocity))


PROGRAMS = [
    Program("lstm 64 steps 32x256", _lstm, _lstm_inputs, operations=2.0 * STEPS * BATCH * WIDTH * WIDTH * 8),
    Program("jacobi 50 sweeps 512x512", _jacobi, lambda: (normal(512, 512),), operations=50 * 4.0 * 510 * 510),
    Program("while until small 64x64", _until_small, lambda: (normal(64, 64),), operations=420 * 3.0 * 4096),
    Program("2000 steps on 16 floats", _tiny, lambda: (normal(16),), operations=2.0 * 2000 * 16),
    Program(
        "512 bodies 20 steps",
        _bodies,
        lambda: (normal(512, 3), normal(512, 3, seed=1), abs(normal(512))),
        operations=20 * 20.0 * 512 * 512,
    ),
]
