"""What hlo adds to the traces of JAX's profiler: while one is recorded, programs run with timers (docs/profiling.md).

Timers cost time, so a program has them from its first call in a trace to the trace's end: the call waits until the
program is compiled once more with them, and calls that follow run that. What timers have seen is kept as events of
their records (runtime/profile/record.py)."""

from __future__ import annotations

import ctypes
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from hlo.errors import HloError
from hlo.jax.objects.records import CODE
from hlo.runtime.profile.record import Clock, Event, Record
from hlo.runtime.profile.rows import Row
from hlo.runtime.profile.timers import host_has_counter

if TYPE_CHECKING:
    from hlo.jax.objects.executables import LoadedProgram

_PROGRAMS: weakref.WeakSet[LoadedProgram] = weakref.WeakSet()
"""Those that JAX may call."""

_counter = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p)(CODE["Ticks"])

_lock = threading.RLock()
_trace: Trace | None = None
"""The one that is being recorded."""


@dataclass(frozen=True)
class Timed:
    """What a trace has of a program: `rows` tell what an event is about, `threads` on which thread it was. `is_full`:
    there was no room for all events."""

    name: str
    rows: tuple[Row, ...]
    events: list[Event]
    threads: list[int]
    is_full: bool


class Trace:
    """`untimed`: why programs that ran are not in it, by their names. `programs`: those that are, once the trace has stopped."""

    def __init__(self) -> None:
        self.untimed: dict[str, str] = {}
        self.programs: list[Timed] = []
        self._first: dict[LoadedProgram, int] = {}
        self._start = 0, 0

    def start(self) -> None:
        """Raises HloError while another one is recorded."""
        global _trace
        with _lock:
            if _trace is not None:
                raise HloError("a trace is being recorded: only one is at a time")
            self._start = _now()
            _trace = self
            for loaded in list(_PROGRAMS):
                loaded.plan_slot.asks = True

    def stop(self) -> None:
        global _trace
        with _lock:
            if _trace is not self:
                return
            _trace = None
            for loaded in list(_PROGRAMS):
                loaded.plan_slot.asks = False
            clock = self._clock()
            self.programs = [_read(loaded, first, clock) for loaded, first in self._first.items()]
            self._first.clear()

    def add(self, loaded: LoadedProgram) -> None:
        """Has the calls of a program run with timers."""
        try:
            timed = loaded.with_timers()
        except HloError as error:
            self.untimed[loaded.program.facts.name] = str(error)
            return
        self._first[loaded] = _record(timed).keep_more_events()
        loaded.call(timed)

    def _clock(self) -> Clock:
        (first, base), (last, end) = self._start, _now()
        return first, base, (end - base) / max(1, last - first)


def watch(loaded: LoadedProgram) -> None:
    """A program that JAX may call from now on."""
    with _lock:
        _PROGRAMS.add(loaded)
        loaded.plan_slot.asks = _trace is not None


def called_program(loaded: LoadedProgram) -> LoadedProgram:
    """What a call of a program is to run: the program, or the same with timers."""
    if loaded.plan_slot.asks:
        with _lock:
            if loaded.plan_slot.asks and _trace is not None:
                _trace.add(loaded)
            loaded.plan_slot.asks = False
    return loaded.called


def _record(loaded: LoadedProgram) -> Record:
    record = loaded.program.executable.record
    assert record is not None
    return record


def _read(loaded: LoadedProgram, first: int, clock: Clock) -> Timed:
    """What the calls of a program have left, which run without timers again. Under HLO_PROFILE they have had them
    before, and keep their events."""
    timed = loaded.with_timers()
    loaded.call(loaded)
    record, rows = _record(timed), timed.program.executable.program.profile
    found = Timed(
        loaded.program.facts.name, rows or (), record.kept_events(first, clock), record.threads(), record.is_full
    )
    if timed is not loaded:
        record.forget_events()
    return found


def read_together(clock: Callable[[], int], other: Callable[[], int]) -> tuple[int, int]:
    """Two clocks at one moment, `other` in the middle of two readings around the one of `clock`. A thread may be
    stopped between readings, so of 32 tries the one counts whose two readings are the closest."""
    tries = [(other(), clock(), other()) for _ in range(32)]
    before, found, after = min(tries, key=lambda tried: tried[2] - tried[0])
    return found, (before + after) // 2


def _now() -> tuple[int, int]:
    """The time in ticks of the programs' clock, and in nanoseconds of CLOCK_MONOTONIC."""
    ticks = partial(_counter, None) if host_has_counter() else time.perf_counter_ns
    return read_together(ticks, time.perf_counter_ns)
