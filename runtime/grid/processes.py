"""The processes of a grid inside one process of the operating system: a thread each.

Code that runs for a process, compiled or interpreted, asks `current()` which one it is. A program outside of any grid is
the one process of a 1 x 1 grid."""

from __future__ import annotations

import os
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from typing import Any, Protocol

from hlo.dialect.process_grid import Grid
from hlo.errors import ArgumentError, HloError
from hlo.lazy_dataclasses import dataclass
from hlo.runtime.grid.rendezvous import TIMEOUT, Id, Rendezvous, Stopped, Wait


@dataclass(frozen=True)
class Process:
    """One process of a grid while it runs: its (replica, partition) ids and what it shares with the others: where they
    wait for each other, what `interpreter.run_parallel` gives them to take by infeed."""

    id: tuple[int, int] = (0, 0)
    grid: Grid = field(default_factory=Grid)
    rendezvous: Rendezvous = field(default_factory=lambda: Rendezvous(((0, 0),)))
    infeed: deque[Sequence[Any]] = field(default_factory=deque)

    @property
    def number(self) -> int:
        return self.grid.number(self.id)

    @property
    def is_alone(self) -> bool:
        return self.grid.size == 1

    def __str__(self) -> str:
        return f"process {self.id}"


_THREAD = threading.local()


def current() -> Process:
    """The process for which this thread works."""
    found = getattr(_THREAD, "process", None)
    return Process() if found is None else found


def working_as(process: Process, program: Callable[[], Any]) -> Any:
    """What a program gives that this thread runs as a process; errors name it."""
    before = getattr(_THREAD, "process", None)
    _THREAD.process = process
    try:
        return program()
    except HloError as error:
        raise named(error, process) from error.__cause__
    finally:
        _THREAD.process = before


def leave_failed_run() -> None:
    """Raises Stopped in a process of a run that has failed: interpreted loops, which may have no end, ask in each iteration."""
    process = getattr(_THREAD, "process", None)
    if process is not None and process.rendezvous.failure is not None:
        raise Stopped


class Watch(Protocol):
    """Looks after processes that wait where a rendezvous does not see it."""

    def look(self, finished: Collection[int], waits: Mapping[Id, Wait]) -> HloError | None:
        """The failure of processes that wait in vain; `finished`: numbers of those that have come to their end, `waits`:
        those that the rendezvous sees."""

    def stop(self) -> None:
        """Ends all processes that wait."""


LOOK_EVERY, LEAVE_WITHIN = 0.05, 10.0
"""Seconds between two looks of the watch; seconds for which a failed run waits for processes that go on computing."""


def run_processes(
    grid: Grid,
    programs: Sequence[Callable[[], Any]],
    infeed: Iterable[Sequence[Any]] = (),
    timeout: float = TIMEOUT,
    watch: Watch | None = None,
    rendezvous: Rendezvous | None = None,
) -> list[Any]:
    """What the programs give, one for each process of the rendezvous (without one: of the grid), all run at the same time.
    Raises the first error of a process, which names it; the others are stopped where they wait."""
    rendezvous = rendezvous or Rendezvous(grid.processes, timeout)
    fed = deque(infeed)
    numbers = [grid.number(id) for id in rendezvous.ids]
    results: dict[int, Any] = {}
    finished: queue.SimpleQueue[int] = queue.SimpleQueue()

    def work(process: Process) -> None:
        _THREAD.process = process
        try:
            results[process.number] = programs[numbers.index(process.number)]()
            rendezvous.finish(process.id)
        except Stopped:
            pass
        except BaseException as error:
            rendezvous.stop(named(error, process))
        finally:
            _THREAD.process = None
            finished.put(process.number)

    for id in rendezvous.ids:
        _WORKERS.start(work, Process(id, grid, rendezvous, fed))
    try:
        _wait_for_all(len(numbers), finished, rendezvous, watch)
    except BaseException as error:  # an interrupt from the keyboard
        rendezvous.stop(error)
        if watch:
            watch.stop()
        raise
    failure = rendezvous.failure or rendezvous.left_over()
    if failure is not None:
        raise failure
    return [results.get(number) for number in numbers]


def _wait_for_all(count: int, finished: queue.SimpleQueue[int], rendezvous: Rendezvous, watch: Watch | None) -> None:
    """Returns when all processes have come to their end, or soon after a failure."""
    ended: set[int] = set()
    give_up = None
    while len(ended) < count:
        with suppress(queue.Empty):
            ended.add(finished.get(timeout=LOOK_EVERY))
            continue
        if rendezvous.failure is None:
            failure = watch.look(ended, rendezvous.unserved()) if watch else None
            if failure is not None:
                rendezvous.stop(failure)
        elif give_up is None:
            give_up = time.monotonic() + LEAVE_WITHIN
            if watch:
                watch.stop()
        elif time.monotonic() > give_up:
            return


def named(error: BaseException, process: Process) -> BaseException:
    """An error whose findings say in which process they were made."""
    if not isinstance(error, HloError) or process.is_alone:
        return error
    return type(error)(*(d._replace(message=f"{process}: {d.message}") for d in error.diagnostics))


class _Workers:
    """Threads that wait for work; there are as many as were ever needed at the same time."""

    def __init__(self) -> None:
        self._idle: list[queue.SimpleQueue[tuple[Callable[..., None], Any]]] = []

    def forget(self) -> None:
        """In a forked process: it has no threads but the one that forked."""
        self._idle.clear()

    def start(self, function: Callable[[Any], None], argument: Any) -> None:
        """Calls the function on a thread of its own."""
        try:
            tasks = self._idle.pop()
        except IndexError:
            tasks = queue.SimpleQueue()
            threading.Thread(target=self._serve, args=(tasks,), name="hlo process", daemon=True).start()
        tasks.put((function, argument))

    def _serve(self, tasks: queue.SimpleQueue[tuple[Callable[..., None], Any]]) -> None:
        while True:
            function, argument = tasks.get()
            function(argument)
            self._idle.append(tasks)


_WORKERS = _Workers()
os.register_at_fork(after_in_child=_WORKERS.forget)


def argument_lists(grid: Grid, arguments: Any) -> list[Sequence[Any]]:
    """One list of arguments for each process. Raises ArgumentError for something else."""
    wanted = f"run_grid takes {grid.size} lists of arguments, one for each process of a grid of {grid}"
    if not isinstance(arguments, (list, tuple)):
        raise ArgumentError(f"{wanted}, found {type(arguments).__name__}")
    if len(arguments) != grid.size:
        raise ArgumentError(f"{wanted}, found {len(arguments)}")
    for id, one in zip(grid.processes, arguments):
        if not isinstance(one, (list, tuple)):
            raise ArgumentError(f"process {id}: a list of arguments expected, found {type(one).__name__}")
    return list(arguments)


def for_each_process(grid: Grid, function: Callable[[Sequence[Any]], Any], arguments: Any) -> list[Any]:
    """The function on the list of arguments of each process, one after the other; errors name the process."""
    made = []
    for id, one in zip(grid.processes, argument_lists(grid, arguments)):
        try:
            made.append(function(one))
        except HloError as error:
            raise named(error, Process(id, grid)) from None
    return made


def refuse_call(grid: Grid) -> None:
    """Raises ArgumentError for the call of a program that is many processes."""
    if grid.size > 1:
        raise ArgumentError(
            f"the program is compiled for a grid of {grid} processes: call run_grid, which takes a list of arguments "
            "for each of them"
        )
