"""Calls of an executable that is called often: machine code reads the arrays' headers, Python does what it leaves."""

from __future__ import annotations

import gc
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import hlo
from hlo.errors import ArgumentError, HloError
from hlo.runtime import custom_calls
from hlo.runtime.calls import array_calls
from hlo.runtime.calls.array_calls import LEAST_SHARED
from hlo.runtime.calls.executable import OFTEN
from hlo.runtime.code.process_code import load_once

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


@pytest.mark.parametrize("n", [1, 5, 1000, 10_000, 100_000, 1 << 20])
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


def test_numpy_scalars():
    """They become arrays, and are refused where these would be."""
    exe = hlo.compile("func.func @main(%x: tensor<i32>) -> tensor<i32> { return %x : tensor<i32> }", cache=False)
    for n in range(OFTEN + 3):
        assert exe(np.int32(n))[0] == n
    with pytest.raises(ArgumentError, match="argument 0: element type of i32 expected, found f64"):
        exe(np.float64(1))


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
    exe, (x, y) = often_called(LEAST_SHARED), pair(LEAST_SHARED)
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


LOOP = """
func.func @main(%x: tensor<3xf32>) -> (tensor<i32>, tensor<3xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<7> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<3xf32>
    cond { %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1> }
    do { %j = stablehlo.add %i, %one : tensor<i32>
      %b = stablehlo.add %a, %a : tensor<3xf32>
      stablehlo.return %j, %b : tensor<i32>, tensor<3xf32> }
  return %0#0, %0#1 : tensor<i32>, tensor<3xf32>
}
"""


def test_programs_with_loops():
    exe, x = hlo.compile(LOOP, cache=False), np.array([1, -2, 0.5], np.float32)

    def calls() -> bool:
        for _ in range(2 * OFTEN):
            count, doubled = exe(x)
            assert count == 7 and doubled.tolist() == (x * 128).tolist()
        return exe._quick is not None

    assert calls()
    with ThreadPoolExecutor(2) as pool:  # other threads than the main thread, whose loops no interrupt ends
        assert all(pool.map(lambda _: calls(), range(2)))
    with pytest.raises(ArgumentError):
        exe(x.astype(np.float64))


CALLS = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{
  %0 = stablehlo.custom_call @{target}(%x) {{has_side_effect = {effect}}} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}}
"""

DOUBLE_OR_FAIL = """
define void @double_or_fail(ptr %out, ptr %addresses, ptr %context, ptr %failed) {
  %x = load ptr, ptr %addresses
  %result_at = getelementptr ptr, ptr %addresses, i64 1
  %result = load ptr, ptr %result_at
  %values = load <2 x float>, ptr %x, align 4
  %doubled = fadd <2 x float> %values, %values
  store <2 x float> %doubled, ptr %result, align 4
  %first = extractelement <2 x float> %values, i32 0
  %is_negative = fcmp olt float %first, 0.0
  %word = zext i1 %is_negative to i64
  store i64 %word, ptr %failed
  ret void
}
"""


class DoubleOrFail:
    """Machine code that doubles, and fails where the first element is negative: then this function tells why."""

    def machine_code(self, call):
        return custom_calls.MachineCode(load_once(DOUBLE_OR_FAIL).address("double_or_fail"))

    def __call__(self, x):
        raise HloError(f"{x[0]} is negative")


@pytest.mark.parametrize("effect", ["false", "true"])
def test_custom_calls_in_machine_code(effect):
    custom_calls.register("quick_calls_double")(DoubleOrFail())
    exe = hlo.compile(CALLS.format(target="quick_calls_double", effect=effect), cache=False)
    good, bad = np.array([3, -1], np.float32), np.array([-3, 1], np.float32)
    for _ in range(2 * OFTEN):
        assert exe(good)[0].tolist() == [6, -2]
    assert (exe._quick is not None) == (effect == "false")  # a call with an effect must not be repeated where it fails
    for _ in range(2):
        with pytest.raises(HloError, match=r"-3\.0 is negative"):
            exe(bad)
        assert exe(good)[0].tolist() == [6, -2]


def test_python_functions_are_called_by_python():
    custom_calls.register("quick_calls_python")(lambda x: x + 1)
    exe = hlo.compile(CALLS.format(target="quick_calls_python", effect="false"), cache=False)
    for _ in range(2 * OFTEN):
        assert exe(np.ones(2, np.float32))[0].tolist() == [2, 2]
    assert exe._quick is None
