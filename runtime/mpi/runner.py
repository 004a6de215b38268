"""Runs the processes of a grid that are in this rank: machine code, or threads of Python's, with the transport to those of other ranks."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hlo.dialect.process_groups import CHANNELS
from hlo.errors import HloError
from hlo.runtime.calls.allocator import LEAST_POOLED, SmallArrays
from hlo.runtime.calls.array_calls import DOES_NOT_FIT, ArrayCall
from hlo.runtime.calls.executable import Executable
from hlo.runtime.calls.interrupts import Abandoned
from hlo.runtime.grid.grid_run import Ends, Prepare, Run, run_watched
from hlo.runtime.grid.grid_watch import GridWatch
from hlo.runtime.grid.process_words import Layout, Words
from hlo.runtime.grid.processes import Process, working_as
from hlo.runtime.grid.rendezvous import TIMEOUT, Rendezvous, Stopped
from hlo.runtime.mpi.channels import RankRendezvous
from hlo.runtime.mpi.courier import mail_of
from hlo.runtime.mpi.transport import Transport
from hlo.runtime.mpi.world import World


class RankRunner:
    """One run at a time, which all ranks make together, in the order of their programs. `numbers`: of the processes here."""

    def __init__(self, process: Executable, world: World, ranks: Sequence[int]):
        """`process`: the executable of each process; `ranks`: the rank of each process of its grid. All ranks call this together."""
        self.process, self.world, self.grid = process, world, process.grid
        self.numbers = [number for number, rank in enumerate(ranks) if rank == world.rank]
        count = len(self.numbers)
        if world.size > 1 and len(set(ranks)) < len(ranks) and not world.takes_threads:
            raise HloError(
                "several processes in a rank need mpi4py.rc.thread_level 'multiple', and an MPI that offers it"
            )
        neighbours = world.neighbours * count
        process.divide_processors(neighbours + count)
        self.calls_python = process.dispatcher is not None
        meetings = process.program.meetings
        self.layout = Layout(self.grid, dict.fromkeys(self.numbers, meetings), neighbours)
        self._ranks = ranks
        self._has_channels = world.size > 1 and any(c.target in CHANNELS for c in process.program.custom_calls)
        if self._has_channels:
            mail_of(world)
        self.transport = Transport(world, self.layout, meetings, ranks)

    @property
    def processes(self) -> list[Any]:
        """The ids of the processes here."""
        return [self.grid.processes[number] for number in self.numbers]

    def new_run(self, prepare: Prepare) -> RankRun:
        return RankRun(self, prepare)

    def run_calls(
        self,
        calls: Sequence[Callable[[int], Any]],
        infeed: Iterable[Sequence[Any]] = (),
        timeout: float = TIMEOUT,
        used: Any = None,
    ) -> list[Any]:
        """What each call gives, a function of Python's which takes the address of the words of its process, and runs
        the program with it. `used`: what the processes use."""
        dispatcher = self.process.dispatcher
        if dispatcher:
            dispatcher.some_failed = False
        words = Words(self.layout, self.process.threads, self.transport.python_address)
        self.transport.begin(words, timeout, (calls, used), lambda: dispatcher is not None and dispatcher.some_failed)
        rendezvous = self._rendezvous(timeout)
        try:
            if len(calls) == 1:
                results = [self._run_one(functools.partial(calls[0], words.address(self.numbers[0])), rendezvous)]
            else:
                results, _ = run_watched(words, calls, infeed, timeout, rendezvous)
            if isinstance(rendezvous, RankRendezvous):
                rendezvous.close()
        except BaseException:
            if isinstance(rendezvous, RankRendezvous):
                rendezvous.abandon()
            raise
        finally:
            self.transport.end()
            failure = self.transport.failure()
            if failure is not None:
                raise failure
        return results

    def _rendezvous(self, timeout: float) -> Rendezvous:
        if not self._has_channels:
            return Rendezvous(self.processes, timeout)
        return RankRendezvous(self.world, self.grid, self._ranks, timeout)

    def _run_one(self, call: Callable[[], Any], rendezvous: Rendezvous) -> Any:
        """What the one process of this rank gives, in the caller's thread."""
        try:
            result = working_as(Process(self.processes[0], self.grid, rendezvous), call)
        except Stopped:
            assert rendezvous.failure, "who stops a process says why"
            raise rendezvous.failure from None
        rendezvous.finish(self.processes[0])
        return result


class OneCall:
    """Calls of a program that has one process in this rank, no loops, and calls nothing of Python's: each is one call
    of machine code in the caller's thread, which nobody here can keep waiting. What takes long goes on in Python, in
    the transport. `checked` gives the arrays that the program reads for those of a caller."""

    def __init__(self, runner: RankRunner, checked: Callable[[Sequence[Any]], list[np.ndarray]]):
        self._runner, self._process, self._transport = runner, runner.process, runner.transport
        self._checked, self._checks_all = checked, self._process.may_copy_arguments
        self._words: Words | None = None
        results = self._process.signature.results
        is_small = sum(kind.nbytes for kind in results) < LEAST_POOLED and not self._process.program.donation.results
        self._small = SmallArrays(results) if is_small else None

    def __call__(self, arrays: tuple[Any, ...], timeout: float) -> list[np.ndarray]:
        """The results. Raises ArgumentError for arrays that do not fit, and HloError as runs do."""
        words, transport = self._words or self._prepare(), self._transport
        inputs = self._fitting(arrays) if self._checks_all else arrays
        results = self._small.take() if self._small else tuple(self._process.fresh_results(inputs))
        transport.begin(words, timeout, (inputs, results))
        if self._run(self._address, id(inputs), id(results)) == DOES_NOT_FIT:
            transport.end()
            inputs = self._fitting(arrays)
            transport.begin(words, timeout, (inputs, results))
            given = self._run(self._address, id(inputs), id(results))
            assert given != DOES_NOT_FIT, "checked arrays fit"
        transport.end()
        if self._failure.value:
            self._raise()
        return list(results)

    def _fitting(self, arrays: Sequence[Any]) -> tuple[np.ndarray, ...]:
        kinds = self._process.signature.arguments
        checked = zip(self._checked(arrays), kinds)
        return tuple(
            a if a.dtype is kind.dtype else a.view(kind.dtype) for a, kind in checked
        )  # types may be equal and not the same

    def _prepare(self) -> Words:
        process = self._process
        self._words = words = Words(self._runner.layout, process.threads, self._transport.address)
        arguments, results = process.signature
        image = process.image(words.address(self._runner.numbers[0]))
        self._call = call = ArrayCall(process.entry, image, arguments, len(arguments) + 1, len(results))
        self._run, self._address = call.run, call.address
        self._failure = ctypes.c_int64.from_address(words.base)
        return words

    def _raise(self) -> None:
        """After a failure the memory is not used again: messages may be under way."""
        words, self._words = self._words, None
        assert words is not None
        failure = self._transport.failure() or GridWatch(words, 0, Abandoned(0)).different_ops()
        raise failure or HloError("the run has been stopped")


class RankRun(Run):
    """A run of the processes here; those of other ranks run at the same time."""

    def __init__(self, runner: RankRunner, prepare: Prepare):
        self._transport = runner.transport
        process = runner.process
        super().__init__(runner.layout, process.threads, prepare, not process.has_loops, runner.transport.address)

    def go(self, timeout: float, used: Any) -> Ends:
        self._transport.begin(self.words, timeout, used)
        try:
            ends = super().go(timeout, used)
        finally:
            self._transport.end()
        return replace(ends, failure=self._transport.failure() or ends.failure)
