"""Five ways of running a program on several processes, each beside the same program for one.

python -m examples.parallel [NAME ...]        exports NAME.mlir, NAME.inputs.npz, NAME.expected.npz with JAX (dev extra)
hlo-run examples/NAME.mlir --input examples/NAME.inputs.npz --expected examples/NAME.expected.npz

The expected values are those of the program for one process, which JAX compiles without shardings. docs/parallel.md tells
what each example sends."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from examples import export


@dataclass(frozen=True)
class Parallel:
    """`single`: the program for one process. `sharded`: what is partitioned, `single` itself where shardings of arguments
    and results say enough; it is called with the mesh. `specs`, `results`: how arguments and results are cut."""

    sizes: dict[str, int]
    single: Callable[..., Any]
    arguments: tuple[Any, ...]
    specs: tuple[Any, ...]
    results: Any
    by_hand: Callable[..., Callable[..., Any]] | None = None

    def mesh(self) -> Mesh:
        count = int(np.prod(list(self.sizes.values())))
        return Mesh(np.array(jax.devices()[:count]).reshape(list(self.sizes.values())), tuple(self.sizes))

    def jitted(self) -> Any:
        """The program with its shardings, as JAX lowers and XLA partitions it."""
        mesh = self.mesh()
        function = self.by_hand(mesh) if self.by_hand else self.single
        placed = partial(jax.tree.map, lambda spec: NamedSharding(mesh, spec), is_leaf=lambda s: isinstance(s, P))
        return jax.jit(function, in_shardings=placed(self.specs), out_shardings=placed(self.results))


def classifier(widths: tuple[int, ...]) -> list[tuple[np.ndarray, np.ndarray]]:
    pairs = pairwise(widths)
    return [(export.scaled(n, *pair), 0.1 * export.normal(10 + n, pair[1])) for n, pair in enumerate(pairs)]


def training_step(parameters: Any, momentum: Any, x: jax.Array, y: jax.Array) -> Any:
    """Stochastic gradient descent with momentum: the loss, the new parameters, the new momentum."""

    def loss_of(parameters):
        logits = export.mlp_logits(parameters, x)
        return -jnp.mean(jnp.sum(jax.nn.log_softmax(logits) * jax.nn.one_hot(y, logits.shape[1]), axis=1))

    loss, gradients = jax.value_and_grad(loss_of)(parameters)
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, gradients)
    return loss, jax.tree.map(lambda p, m: p - 0.1 * m, parameters, momentum), momentum


def _training(batch: int, width: int) -> tuple[Any, ...]:
    parameters = classifier((width, 2 * width, width, 16))
    y = np.random.default_rng(99).integers(0, 16, batch).astype(np.int32)
    return parameters, jax.tree.map(np.zeros_like, parameters), export.normal(5, batch, width), y


def data_parallel(batch: int = 64, width: int = 32) -> Parallel:
    """Each process has a part of the batch and all parameters. The gradients of all parameters are added in one
    all_reduce."""
    arguments = _training(batch, width)
    whole = jax.tree.map(lambda _: P(), arguments[0])
    return Parallel({"x": 4}, training_step, arguments, (whole, whole, P("x"), P("x")), (P(), whole, whole))


def fully_sharded(batch: int = 256, width: int = 32) -> Parallel:
    """Each process has a part of the batch, of each parameter and of its momentum. Weights are gathered where they are
    needed, gradients are reduced to the part that a process keeps."""
    arguments = _training(batch, width)
    cut = jax.tree.map(lambda _: P("x"), arguments[0])
    return Parallel({"x": 4}, training_step, arguments, (cut, cut, P("x"), P("x")), (P(), cut, cut))


def tensor_parallel(batch: int = 2, tokens: int = 32, width: int = 64) -> Parallel:
    """A transformer layer as in Megatron (Shoeybi et al. 2019): the first weights of attention and MLP are cut by columns
    (heads), the second ones by rows, so that two all_reduces of activations are all that is sent."""
    by_columns, by_rows = P(None, "x"), P("x", None)
    parameters = export.transformer_parameters(width)
    specs = {
        "qkv": by_columns,
        "project": by_rows,
        "up": by_columns,
        "down": by_rows,
        "scale1": P(),
        "scale2": P(),
    }
    x = export.normal(7, batch, tokens, width)
    return Parallel({"x": 4}, export.transformer_block, (parameters, x), (specs, P()), P())


def attention(q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
    """For each head: tokens x width."""
    scores = jnp.einsum("hqd,hkd->hqk", q, k) / np.sqrt(q.shape[-1])
    return jnp.einsum("hqk,hkd->hqd", jax.nn.softmax(scores), v)


def ring_attention(heads: int = 2, tokens: int = 64, width: int = 16) -> Parallel:
    """Each process has a part of the tokens. Keys and values go round a ring of collective_permutes, while each process
    folds the part that it holds into its softmax (Liu et al. 2023)."""

    def ring(q, k, v, *, count):
        turn = [(i, (i + 1) % count) for i in range(count)]
        pair = jnp.stack([k, v])
        largest = jnp.full(q.shape[:2], -jnp.inf)
        total, weighted = jnp.zeros(q.shape[:2]), jnp.zeros(q.shape)
        for step in range(count):
            k, v = pair
            if step + 1 < count:
                pair = lax.ppermute(pair, "x", turn)
            scores = jnp.einsum("hqd,hkd->hqk", q, k) / np.sqrt(q.shape[-1])
            higher = jnp.maximum(largest, scores.max(-1))
            weights, shrunk = jnp.exp(scores - higher[..., None]), jnp.exp(largest - higher)
            total = total * shrunk + weights.sum(-1)
            weighted = weighted * shrunk[..., None] + jnp.einsum("hqk,hkd->hqd", weights, v)
            largest = higher
        return weighted / total[..., None]

    cut = P(None, "x")

    def by_hand(mesh: Mesh) -> Any:
        return jax.shard_map(
            partial(ring, count=mesh.size), mesh=mesh, in_specs=(cut,) * 3, out_specs=cut, check_vma=False
        )

    arguments = tuple(export.normal(n, heads, tokens, width) for n in range(3))
    return Parallel({"x": 4}, attention, arguments, (cut,) * 3, cut, by_hand)


def relax(u: jax.Array) -> jax.Array:
    """The mean of the four neighbours of each inner point."""
    return 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])


def halo_exchange(size: int = 64) -> Parallel:
    """Jacobi's method for Laplace's equation on a grid that is cut along both dimensions. In each sweep a process sends its
    edges to its four neighbours, and all agree on the largest change."""
    sweeps, least = 100, 1e-4
    grid = np.zeros((size, size), np.float32)
    grid[0] = 1

    def single(grid):
        def sweep(state):
            step, u, _ = state
            new = u.at[1:-1, 1:-1].set(relax(u))
            return step + 1, new, jnp.max(jnp.abs(new - u))

        return lax.while_loop(lambda s: (s[0] < sweeps) & (s[2] > least), sweep, (0, grid, jnp.float32(jnp.inf)))

    def with_neighbours(u, axis, dimension, count):
        """The edges of both neighbours around a part; zeros at the ends of the grid."""
        first, last = lax.slice_in_dim(u, 0, 1, axis=dimension), lax.slice_in_dim(u, -1, None, axis=dimension)
        before = lax.ppermute(last, axis, [(i, i + 1) for i in range(count - 1)])
        behind = lax.ppermute(first, axis, [(i + 1, i) for i in range(count - 1)])
        return jnp.concatenate([before, u, behind], dimension)

    def part(u, *, counts):
        rows, columns = (lax.axis_index(a) * n + jnp.arange(n) for a, n in zip("xy", u.shape))
        inner = ((rows > 0) & (rows < size - 1))[:, None] & ((columns > 0) & (columns < size - 1))

        def sweep(state):
            step, u, _ = state
            tall = with_neighbours(u, "x", 0, counts[0])
            wide = with_neighbours(u, "y", 1, counts[1])
            mean = 0.25 * (tall[:-2] + tall[2:] + wide[:, :-2] + wide[:, 2:])
            new = jnp.where(inner, mean, u)
            return step + 1, new, lax.pmax(jnp.max(jnp.abs(new - u)), ("x", "y"))

        return lax.while_loop(lambda s: (s[0] < sweeps) & (s[2] > least), sweep, (0, u, jnp.float32(jnp.inf)))

    def by_hand(mesh: Mesh) -> Any:
        function = partial(part, counts=tuple(mesh.shape.values()))
        return jax.shard_map(
            function, mesh=mesh, in_specs=P("x", "y"), out_specs=(P(), P("x", "y"), P()), check_vma=False
        )

    return Parallel({"x": 2, "y": 2}, single, (grid,), (P("x", "y"),), (P(), P("x", "y"), P()), by_hand)


EXAMPLES = {f.__name__: f for f in (data_parallel, tensor_parallel, fully_sharded, ring_attention, halo_exchange)}


def use_devices(count: int) -> None:
    """Lets JAX have several CPU devices; before anything is computed."""
    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_num_cpu_devices", count)


def write(name: str) -> None:
    example = EXAMPLES[name]()
    text = example.jitted().lower(*example.arguments).as_text()
    (export.FOLDER / f"{name}.mlir").write_text(text)
    export.save(f"{name}.inputs.npz", example.arguments)
    export.save(f"{name}.expected.npz", jax.jit(example.single)(*example.arguments))


if __name__ == "__main__":
    use_devices(8)
    for name in sys.argv[1:] or EXAMPLES:
        write(name)
        print(f"examples/{name}.mlir")
