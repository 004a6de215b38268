"""Calls of an executable that is called often: machine code reads the arrays' headers, Python does what it leaves."""

from __future__ import annotations

import gc
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import hlo
from hlo.errors import ArgumentError
from hlo.runtime import array_calls
from hlo.runtime.allocator import LEAST_POOLED
from hlo.runtime.executable import OFTEN

TEXT = """
func.func @main(%x: tensor<{n}xf32>, %y: tensor<{n}xf32>) -> (tensor<{n}xf32>, tensor<{n}xf32>) {{
  %0 = stablehlo.add %x, %y : tensor<{n}xf32>
  %1 = stablehlo.multiply %x, %y : tensor<{n}xf32>
  return %0, %1 : tensor<{n}xf32>, tensor<{n}xf32>
}}
"""


def often_called(n: int) -> hlo.Executable:
    exe = hlo.compile(TEXT.format(n=n), cache=False)
    one = np.ones(n, np.float32)
    for _ in range(OFTEN):
        exe(one, one)
    assert exe._quick is not None
    return exe


def pair(n: int, seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.integers(-99, 99, n).astype(np.float32) for _ in range(2)]


def check(made, x, y):
    assert type(made) is list and [a.dtype for a in made] == [np.float32] * 2
    np.testing.assert_array_equal(made[0], np.asarray(x) + np.asarray(y))
    np.testing.assert_array_equal(made[1], np.asarray(x) * np.asarray(y))


@pytest.mark.parametrize("n", [1, 5, 1000, 100_000, 1 << 20])
def test_results_are_kept_while_somebody_refers_to_them(n):
    exe = often_called(n)
    given = [pair(n, seed) for seed in range(7)]
    made = [exe(*one) for one in given]
    for one, results in zip(given, made, strict=True):
        check(results, *one)
        assert all(a.flags.writeable and a.flags.c_contiguous for a in results)


def test_a_call_keeps_what_python_has_the_address_of():
    """Threads whose first calls meet may make more than one description of the builtin, of which the cache keeps one."""
    array_calls._method.cache_clear()
    method = weakref.ref(array_calls._method())
    exe, given = often_called(6), pair(6)
    array_calls._method.cache_clear()
    gc.collect()
    assert method() is not None
    check(exe(*given), *given)
    del exe
    gc.collect()
    assert method() is None


def test_arrays_that_have_to_be_converted():
    exe, (x, y) = often_called(6), pair(12)
    check(exe(x[::2], y[1::2]), x[::2], y[1::2])
    check(exe(memoryview(x[:6]), y[:6]), x[:6], y[:6])
    swapped = x[:6].astype(">f4")
    check(exe(swapped, y[:6]), x[:6], y[:6])


def test_arrays_that_do_not_fit_are_refused():
    exe, (x, y) = often_called(6), pair(6)
    for arguments in ((x,), (x, y, y), (x, y[:5]), (x, y.astype(np.float64)), (x, y.reshape(2, 3))):
        with pytest.raises(ArgumentError):
            exe(*arguments)
    check(exe(x, y), x, y)


def test_results_into_given_arrays():
    exe, (x, y) = often_called(6), pair(6)
    out = [np.empty(6, np.float32) for _ in range(2)]
    assert [a is b for a, b in zip(exe(x, y, out=out), out)] == [True, True]
    check(out, x, y)


def test_several_threads_at_once():
    exe = often_called(4000)

    def calls(seed):
        x, y = pair(4000, seed)
        for _ in range(300):
            check(exe(x, y), x, y)
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(calls, range(4)))


@pytest.mark.parametrize(
    "text",
    [
        "func.func @main(%x: tensor<3xi1>) -> tensor<3xi1> { %0 = stablehlo.not %x : tensor<3xi1> return %0 : tensor<3xi1> }",
        "func.func @main(%x: tensor<3xi4>) -> tensor<3xi4> { %0 = stablehlo.add %x, %x : tensor<3xi4> return %0 : tensor<3xi4> }",
    ],
)
def test_arguments_whose_bytes_may_hold_too_much_are_looked_at_each_time(text):
    exe = hlo.compile(text, cache=False)
    dtype = exe.signature.arguments[0].dtype
    good = np.array([0, 1, 1], np.int8).view(dtype)
    (expected,) = exe(good)
    for _ in range(2 * OFTEN):
        exe(good)
    spoilt = (np.array([0, 1, 1], np.uint8) + np.array([0, 16, 32], np.uint8)).view(dtype)
    assert exe(spoilt)[0].view(np.uint8).tolist() == expected.view(np.uint8).tolist()


def test_an_executable_that_is_gone_is_gone_at_once():
    exe = often_called(6)
    gone = weakref.ref(exe)
    gc.disable()
    try:
        del exe
        assert gone() is None
    finally:
        gc.enable()


def test_calls_keep_nothing():
    exe, (x, y) = often_called(6), pair(6)
    kept = exe, x, y, *exe(x, y)
    before, of_none = [sys.getrefcount(one) for one in kept], sys.getrefcount(None)
    for _ in range(1000):
        exe(x, y)
        exe._quick((x, y))
        assert exe._quick((x,)) is None
    assert sys.getrefcount(exe(x, y)) == sys.getrefcount([])
    assert [sys.getrefcount(one) for one in kept] == before
    assert abs(sys.getrefcount(None) - of_none) < 100  # others have some, too


def test_memory_that_is_refused_is_told_and_the_next_call_runs(monkeypatch):
    exe, (x, y) = often_called(LEAST_POOLED), pair(LEAST_POOLED)
    with monkeypatch.context() as without:
        without.setattr(array_calls.POOL, "array", lambda *kind: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            exe(x, y)
    check(exe(x, y), x, y)


def test_programs_without_arguments_or_results():
    exe = hlo.compile("func.func @main() { return }", cache=False)
    assert [exe() for _ in range(2 * OFTEN)] == [[]] * (2 * OFTEN)
    exe = hlo.compile(
        "func.func @main() -> tensor<2xi32> { %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32> return %0 : tensor<2xi32> }",
        cache=False,
    )
    assert [exe()[0].tolist() for _ in range(2 * OFTEN)] == [[1, 2]] * (2 * OFTEN)
    with pytest.raises(ArgumentError):
        exe(1)
