"""Where processes of a grid wait for each other: meetings of process groups, and channels.

A process that can never be served is found at once: when all processes wait or have finished, nobody is left who could
come. Otherwise a wait ends after a limit. Both name who waits where and for whom."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field
from numbers import Real
from typing import Any

from hlo.errors import ArgumentError, Diagnostic, HloError
from hlo.lazy_dataclasses import dataclass

TIMEOUT = 300.0
"""Seconds for which a process waits for others that still run."""


def seconds_to_wait(timeout: Any) -> float:
    """The `timeout` of a run: None is the usual one. Raises ArgumentError for what is no number of seconds."""
    if timeout is None:
        return TIMEOUT
    if isinstance(timeout, bool) or not isinstance(timeout, Real) or not float(timeout) >= 0:
        raise ArgumentError(f"timeout takes a number of seconds from 0, found {timeout!r}")
    return min(float(timeout), threading.TIMEOUT_MAX)


Id = tuple[int, int]


class Stopped(BaseException):
    """Ends a process because another one has failed."""


@dataclass(frozen=True)
class OpLocation:
    """Where a process waits: an op's name, and its file:line:column if that is known."""

    op: str
    at: str = ""

    def __str__(self) -> str:
        return f"{self.op} at {self.at}" if self.at else self.op

    def finding(self, message: str) -> Diagnostic:
        """A finding at this location."""
        if not self.at:
            return Diagnostic(message)
        file, line, column = self.at.rsplit(":", 2)
        return Diagnostic(message, file, int(line), int(column))


@dataclass(frozen=True)
class Channel:
    """A queue of the processes. Without ends who receives first gets what was sent first; with ends it leads from a source to a target."""

    number: int
    source: Id | None = None
    target: Id | None = None

    def __str__(self) -> str:
        ends = "" if self.source is None else f" from process {self.source} to process {self.target}"
        return f"channel {self.number}{ends}"


@dataclass(frozen=True)
class Sent:
    """What a process has sent, and where."""

    process: Id
    location: OpLocation
    values: Sequence[Any]

    def __str__(self) -> str:
        return f"what process {self.process} has sent in {self.location}"


@dataclass
class _Meeting:
    """The n-th meeting of a group on a channel: who has come, with what, and from which op."""

    given: dict[Id, Any] = field(default_factory=dict)
    locations: dict[Id, OpLocation] = field(default_factory=dict)
    signature: Any = None
    leaving: int = 0
    """How many have got what was given."""


@dataclass(frozen=True, eq=False)
class Wait:
    """A process that waits: where, for what (in words), and whether it has come."""

    location: OpLocation
    awaited: Callable[[], str]
    served: Callable[[], bool]


