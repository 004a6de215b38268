"""A custom call that fails: the run ends, and the caller gets what the function raised."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import hlo
from hlo.runtime.custom_calls.registry import CustomCall, Dispatcher, register

LOOP = '''
import numpy as np, hlo
from hlo.runtime import custom_calls

calls = []

@custom_calls.register("again")
def again(x):
    calls.append(int(x))
    if len(calls) == 4:
        raise ValueError("enough")
    return np.array(True)

exe = hlo.compile("""func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %r = stablehlo.while(%i = %x) : tensor<i32>
   cond {
    %p = stablehlo.custom_call @again(%i) {has_side_effect = true} : (tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
   } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j : tensor<i32>
   }
  return %r : tensor<i32>
}""")
try:
    exe(np.int32(5))
except hlo.HloError as error:
    print(calls, error)
'''


def test_a_loop_ends_when_its_condition_fails() -> None:
    """Results of calls that fail, or are left out after a failure, are zeros: not what an earlier turn left there."""
    done = subprocess.run([sys.executable, "-c", LOOP], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "[5, 6, 7, 8] -:4:10: error: custom call @again: ValueError: enough", done.stderr


class Interrupt:
    """Raises an exception at the n-th step of the functions with this code: calls, every instruction, returns."""

    def __init__(self, codes, position, error):
        self.codes, self.left, self.error = codes, position, error

    def __call__(self, frame, event, argument):
        if frame.f_code not in self.codes:
            return self
        frame.f_trace_opcodes = True
        self.left -= event != "line"
        if self.left == 0:
            raise self.error
        return self


CALLS = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @test.plus_one(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @test.plus_one(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}"""

X = np.arange(4, dtype=np.float32)


@pytest.mark.parametrize("error", [KeyboardInterrupt, RecursionError])
def test_an_exception_at_any_step_of_a_call_surfaces(error):
    """Also before the first `try` of the callback, in its handler, and as it returns."""
    register("test.plus_one")(lambda x: x + 1)
    exe = hlo.compile(CALLS)
    codes = {Dispatcher._run.__code__, CustomCall.run.__code__}
    for position in range(1, 10_000):
        tracer = Interrupt(codes, position, error("at a step"))
        sys.settrace(tracer)
        try:
            found = exe(X)[0]
        except (error, hlo.HloError) as raised:
            assert "at a step" in str(raised)
        else:
            assert tracer.left > 0, f"swallowed at step {position}"
            np.testing.assert_array_equal(found, X + 2)
            break
        finally:
            sys.settrace(None)
        np.testing.assert_array_equal(exe(X)[0], X + 2)
    assert position > 100


def test_an_exception_whose_hook_is_another_one(monkeypatch):
    """Where somebody else has taken what has left a callback, a call that has not come to its end is a failure still."""
    register("test.plus_one")(lambda x: x + 1)
    exe = hlo.compile(CALLS)
    taken = []
    monkeypatch.setattr(sys, "unraisablehook", lambda found: taken.append(found.exc_value))
    tracer = Interrupt({Dispatcher._run.__code__}, 1, ValueError("early"))
    sys.settrace(tracer)
    try:
        with pytest.raises(KeyboardInterrupt):
            exe(X)
    finally:
        sys.settrace(None)
    assert [str(e) for e in taken] == ["early"]
