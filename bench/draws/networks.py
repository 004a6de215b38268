"""Loops, small networks and their gradients."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from bench.draws.sizes import Generator, array, by, one_of, size, unit_weights
from bench.programs.program import Program


def loop(rng: Generator) -> Program:
    steps, width, rows = size(rng, 4, 256), size(rng, 1, 256), size(rng, 1, 64)
    x, w = array(rng, [rows, width]), unit_weights(rng, [width, width])
    inputs = array(rng, [steps, rows, width])

    def grown(x: Any, w: Any, s: Any) -> Any:
        go_on = lambda state: (state[1] < steps) & (jnp.abs(state[0]).max() < 1e6)
        return jax.lax.while_loop(go_on, lambda state: (state[0] * 1.01 + 0.1, state[1] + 1), (x, 0))[0]

    kinds: dict[str, Callable[..., Any]] = {
        "fori elementwise": lambda x, w, s: jax.lax.fori_loop(0, steps, lambda i, x: x + 0.1 * jnp.sin(x), x),
        "recurrent": lambda x, w, s: jax.lax.scan(lambda x, e: (jnp.tanh(x @ w + e),) * 2, x, s)[1],
        "running": lambda x, w, s: jax.lax.scan(lambda x, e: (0.9 * x + e, x), x, s)[1],
        "while": grown,
        "stencil": lambda x, w, s: jax.lax.fori_loop(
            0, steps, lambda i, x: x.at[:, 1:-1].set((x[:, :-2] + x[:, 2:]) / 2) if width > 2 else x * 0.5, x
        ),
    }
    kind = one_of(rng, list(kinds))
    return Program(f"{kind} {steps} steps {rows}x{width}", kinds[kind], lambda: (x, w, inputs))


def network(rng: Generator) -> Program:
    return _network(rng, lambda f: f)


def gradient(rng: Generator) -> Program:
    return _network(rng, lambda f: jax.grad(lambda p, x: jnp.sin(2 * f(p, x)).mean()))


def _network(rng: Generator, through: Callable[[Any], Any]) -> Program:
    build = one_of(rng, (_perceptron, _convolutional, _attention))
    function, parameters, x = build(rng)
    wanted = through(function)
    what = "gradient" if wanted is not function else "network"
    flat, tree = jax.tree.flatten(parameters)

    def called(x: Any, *leaves: Any) -> Any:
        return wanted(jax.tree.unflatten(tree, leaves), x)

    name = f"{what} {build.__name__.strip('_')} {by(x.shape)} with {', '.join(by(p.shape) for p in flat)}"
    return Program(name, called, lambda: (x, *flat))


def _perceptron(rng: Generator) -> tuple[Any, list[np.ndarray], np.ndarray]:
    widths = [size(rng, 4, 512) for _ in range(int(rng.integers(2, 6)))]
    act = one_of(rng, (jax.nn.relu, jax.nn.gelu, jnp.tanh, jax.nn.silu))
    weights = [unit_weights(rng, pair) for pair in itertools.pairwise(widths)]

    def function(parameters: Any, x: Any) -> Any:
        for w in parameters:
            x = act(x @ w + 0.1)
        return x

    return function, weights, array(rng, [size(rng, 1, 256), widths[0]])


def _convolutional(rng: Generator) -> tuple[Any, list[np.ndarray], np.ndarray]:
    features = [size(rng, 1, 64) for _ in range(3)]
    weights = [unit_weights(rng, [3, 3, *pair]) for pair in itertools.pairwise(features)]

    def function(parameters: Any, x: Any) -> Any:
        for w in parameters:
            x = jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
            x = jax.lax.reduce_window(jax.nn.relu(x), -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        return x.mean((1, 2))

    side = size(rng, 8, 48)
    return function, weights, array(rng, [size(rng, 1, 16), side, side, features[0]])


def _attention(rng: Generator) -> tuple[Any, list[np.ndarray], np.ndarray]:
    heads, depth = int(one_of(rng, (1, 2, 4, 8))), int(one_of(rng, (8, 16, 32, 64)))
    width, length = heads * depth, size(rng, 8, 256)
    weights = [unit_weights(rng, [width, width]) for _ in range(4)]

    def function(parameters: Any, x: Any) -> Any:
        q, k, v = ((x @ w).reshape(*x.shape[:2], heads, depth) for w in parameters[:3])
        scores = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k) / depth**0.5)
        mixed = jnp.einsum("bhqk,bkhd->bqhd", scores, v).reshape(x.shape) @ parameters[3] + x
        return mixed * jax.lax.rsqrt((mixed * mixed).mean(-1, keepdims=True) + 1e-5)

    return function, weights, array(rng, [size(rng, 1, 8), length, width])