class Rendezvous:
    """What the processes of one run of a grid share. `failure`: the first error of any of them."""

    def __init__(self, ids: Sequence[Id], timeout: float = TIMEOUT):
        self.ids = tuple(ids)
        self.timeout = timeout
        self.failure: BaseException | None = None
        self._changed = threading.Condition()
        self._waits: dict[Id, Wait] = {}
        self._finished: set[Id] = set()
        self._meetings: dict[Any, _Meeting] = {}
        self._visits: dict[Any, int] = {}
        self._channels: dict[Channel, deque[Sent]] = {}

    def meet(
        self, process: Id, group: Sequence[Id], channel: int, location: OpLocation, signature: Any, given: Any
    ) -> dict:
        """Gives something to the group's other processes and returns what all have given, by process. They meet in the
        order of their programs; `signature` must be the same for all (the kind of op, types)."""
        visit = (tuple(group), channel, process)
        with self._changed:
            number = self._visits[visit] = self._visits.get(visit, -1) + 1
            meeting = self._meetings.setdefault((visit[:2], number), _Meeting())
            self._join(meeting, process, location, signature, given)
            self._changed.notify_all()

            def missing() -> list[Id]:
                return [p for p in group if p not in meeting.given]

            self._wait(process, location, lambda: _listed(missing()), lambda: not missing())
            meeting.leaving += 1
            if meeting.leaving == len(group):
                del self._meetings[visit[:2], number]
            return meeting.given

    def _join(self, meeting: _Meeting, process: Id, location: OpLocation, signature: Any, given: Any) -> None:
        if meeting.locations and meeting.signature != signature:
            other, where = next(iter(meeting.locations.items()))
            self._fail(
                f"process {process} in {location} meets process {other} in {where}: ops and types must be the same, "
                f"found {signature} and {meeting.signature}"
            )
        meeting.signature = signature
        meeting.locations[process] = location
        meeting.given[process] = given

    def send(self, channel: Channel, sent: Sent) -> None:
        """Puts values into a channel; does not wait."""
        with self._changed:
            self._channels.setdefault(channel, deque()).append(sent)
            self._changed.notify_all()

    def receive(self, process: Id, channel: Channel, location: OpLocation) -> Sent:
        """The oldest values of a channel; waits for them."""
        with self._changed:
            queue = self._channels.setdefault(channel, deque())
            self._wait(process, location, lambda: f"a send to {channel}", lambda: bool(queue))
            return queue.popleft()

    def left_over(self) -> HloError | None:
        """The error of processes that have all come to their end without receiving what was sent to them."""
        with self._changed:
            left = [(channel, sent) for channel, queue in self._channels.items() for sent in queue]
        if not left:
            return None
        return HloError(*(sent.location.finding(f"nobody has received {sent} to {channel}") for channel, sent in left))

    def unserved(self) -> dict[Id, Wait]:
        """The processes that wait for what has not come."""
        with self._changed:
            return {process: wait for process, wait in self._waits.items() if not wait.served()}

    def finish(self, process: Id) -> None:
        """The process has come to its end."""
        with self._changed:
            self._finished.add(process)
            self._find_deadlock()
            self._changed.notify_all()

    def stop(self, failure: BaseException) -> None:
        """Ends all processes that wait, now or later."""
        with self._changed:
            if self.failure is None:
                self.failure = failure
            self._changed.notify_all()

    def _fail(self, message: str, location: OpLocation | None = None) -> None:
        if self.failure is None:
            self.failure = HloError(location.finding(message) if location else message)
        self._changed.notify_all()
        raise Stopped

    def _wait(self, process: Id, location: OpLocation, awaited: Callable[[], str], served: Callable[[], bool]) -> None:
        end = time.monotonic() + self.timeout
        self._waits[process] = Wait(location, awaited, served)
        self._find_deadlock()
        try:
            while not served():
                if self.failure is not None:
                    raise Stopped
                left = end - time.monotonic()
                if left <= 0:
                    self._fail(f"waited for {self.timeout:g} seconds: {self._who_waits()}", location)
                self._changed.wait(left)
            if self.failure is not None:
                raise Stopped
        finally:
            del self._waits[process]

    def _find_deadlock(self) -> None:
        """Whether nobody is left who could serve those that wait."""
        if not self._waits or len(self._waits) + len(self._finished) < len(self.ids) or self.failure is not None:
            return
        if any(wait.served() for wait in self._waits.values()):
            return
        first = next(iter(self._waits.values()))
        self.failure = HloError(
            first.location.finding(f"no process can go on: {self._who_waits()}{self._not_received()}")
        )
        self._changed.notify_all()

    def _not_received(self) -> str:
        """What errors say of values in channels."""
        left = [(channel, sent) for channel, queue in self._channels.items() for sent in queue]
        return "".join(f"; nobody has received {sent} to {channel}" for channel, sent in left)

    def _who_waits(self) -> str:
        waits = {p: (w.location, w.awaited()) for p, w in self._waits.items()}
        return who_waits(self.ids, waits, self._finished)


def _listed(ids: Sequence[Id]) -> str:
    return ", ".join(f"process {p}" for p in ids)


def who_waits(ids: Sequence[Id], waits: Mapping[Id, tuple[OpLocation, str]], finished: Collection[Id]) -> str:
    """What each process does, those first that wait: for whom, and where."""
    lines = [f"process {p} waits in {location} for {awaited}" for p, (location, awaited) in sorted(waits.items())]
    lines += [f"process {p} has finished" for p in sorted(finished)]
    return "; ".join(lines + [f"process {p} computes" for p in ids if p not in waits and p not in finished])
