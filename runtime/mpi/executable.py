"""Compiled programs whose processes are divided among the ranks of MPI: rank k runs as many as each other one, from number
k * that many on. The code is that of a grid in one process; only what is borrowed from other ranks is copied (transport.py)."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from hlo.errors import ArgumentError, HloError
from hlo.runtime.donation import separate_donated
from hlo.runtime.executable import Executable
from hlo.runtime.grid_run import Run, prepared
from hlo.runtime.grid_watch import GridWatch
from hlo.runtime.mpi.transport import Transport
from hlo.runtime.mpi.world import World
from hlo.runtime.process_words import Layout, Words
from hlo.runtime.processes import Process, named, run_processes, working_as
from hlo.runtime.rendezvous import TIMEOUT, Rendezvous
from hlo.runtime.sharded import ShardedExecutable


class MpiExecutable:
    """`exe.run_grid(arguments)` takes one list of arguments for each process of this rank (`processes`, their ids, and `numbers`) and
    returns one list of results each. All ranks call it together, in the same order for all executables.

    `process`: the executable of the processes."""

    def __init__(self, process: Executable, world: World):
        self.process, self.world = process, world
        if process.grid.size > world.size and world.size > 1 and not world.takes_threads:
            raise HloError(
                "several processes in a rank need mpi4py.rc.thread_level 'multiple', and an MPI that offers it"
            )
        self.grid = process.grid
        self.per_rank = self.grid.size // world.size
        self.numbers = range(world.rank * self.per_rank, (world.rank + 1) * self.per_rank)
        self.processes = [self.grid.processes[number] for number in self.numbers]
        meetings = process.program.meetings
        neighbours = world.neighbours * self.per_rank
        process.share_processors(neighbours + self.per_rank)
        self._layout = Layout(self.grid, dict.fromkeys(self.numbers, meetings), neighbours)
        self._kept_run: Run | None = None
        self._transport = Transport(world, self._layout, meetings, self.per_rank)

    def __call__(self, *arrays: Any) -> list[np.ndarray]:
        """For a rank with one process: its results."""
        if self.per_rank > 1:
            raise ArgumentError(f"this rank runs {self.per_rank} processes of a grid of {self.grid}: call run_grid")
        return self.run_grid([arrays])[0]

    def run_grid(self, arguments: Sequence[Sequence[Any]], timeout: float = TIMEOUT) -> list[list[np.ndarray]]:
        """The results of each process of this rank. `timeout`: seconds for which a process waits for others. Raises HloError for what
        does not fit, for a process that waits in vain, and for what has failed in another rank."""
        with self.world.running:
            self.world.begin()
            try:
                return self._run(self._inputs(arguments), timeout)
            except BaseException as error:
                self.world.tell(error)
                raise

    def _inputs(self, arguments: Any) -> list[list[np.ndarray]]:
        wanted = f"run_grid takes {self.per_rank} lists of arguments, one for each process of rank {self.world.rank}"
        if not isinstance(arguments, (list, tuple)) or len(arguments) != self.per_rank:
            found = len(arguments) if isinstance(arguments, (list, tuple)) else type(arguments).__name__
            raise ArgumentError(f"{wanted}, found {found}")
        made = []
        for id, one in zip(self.processes, arguments):
            if not isinstance(one, (list, tuple)):
                raise ArgumentError(f"process {id}: a list of arguments expected, found {type(one).__name__}")
            try:
                made.append(self.process.inputs(one))
            except HloError as error:
                raise named(error, Process(id, self.grid)) from None
        if self.per_rank > 1:
            separate_donated(made, self.process.program.donation)
        return made

    def _run(self, inputs: Sequence[Sequence[np.ndarray]], timeout: float) -> list[list[np.ndarray]]:
        if self.grid.size == 1:
            return [self.process.run_unchecked(inputs[0])]
        is_interruptible = self.per_rank == 1 and self.process.has_loops  # Ctrl-C ends loops that run_unchecked runs
        if not self.process.dispatcher and not is_interruptible:
            found = self._run_machine_code(inputs, timeout)
            if found is not None:
                return found
        words = Words(self._layout, self.process.threads, self._transport.address)
        self._transport.begin(words, timeout, inputs)
        runs = [
            functools.partial(self.process.run_unchecked, one, words.address(number))
            for number, one in zip(self.numbers, inputs)
        ]
        rendezvous = Rendezvous(self.processes, timeout)
        try:
            if self.per_rank == 1:
                results = [working_as(Process(self.processes[0], self.grid, rendezvous), runs[0])]
            else:
                results = run_processes(self.grid, runs, (), timeout, GridWatch(words, timeout), rendezvous)
        finally:
            self._transport.end()
            failure = self._transport.failure()
            if failure is not None:
                raise failure
        return results

    def _run_machine_code(
        self, inputs: Sequence[Sequence[np.ndarray]], timeout: float
    ) -> list[list[np.ndarray]] | None:
        """The results, without Python in the processes as long as messages come soon; None where there are too few threads."""
        process, run = self.process, self._kept_run
        self._kept_run = None
        if run is None:
            run = Run(self._layout, process.threads, self._prepare, not process.has_loops, self._transport.address)
        results = [process.fresh_results(one) for one in inputs]
        for image, one, made in zip(run.prepared, inputs, results):
            process.fill(image, one, made)
        self._transport.begin(run.words, timeout, inputs)
        try:
            ends = run.go(timeout, (inputs, results))
        finally:
            self._transport.end()
        failure = self._transport.failure() or ends.failure
        if failure is not None:
            raise failure
        self._kept_run = run
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
