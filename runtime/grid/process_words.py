"""The words that compiled processes of a grid read and share while they run (meetings.py says how they are laid out).

In: for each process that runs here the meetings of its program. Out: memory, with the address of each process's words. Programs that are
the same, or different ones, meet in a rendezvous when they name the same group and channel."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from hlo.dialect.process_grid import Grid, Process
from hlo.lazy_dataclasses import dataclass
from hlo.runtime.grid.meetings import FETCHED, FETCHES, HERE
from hlo.runtime.grid.rendezvous import OpLocation
from hlo.runtime.grid.waiting_text import CROWDED_LOOKS, MOST_LOOKS, YIELDS
from hlo.runtime.threads.pool import run_parts, waiting

HEAD, PER_MEETING, RENDEZVOUS_HEAD, PER_MEMBER = 6, 4, 4, 4
FAILURE, WAITS_AT, AWAITED, WATCH = 2, 3, 4, 5
"""Words of a process."""

LOOKS, TRANSPORT, THREADS, MOST = 1, 2, 6, 7
"""Words of the grid."""


@dataclass(frozen=True)
class Meeting:
    """A collective of a program: for each process whom it meets (numbers; nobody: it gets nothing), and the positions
    among these of those whose arrays it borrows (-1: its own); for each of its borrows what is read of an array that its owner exposes
    (lowering/stablehlo/collectives/rules.Exposed)."""

    op: str
    location: str
    channel: int
    signature: str
    members: tuple[tuple[int, ...], ...]
    sources: tuple[tuple[int, ...], ...]
    exposed: tuple[tuple[int, ...], ...]

    @property
    def op_location(self) -> OpLocation:
        return OpLocation(self.op, self.location)


@dataclass
class Layout:
    """What is the same for each run of a grid: words, and which of them are addresses relative to the first word."""

    grid: Grid
    programs: Mapping[int, Sequence[Meeting]]
    """By the numbers of the processes that run here: the meetings of their programs."""
    neighbours: int = 0
    """Processes of the grid that run elsewhere on this machine."""
    words: np.ndarray = field(init=False)
    process_starts: dict[int, int] = field(default_factory=dict)
    meeting_starts: dict[Any, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        looks, yields = _patience(len(self.programs) + self.neighbours)
        self._words: list[int] = [0, looks, 0, *waiting(), run_parts(), 1, looks, yields]
        self._relative: list[int] = []
        signatures: dict[str, int] = {}
        for number, meetings in self.programs.items():
            self._add_process(number, meetings, signatures)
        self.words = np.array(self._words, np.int64)
        self.relative = np.array(self._relative, np.int64)

    def _add_process(self, number: int, meetings: Sequence[Meeting], signatures: dict[str, int]) -> None:
        start = len(self._words)
        self.process_starts[number] = start
        replica, partition = self.grid.processes[number]
        self._words += [replica, partition, 0, 0, 0, 0, *[0] * (PER_MEETING * len(meetings))]
        self._relative.append(start + FAILURE)
        for position, meeting in enumerate(meetings):
            members, sources = meeting.members[number], meeting.sources[number]
            rendezvous = self._rendezvous(members, meeting.channel)
            descriptor = len(self._words)
            me = members.index(number) if members else 0
            signature = signatures.setdefault(meeting.signature, len(signatures))
            here = [m for m in members if m in self.programs]
            how = HERE if len(here) == len(members) else FETCHES if here[0] == number else FETCHED
            self._words += [8 * rendezvous, len(here), me, signature, len(sources), len(members), how, *sources]
            first = start + HEAD + PER_MEETING * position
            gets = me if members and sources[0] >= 0 else -1
            self._words[first : first + 3] = [gets, len(members), 8 * descriptor]
            self._relative += [descriptor, first + 2]

    def set_plans(self, number: int, position: int, address: int) -> None:
        """Where the transport finds how a process borrows in a meeting, which is the same in each run."""
        self.words[self.process_starts[number] + HEAD + PER_MEETING * position + 3] = address

    def _rendezvous(self, members: tuple[int, ...], channel: int) -> int:
        key = (members, channel)
        if key not in self.meeting_starts:
            self.meeting_starts[key] = len(self._words)
            self._words += [0] * (RENDEZVOUS_HEAD + PER_MEMBER * len(members))
        return self.meeting_starts[key]


def _patience(processes: int) -> tuple[int, int]:
    """How often a process looks before it sleeps, and then yields its processor."""
    is_crowded = processes > len(os.sched_getaffinity(0))
    return (CROWDED_LOOKS, YIELDS) if is_crowded else (MOST_LOOKS, 0)


class Words:
    """The memory of one run."""

    def __init__(self, layout: Layout, threads: int = 1, transport: int = 0):
        """`threads`: of each process; `transport`: the address of a function (meetings.py), where the grid has processes elsewhere."""
        self.layout = layout
        self.memory = layout.words.copy()
        self.base = self.memory.ctypes.data
        self.memory[layout.relative] += self.base
        self.memory[TRANSPORT] = transport
        self.memory[THREADS] = threads
        self._looks, self._most = ctypes.c_int64.from_address(self.base + 8 * LOOKS), int(self.memory[MOST])

    def address(self, number: int) -> int:
        """Of a process's words."""
        return self.base + 8 * self.layout.process_starts[number]

    def set_watch(self, number: int, address: int) -> None:
        """The function that a process calls again and again while it waits."""
        self.memory[self.layout.process_starts[number] + WATCH] = address

    def patience(self, try_again: bool) -> bool:
        """Whether processes look long enough to see the others come. `try_again`: they are to look as long as they may."""
        if try_again:
            self._looks.value = self._most
        return self._looks.value >= self._most // 4

    @property
    def failure(self) -> int:
        return int(self.memory[0])

    def fail(self, value: int) -> None:
        """Makes all processes leave where they wait."""
        ctypes.c_int64.from_address(self.base).value = value

    def waits(self, number: int) -> tuple[Meeting, int, int] | None:
        """Where a process waits: the meeting, its rendezvous, the generation that it saw there; None if it computes."""
        start = self.layout.process_starts[number]
        before = self.memory[start + WAITS_AT : start + AWAITED + 1].tolist()
        if not before[0]:
            return None
        meeting = self.layout.programs[number][before[0] - 1]
        rendezvous = self.layout.meeting_starts[(meeting.members[number], meeting.channel)]
        return meeting, rendezvous, before[1]

    def is_stuck(self, number: int) -> bool:
        """Whether a process waits for somebody who has not come."""
        found = self.waits(number)
        return found is not None and int(self.memory[found[1] + 1]) == found[2]

    def missing(self, number: int) -> list[Process]:
        """Those for whom a process waits: members of its group that do not wait in the same rendezvous."""
        found = self.waits(number)
        if found is None:
            return []
        meeting, rendezvous, generation = found
        processes = self.layout.grid.processes
        others = [(m, self.waits(m)) for m in meeting.members[number] if m in self.layout.programs]
        return [processes[m] for m, there in others if there is None or there[1:] != (rendezvous, generation)]
