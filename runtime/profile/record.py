"""The memory that a program with timers writes into (layout.py), and what it says."""

from __future__ import annotations

import ctypes

import numpy as np

from hlo.lazy_dataclasses import dataclass
from hlo.runtime.profile import layout

MOST_EVENTS = 1 << 18
"""Events that a record has room for (8 MiB); those that come later are left out."""


Clock = tuple[int, int, float]
"""A tick of the record's clock, the time of CLOCK_MONOTONIC at it in nanoseconds, and the nanoseconds from one tick to the next."""


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
        self.words = _lines(layout.FIRST_ROW + layout.MOST_THREADS * layout.block_words(rows))
        self.words[layout.BLOCK_WORDS] = layout.block_words(rows)
        self.events = np.zeros((0, layout.EVENT_WORDS), np.int64)
        self._old_events: list[np.ndarray] = []

    def connect(self, pointer: int) -> None:
        """`pointer`: the address of the program's `hlo_profile`."""
        ctypes.c_uint64.from_address(pointer).value = self.words.ctypes.data

    def keep_events(self, most: int = MOST_EVENTS) -> None:
        """From now on runs leave events, which begin anew."""
        self._make_room(most)
        self.words[layout.EVENTS] = 0
        self.words[layout.CAPACITY] = most

    def keep_more_events(self, most: int = MOST_EVENTS) -> int:
        """From now on runs leave `most` events more, behind those that there are. Returns the number of these. The
        program may be running."""
        count = min(int(self.words[layout.EVENTS]), len(self.events))
        self._make_room(count + most)
        self.words[layout.EVENTS] = count
        self.words[layout.CAPACITY] = count + most
        return count

    def forget_events(self) -> None:
        """From now on runs leave none, and there are none."""
        self.words[layout.CAPACITY] = 0
        self.words[layout.EVENTS] = 0

    def _make_room(self, most: int) -> None:
        """A run that is under way may still write to the list that there was: it is kept."""
        if len(self.events) < most:
            old = self.events
            self._old_events.append(old)
            self.events = np.zeros((most, layout.EVENT_WORDS), np.int64)
            self.events[: len(old)] = old
            self.words[layout.EVENTS_AT] = self.events.ctypes.data

    def clear(self) -> None:
        """Forgets all runs so far, and their events."""
        self.words[layout.RUNS : layout.RUN_TICKS + 1] = 0
        self.words[layout.EVENTS] = 0
        self._blocks()[:] = 0

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
        words = self._blocks()[:, : self.rows * layout.ROW_WORDS]
        blocks = words.reshape(len(words), self.rows, layout.ROW_WORDS).copy()
        threads = (blocks[:, :, layout.PARTS] > 0).sum(axis=0)
        tick = self.seconds_of_tick
        return [
            Counts(
                int(row[layout.CALLS]),
                float(row[layout.TICKS]) * tick,
                float(row[layout.BUSY]) * tick,
                float(row[layout.WAITED]) * tick,
                int(count),
                int(row[layout.PARTS]),
            )
            for row, count in zip(blocks.sum(axis=0), threads)
        ]

    def _blocks(self) -> np.ndarray:
        """The rows of the threads that have a number: threads x words."""
        size = layout.block_words(self.rows)
        return self.words[layout.FIRST_ROW :].reshape(layout.MOST_THREADS, size)[: len(self.threads())]

    def kept_events(self, first: int = 0, clock: Clock | None = None) -> list[Event]:
        """Those that there was room for, in the order of their ends, from a number on. `clock`: says when a tick was,
        better than the runs do."""
        count = min(int(self.words[layout.EVENTS]), len(self.events))
        start, base, tick = clock or self._clock()
        found = self.events[first:count]
        rows, kinds = found[:, 0] & 0xFFFFFFFF, found[:, 0] >> 32
        times = (found[:, 2:4] - start) * tick + base
        return [
            Event(int(r), int(k), int(t), *map(float, time)) for r, k, t, time in zip(rows, kinds, found[:, 1], times)
        ]

    def _clock(self) -> Clock:
        start, base = (int(self.words[n]) for n in (layout.START_TICKS, layout.START_NANOSECONDS))
        return start, base, self.seconds_of_tick * 1e9

    def threads(self) -> list[int]:
        """The identity (pthread_self) of each thread that has a number."""
        count = min(int(self.words[layout.THREADS]), layout.MOST_THREADS)
        return [int(word) for word in self.words[layout.THREADS_AT : layout.THREADS_AT + count].view(np.uint64)]

    @property
    def is_full(self) -> bool:
        """Whether events may have been left out."""
        return 0 < int(self.words[layout.CAPACITY]) <= int(self.words[layout.EVENTS])


def _lines(words: int) -> np.ndarray:
    """Zeros that begin at a cache line."""
    found = np.zeros(words + layout.LINE_WORDS, np.int64)
    first = -(found.ctypes.data // 8) % layout.LINE_WORDS
    return found[first : first + words]
