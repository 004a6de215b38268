"""Ctrl-C while compiled code runs: its loops end, the call raises KeyboardInterrupt, and nothing is left of it."""

import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import hlo
from hlo.runtime import custom_calls
from hlo.runtime.calls import interrupts
from hlo.runtime.calls.executable import OFTEN

PATIENCE = 120
"""Seconds until a test that hangs fails."""

LOOP = """func.func @main(%x: tensor<i32>, %n: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<i32>
    cond { %c = stablehlo.compare NE, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1> }
    do { %j = stablehlo.add %i, %one : tensor<i32>
      %k = stablehlo.and %j, %one : tensor<i32>
      %b = stablehlo.xor %a, %k : tensor<i32>
      stablehlo.return %k, %b : tensor<i32>, tensor<i32> }
  return %0#0, %0#1 : tensor<i32>, tensor<i32> }"""
"""Takes 0 or 1 iterations if %n is 0 or 1, and does not end if it is 2."""

ENDLESS = np.array(2, np.int32)
ONE, THREE = np.array(1, np.int32), np.array(3, np.int32)


class Interrupts:
    """Ctrl-C again and again, until what it is to end has ended: a signal before compiled code has begun ends nothing."""

    def __init__(self, number: int = signal.SIGINT):
        self.number, self.done = number, threading.Event()

    def __enter__(self):
        self.thread = threading.Thread(target=self._send)
        self.thread.start()

    def _send(self) -> None:
        while not self.done.wait(0.2):
            os.kill(os.getpid(), self.number)

    def __exit__(self, *_) -> None:
        self.done.set()
        self.thread.join(PATIENCE)


def _interrupted(call) -> bool:
    """Whether the call ends by KeyboardInterrupt; one that comes late, while this function ends, is caught too."""
    try:
        try:
            with Interrupts():
                call()
        except KeyboardInterrupt:
            return True
    except KeyboardInterrupt:
        return True
    return False


@pytest.mark.parametrize("engine", ["llvm", "mlir"])
def test_an_endless_loop_ends_and_the_executable_serves_again(engine) -> None:
    exe = hlo.compile(LOOP, engine=engine)
    for _ in range(3):
        assert _interrupted(lambda: exe(THREE, ENDLESS))
        assert [r.tolist() for r in exe(THREE, ONE)] == [1, 2]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert not interrupts._running


def test_an_endless_loop_of_a_program_that_is_called_often_ends() -> None:
    exe = hlo.compile(LOOP, cache=False)
    for _ in range(2 * OFTEN):
        assert [r.tolist() for r in exe(THREE, ONE)] == [1, 2]
    assert exe._quick is not None
    for _ in range(3):
        assert _interrupted(lambda: exe(THREE, ENDLESS))
        assert [r.tolist() for r in exe(THREE, ONE)] == [1, 2]
    assert not interrupts._running


def test_a_loop_within_a_loop() -> None:
    text = """func.func @main(%n: tensor<i32>) -> tensor<i32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %0 = stablehlo.while(%i = %zero) : tensor<i32>
        cond { %c = stablehlo.compare NE, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1> }
        do { %1 = stablehlo.while(%j = %zero) : tensor<i32>
            cond { %d = stablehlo.compare NE, %j, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
              stablehlo.return %d : tensor<i1> }
            do { %k = stablehlo.xor %j, %one : tensor<i32>
              stablehlo.return %k : tensor<i32> }
          stablehlo.return %1 : tensor<i32> }
      return %0 : tensor<i32> }"""
    exe = hlo.compile(text)
    assert _interrupted(lambda: exe(ENDLESS))
    assert exe(ONE)[0].tolist() == 1


def test_other_handlers_are_called_as_ever() -> None:
    """A handler of the user's runs when the call is over, and the call is not cut short."""
    exe, seen = hlo.compile(LOOP), []
    before = signal.signal(signal.SIGINT, lambda *_: seen.append("user"))
    try:
        assert not interrupts.may_interrupt()
        os.kill(os.getpid(), signal.SIGINT)
        assert [r.tolist() for r in exe(THREE, ONE)] == [1, 2]
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == ["user"]
    assert interrupts.may_interrupt()


