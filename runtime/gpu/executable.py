"""A program compiled for a GPU: arrays of numpy or on the device in, numpy arrays out; or, with submit, arrays that stay on
the device."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import accumulate
from typing import Any

import numpy as np

from hlo.dialect.process_grid import Grid
from hlo.errors import ArgumentError, HloError
from hlo.runtime.calls.addresses import address_of
from hlo.runtime.calls.arguments import check_count, converted
from hlo.runtime.calls.memory_use import Memory
from hlo.runtime.calls.signature import ArrayType
from hlo.runtime.gpu.device_array import Block, Borrowed, DeviceArray, on_device
from hlo.runtime.gpu.devices import driver_named
from hlo.runtime.gpu.driver import Driver
from hlo.runtime.gpu.graphs import Graphs, recorded_plan
from hlo.runtime.gpu.plan import Plan
from hlo.runtime.gpu.program import DeviceProgram
from hlo.runtime.gpu.program_file import pack
from hlo.runtime.gpu.run_plan import run_plan
from hlo.runtime.grid.processes import argument_lists
from hlo.runtime.profile.refusal import NotProfiled
from hlo.runtime.saved.load_file import load_contents
from hlo.whole_files import save


class GpuExecutable(NotProfiled):
    """`exe(*arrays)` runs the program on the device: arguments are copied there unless they are there, results back.
    `exe.submit(*arrays)` does not wait, and gives arrays on the device.

    `signature`: types of arguments and results. `memory`: sizes in bytes. `program`: what it was made from, as data.
    `phases`: the IR text of each phase, when compiled with keep_phases=True. The device is looked for, and the code brought
    there, when the program is first called."""

    NOT_PROFILED = "a program for target 'gpu'"

    def __init__(
        self, program: DeviceProgram, driver: Driver | None = None, *, phases: Mapping[str, str] | None = None
    ):
        self.program, self.signature, self.grid = program, program.signature, Grid()
        self.phases = dict(phases or {})
        self.memory = Memory(
            sum(t.nbytes for t in self.signature.arguments),
            sum(t.nbytes for t in self.signature.results),
            program.plan.arena,
            sum(c.nbytes for c in program.constants),
            len(program.code),
        )
        *self._results, self._size_of_results = _offsets([t.nbytes for t in self.signature.results])
        self._arena = _rounded(program.plan.arena)
        self._driver = driver
        self._lock = threading.RLock()
        self._loaded: _Loaded | None = None
        self._in_use: list[tuple[Any, Any]] = []
        """Arguments of other libraries that are still read: events, and what keeps the memory."""

    @property
    def driver(self) -> Driver:
        """Raises HloError where there is no such device."""
        self._driver = self._driver or driver_named(self.program.device)
        return self._driver

    def save(self, path: str | os.PathLike[str], format: str = "exe") -> None:
        """Writes the compiled program to a file, for `hlo.load_executable` where there is such a device; neither a device
        here nor MLIR there is needed. Raises ArgumentError for another format: C calls no program of a GPU."""
        if format != "exe":
            raise ArgumentError(f"programs for target 'gpu' are saved with format='exe', found {format!r}")
        save(path, pack(self.program))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as it is saved."""
        return load_contents, (pack(self.program),)

    def __call__(self, *arrays: Any) -> list[np.ndarray]:
        """Runs the program and waits. Raises ArgumentError for arrays that do not fit the signature, HloError if the
        device fails or has too little memory."""
        return [result.numpy() for result in self.submit(*arrays)]

    def run_grid(self, arguments: Sequence[Sequence[Any]]) -> list[list[np.ndarray]]:
        """The results of the only process."""
        return [self(*one) for one in argument_lists(self.grid, arguments)]

    def submit(self, *arrays: Any, stream: int | None = None) -> list[DeviceArray]:
        """Queues the program and returns at once, unless it asks the host something (loops, custom calls). Arguments are
        numpy arrays, results of `submit`, or arrays with __cuda_array_interface__ or DLPack, which are read where they
        are: they must not change until the program is done. `stream`: a CUDA stream of the caller's, on which the work is
        queued."""
        expected = self.signature.arguments
        check_count(expected, len(arrays))
        with self._lock, self.driver.using(stream):
            given = [_argument(a, n, kind, self.driver) for n, (a, kind) in enumerate(zip(arrays, expected))]
            loaded = self._ready(given)
            with self._memory(given) as (block, workspace):
                self._run(loaded, self._addresses(given, loaded, block, workspace))
            self._keep(given)
        return [DeviceArray(block, offset, kind) for offset, kind in zip(self._results, self.signature.results)]

    @property
    def graphs(self) -> list[Any]:
        """The driver's recordings of runs so far, the one used last at the end."""
        return self._loaded.graphs.recorded if self._loaded and self._loaded.graphs else []

    def synchronize(self) -> None:
        """Waits for all that was submitted. Raises HloError if the device failed."""
        self.driver.synchronize_all()
        self._in_use.clear()

    def _run(self, loaded: _Loaded, addresses: tuple[int, ...]) -> None:
        def run(plan: Plan) -> None:
            run_plan(plan, self.driver, loaded.code, addresses, self._host_call)

        recorded = loaded.recorded
        if loaded.graphs and recorded:
            loaded.graphs.run(addresses, lambda: run(self.program.plan), lambda: run(recorded))
        else:
            run(self.program.plan)

    def _ready(self, given: Sequence[Any]) -> _Loaded:
        """Before anything is loaded or launched: is there room?"""
        if self._loaded is None:
            arguments = sum(a.nbytes for a in given if _is_here(a))
            sizes = {
                "arguments": arguments, "results": self.memory.results, "temporaries": self.memory.temporaries,
                "constants": self.memory.constants,
            }  # fmt: skip
            available = self.driver.available()
            if sum(sizes.values()) > available:
                parts = ", ".join(f"{what} {size}" for what, size in sizes.items())
                raise HloError(f"{sum(sizes.values())} bytes of device memory needed ({parts}), {available} available")
            self._loaded = _Loaded(self.driver, self.program)
            weakref.finalize(self, _Loaded.close, self._loaded)
        return self._loaded

    @contextmanager
    def _memory(self, given: Sequence[Any]) -> Iterator[tuple[Block, int]]:
        """Memory for the results; and for the arena and copies of arguments, which is freed after the work that was queued
        meanwhile. All of it is freed if that failed. Two allocations in this order: the next call gets the same addresses
        where freed memory is given out again, last in first out, and its graph fits."""
        block = Block(self.driver, self._size_of_results)
        workspace = 0
        try:
            workspace = self.driver.allocate(self._arena + sum(_rounded(a.nbytes) for a in given if _is_here(a)))
            yield block, workspace
        except BaseException:
            with suppress(HloError):  # after a failure the device may not be able to; the first error counts
                _free_all(self.driver, [workspace] * bool(workspace))
            block.release()
            raise
        self.driver.free(workspace)

    def _addresses(self, given: Sequence[Any], loaded: _Loaded, block: Block, workspace: int) -> tuple[int, ...]:
        """Of arguments (which are brought to the device), results, constants, custom calls (none), arena."""
        addresses, offset = [], self._arena
        for array in given:
            if isinstance(array, Borrowed):
                addresses.append(array.address)
                continue
            addresses.append(workspace + offset)
            self.driver.upload(addresses[-1], array)
            offset += _rounded(array.nbytes)
        return (*addresses, *(block.address + at for at in self._results), *loaded.constants, 0, workspace)

    def _keep(self, given: Sequence[Any]) -> None:
        """Other libraries' arrays, and arrays of other streams, stay until they have been read."""
        self._in_use = [(event, owner) for event, owner in self._in_use if not self.driver.is_done(event)]
        owners = [a.owner for a in given if isinstance(a, Borrowed)]
        if owners:
            self._in_use.append((self.driver.record(), owners))

    def _host_call(self, number: int, addresses: Sequence[int]) -> None:
        """A custom call runs in Python on copies of its arrays."""
        call = self.program.custom_calls[number]
        kinds: list[ArrayType] = [*call.operands, *call.results]
        arrays = [np.empty(kind.shape, kind.dtype) for kind in kinds]
        on_device = [*addresses[: len(call.operands)], *(addresses[n] for n in call.order)]
        for array, address in zip(arrays, on_device):
            self.driver.download(array, address)
        hosts = [0] * len(addresses)
        for position, array in zip((*range(len(call.operands)), *call.order), arrays):
            hosts[position] = address_of(array)
        try:
            call.run(hosts)
        except HloError:
            raise
        except Exception as error:
            raise call.failure(error) from error
        for array, address in zip(arrays[len(call.operands) :], on_device[len(call.operands) :]):
            self.driver.upload(address, array)

    def __repr__(self) -> str:
        return f"<GpuExecutable {self.signature} for {self.program.device}>"


