"""What JAX's `cost_analysis`, `memory_analysis` and `memory_stats` tell of programs and devices of hlo."""

import json

import numpy as np
import pytest
from test_jax_backend import run

COSTS = """
import json, sys, jax, jax.numpy as jnp
from jax import lax
m, v = jnp.ones((64, 64)), jnp.ones(64)
PROGRAMS = {
    "product": (lambda a: a @ a, [m]),
    "chain": (lambda a: jnp.sum(jnp.exp(a) * a + a), [m]),
    "slice": (lambda a: a[3:5] + 1, [m]),
    "loop": (lambda a: lax.while_loop(lambda b: b[0, 0] < 3, lambda b: b @ b, a), [m]),
    "branch": (lambda a: lax.cond(a[0, 0] > 2, lambda b: b @ b, lambda b: b + 1, a), [m]),
    "integers": (lambda a: a * a + 3, [jnp.arange(64)]),
    "complex": (lambda a: a * a, [m.astype(jnp.complex64)]),
    "no arguments": (lambda: jnp.zeros(8), []),
}
print(json.dumps({name: jax.jit(f).lower(*a).compile().cost_analysis() for name, (f, a) in PROGRAMS.items()}))
"""

SQUARE, SIDE = 4096, 64
PRODUCT = 2 * SIDE**3
"""Operations of a product of matrices of 64 x 64."""

EXPECTED = {
    "product": (PRODUCT, 0, 2 * 4 * SQUARE),
    "chain": (3 * SQUARE, SQUARE, 4 * SQUARE + 4),
    "slice": (2 * SIDE, 0, 2 * 4 * 2 * SIDE),
    "loop": (PRODUCT, 0, None),
    "branch": (PRODUCT, 0, None),
    "integers": (2 * 64, 0, 2 * 4 * 64),
    "complex": (6 * SQUARE, 0, 2 * 8 * SQUARE),
    "no arguments": (0, 0, None),
}
"""Operations, transcendental functions, bytes (None: what the few scalars beside take is not said)."""


@pytest.fixture(scope="module")
def costs():
    done = run(COSTS)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", EXPECTED)
def test_cost_analysis(name, costs):
    operations, transcendentals, touched = EXPECTED[name]
    found = costs[name]
    assert found["transcendentals"] == transcendentals
    np.testing.assert_allclose(found["flops"], operations, rtol=1e-3, atol=4)
    assert touched is None or found["bytes accessed"] == touched


def test_as_xla_counts(costs):
    """Real numbers only: XLA takes a product of complex ones for one operation."""
    theirs = json.loads(run(COSTS, "cpu").stdout)
    for name in ("product", "chain"):
        np.testing.assert_allclose(costs[name]["flops"], theirs[name]["flops"], rtol=1e-2)


MEMORY = """
import json, jax, jax.numpy as jnp
def found(f, *arrays, **options):
    told = jax.jit(f, **options).lower(*arrays).compile().memory_analysis()
    return [getattr(told, name + "_size_in_bytes") for name in ("argument", "output", "alias")] + [told.peak_memory_in_bytes]
x = jnp.ones(1 << 16)
stats = jax.devices()[0].memory_stats
before = stats()
y = jax.jit(lambda a: jnp.concatenate([a, a, a, a]))(x).block_until_ready()
during = stats()
del y
after = stats()
print(json.dumps([found(lambda a: a + 1, x), found(lambda a: a + 1, x, donate_argnums=0), before, during, after]))
"""


def test_memory():
    done = run(MEMORY)
    assert done.returncode == 0, done.stderr[-3000:]
    plain, donated, before, during, after = json.loads(done.stdout)
    size = 4 << 16
    assert plain[:3] == [size, size, 0] and donated[:3] == [size, size, size]
    assert 2 * size <= plain[3] < 2 * size + 65536 and size <= donated[3] < size + 65536
    assert (
        during["bytes_in_use"] - before["bytes_in_use"] == 4 * size and after["bytes_in_use"] == before["bytes_in_use"]
    )
    assert during["largest_alloc_size"] == after["largest_alloc_size"] == 4 * size
    assert during["num_allocs"] > before["num_allocs"] >= 1
    assert after["peak_bytes_in_use"] == during["peak_bytes_in_use"] >= during["bytes_in_use"] > after["bytes_in_use"]
    assert before["peak_bytes_in_use"] < 4 * size and after["bytes_limit"] > 1 << 28