def test_only_the_main_thread_is_interrupted() -> None:
    """A loop of another thread goes on while one of the main thread is interrupted."""
    million = """func.func @main(%x: tensor<i32>) -> tensor<i32> {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %n = stablehlo.constant dense<40000000> : tensor<i32>
      %0 = stablehlo.while(%i = %x) : tensor<i32>
        cond { %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1> }
        do { %k = stablehlo.add %i, %one : tensor<i32>
          stablehlo.return %k : tensor<i32> }
      return %0 : tensor<i32> }"""
    endless, long = hlo.compile(LOOP), hlo.compile(million)
    found, allowed = [], []

    def call() -> None:
        allowed.append(interrupts.may_interrupt())
        found.append(long(np.array(0, np.int32))[0].tolist())

    other = threading.Thread(target=call)
    other.start()
    assert _interrupted(lambda: endless(THREE, ENDLESS))
    other.join(PATIENCE)
    assert found == [40000000] and allowed == [False]


def test_calls_that_a_custom_call_makes() -> None:
    """An endless loop within a custom call of a program with a loop: both end."""
    inner, ran = hlo.compile(LOOP), []

    @custom_calls.register("test_interrupts_inner")
    def run(x):
        ran.append(1)
        return inner(x, ENDLESS)[0]

    text = """func.func @main(%x: tensor<i32>) -> tensor<i32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %0 = stablehlo.while(%a = %x) : tensor<i32>
        cond { %c = stablehlo.compare NE, %a, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1> }
        do { %b = stablehlo.custom_call @test_interrupts_inner(%a) : (tensor<i32>) -> tensor<i32>
          stablehlo.return %b : tensor<i32> }
      return %0 : tensor<i32> }"""
    outer = hlo.compile(text)
    assert _interrupted(lambda: outer(THREE))
    assert ran == [1]
    assert outer(np.array(0, np.int32))[0].tolist() == 0
    assert [r.tolist() for r in inner(THREE, ONE)] == [1, 2]


CHILD = """
import os, signal, sys
import numpy as np, hlo
sys.path.insert(0, {folder!r})
import test_interrupts as t
exe = hlo.compile(t.LOOP)
print("ready", flush=True)
exe(t.THREE, t.ENDLESS)
"""


def test_a_program_on_the_command_line() -> None:
    """As a shell sees it: the process ends by the signal, with Python's usual traceback."""
    code = CHILD.format(folder=os.path.dirname(__file__))
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    while True:
        child.send_signal(signal.SIGINT)
        try:
            _, errors = child.communicate(timeout=1)
            break
        except subprocess.TimeoutExpired:
            continue
    assert child.returncode == -signal.SIGINT and "KeyboardInterrupt" in errors


def test_programs_without_loops_know_nothing_of_it() -> None:
    text = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { %0 = stablehlo.cosine %x : tensor<4xf32> return %0 : tensor<4xf32> }"
    assert not hlo.compile(text).has_loops
    assert hlo.compile(LOOP).has_loops


FREED = """
import signal, time
import hlo
from hlo.runtime.code import linked_code
exe = hlo.compile("func.func @main() -> tensor<i32> { %0 = stablehlo.constant dense<1> : tensor<i32> return %0 : tensor<i32> }", isolate=True)
clear = linked_code.check
def check(error):
    clear(error)
    signal.raise_signal(signal.SIGINT)
linked_code.check = check
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    del exe
    time.sleep(10)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_an_interrupt_while_code_is_freed_is_not_lost() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FREED], capture_output=True, text=True, env={**os.environ, "HLO_CACHE_DIR": ""}
    )
    assert (done.stdout, done.stderr) == ("interrupted\n", "")