class _Loaded:
    """Code and constants on the device."""

    def __init__(self, driver: Driver, program: DeviceProgram):
        self.driver = driver
        self.code = driver.load(program.code)
        self.recorded = recorded_plan(program.plan, driver)
        self.graphs = Graphs(driver) if self.recorded else None
        self.constants: list[int] = []
        try:
            for array in program.constants:
                self.constants.append(driver.allocate(array.nbytes))
                driver.upload(self.constants[-1], array)
            driver.synchronize()  # whatever stream runs the program
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        with suppress(HloError):  # a device that failed frees nothing
            if self.graphs:
                self.graphs.close()
            _free_all(self.driver, self.constants)
            self.driver.unload(self.code)


def _free_all(driver: Driver, addresses: list[int]) -> None:
    while addresses:
        driver.free(addresses.pop())


ALIGNMENT = 256
"""Of arrays in one allocation, in bytes: that of allocations themselves."""


def _rounded(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def _offsets(sizes: Sequence[int]) -> list[int]:
    """Where each of several arrays begins, and where the last one ends."""
    return list(accumulate(map(_rounded, sizes), initial=0))


def _is_here(argument: np.ndarray | Borrowed) -> bool:
    return isinstance(argument, np.ndarray)


def _argument(value: Any, number: int, kind: ArrayType, driver: Driver) -> np.ndarray | Borrowed:
    return on_device(value, number, kind, driver) or converted(value, number, kind)
