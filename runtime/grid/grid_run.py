"""Compiled programs as the processes of a grid."""

from __future__ import annotations

import ctypes
import functools
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from hlo.lazy_dataclasses import dataclass
from hlo.runtime.calls.escaped_exceptions import Watched
from hlo.runtime.calls.interrupts import Abandoned, forget_ended
from hlo.runtime.grid.grid_watch import GridWatch
from hlo.runtime.grid.process_words import Layout, Words
from hlo.runtime.grid.processes import LEAVE_WITHIN, LOOK_EVERY, run_processes
from hlo.runtime.grid.rendezvous import TIMEOUT, Rendezvous
from hlo.runtime.threads.together import WATCH, Together
from hlo.runtime.threads.together_text import DONE, LEFT, RUNNING

if TYPE_CHECKING:
    from hlo.runtime.calls.executable import Executable

Prepare = Callable[[int, int], tuple[int, int, Any]]
"""For the number of a process and the address of its words: a function in machine code, its argument, and what both belong to."""


class GridRunner:
    """Runs a program for each process of the grid that all of them are compiled for; several threads may do so at once.

    `calls_python`: whether a program calls Python functions, which ask in which process they are: its processes are
    threads of Python's. `has_caller`: whether the caller's thread is one of the processes. It is not where a loop may
    go on for ever when the others have failed."""

    def __init__(self, programs: Sequence[Executable]):
        self.programs = programs
        self.grid = programs[0].grid
        self.layout = Layout(self.grid, {number: program.program.meetings for number, program in enumerate(programs)})
        self.calls_python = any(program.dispatcher for program in programs)
        self.has_caller = not any(program.has_loops for program in programs)
        self._runs = Runs(self, self._prepare)

    def run(
        self, inputs: Sequence[Sequence[np.ndarray]], infeed: Iterable[Sequence[Any]] = (), timeout: float = TIMEOUT
    ) -> list[list[np.ndarray]]:
        """The results of each process on its inputs, which fit its program."""
        if self.calls_python:
            return self._run_threads(inputs, infeed, timeout)
        results = [p.fresh_results(one) for p, one in zip(self.programs, inputs, strict=True)]
        run = self._runs.take()
        for program, image, one, made in zip(self.programs, run.prepared, inputs, results):
            program.fill(image, one, made)
        ends = run.go(timeout, (self, inputs, results))
        if ends.failure is not None:
            raise ends.failure
        self._runs.give(run)
        return results if ends.given else self._run_threads(inputs, infeed, timeout)

    def _run_threads(self, inputs: Sequence[Any], infeed: Iterable[Sequence[Any]], timeout: float) -> list[Any]:
        runs = [functools.partial(p.run_unchecked, one) for p, one in zip(self.programs, inputs, strict=True)]
        return self.run_calls(runs, infeed, timeout)

    def _prepare(self, number: int, words: int) -> tuple[int, int, Any]:
        return prepared(self.programs[number], words)

    def new_run(self, prepare: Prepare) -> Run:
        return Run(self.layout, self.programs[0].threads, prepare, self.has_caller)

    def run_calls(
        self, calls: Sequence[Callable[[int], Any]], infeed: Iterable[Sequence[Any]] = (), timeout: float = TIMEOUT
    ) -> list[Any]:
        """What each process's call gives, a function of Python's which takes the address of the words of the process,
        and runs its program with it."""
        words = Words(self.layout, self.programs[0].threads)
        results, watch = run_watched(words, calls, infeed, timeout)
        failure = watch.different_ops()
        if failure is not None:
            raise failure
        return results


def run_watched(
    words: Words,
    calls: Sequence[Callable[[int], Any]],
    infeed: Iterable[Sequence[Any]],
    timeout: float,
    rendezvous: Rendezvous | None = None,
) -> tuple[list[Any], GridWatch]:
    """What each call of a process here gives, on a thread of Python's each, and who has looked after them."""
    threads = Abandoned(len(calls))
    threads.begin()
    watch = GridWatch(words, timeout, threads)
    runs = [
        functools.partial(threads.call, position, functools.partial(call, words.address(number)))
        for position, (number, call) in enumerate(zip(words.layout.programs, calls, strict=True))
    ]
    try:
        return run_processes(words.layout.grid, runs, infeed, timeout, watch, rendezvous), watch
    finally:
        forget_ended()


def prepared(program: Executable, words: int) -> tuple[int, int, Any]:
    """The call of a program, and what it takes (`Executable.fill`)."""
    image = program.image(words)
    return program.entry, ctypes.addressof(image), image


