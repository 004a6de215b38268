"""Compiled programs whose processes are divided among the ranks of MPI: rank k runs as many as each other one, from number
k * that many on. The code is that of a grid in one process; only what is borrowed from other ranks is copied (transport.py)."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from hlo.errors import ArgumentError, HloError
from hlo.runtime.calls.array_calls import reads_headers
from hlo.runtime.calls.donation import separate_donated
from hlo.runtime.calls.executable import Executable
from hlo.runtime.grid.grid_run import Runs, prepared
from hlo.runtime.grid.processes import Process, named
from hlo.runtime.grid.rendezvous import TIMEOUT, seconds_to_wait
from hlo.runtime.grid.sharded import ShardedExecutable
from hlo.runtime.mpi.runner import OneCall, RankRunner
from hlo.runtime.mpi.world import World


class MpiExecutable:
    """`exe.run_grid(arguments)` takes one list of arguments for each process of this rank (`processes`, their ids, and `numbers`) and
    returns one list of results each. All ranks call it together, in the same order for all executables.

    `process`: the executable of the processes."""

    def __init__(self, process: Executable, world: World):
        self.process, self.world, self.grid = process, world, process.grid
        self.per_rank = self.grid.size // world.size
        self.runner = RankRunner(process, world, [number // self.per_rank for number in range(self.grid.size)])
        self.numbers, self.processes = self.runner.numbers, self.runner.processes
        self._runs = Runs(self.runner, self._prepare)
        is_alone = self.per_rank == 1 < self.grid.size and not process.dispatcher and not process.has_loops
        self._one_call = (
            OneCall(self.runner, functools.partial(self._input, 0)) if is_alone and reads_headers() else None
        )
        self._exclusive = world.exclusive()

    def __call__(self, *arrays: Any) -> list[np.ndarray]:
        """For a rank with one process: its results."""
        if self.per_rank > 1:
            raise ArgumentError(f"this rank runs {self.per_rank} processes of a grid of {self.grid}: call run_grid")
        if self._one_call is None:
            return self.run_grid([arrays])[0]
        with self._exclusive:
            return self._one_call(arrays, TIMEOUT)

    def run_grid(self, arguments: Sequence[Sequence[Any]], timeout: float | None = None) -> list[list[np.ndarray]]:
        """The results of each process of this rank. `timeout`: seconds for which a process waits for others. Raises HloError for what
        does not fit, for a process that waits in vain, and for what has failed in another rank."""
        seconds = seconds_to_wait(timeout)
        with self._exclusive:
            if (
                self._one_call
                and type(arguments) is list
                and len(arguments) == 1
                and type(arguments[0]) in (list, tuple)
            ):
                return [self._one_call(tuple(arguments[0]), seconds)]
            return self._run(self._inputs(arguments), seconds)

    def _inputs(self, arguments: Any) -> list[list[np.ndarray]]:
        if not isinstance(arguments, (list, tuple)) or len(arguments) != self.per_rank:
            found = len(arguments) if isinstance(arguments, (list, tuple)) else type(arguments).__name__
            raise ArgumentError(
                f"run_grid takes {self.per_rank} lists of arguments, one for each process of rank {self.world.rank}, found {found}"
            )
        for id, one in zip(self.processes, arguments):
            if not isinstance(one, (list, tuple)):
                raise ArgumentError(f"process {id}: a list of arguments expected, found {type(one).__name__}")
        made = [self._input(number, one) for number, one in enumerate(arguments)]
        if self.per_rank > 1:
            separate_donated(made, self.process.program.donation)
        return made

    def _input(self, number: int, arrays: Sequence[Any]) -> list[np.ndarray]:
        """What one of the processes here is given, as its program reads it."""
        try:
            return self.process.inputs(arrays)
        except HloError as error:
            raise named(error, Process(self.processes[number], self.grid)) from None

    def _run(self, inputs: Sequence[Sequence[np.ndarray]], timeout: float) -> list[list[np.ndarray]]:
        if self.grid.size == 1:
            return [self.process.run_unchecked(inputs[0])]
        is_interruptible = self.per_rank == 1 and self.process.has_loops  # Ctrl-C ends loops that run_unchecked runs
        if not self.process.dispatcher and not is_interruptible:
            found = self._run_machine_code(inputs, timeout)
            if found is not None:
                return found
        runs = [functools.partial(self.process.run_unchecked, one) for one in inputs]
        return self.runner.run_calls(runs, timeout=timeout, used=inputs)

    def _run_machine_code(
        self, inputs: Sequence[Sequence[np.ndarray]], timeout: float
    ) -> list[list[np.ndarray]] | None:
        """The results, without Python in the processes as long as messages come soon; None where there are too few threads."""
        process, run = self.process, self._runs.take()
        results = [process.fresh_results(one) for one in inputs]
        for image, one, made in zip(run.prepared, inputs, results):
            process.fill(image, one, made)
        ends = run.go(timeout, (self, inputs, results))
        if ends.failure is not None:
            raise ends.failure
        self._runs.give(run)
        return results if ends.given else None

    def _prepare(self, number: int, words: int) -> tuple[int, int, Any]:
        return prepared(self.process, words)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.process, name)  # signature, memory, phases, ...

    def gathered(self, results: Sequence[Sequence[np.ndarray]]) -> list[list[np.ndarray]]:
        """The results of all processes in each rank, which all ranks ask for together."""
        kinds = self.process.signature.results
        with self.world.running:
            mine = [np.ascontiguousarray(a).reshape(-1).view(np.uint8) for one in results for a in one if a.size]
            sent = np.concatenate(mine) if mine else np.empty(0, np.uint8)
            found = self.world.gather(sent).reshape(-1)
        made, start = [], 0
        for _ in range(self.grid.size):
            one = []
            for kind in kinds:
                one.append(found[start : start + kind.nbytes].view(kind.dtype).reshape(kind.shape))
                start += kind.nbytes
            made.append(one)
        return made


class ShardedMpiExecutable(ShardedExecutable):
    """A program with shardings over the ranks of MPI: `exe(*arrays)` takes global arrays in each rank, of which each uses the parts of
    its processes, and gives global results in each; `exe.cut` gives the parts of this rank's processes, `exe.join` takes their results."""

    process: MpiExecutable

    @property
    def world(self) -> World:
        return self.process.world

    def cut(self, arrays: Sequence[Any]) -> list[list[np.ndarray]]:
        parts = super().cut(arrays)
        return [parts[number] for number in self.process.numbers]

    def join(self, results: Sequence[Sequence[Any]]) -> list[np.ndarray]:
        return super().join(self.process.gathered(results))
