"""The model as a driver: what an executable does on a card it does here, in numpy."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from hlo.runtime.gpu.model import (
    async_copies,
    barrier_ops,
    box_ops,
    code,
    control_ops,
    matrix_ops,
    memory_ops,
    scalar_ops,
    thread_ops,
    warpgroup_ops,
)
from hlo.runtime.gpu.model.limits import check_arguments, check_launch
from hlo.runtime.gpu.model.machine import Machine
from hlo.runtime.gpu.model.memory import Memory
from hlo.runtime.gpu.model.program import Program
from hlo.runtime.gpu.plan import Condition, TensorMap

DLPACK_EXTENSION = 12

_REGISTERED = (
    async_copies,
    barrier_ops,
    box_ops,
    control_ops,
    matrix_ops,
    memory_ops,
    scalar_ops,
    thread_ops,
    warpgroup_ops,
)
"""Modules that register what ops do when they are imported."""


class Loaded:
    """The functions of one program, decoded when first launched, and its constant tables."""

    def __init__(self, text: str, memory: Memory):
        found = code.read(text)
        self._functions = found.functions
        self._programs: dict[str, Program] = {}
        self.globals = {name: _uploaded(table, memory) for name, table in found.tables.items()}

    def program(self, name: str) -> Program:
        if name not in self._programs:
            self._programs[name] = Program(self._functions[name])
        return self._programs[name]


def _uploaded(array: np.ndarray, memory: Memory) -> int:
    stored = np.ascontiguousarray(array).reshape(-1)
    address = memory.allocate(stored.nbytes)
    memory.bytes[memory.span(address, stored.nbytes)] = stored.view(np.uint8)
    return address


class ModelDriver:
    """Implements `hlo.runtime.gpu.driver.Driver`. `capacity`: bytes of device memory."""

    name = "model"
    dlpack_device = (DLPACK_EXTENSION, 0)
    stream = 0

    def __init__(self, capacity: int = 1 << 30, order: int = 0):
        self.memory = Memory(capacity)
        self.order = order
        """Of the lot that decides which warps go on."""
        self.conflicts = 0
        """Bank conflicts of all launches so far, in ldmatrix."""
        self.vector_conflicts = 0
        """The same of vectors that whole warps read or write in dynamic shared memory."""
        self._recording: list[Callable[[], None]] | None = None

    @contextmanager
    def using(self, stream: int | None) -> Iterator[None]:
        """There is one stream, and all is done when it is queued."""
        yield

    def load(self, code: str) -> Loaded:
        """`code`: as read_code.py makes it of a module after the phase "device"."""
        return Loaded(code, self.memory)

    def unload(self, loaded: Loaded) -> None:
        for address in loaded.globals.values():
            self.memory.free(address)
        loaded.globals.clear()

    def available(self) -> int:
        return self.memory.available()

    def allocate(self, size: int) -> int:
        return self.memory.allocate(size)

    def free(self, address: int) -> None:
        self.memory.free(address)

    def upload(self, address: int, array: np.ndarray) -> None:
        self.memory.bytes[self.memory.span(address, array.nbytes)] = (
            np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        )

    def download(self, array: np.ndarray, address: int) -> None:
        found = self.memory.bytes[self.memory.span(address, array.nbytes)]
        array[...] = found.view(array.dtype).reshape(array.shape)

    def copy(self, target: int, source: int, size: int) -> None:
        if self._recording is not None:
            self._recording.append(lambda: self.copy(target, source, size))
            return
        self.memory.bytes[self.memory.span(target, size)] = self.memory.bytes[self.memory.span(source, size)].copy()

    def launch(
        self,
        loaded: Loaded,
        kernel: str,
        blocks: int,
        threads: int,
        shared_bytes: int,
        arguments: Sequence[int],
        maps: Sequence[TensorMap] = (),
    ) -> None:
        if self._recording is not None:
            given = tuple(arguments)
            self._recording.append(lambda: self.launch(loaded, kernel, blocks, threads, shared_bytes, given, maps))
            return
        program = loaded.program(kernel)
        check_launch(kernel, blocks, threads, program.static_bytes, shared_bytes)
        check_arguments(kernel, len(arguments), len(maps))
        machine = Machine(self.memory, loaded.globals, blocks, threads, shared_bytes, self.order)
        self.memory.notes.begin(len(self.memory.bytes))
        try:
            program.run(machine, arguments, maps)
        finally:
            self.conflicts += machine.conflicts
            self.vector_conflicts += machine.vector_conflicts
            machine.finish()

    def capture(self, work: Callable[[], None]) -> list[Callable[[], None]]:
        graph: list[Callable[[], None]] = []
        outer, self._recording = self._recording, graph
        try:
            work()
        finally:
            self._recording = outer
        return graph

    decides = True

    def _holds(self, condition: Condition, address: int) -> bool:
        number = np.empty((), condition.dtype)
        self.download(number, address)
        return condition.holds(number.item())

    def repeat(self, condition: Condition, address: int, body: Callable[[], None]) -> None:
        assert self._recording is not None
        graph = self.capture(body)

        def run() -> None:
            while self._holds(condition, address):
                self.replay(graph)

        self._recording.append(run)

    def choose(
        self, condition: Condition, address: int, then: Callable[[], None] | None, otherwise: Callable[[], None] | None
    ) -> None:
        assert self._recording is not None
        graphs = [self.capture(own) if own else [] for own in (then, otherwise)]
        self._recording.append(lambda: self.replay(graphs[0 if self._holds(condition, address) else 1]))

    def replay(self, graph: list[Callable[[], None]]) -> None:
        for queued in graph:
            queued()

    def drop(self, graph: list[Callable[[], None]]) -> None:
        graph.clear()

    def facts(self) -> dict[str, Any]:
        return {"card": "numpy model of a card", "driver": f"numpy {np.__version__}", "cache": 1 << 16}

    def record(self) -> float:
        return time.perf_counter()

    def is_done(self, event: float) -> bool:
        return True

    def wait_for(self, event: float) -> None:
        """Every launch has run when it returns."""

    def milliseconds(self, start: float, end: float) -> float:
        return 1e3 * (end - start)

    def synchronize(self) -> None:
        """Every launch has run when it returns."""

    synchronize_all = synchronize