@dataclass(frozen=True)
class Ends:
    """How a run has ended. `given`: what the call of each process gave, RUNNING for one that goes on; empty where there
    are too few threads for the run. `failure`: what has ended it before its time."""

    given: list[int]
    failure: BaseException | None = None


class MakesRuns(Protocol):
    """The processes of a grid, or of a part of it."""

    def new_run(self, prepare: Prepare) -> Run: ...


class Runs:
    """Runs of a grid without Python in its processes: each process is one call of machine code, which `prepare` makes
    once. What a run needs is kept for the next ones."""

    def __init__(self, runner: MakesRuns, prepare: Prepare):
        self._runner, self._prepare = runner, prepare
        self._free: list[Run] = []

    def take(self) -> Run:
        """A run that nobody else has."""
        try:
            return self._free.pop()
        except IndexError:
            return self._runner.new_run(self._prepare)

    def give(self, run: Run) -> None:
        """Keeps a run that has not failed."""
        self._free.append(run)


TRY_EVERY = 64
"""Runs after which processes that sleep at once, since they had looked in vain, look again: two threads that a busy
machine has put on one processor stay there as long as they only look; those that sleep are put on another one."""

_HELD: dict[int, Any] = {}
"""Runs under way, and what their processes use."""


def _hold_for_ever(used: Any) -> None:
    """What processes go on using after their run was left: it stays even where Python frees all modules at its end."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(used))


class Run(Watched):
    """One run at a time of all processes. `prepared`: what the call of each process belongs to."""

    def __init__(self, layout: Layout, threads: int, prepare: Prepare, has_caller: bool, transport: int = 0):
        """`threads`: of each process; `has_caller`: whether the first one runs in the caller's thread; `transport`: for
        processes elsewhere (meetings.py)."""
        super().__init__()
        self._number = 0
        self._kept_watch: GridWatch | None = None
        self.words = Words(layout, threads, transport)
        numbers = list(layout.programs)
        made = [prepare(number, self.words.address(number)) for number in numbers]
        self.prepared = [belongings for _, _, belongings in made]
        self._callback = WATCH(self._look)
        self._calls = Together([call[:2] for call in made], self._callback, has_caller)
        if has_caller:
            self.words.set_watch(numbers[0], ctypes.cast(self._callback, ctypes.c_void_p).value or 0)

    def one_by_one(self) -> Ends:
        """Runs process by process in this thread: for programs that do not meet."""
        self._calls.run_one_by_one()
        return Ends(self._calls.given)

    def go(self, timeout: float, used: Any) -> Ends:
        """Runs all processes at the same time. `used`: what they use, their code included. A process that waits in vain
        is a failure."""
        self._timeout, self._kept_watch = timeout, None
        self._failure: BaseException | None = None
        self._give_up = 0.0
        _HELD[id(self)] = self, used
        self._number += 1
        end = self._calls.run(sleep=not self.words.patience(try_again=self._number % TRY_EVERY == 0))
        held = _HELD.pop(id(self))
        if end == LEFT:
            _hold_for_ever(held)
            self._watch.stop()  # an interrupt at the first step of the watch has not stopped them
            self._calls.wait(LOOK_EVERY)
        forget_ended()
        if end == LEFT or self.words.failure:
            return Ends(self._calls.given, self._failure or self._watch.different_ops() or self.escaped())
        # An interrupt at a callback's last step, as the run came to its end.
        escaped = self.escaped() if self.has_escaped() else None
        return Ends(self._calls.given if end == DONE else [], escaped)

    @property
    def _watch(self) -> GridWatch:
        """Made when the caller first waits for long."""
        self._kept_watch = self._kept_watch or GridWatch(self.words, self._timeout, self._calls.threads)
        return self._kept_watch

    def _look(self, number: int) -> int:
        """The watch of a run: gives the number back as long as the caller is to wait."""
        try:
            return number if self._goes_on() else 0
        except BaseException as error:  # an interrupt from the keyboard
            self._failure = self._failure or error
            self._watch.stop()
            return 0

    def _goes_on(self) -> bool:
        if self._failure is None and not self.words.failure:
            finished = [n for n, given in zip(self.words.layout.programs, self._calls.given) if given != RUNNING]
            self._failure = self._watch.look(finished, {})
            return True
        now = time.monotonic()
        self._give_up = self._give_up or now + LEAVE_WITHIN
        return now < self._give_up
