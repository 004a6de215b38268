"""IREE in a process of its own: answers the requests of bench/contenders.py over a pipe.

Some of its programs (scatters, for example) make a result in the memory of an argument. Such an argument is filled again
before each call, and that copy counts as part of the call: it is what makes the results those of the program. Others (a pad
by nothing) hand an argument back as their result: it is copied, as in the other contenders' calls."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

TARGET = ("--iree-llvmcpu-target-cpu=host", "--iree-input-demote-f64-to-f32=false")


class Worker:
    def __init__(self, threads: int):
        from iree import runtime

        runtime.flags.parse_flags(f"--task_topology_group_count={threads}")
        self.config = runtime.Config("local-task")

    def prepare(self, text: str, inputs: list[Any]) -> float:
        from iree import compiler, runtime

        start = time.perf_counter()
        binary = compiler.compile_str(
            text, input_type="stablehlo", target_backends=["llvm-cpu"], extra_args=list(TARGET)
        )
        passed = time.perf_counter() - start
        module = runtime.VmModule.copy_buffer(self.config.vm_instance, binary)
        self.function = runtime.load_vm_module(module, self.config).main
        self.inputs = [runtime.asdevicearray(self.config.device, a) for a in inputs]
        self.overwritten: list[tuple[np.ndarray, np.ndarray]] = []
        self.returned: list[int] = []
        results = self._call()
        contents = [a.to_host() for a in self.inputs]
        self.overwritten = [(here, a) for here, a in zip(contents, inputs) if here.tobytes() != a.tobytes()]
        self.returned = [
            n for n, a in enumerate(results) if any(np.shares_memory(a.to_host(), here) for here in contents)
        ]
        return passed

    def _call(self) -> Sequence[Any]:
        for here, given in self.overwritten:
            np.copyto(here, given)
        result = self.function(*self.inputs)
        results = result if isinstance(result, (tuple, list)) else (result,)
        for n in self.returned:
            results[n].to_host().copy()
        return results

    def outputs(self) -> list[Any]:
        return [np.array(a.to_host()) for a in self._call()]

    def turn(self, duration: float) -> float:
        calls, start = 0, time.perf_counter()
        while True:
            self._call()
            calls += 1
            passed = time.perf_counter() - start
            if passed >= duration:
                return passed / calls


def serve(pipe: Any, threads: int) -> None:
    """Until the pipe closes. Errors travel as text: their first line."""
    worker = Worker(threads)
    while True:
        try:
            name, *arguments = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send(("done", getattr(worker, name)(*arguments)))
        except Exception as error:  # whatever IREE raises is the answer
            pipe.send(("failed", f"{type(error).__name__}: {error}".splitlines()[0][:200]))
