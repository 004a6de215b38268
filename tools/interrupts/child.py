"""A process that interrupts itself: a thread sends it SIGINT at a random moment of a step.

    python -m hlo.tools.interrupts.child ACTION COUNT SEED

It answers with one JSON line: how many interrupts were raised, how many came when the step was over (`late`), and what went wrong."""

from __future__ import annotations

import _thread
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

import hlo
from hlo.errors import HloError
from hlo.runtime.custom_calls.registry import register

Step = Callable[[], bool]
"""Does something and says whether the result is right."""

PROGRAM = """func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = stablehlo.exponential %0 : tensor<64x64xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<64xf32>) -> tensor<64x64xf32>
  %4 = stablehlo.divide %1, %3 : tensor<64x64xf32>
  return %4 : tensor<64x64xf32>
}"""

CALLS = """func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %z, %v = %z) : tensor<i32>, tensor<i32>
   cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
   } do {
    %o = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %o : tensor<i32>
    %w = stablehlo.custom_call @interrupts.plus_one(%v) : (tensor<i32>) -> tensor<i32>
    stablehlo.return %j, %w : tensor<i32>, tensor<i32>
   }
  return %r#1 : tensor<i32>
}"""

X = np.linspace(-0.1, 0.1, 64 * 64, dtype=np.float32).reshape(64, 64)


def _softmax() -> np.ndarray:
    powers = np.exp(X @ X)
    return powers / powers.sum(1, keepdims=True)


def _is_near(found: np.ndarray) -> bool:
    return bool(np.allclose(found, _softmax(), rtol=1e-4))


def compile_step() -> Step:
    return lambda: _is_near(hlo.compile(PROGRAM, cache=False)(X)[0])


def isolated_step() -> Step:
    return lambda: _is_near(hlo.compile(PROGRAM, cache=False, isolate=True)(X)[0])


def load_step() -> Step:
    with tempfile.NamedTemporaryFile(suffix=".exe") as file:
        hlo.compile(PROGRAM, cache=False).save(file.name)
        data = Path(file.name).read_bytes()

    def step() -> bool:
        with tempfile.NamedTemporaryFile(suffix=".exe") as file:
            file.write(data)
            file.flush()
            return all(_is_near(hlo.load_executable(file.name)(X)[0]) for _ in range(10))

    return step


def run_step() -> Step:
    exe = hlo.compile(PROGRAM, cache=False)
    return lambda: all(_is_near(exe(X)[0]) for _ in range(100))


def call_step() -> Step:
    register("interrupts.plus_one")(lambda x: x + 1)
    exe, count = hlo.compile(CALLS, cache=False), 1000
    return lambda: int(exe(np.int32(count))[0]) == count


ACTIONS: dict[str, Callable[[], Step]] = {
    "compile": compile_step,
    "load": load_step,
    "isolated": isolated_step,
    "run": run_step,
    "calls": call_step,
}


def main() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has its background jobs ignore it
    action, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    step = ACTIONS[action]()
    step()  # what is made once
    start = time.perf_counter()
    step()
    print(json.dumps(_interrupted(step, count, random.Random(seed), time.perf_counter() - start)))


def _interrupted(step: Step, count: int, numbers: random.Random, duration: float) -> dict[str, int]:
    found: Counter[str] = Counter()
    while found["raised"] + found["swallowed"] < count and found["late"] < 20 * count:
        found[_outcome(step, duration * numbers.uniform(0.01, 1.0))] += 1
        if not step():
            found["wrong afterwards"] += 1
    return dict(found)


class _Interrupt:
    """Sends SIGINT to this process after so many seconds, unless the step is over by then."""

    def __init__(self, delay: float):
        self.delay = delay
        self.is_over = self.was_sent = self.has_ended = False

    def send(self) -> None:
        time.sleep(self.delay)
        if not self.is_over:
            self.was_sent = True
            os.kill(os.getpid(), signal.SIGINT)
        self.has_ended = True

    def wait(self) -> None:
        """For the end of the thread."""
        self.is_over = True
        while not self.has_ended:
            time.sleep(0.001)

    def wait_until_raised(self) -> None:
        """A second, if the signal was sent: one that hit a finalizer is raised again a moment later."""
        self.wait()
        end = time.monotonic() + 1.0
        while self.was_sent and time.monotonic() < end:
            time.sleep(0.001)


def _outcome(step: Step, delay: float) -> str:
    """One step, interrupted after so many seconds."""
    interrupt = _Interrupt(delay)
    try:
        try:
            _thread.start_new_thread(interrupt.send, ())
            outcome = "late" if step() else "wrong"
        except HloError as error:
            outcome = f"HloError: {error}"
        except Exception as error:
            outcome = f"{type(error).__name__}: {error}"
        interrupt.wait_until_raised()
    except KeyboardInterrupt:
        return _settled(interrupt)
    return "swallowed" if interrupt.was_sent and outcome == "late" else outcome


def _settled(interrupt: _Interrupt) -> str:
    interrupt.wait()
    return "raised"


if __name__ == "__main__":
    main()
