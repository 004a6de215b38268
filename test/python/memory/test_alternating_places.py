"""Big carried values alternate between two places: any number of steps, nested loops, several values, uses afterwards."""

import jax
import numpy as np
import pytest
from jax import lax

import hlo

SIZE = 40  # 40 x 40 floats: above the size from which places alternate
X = np.random.default_rng(0).standard_normal((SIZE, SIZE)).astype(np.float32)


def shift(u):
    """Needs its old value everywhere while the new one is made."""
    return 0.5 * (u.T + u[::-1])


def once(u, n):
    return lax.fori_loop(0, n, lambda _, v: shift(v), u)


def used_afterwards(u, n):
    v = once(u, n)
    return v, v + 1, shift(v) - u


def two_values(u, n):
    def step(_, carry):
        a, b = carry
        return b, shift(a) + b.T

    return lax.fori_loop(0, n, step, (u, u + 1))


def nested(u, n):
    return lax.fori_loop(0, n, lambda i, v: once(v, i + 1) + shift(v), u)


def one_after_the_other(u, n):
    return once(once(u, n) * 2, n + 1)


def with_branch(u, n):
    def step(i, v):
        return lax.cond(i % 2 == 0, shift, lambda w: w - shift(w), v)

    return lax.fori_loop(0, n, step, u)


def mixed(u, n):
    def step(i, carry):
        a, history, total = carry
        a = shift(a)
        return a, lax.dynamic_update_index_in_dim(history, a, i, 0), total + a.sum()

    return lax.fori_loop(0, n, step, (u, np.zeros((6, SIZE, SIZE), np.float32), np.float32(0)))


PROGRAMS = [once, used_afterwards, two_values, nested, one_after_the_other, with_branch, mixed]


@pytest.mark.parametrize("steps", [0, 1, 2, 5])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_against_jax(program, steps):
    function = jax.jit(program)
    steps = np.int32(steps)
    executable = hlo.compile(function.lower(X, steps).as_text())
    expected = [np.asarray(r) for r in jax.tree.leaves(function(X, steps))]
    for _ in range(2):  # the second run finds what the first left in the arena
        found = executable(X, steps)
        for ours, theirs in zip(found, expected, strict=True):
            scale = np.abs(theirs).max() or 1.0
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=2e-6 * scale)


def test_no_copy_in_the_loop():
    text = jax.jit(once).lower(X, np.int32(3)).as_text()
    memory = hlo.compile(text, keep_phases=True).phases["memory"]
    loop = memory[memory.index("scf.while") :]
    assert "memref.copy" not in loop[: loop.index("return")].split("scf.yield")[0]
