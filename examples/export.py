"""Exports the example programs with JAX (dev extra): NAME.mlir, NAME.inputs.npz and NAME.expected.npz, JAX's own results.

python examples/export.py [NAME ...]"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

FOLDER = Path(__file__).parent
Example = tuple[Callable[..., Any], tuple[Any, ...]]


def normal(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def scaled(seed: int, *shape: int) -> np.ndarray:
    """Weights whose products keep their size: divided by the square root of the inputs' number."""
    return (normal(seed, *shape) / np.sqrt(np.prod(shape[:-1]))).astype(np.float32)


def mlp_parameters() -> list[tuple[np.ndarray, np.ndarray]]:
    sizes = [(784, 128), (128, 64), (64, 10)]
    return [(scaled(i, *size), normal(10 + i, size[1]) * 0.1) for i, size in enumerate(sizes)]


def mlp_logits(parameters: Any, x: jax.Array) -> jax.Array:
    for weights, bias in parameters[:-1]:
        x = jax.nn.gelu(x @ weights + bias)
    weights, bias = parameters[-1]
    return x @ weights + bias


def cross_entropy(logits: jax.Array, labels: jax.Array) -> jax.Array:
    return -jnp.mean(jax.nn.log_softmax(logits)[jnp.arange(labels.shape[0]), labels])


def labels(count: int) -> np.ndarray:
    return np.random.default_rng(99).integers(0, 10, count).astype(np.int32)


def mlp() -> Example:
    return lambda p, x: jax.nn.softmax(mlp_logits(p, x)), (mlp_parameters(), normal(5, 32, 784))


def mlp_training_step() -> Example:
    def step(parameters, x, y):
        loss, gradients = jax.value_and_grad(lambda p: cross_entropy(mlp_logits(p, x), y))(parameters)
        return loss, jax.tree.map(lambda p, g: p - 0.1 * g, parameters, gradients)

    return step, (mlp_parameters(), normal(5, 32, 784), labels(32))


def cnn_parameters() -> dict[str, np.ndarray]:
    return {
        "conv1": scaled(1, 3, 3, 1, 16),
        "conv2": scaled(2, 3, 3, 16, 32),
        "dense": scaled(3, 7 * 7 * 32, 10),
        "bias": normal(4, 10),
    }


