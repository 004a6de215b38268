"""IREE in a process of its own: answers the requests of bench/contenders.py over a pipe."""

from __future__ import annotations

import time
from typing import Any

TARGET = ("--iree-llvmcpu-target-cpu=host",)


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
        return passed

    def outputs(self) -> list[Any]:
        result = self.function(*self.inputs)
        return [a.to_host() for a in (result if isinstance(result, (tuple, list)) else (result,))]

    def turn(self, duration: float) -> float:
        calls, start = 0, time.perf_counter()
        while True:
            self.function(*self.inputs)
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
