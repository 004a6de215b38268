"""Those who compete: each compiles a program, runs it once for its outputs, and times turns of calls.

IREE lives in a second process (bench/iree_worker.py), since its compiler cannot share one with our MLIR."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from bench.iree_worker import serve

PATIENCE = 30.0
"""Seconds after which IREE is not waited for any longer."""


@dataclass(frozen=True)
class Problem:
    """A program as every contender gets it."""

    name: str
    text: str
    lowered: Any
    inputs: Sequence[np.ndarray]
    in_numpy: Callable[..., Any] | None = None


def timed_turn(call: Callable[[], Any], duration: float) -> float:
    """Seconds a call, over calls that take `duration` together, at least one."""
    calls, start = 0, time.perf_counter()
    while True:
        call()
        calls += 1
        passed = time.perf_counter() - start
        if passed >= duration:
            return passed / calls


class Hlo:
    name = "hlo"

    def __init__(self) -> None:
        """Compiles something first: imports and the declarations of dialects are no part of a compile time."""
        import hlo

        hlo.compile("func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }", cache=False)

    def prepare(self, problem: Problem) -> float:
        """Compiles; returns the seconds that took."""
        import hlo

        start = time.perf_counter()
        self.executable = hlo.compile(problem.text, cache=False)
        passed = time.perf_counter() - start
        self.inputs = list(problem.inputs)
        return passed

    def outputs(self) -> list[np.ndarray]:
        return [np.array(a) for a in self.executable(*self.inputs)]

    def turn(self, duration: float) -> float:
        return timed_turn(lambda: self.executable(*self.inputs), duration)

    def temporaries(self) -> int | None:
        return self.executable.memory.temporaries


class Xla:
    name = "XLA"

    def prepare(self, problem: Problem) -> float:
        import jax

        start = time.perf_counter()
        self.compiled = problem.lowered.compile()
        passed = time.perf_counter() - start
        self.inputs = jax.device_put(list(problem.inputs))
        return passed

    def outputs(self) -> list[np.ndarray]:
        import jax

        return [np.asarray(a) for a in jax.tree.leaves(self.compiled(*self.inputs))]

    def turn(self, duration: float) -> float:
        from jax import block_until_ready

        return timed_turn(lambda: block_until_ready(self.compiled(*self.inputs)), duration)

    def temporaries(self) -> int | None:
        analysis = self.compiled.memory_analysis()
        return None if analysis is None else analysis.temp_size_in_bytes

    def operations(self) -> float:
        analysis = self.compiled.cost_analysis() or {}
        return max(float(analysis.get("flops", 0.0)), 0.0)


class Iree:
    """Sends requests to the worker; a worker that takes too long is ended, and the next request starts another."""

    name = "IREE"

    def __init__(self, threads: int):
        self.threads = threads
        self.process: Any = None

    def prepare(self, problem: Problem) -> float:
        return self._ask("prepare", problem.text, list(problem.inputs))

    def outputs(self) -> list[np.ndarray]:
        return self._ask("outputs")

    def turn(self, duration: float) -> float:
        return self._ask("turn", duration)

    def temporaries(self) -> int | None:
        return None

    def _ask(self, *request: Any) -> Any:
        if self.process is None:
            self._start()
        self.pipe.send(request)
        if not self.pipe.poll(PATIENCE):
            self.close()
            raise TimeoutError(f"{request[0]}: more than {PATIENCE:.0f} s")
        try:
            state, answer = self.pipe.recv()
        except EOFError:
            self.close()
            raise RuntimeError(f"{request[0]}: the process ended") from None
        if state == "failed":
            raise RuntimeError(answer)
        return answer

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=serve, args=(other, self.threads), daemon=True)
        self.process.start()
        other.close()

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.process = None


class Numpy:
    """numpy and SciPy, where they have the operation. Outputs are not compared: there may be others beside it."""

    name = "numpy"

    def prepare(self, problem: Problem) -> float:
        if problem.in_numpy is None:
            raise NotImplementedError("not written with numpy")
        self.function, self.inputs = problem.in_numpy, list(problem.inputs)
        return 0.0

    def outputs(self) -> list[np.ndarray]:
        self.function(*self.inputs)
        return []

    def turn(self, duration: float) -> float:
        return timed_turn(lambda: self.function(*self.inputs), duration)

    def temporaries(self) -> int | None:
        return None


def available(threads: int) -> list[Any]:
    """All contenders that are installed; says which is not."""
    found: list[Any] = [Hlo(), Xla()]
    if find_spec("iree") is None:
        print("IREE is not installed (pip install iree-base-compiler iree-base-runtime): its columns stay empty.")
        return found
    return [*found, Iree(threads)]