def cnn_logits(parameters: Any, x: jax.Array) -> jax.Array:
    for name in ("conv1", "conv2"):
        x = lax.conv_general_dilated(x, parameters[name], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        x = lax.reduce_window(jax.nn.relu(x), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return x.reshape(x.shape[0], -1) @ parameters["dense"] + parameters["bias"]


def cnn() -> Example:
    return cnn_logits, (cnn_parameters(), normal(6, 4, 28, 28, 1))


def cnn_gradient_step() -> Example:
    def step(parameters, x, y):
        return jax.value_and_grad(lambda p: cross_entropy(cnn_logits(p, x), y))(parameters)

    return step, (cnn_parameters(), normal(6, 4, 28, 28, 1), labels(4))


WIDTH, HEADS, TOKENS = 64, 4, 32


def transformer_parameters(width: int = WIDTH) -> dict[str, np.ndarray]:
    return {
        "qkv": scaled(1, width, 3 * width),
        "project": scaled(2, width, width),
        "up": scaled(3, width, 4 * width),
        "down": scaled(4, 4 * width, width),
        "scale1": 1 + 0.1 * normal(5, width),
        "scale2": 1 + 0.1 * normal(6, width),
    }


def layer_norm(x: jax.Array, scale: jax.Array) -> jax.Array:
    centred = x - x.mean(-1, keepdims=True)
    return centred * lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * scale


def attention(x: jax.Array, parameters: Any) -> jax.Array:
    batch, tokens, width = x.shape
    q, k, v = jnp.split((x @ parameters["qkv"]).reshape(batch, tokens, HEADS, -1), 3, axis=-1)
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(width // HEADS)
    causal = jnp.tril(jnp.ones((tokens, tokens), bool))
    weights = jax.nn.softmax(jnp.where(causal, scores, -1e9))
    return jnp.einsum("bhqk,bkhd->bqhd", weights, v).reshape(batch, tokens, width) @ parameters["project"]


def transformer_block(parameters: Any, x: jax.Array) -> jax.Array:
    x = x + attention(layer_norm(x, parameters["scale1"]), parameters)
    return x + jax.nn.gelu(layer_norm(x, parameters["scale2"]) @ parameters["up"]) @ parameters["down"]


def transformer() -> Example:
    return transformer_block, (transformer_parameters(), normal(7, 2, TOKENS, WIDTH))


def transformer_gradient() -> Example:
    def loss(parameters, x):
        return jnp.mean(transformer_block(parameters, x) ** 2)

    return jax.value_and_grad(loss), (transformer_parameters(), normal(7, 2, TOKENS, WIDTH))


def lstm() -> Example:
    def run(weights, bias, sequence):
        def cell(state, x):
            hidden, memory = state
            i, f, g, o = jnp.split(jnp.concatenate([x, hidden], -1) @ weights + bias, 4, axis=-1)
            memory = jax.nn.sigmoid(f) * memory + jax.nn.sigmoid(i) * jnp.tanh(g)
            hidden = jax.nn.sigmoid(o) * jnp.tanh(memory)
            return (hidden, memory), hidden

        zeros = jnp.zeros((sequence.shape[1], 32))
        return lax.scan(cell, (zeros, zeros), sequence)

    return run, (scaled(1, 48, 128), normal(2, 128) * 0.1, normal(3, 20, 8, 16))


def random_numbers() -> Example:
    def draw(seed):
        keys = jax.random.split(jax.random.key(seed), 4)
        return (
            jax.random.uniform(keys[0], (64,)),
            jax.random.normal(keys[1], (8, 8)),
            jax.random.randint(keys[2], (32,), 0, 1000),
            jax.random.permutation(keys[3], 20),
        )

    return draw, (np.uint32(42),)


def sort_top_k() -> Example:
    def order(x, keys):
        return (*lax.top_k(x, 5), jnp.argsort(keys), jnp.sort(x, axis=0), jnp.argmax(x, axis=1))

    keys = np.random.default_rng(3).integers(0, 20, 100).astype(np.int32)
    return order, (normal(8, 16, 100), keys)


def jacobi() -> Example:
    def solve(grid):
        def sweep(state):
            step, u, _ = state
            inner = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
            new = u.at[1:-1, 1:-1].set(inner)
            return step + 1, new, jnp.max(jnp.abs(new - u))

        start = (0, grid, jnp.float32(jnp.inf))
        return lax.while_loop(lambda s: (s[0] < 200) & (s[2] > 1e-4), sweep, start)

    grid = np.zeros((64, 64), np.float32)
    grid[0] = 1
    return solve, (grid,)


EXAMPLES = {
    f.__name__: f
    for f in (
        mlp,
        mlp_training_step,
        cnn,
        cnn_gradient_step,
        transformer,
        transformer_gradient,
        lstm,
        random_numbers,
        sort_top_k,
        jacobi,
    )
}


def export(name: str) -> None:
    function, arguments = EXAMPLES[name]()
    text = jax.jit(function).lower(*arguments).as_text()
    results = jax.jit(function)(*arguments)
    (FOLDER / f"{name}.mlir").write_text(text)
    save(f"{name}.inputs.npz", arguments)
    save(f"{name}.expected.npz", results)


def save(file: str, tree: Any) -> None:
    arrays = {f"{i:03d}": np.asarray(a) for i, a in enumerate(jax.tree.leaves(tree))}
    np.savez_compressed(FOLDER / file, **arrays)


if __name__ == "__main__":
    for name in sys.argv[1:] or EXAMPLES:
        export(name)
        print(f"examples/{name}.mlir")
