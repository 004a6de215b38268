"""Looks after the compiled processes of a grid while they run: finds those that wait in vain, and says who waits for whom."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping

from hlo.errors import Diagnostic, HloError
from hlo.runtime.calls.interrupts import Abandoned
from hlo.runtime.grid.meetings import DIFFERENT_OPS, OTHERS_FAILED
from hlo.runtime.grid.process_words import Meeting, Words
from hlo.runtime.grid.rendezvous import Id, Wait, who_waits

State = tuple[object, ...]


class GridWatch:
    """`look(finished)` is called again and again; it returns the failure it has found, or None. `threads`: those of the processes."""

    def __init__(self, words: Words, timeout: float, threads: Abandoned):
        self.words, self.timeout, self._threads = words, timeout, threads
        self._processes = {number: words.layout.grid.processes[number] for number in words.layout.programs}
        self._since: dict[int, tuple[State, float]] = {}
        self._stuck: tuple[State, ...] = ()

    def look(self, finished: Collection[int], waits: Mapping[Id, Wait]) -> HloError | None:
        """Two looks at the same waits, nobody else left: a deadlock. A wait that lasts too long fails as well."""
        if self.words.failure:
            self.stop()
            return self.different_ops()
        running = {n: waits.get(p) for n, p in self._processes.items() if n not in finished}
        states = tuple((n, wait or self._state(n)) for n, wait in running.items())
        are_stuck = bool(running) and all(wait or self.words.is_stuck(n) for n, wait in running.items())
        if are_stuck and states == self._stuck:
            return self.failure("no process can go on", finished, waits)
        self._stuck = states if are_stuck else ()
        return self._too_long([n for n, wait in running.items() if not wait], finished, waits)

    def stop(self) -> None:
        """Makes all processes leave their meetings and their loops."""
        if not self.words.failure:
            self.words.fail(OTHERS_FAILED)
        self._threads.end_loops()

    def _state(self, number: int) -> State:
        found = self.words.waits(number)
        return (number, *found[1:]) if found else ()

    def _too_long(
        self, running: Collection[int], finished: Collection[int], waits: Mapping[Id, Wait]
    ) -> HloError | None:
        now = time.monotonic()
        for number in running:
            state = self._state(number)
            since = self._since.get(number)
            if not state or since is None or since[0] != state:
                self._since[number] = (state, now)
            elif now - since[1] > self.timeout:
                return self.failure(f"waited for {self.timeout:g} seconds", finished, waits)
        return None

    def failure(self, what: str, finished: Collection[int], waits: Mapping[Id, Wait]) -> HloError:
        """The error, with all processes; they leave their meetings."""
        told = {process: (wait.location, wait.awaited()) for process, wait in waits.items()}
        for number, process in self._processes.items():
            found = self.words.waits(number)
            if found is not None and number not in finished:
                awaited = ", ".join(f"process {p}" for p in self.words.missing(number))
                told[process] = (found[0].op_location, awaited)
        ended = [self._processes[n] for n in finished]
        message = f"{what}: {who_waits(list(self._processes.values()), told, ended)}"
        location = next((where for where, _ in told.values()), None)
        self.stop()
        return HloError(location.finding(message) if location else Diagnostic(message))

    def different_ops(self) -> HloError | None:
        """The error of processes that met in different collectives."""
        if self.words.failure != DIFFERENT_OPS:
            return None
        found = [(p, self.words.waits(n)) for n, p in self._processes.items()]
        met = [(p, there[0]) for p, there in found if there]
        process, meeting = met[0]
        other, others = next(((p, m) for p, m in met if m.signature != meeting.signature), met[-1])
        return different_ops(process, meeting, other, others)


def different_ops(process: Id, meeting: Meeting, other: Id, theirs: Meeting) -> HloError:
    """The error of two processes of a group that wait for each other in different collectives."""
    here, there = meeting.op_location, theirs.op_location
    return HloError(
        here.finding(
            f"process {process} in {here} meets process {other} in {there}: ops and types must be the same, "
            f"found {meeting.signature} and {theirs.signature}"
        )
    )
