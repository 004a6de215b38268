"""Compiled programs as the processes of a grid."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hlo.runtime.grid_watch import GridWatch
from hlo.runtime.process_words import Layout, Words
from hlo.runtime.processes import run_processes
from hlo.runtime.rendezvous import TIMEOUT

if TYPE_CHECKING:
    from hlo.runtime.executable import Executable


class GridRunner:
    """Runs a program for each process of the grid that all of them are compiled for; several threads may do so at once."""

    def __init__(self, programs: Sequence[Executable]):
        self.programs = programs
        self.grid = programs[0].grid
        self.layout = Layout(self.grid, {number: program.program.meetings for number, program in enumerate(programs)})

    def run(
        self, inputs: Sequence[Sequence[np.ndarray]], infeed: Iterable[Sequence[Any]] = (), timeout: float = TIMEOUT
    ) -> list[list[np.ndarray]]:
        """The results of each process on its inputs, which fit its program."""
        runs = [
            functools.partial(program.run_unchecked, one) for program, one in zip(self.programs, inputs, strict=True)
        ]
        return self.run_calls(runs, infeed, timeout)

    def run_in_turn(self, calls: Sequence[Callable[[int], Any]]) -> list[Any]:
        """What `run_calls` gives, process by process in this thread: for programs that do not meet."""
        words = Words(self.layout)
        return [call(words.address(number)) for number, call in enumerate(calls)]

    def run_calls(
        self, calls: Sequence[Callable[[int], Any]], infeed: Iterable[Sequence[Any]] = (), timeout: float = TIMEOUT
    ) -> list[Any]:
        """What each process's call gives, which takes the address of the words of the process, and runs its program with it."""
        words = Words(self.layout, self.programs[0].threads)
        watch = GridWatch(words, timeout)
        runs = [functools.partial(call, words.address(number)) for number, call in enumerate(calls)]
        results = run_processes(self.grid, runs, infeed, timeout, watch)
        failure = watch.different_ops()
        if failure is not None:
            raise failure
        return results
