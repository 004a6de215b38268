"""The memory that a program with timers writes into (layout.py), and what it says."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np

from hlo.runtime.profile import layout

MOST_EVENTS = 1 << 18
"""Events that a record has room for (8 MiB); those that come later are counted, but not kept."""


@dataclass(frozen=True)
class Counts:
    """Of a row, in all runs; times in seconds. `threads`: how many ran parts of it; 0 where it has none."""

    calls: int
    seconds: float
    busy: float
    waited: float
    threads: int
    parts: int


@dataclass(frozen=True)
class Event:
    """`kind`: layout.IS_LAP and the like. `start`, `end`: nanoseconds of the clock CLOCK_MONOTONIC."""

    row: int
    kind: int
    thread: int
    start: float
    end: float


class Record:
    """The record of a program with so many rows; `connect` has the program write into it."""

    def __init__(self, rows: int):
        self.rows = rows
        self.words = np.zeros(layout.FIRST_ROW + rows * layout.ROW_WORDS, np.int64)
        self.events = np.zeros((0, layout.EVENT_WORDS), np.int64)

    def connect(self, pointer: int) -> None:
        """`pointer`: the address of the program's `hlo_profile`."""
        ctypes.c_uint64.from_address(pointer).value = self.words.ctypes.data

    def keep_events(self, most: int = MOST_EVENTS) -> None:
        """From now on runs leave events, which begin anew."""
        if len(self.events) < most:
            self.events = np.zeros((most, layout.EVENT_WORDS), np.int64)
            self.words[layout.EVENTS_AT] = self.events.ctypes.data
        self.words[layout.EVENTS] = 0
        self.words[layout.CAPACITY] = most

    def clear(self) -> None:
        """Forgets all runs so far, and their events."""
        self.words[layout.RUNS : layout.RUN_TICKS + 1] = 0
        self.words[layout.EVENTS] = 0
        self.words[layout.FIRST_ROW :] = 0

    @property
    def runs(self) -> int:
        return int(self.words[layout.RUNS])

    @property
    def seconds(self) -> float:
        """Of all runs, from the first instruction of the program to its last."""
        return float(self.words[layout.RUN_NANOSECONDS]) * 1e-9

    @property
    def seconds_of_tick(self) -> float:
        """Measured over all runs."""
        ticks = int(self.words[layout.RUN_TICKS])
        return self.seconds / ticks if ticks else 1e-9

    def counts(self) -> list[Counts]:
        """Of each row."""
        table = self.words[layout.FIRST_ROW :].reshape(self.rows, layout.ROW_WORDS).copy()
        tick = self.seconds_of_tick
        return [
            Counts(
                int(row[layout.CALLS]),
                float(row[layout.TICKS]) * tick,
                float(row[layout.BUSY]) * tick,
                float(row[layout.WAITED]) * tick,
                _bits(int(row[layout.USED])),
                int(row[layout.PARTS]),
            )
            for row in table
        ]

    def kept_events(self) -> list[Event]:
        """Those that there was room for, in the order of their ends."""
        count = min(int(self.words[layout.EVENTS]), len(self.events))
        tick = self.seconds_of_tick * 1e9
        start, base = (int(self.words[n]) for n in (layout.START_TICKS, layout.START_NANOSECONDS))
        found = self.events[:count]
        rows, kinds = found[:, 0] & 0xFFFFFFFF, found[:, 0] >> 32
        times = (found[:, 2:4] - start) * tick + base
        return [
            Event(int(r), int(k), int(t), *map(float, time)) for r, k, t, time in zip(rows, kinds, found[:, 1], times)
        ]

    @property
    def dropped_events(self) -> int:
        return max(0, int(self.words[layout.EVENTS]) - len(self.events))


def _bits(mask: int) -> int:
    return (mask & (2**layout.MOST_THREADS - 1)).bit_count()
