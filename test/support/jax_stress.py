"""Threads that call, compile, raise and delete on the platform hlo at once: `jax_stress.py [SECONDS] [THREADS]`.

Every result is compared with numpy. Then 100,000 calls, while which the process must not grow. Ends with "stress passed" or an exception."""

import gc
import itertools
import os
import random
import resource
import sys
import threading
import time

os.environ.setdefault("JAX_PLATFORMS", "hlo")

import jax
import jax.numpy as jnp
import numpy as np

import hlo.jax

hlo.jax.register()

CALLS = 100_000
ALLOWED_GROWTH = 4 << 20
"""Bytes by which 100,000 calls may let the process grow."""

SHARED = jnp.arange(64.0)
step = jax.jit(lambda x: x * 2 + 1)
large_step = jax.jit(lambda x: x - 1)
donating_step = jax.jit(lambda x, y: (x + y, (x * y).sum()), donate_argnums=0)
solve = jax.jit(jnp.linalg.solve)


def equal(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def call(rng):
    x = np.full(64, rng.random(), np.float32)
    equal(step(jnp.asarray(x)), x * 2 + 1)
    equal(step(SHARED), np.arange(64) * 2 + 1)


def call_with_large_arrays(rng):
    x = np.full((64, 1024), rng.random(), np.float32)
    equal(large_step(large_step(x)), x - 2)


def donate(rng):
    x = y = jnp.full(64, 1.0) * rng.randint(1, 9)
    start = float(x[0])
    x = x + 0
    for _ in range(20):
        x, _ = donating_step(x, y)
    equal(x, np.full(64, 21 * start))


def call_python(rng):
    matrix = np.eye(4, dtype=np.float32) * (1 + rng.random())
    equal(solve(matrix, np.ones(4, np.float32)), np.linalg.solve(matrix, np.ones(4)))


def compile_new(rng):
    constant = rng.random()
    equal(jax.jit(lambda x: x + constant)(SHARED), np.arange(64) + constant)


def fail_to_compile(_):
    kind = jax.ShapeDtypeStruct((64,), np.float32)
    try:
        jax.jit(lambda x: jax.ffi.ffi_call("nobody_has_this", kind)(x))(SHARED)
    except jax.errors.JaxRuntimeError as error:
        assert "nobody_has_this" in str(error)
    else:
        raise AssertionError("compiled")


def use_what_is_deleted(_):
    x = step(SHARED)
    x.delete()
    try:
        step(x)
    except RuntimeError as error:
        assert "deleted" in str(error)
    else:
        raise AssertionError("used")


def delete_what_another_thread_uses(rng):
    """The other thread computes the right numbers, or is told."""
    x = step(SHARED)
    expected = np.asarray(x) * 2 + 1
    thread = threading.Thread(target=x.delete)
    thread.start()
    try:
        equal(step(x), expected)
    except RuntimeError as error:
        assert "deleted" in str(error)
    thread.join()


def hold_views(rng):
    views = [np.asarray(step(SHARED + n)) for n in range(5)]
    gc.collect() if rng.random() < 0.02 else None
    for n, view in enumerate(views):
        equal(view, (np.arange(64) + n) * 2 + 1)


OFTEN = (
    call,
    call_with_large_arrays,
    donate,
    call_python,
    use_what_is_deleted,
    delete_what_another_thread_uses,
    hold_views,
)
SELDOM = (compile_new, fail_to_compile)


def work(seed, end, counts, failures):
    rng = random.Random(seed)
    try:
        while time.monotonic() < end and not failures:
            action = rng.choice(SELDOM if rng.random() < 0.02 else OFTEN)
            action(rng)
            counts[action.__name__] = counts.get(action.__name__, 0) + 1
    except BaseException as error:
        failures.append(error)


def run_threads(seconds, count):
    failures, counts = [], [{} for _ in range(count)]
    end = time.monotonic() + seconds
    threads = [threading.Thread(target=work, args=(n, end, counts[n], failures)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for failure in failures:
        raise failure
    names = sorted({name for one in counts for name in one})
    print(*(f"{name} {sum(one.get(name, 0) for one in counts)}" for name in names), sep=", ")


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def call_often(times):
    x, kept = jnp.full(64, 1.0), jnp.full(64, 1.0) + 1
    for n in range(times):
        step(kept)
        if n % 4 == 0:
            x, _ = donating_step(x, kept)
        if n % 100 == 0:
            large_step(np.ones((64, 1024), np.float32)), solve(np.eye(4, dtype=np.float32), np.ones(4, np.float32))


def growth():
    """Bytes by which the process grows in 100,000 calls."""
    call_often(CALLS // 10)
    gc.collect()
    before, in_use = resident(), jax.devices()[0].memory_stats()["bytes_in_use"]
    call_often(CALLS)
    gc.collect()
    assert jax.devices()[0].memory_stats()["bytes_in_use"] <= in_use
    return resident() - before


if __name__ == "__main__":
    seconds, threads = itertools.chain(map(float, sys.argv[1:]), (10, 8)[len(sys.argv) - 1 :])
    run_threads(seconds, int(threads))
    grown = growth()
    print(f"grown by {grown >> 10} KiB in {CALLS} calls")
    assert grown <= ALLOWED_GROWTH, grown
    print("stress passed")
