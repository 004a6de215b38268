"""JAX programs with shardings on 2 to 8 devices, and what XLA's partitioner makes of them.

`python test/support/sharded_programs.py [NAME]` prints a table: the collectives of each program, ours beside XLA's, and the
bytes of their results on one process (what is in a loop counts once). `--check`: compares results and counts with XLA's; `--check-large`: counts
and bytes of what is too large to be run."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, shard_map
from jax.lax import with_sharding_constraint as constrain
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

import hlo
from hlo.runtime.grid.sharded import partitioned

sys.path.append(str(Path(__file__).parents[2]))

from bench.traffic import of_hlo, of_module, sent, summary


@dataclass
class Sharded:
    """A function, its arguments and the specs of arguments and results (None: left to propagation)."""

    name: str
    function: Callable[..., Any]
    mesh: Mesh
    arguments: tuple[Any, ...]
    specs: tuple[Any, ...]
    results: Any = None

    def lowered(self) -> Any:
        shardings = [None if s is None else NamedSharding(self.mesh, s) for s in self.specs]
        options = {"in_shardings": shardings}
        if self.results is not None:
            of = lambda s: NamedSharding(self.mesh, s)
            options["out_shardings"] = jax.tree.map(of, self.results, is_leaf=lambda s: isinstance(s, P))
        with jax.set_mesh(self.mesh):
            return jax.jit(self.function, **options).lower(*self.arguments)


def kept_arguments(lowered: Any, arguments: tuple[Any, ...]) -> list[np.ndarray]:
    """Those that the program reads: JAX drops the others."""
    kept = lowered._lowering.compile_args.get("kept_var_idx")
    return [np.asarray(a) for n, a in enumerate(arguments) if kept is None or n in kept]


def mesh_of(*sizes: int) -> Mesh:
    return Mesh(np.array(jax.devices()[: int(np.prod(sizes))]).reshape(sizes), ("x", "y", "z")[: len(sizes)])


def array(*shape: int, seed: list[int] = [0]) -> np.ndarray:  # noqa: B006
    seed[0] += 1
    return np.random.default_rng(seed[0]).standard_normal(shape).astype(np.float32)


def mlp(w, v, x):
    return jnp.tanh(x @ w) @ v


def mlp_loss(w, v, x, y):
    return jnp.mean((mlp(w, v, x) - y) ** 2)


def step(w, v, x, y):
    gw, gv = jax.grad(mlp_loss, (0, 1))(w, v, x, y)
    return w - 0.1 * gw, v - 0.1 * gv


def attention(x, wq, wk, wv, wo, heads=4):
    b, t, d = x.shape
    q, k, v = ((x @ w).reshape(b, t, heads, d // heads) for w in (wq, wk, wv))
    s = jnp.einsum("bthd,bshd->bhts", q, k) / (d // heads) ** 0.5
    s = jnp.where(jnp.tril(jnp.ones((t, t), bool)), s, -1e30)
    return x + jnp.einsum("bhts,bshd->bthd", jax.nn.softmax(s), v).reshape(b, t, d) @ wo


def layer(x, wq, wk, wv, wo, w1, w2, heads=4):
    x = attention(x, wq, wk, wv, wo, heads)
    mean = x.mean(-1, keepdims=True)
    n = (x - mean) * lax.rsqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5)
    return x + jax.nn.gelu(n @ w1) @ w2


def layers(x, *weights, heads=4):
    for k in range(0, len(weights), 6):
        x = layer(x, *weights[k : k + 6], heads=heads)
    return x


def gradients(count: int, heads: int = 4) -> Callable[..., Any]:
    return jax.grad(lambda *a: jnp.sum(layers(*a, heads=heads) ** 2), range(1 + 6 * count))


def transformer(count: int, width: int = 768, batch: int = 8, time: int = 64, *, fully: bool = False) -> Sharded:
    """Gradients of some layers over 2x4: the batch on x, weights on y (`fully`: weights on both)."""
    shapes = [(width, width)] * 4 + [(width, 4 * width), (4 * width, width)]
    arguments = tuple(
        jax.ShapeDtypeStruct(s, jnp.float32) for s in [(batch, time, width), *(s for _ in range(count) for s in shapes)]
    )
    column, row = (P("x", "y"), P("y", "x")) if fully else (P(None, "y"), P("y", None))
    specs = (P("x"), *([column] * 3 + [row, column, row]) * count)
    name = f"{count} layers, {'fully sharded weights' if fully else 'batch on x, weights on y'}, gradients"
    return Sharded(name, gradients(count, heads=max(width // 64, 4)), mesh_of(2, 4), arguments, specs, specs)


def small_transformer(count: int) -> Sharded:
    """One that runs, its weights sharded fully: reduce_scatters of all weights at its end."""
    large = transformer(count, width=64, batch=8, time=32, fully=True)
    arguments = tuple(0.1 * array(*a.shape) for a in large.arguments)
    return Sharded(large.name, large.function, large.mesh, arguments, large.specs, large.results)


def programs() -> Iterator[Sharded]:
    m4, m22, m24 = mesh_of(4), mesh_of(2, 2), mesh_of(2, 4)
    data = (array(16, 32), array(32, 8), array(64, 16), array(64, 8))
    yield Sharded("data parallel MLP, gradients", jax.grad(mlp_loss, (0, 1)), m4, data,
                  (P(), P(), P("x"), P("x")), (P(), P()))  # fmt: skip
    weights = (array(2, 8, 16), *(array(16, 16) for _ in range(4)), array(16, 64), array(64, 16))
    col, row = P(None, "x"), P("x", None)
    yield Sharded(
        "tensor parallel layer (attention, MLP)", layer, m4, weights, (P(), col, col, col, row, col, row), P()
    )
    both = (P("x"), *(P(None, "y"),) * 3, P("y", None), P(None, "y"), P("y", None))
    yield Sharded("the same, batch on x, weights on y", layer, m24, weights, both, P("x"))
    yield Sharded("gradients of the same", gradients(1), m24, weights, both, both)
    yield small_transformer(2)
    yield Sharded("fully sharded MLP, step", step, m4, data, (P("x"),) * 4, (P("x"), P("x")))
    square = (array(16, 32), array(32, 8))
    yield Sharded("matmul on a 2-D mesh", jnp.matmul, m22, square, (P("x", "y"), P("x", "y")), P("x", "y"))
    yield Sharded("matmul, contracted axis", jnp.matmul, m22, square, (P("x", "y"), P("y", None)), P("x", None))
    lookup = lambda mode: lambda e, i: jax.grad(lambda e: jnp.sum(jnp.take(e, i, axis=0, mode=mode) ** 2))(e)
    index = np.arange(12, dtype=np.int32).reshape(4, 3)
    yield Sharded("embedding lookup and gradient", lookup("clip"), m22, (array(10, 8), index % 10),
                  (P(None, "y"), P("x")), P(None, "y"))  # fmt: skip
    yield Sharded("embedding split by vocabulary", lookup(None), m22, (array(12, 8), index - 1),
                  (P("y"), P("x")), P("y"))  # fmt: skip
    yield Sharded("convolution, batch and features", lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "SAME"), m22,
                  (array(4, 8, 6, 6), array(4, 8, 3, 3)), (P("x", "y"), P(None, "y")), P("x"))  # fmt: skip
    yield Sharded("loop over layers", lambda x, ws: lax.scan(lambda x, w: (jnp.tanh(x @ w), ()), x, ws)[0], m22,
                  (array(8, 16), array(3, 16, 16)), (P("x", "y"), P(None, None, "y")), P("x", "y"))  # fmt: skip
    yield from manual_programs(m4, m22)
    yield from moving_programs(m4, m22, m24)
    yield from uneven_programs(m4, m22)


def manual_programs(m4: Mesh, m22: Mesh) -> Iterator[Sharded]:
    def manual(f, i, o, mesh=m4, **more):
        return shard_map(f, mesh=mesh, in_specs=i, out_specs=o, **more)

    psum = manual(lambda a, b: lax.psum(a @ b, "y"), (P("x", "y"), P("y", None)), P("x"), m22)
    yield Sharded("shard_map psum", psum, m22, (array(8, 16), array(16, 4)), (P("x", "y"), P("y", None)))
    turn = [(i, (i + 1) % 4) for i in range(4)]
    permute = manual(lambda a: a + lax.ppermute(a, "x", turn), P("x"), P("x"))
    yield Sharded("shard_map ppermute", permute, m4, (array(8, 3),), (P("x"),))
    several = manual(
        lambda a: (
            lax.all_gather(a, "x", axis=1, tiled=True).sum(1),
            lax.all_to_all(a, "x", 1, 0, tiled=True),
            lax.psum_scatter(a.T @ a, "x", tiled=True),
        ),
        P("x"),
        (P("x"), P("x"), P("x")),
    )
    yield Sharded("shard_map all_gather, all_to_all, psum_scatter", several, m4, (array(8, 4),), (P("x"),))
    inner = manual(lambda u: lax.pmax(u, "x") * lax.axis_index("x"), P("x"), P("x"))
    yield Sharded("shard_map between sharded ops", lambda a, b: jnp.sin(inner(a @ b)).sum(0), m4,
                  (array(8, 4), array(4, 12)), (P(), P(None, "x")))  # fmt: skip
    partly = manual(lambda u, v: lax.psum(u @ v, "x"), (P(None, "x"), P("x")), P(), m22, axis_names={"x"})
    yield Sharded("shard_map of one axis, the other automatic", lambda a, b: jnp.sin(partly(a * 2, b)), m22,
                  (array(8, 4), array(4, 12)), (P("y", "x"), P("x")), P("y"))  # fmt: skip


def moving_programs(m4: Mesh, m22: Mesh, m24: Mesh) -> Iterator[Sharded]:
    yield Sharded(
        "sort along the sharded dimension", lambda a: jnp.sort(a * 2, 0), m4, (array(16, 8),), (P("x"),), P("x")
    )
    yield Sharded(
        "cumsum along the sharded dimension", lambda a: jnp.cumsum(a, 0), m4, (array(16, 8),), (P("x"),), P("x")
    )
    yield Sharded("axis from dimension to dimension", lambda a: constrain(a, P(None, "x")) * 2, m4, (array(8, 8),),
                  (P("x"),), P(None, "x"))  # fmt: skip
    mixed = Mesh(np.array(jax.devices())[[0, 3, 1, 2]].reshape(2, 2), ("x", "y"))
    yield Sharded("devices in another order", lambda a, b: constrain(a @ b, P("y", "x")), mixed,
                  (array(8, 8), array(8, 4)), (P("x", "y"), P("y")))  # fmt: skip
    yield Sharded("unconstrained dimensions", lambda a: jnp.sin(constrain(a * 2, P(P.UNCONSTRAINED, "y"))), m22,
                  (array(8, 8),), (P("x"),))  # fmt: skip

    def conditionals(a):
        b = lax.cond(a.sum() > 0, lambda a: a * 2, lambda a: jnp.sort(a, 0), a)
        return lax.switch(jnp.int32(a[0, 0] * 3), [jnp.sin, lambda a: a @ a.T, lambda a: a.T], b)

    yield Sharded("conditionals", conditionals, m22, (array(8, 8),), (P("x", "y"),), P("x", "y"))
    loop = lambda a: lax.while_loop(lambda c: jnp.sum(c) < 99, lambda c: c * 1.5 + 1, a)
    yield Sharded("loop whose condition reads sharded data", loop, m22, (array(8, 8),), (P("x", "y"),), P("x", "y"))
    yield Sharded("order of axes", lambda a: a + 1, m24, (array(16, 8),), (P(("x", "y")),), P(("y", "x")))
    yield Sharded("split by a reshape", lambda a: jnp.sin(a.reshape(2, 4, 3)), m4, (array(8, 3),), (P("x"),))


def uneven_programs(m4: Mesh, m22: Mesh) -> Iterator[Sharded]:
    def statistics(a):
        a = constrain(a, P("x"))
        return jax.nn.softmax(a, 0), a.sum(), a.max(0), jnp.prod(a, 0)

    yield Sharded("uneven: 7 over 4, softmax and sums", statistics, m4, (array(7, 5),), (P(),))
    split = lambda a: constrain(jnp.sin(constrain(a, P(("x", "y"))).reshape(2, 3)), P("x", "y"))
    yield Sharded("uneven: split by a reshape, 2x3 over 2x2", split, m22, (array(6),), (P(),))
    product = lambda a, b: constrain(a, P(None, "x")) @ constrain(b, P("x"))
    yield Sharded("uneven: contraction of 7 over 4", product, m4, (array(3, 7), array(7, 5)), (None, None))
    argmax = lambda a: (jnp.argmax(constrain(a, P("x")), 1), constrain(a.T, P("x")) * 2)
    yield Sharded("uneven: argmax, transposed, 7 over 4", argmax, m4, (array(7, 5),), (None,))


def named(name: str) -> Iterator[Sharded]:
    """Those whose name holds `name`; with "" also large ones, which are not run."""
    for program in [*programs(), transformer(12), transformer(12, fully=True)]:
        if name in program.name:
            yield program


def table(name: str) -> None:
    import time

    for program in named(name):
        lowered = program.lowered()
        module = hlo.parse(lowered.as_text())
        start = time.process_time()
        module = partitioned(module, "main")
        spent = time.process_time() - start
        theirs = of_hlo(lowered.compile().as_text())
        print(
            f"| {program.name} | {summary(of_module(module))} | {summary(theirs)} | {spent * 1000:.0f} ms |",
            flush=True,
        )


def check(program: Sharded) -> str:
    """What is wrong with our results or collectives, "" if nothing is."""
    lowered = program.lowered()
    compiled = lowered.compile()
    with jax.set_mesh(program.mesh):
        shardings = [None if s is None else NamedSharding(program.mesh, s) for s in program.specs]
        placed = [a if s is None else jax.device_put(a, s) for a, s in zip(program.arguments, shardings)]
        expected = jax.tree.leaves(compiled(*placed))
    exe = hlo.compile(lowered.as_text(), target="reference")
    given = kept_arguments(lowered, program.arguments)
    if message := difference(exe(*given), expected):
        return message
    older = with_strings(program).as_text()
    if message := difference(hlo.compile(older, target="reference")(*given), expected):
        return f"with strings: {message}"
    module = partitioned(hlo.parse(lowered.as_text()), "main")
    ours, theirs = of_module(module), of_hlo(compiled.as_text())
    return "" if len(ours) <= len(theirs) or program.name in MORE else f"{summary(ours)}, XLA has {summary(theirs)}"


def check_counts(program: Sharded) -> str:
    """Of a program that is too large to be run: what is wrong with the number or the bytes of our collectives."""
    lowered = program.lowered()
    module = partitioned(hlo.parse(lowered.as_text()), "main")
    ours, theirs = of_module(module), of_hlo(lowered.compile().as_text())
    return (
        "" if len(ours) <= len(theirs) and sent(ours) <= sent(theirs) else f"{summary(ours)}, XLA has {summary(theirs)}"
    )


def difference(found: list[np.ndarray], expected: list[Any]) -> str:
    for number, (a, b) in enumerate(zip(found, map(np.asarray, expected), strict=True)):
        scale = np.max(np.abs(b), initial=1.0)
        if a.shape != b.shape or not np.allclose(a, b, rtol=2e-4, atol=2e-5 * scale, equal_nan=True):
            return f"result {number} differs"
    return ""


def with_strings(program: Sharded) -> Any:
    """The program as JAX lowers it for XLA's older partitioner."""
    jax.config.update("jax_use_shardy_partitioner", False)
    try:
        return program.lowered()
    finally:
        jax.config.update("jax_use_shardy_partitioner", True)


MORE = (
    "fully sharded MLP, step",
    "matmul on a 2-D mesh",
    "embedding lookup and gradient",
    "cumsum along the sharded dimension",
)
"""Programs with more collectives than XLA's, which move fewer bytes."""


def main() -> int:
    arguments = sys.argv[1:]
    if arguments[:1] not in (["--check"], ["--check-large"]):
        table(arguments[0] if arguments else "")
        return 0
    wrong, large = 0, arguments[0] == "--check-large"
    for program in (transformer(12), transformer(12, fully=True)) if large else programs():
        if len(arguments) < 2 or arguments[1] in program.name:
            message = check_counts(program) if large else check(program)
            wrong += bool(message)
            print(f"{program.name}: {message or 'ok'}", flush=True)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
