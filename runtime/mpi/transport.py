"""Brings arrays of other ranks to the processes of a grid that borrow them (meetings.py calls it when all here have come).

In: a meeting, and which of its borrows; the addresses of what processes here expose are in the words of the run. Out:
the addresses of copies of what other ranks expose, in the same words. Each rank sends what others read (a part, where
they read only that) and gets as much."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hlo.dialect.process_grid import Grid
from hlo.errors import HloError
from hlo.lazy_dataclasses import dataclass
from hlo.runtime.calls.addresses import address_of
from hlo.runtime.calls.allocator import ALIGNMENT, Pool
from hlo.runtime.calls.escaped_exceptions import Watched
from hlo.runtime.grid.grid_watch import different_ops
from hlo.runtime.grid.meetings import OTHERS_FAILED
from hlo.runtime.grid.process_words import Layout, Meeting, Words
from hlo.runtime.grid.rendezvous import Stopped
from hlo.runtime.mpi.machine_exchange import machine_exchange
from hlo.runtime.mpi.world import World

CALLBACK = ctypes.CFUNCTYPE(
    ctypes.c_uint64, ctypes.c_uint64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint64
)

MEETINGS = 4096
"""A tag says in which of so many meetings of a run a message is sent; those of different runs have different tags."""

PIECE = 1 << 28
"""Bytes of one message at most."""


@dataclass(frozen=True)
class Part:
    """Some rows of an array, or of each row a part: `count` pieces of `size` bytes, at distances of `stride` bytes, the
    first at `start`."""

    start: int
    count: int
    size: int
    stride: int

    @property
    def end(self) -> int:
        return self.start + (self.count - 1) * self.stride + self.size

    def messages(self) -> list[Part]:
        """The same in parts of at most about a PIECE each."""
        if self.count == 1:
            starts = range(0, self.size, PIECE)
            return [Part(self.start + s, 1, min(PIECE, self.size - s), 0) for s in starts]
        rows = max(1, PIECE // self.size)
        return [
            Part(self.start + r * self.stride, min(rows, self.count - r), self.size, self.stride)
            for r in range(0, self.count, rows)
        ]


def part_put(exposed: Sequence[int], position: int) -> Part:
    """What the process in a position puts into the arrays of all (lowering/stablehlo/collectives/rules.Exposed)."""
    _, total, part = exposed
    start = min(position * part, total)
    return Part(start, 1, min(part, total - start), 0)


def part_read(exposed: Sequence[int], position: int) -> Part:
    """What the process in a position reads of each exposed array (lowering/stablehlo/collectives/rules.Exposed)."""
    rows, row, part = exposed
    if part == row:
        return Part(0, 1, rows * row, 0)
    start = min(position * part, row - part)
    return Part(start, 1, part, 0) if rows == 1 else Part(start, rows, part, row)


@dataclass(frozen=True)
class Message:
    """A part of the array of the process in a position, to or from a rank of the group."""

    position: int
    rank: int
    part: Part


@dataclass(frozen=True)
class Exchange:
    """What this rank sends and gets in one borrow. `into`: for a spread, the positions of processes here, whose arrays
    all get what comes, at the offset that it has in the owner's; otherwise it comes into memory for copies. `offsets`:
    by position of a process elsewhere, where in the memory for copies the byte is that the array's address stands for
    (it may lie before the memory, if that byte is not read). `bytes`: of that memory."""

    comm: Any
    sends: tuple[Message, ...]
    receives: tuple[Message, ...]
    offsets: dict[int, int]
    bytes: int
    into: tuple[int, ...] = ()


class Plans:
    """The exchanges of a program; made when they are first needed. Communicators are made at once, by all ranks."""

    def __init__(self, world: World, grid: Grid, meetings: Sequence[Meeting], ranks: Sequence[int]):
        """`ranks`: that of each process."""
        self.world, self.grid, self.meetings, self._ranks = world, grid, meetings, tuple(ranks)
        self._comms: dict[tuple[tuple[int, ...], int], Any] = {}
        self._made: dict[tuple[int, int, int], Exchange] = {}
        for meeting in meetings:
            for members in dict.fromkeys(meeting.members):
                self._make_comm(members, meeting.channel)

    def rank_of(self, number: int) -> int:
        return self._ranks[number]

    def ranks(self, members: Sequence[int]) -> list[int]:
        return list(dict.fromkeys(map(self.rank_of, members)))

    def _make_comm(self, members: tuple[int, ...], channel: int) -> None:
        ranks, key = self.ranks(members), (members, channel)
        if self.world.rank in ranks and len(ranks) > 1 and key not in self._comms:
            self._comms[key] = self.world.group(ranks, (key, self.grid, self._ranks))

    def exchange(self, number: int, meeting: int, step: int) -> Exchange:
        """What the rank of a process does in a borrow."""
        found = self._made.get((number, meeting, step))
        if found is None:
            found = self._made[number, meeting, step] = self._plan(number, self.meetings[meeting], step)
        return found

    def _plan(self, number: int, meeting: Meeting, step: int) -> Exchange:
        members, exposed = meeting.members[number], meeting.exposed[step]
        ranks = self.ranks(members)
        if not exposed[0] and exposed[1]:
            return self._plan_spread(members, meeting.channel, exposed)
        me = ranks.index(self.world.rank)
        read: dict[tuple[int, int], dict[Part, None]] = {}
        for reader, process in enumerate(members):
            to = ranks.index(self.rank_of(process))
            for owner in meeting.sources[process]:
                start = ranks.index(self.rank_of(members[owner])) if owner >= 0 else to
                if start != to and me in (start, to):
                    read.setdefault((owner, to), {})[part_read(exposed, reader)] = None
        messages = [(o, to, m) for (o, to), parts in read.items() for p in parts for m in p.messages()]
        owners = {o: ranks.index(self.rank_of(members[o])) for o, _, _ in messages}
        sends = tuple(Message(o, to, m) for o, to, m in messages if to != me)
        receives = tuple(Message(o, owners[o], m) for o, to, m in messages if to == me)
        return Exchange(self._comms[members, meeting.channel], sends, receives, *_offsets(receives))

    def _plan_spread(self, members: tuple[int, ...], channel: int, exposed: Sequence[int]) -> Exchange:
        ranks = self.ranks(members)
        me = ranks.index(self.world.rank)
        owners = [ranks.index(self.rank_of(process)) for process in members]
        parts = [part_put(exposed, position).messages() for position in range(len(members))]
        here = tuple(position for position, rank in enumerate(owners) if rank == me)
        sends = [Message(p, to, m) for p in here for m in parts[p] for to in range(len(ranks)) if to != me]
        receives = [Message(p, rank, m) for p, rank in enumerate(owners) if rank != me for m in parts[p]]
        return Exchange(self._comms[members, channel], tuple(sends), tuple(receives), {}, 0, here)


def _offsets(receives: Sequence[Message]) -> tuple[dict[int, int], int]:
    offsets, used = {}, 0
    for position in dict.fromkeys(m.position for m in receives):
        parts = [m.part for m in receives if m.position == position]
        first = min(p.start for p in parts)
        shift = first % ALIGNMENT  # what is aligned in the array is aligned in the copy
        offsets[position] = used + shift - first
        used += -(-(shift + max(p.end for p in parts) - first) // ALIGNMENT) * ALIGNMENT
    return offsets, used


class Transport(Watched):
    """The transport of a program's runs, one at a time: `begin`, then `address` is called by the processes, then `end`."""

    def __init__(self, world: World, layout: Layout, meetings: Sequence[Meeting], ranks: Sequence[int]):
        super().__init__()
        grid = layout.grid
        self.error: BaseException | None = None
        self.words: Any = None
        self.world, self.grid, self.meetings = world, grid, meetings
        self.plans = Plans(world, grid, meetings, ranks)
        self._pool = Pool()
        self._held: dict[int, np.ndarray] = {}
        self._types: dict[Part, Any] = {}
        self.abandoned: list[Any] = []
        """Messages that nobody has taken when a run failed, and arrays that they may be parts of: MPI may still read them."""

        self._callback = CALLBACK(self._run)
        callback = ctypes.cast(self._callback, ctypes.c_void_p).value or 0
        self._machine = machine_exchange(world, callback, layout)
        self.address = self._machine.address if self._machine else callback
        self.python_address = callback
        """The same without machine code, for programs that call Python functions: what follows a failure of one is not sent."""

        limit = world.comm.Get_attr(world.mpi.TAG_UB) or 32767
        self.runs = (limit + 1) // MEETINGS

    def begin(self, words: Words, timeout: float, inputs: Any, has_failed: Callable[[], bool] | None = None) -> None:
        """`has_failed`: whether processes here go on only because compiled code cannot stop."""
        self._has_failed = has_failed
        if words is not self.words:
            self._numbers = {words.address(number): number for number in words.layout.programs}
        self.words, self.timeout, self.inputs, self.error = words, timeout, inputs, None
        self.tags = self.world.run % self.runs * MEETINGS
        if self._machine:
            self._machine.begin(self.tags)

    def end(self) -> None:
        """What was held for the run's processes is free, and so are its arrays: the next run may have their memory for its results."""
        self.inputs = None
        while self._held:
            self._pool.give(self._held.popitem()[1])

    def failure(self) -> BaseException | None:
        """What has ended the exchange of a process of this run here."""
        if self.error is None and self.words.failure == OTHERS_FAILED:
            said = self._machine.error() if self._machine else ""
            if said:
                return HloError(f"MPI has failed: {said}")
            if self.has_escaped():
                return self.escaped()
        return self.error

    def _run(self, process: int, meeting: int, step: int, bank: int, word: int) -> int:
        try:
            if self._has_failed is not None and self._has_failed():
                return 0
            self._fetch(self._numbers[process], meeting, step, bank)
            return word
        except Stopped:
            return 0
        except BaseException as error:
            self.error = self.error or error
            return 0

    def _fetch(self, number: int, meeting: int, step: int, bank: int) -> None:
        exchange = self.plans.exchange(number, meeting, step)
        layout, memory = self.words.layout, self.words.memory
        described = self.meetings[meeting]
        slots = layout.meeting_starts[(described.members[number], described.channel)] + bank
        arrays = [int(memory[slots + 4 * position]) for position in exchange.into]
        plan = self._machine.plan(number, meeting, step) if self._machine else None
        if plan and plan.is_begun:
            copies, requests = plan.copies, plan.take_requests(self.world.mpi)
        else:
            copies = self._copies(slots - bank, exchange.bytes)
            tag = self.tags + meeting % MEETINGS
            requests = self._start(exchange, memory, slots, arrays[0] if arrays else copies, tag)
        self._finish(requests, exchange, number, meeting)
        for array in arrays[1:]:
            for m in exchange.receives:
                ctypes.memmove(array + m.part.start, arrays[0] + m.part.start, m.part.size)
        signature = memory[slots + 4 * described.members[number].index(number) + 1]
        for position in range(len(described.members[number])):
            if position in exchange.offsets:
                memory[slots + 4 * position] = copies + exchange.offsets[position]
            elif arrays and position not in exchange.into:
                memory[slots + 4 * position] = 0  # nothing is left to be put there
            memory[slots + 4 * position + 1] = signature
        if self._machine and not plan:
            where = number, meeting, step
            self._machine.add(where, slots - bank, exchange, len(described.members[number]), meeting % MEETINGS)

    def _copies(self, rendezvous: int, size: int) -> int:
        """Memory for what is fetched. All processes here that meet at this rendezvous have read what was there before."""
        if rendezvous in self._held:
            self._pool.give(self._held.pop(rendezvous))
        if not size:
            return 0
        self._held[rendezvous] = block = self._pool.take(size)
        return address_of(block)

    def _start(self, exchange: Exchange, memory: np.ndarray, slots: int, copies: int, tag: int) -> list[Any]:
        """`copies`: where what comes is put."""
        comm = exchange.comm
        requests = []
        for m in exchange.receives:
            requests.append(comm.Irecv(self._buffer(copies + exchange.offsets.get(m.position, 0), m.part), m.rank, tag))
        for m in exchange.sends:
            requests.append(comm.Isend(self._buffer(int(memory[slots + 4 * m.position]), m.part), m.rank, tag))
        return requests

    def _buffer(self, array: int, part: Part) -> Any:
        memory = self.world.mpi.memory.fromaddress(array + part.start, part.end - part.start)
        if part.count == 1:
            return memory
        if part not in self._types:
            byte = self.world.mpi.BYTE
            self._types[part] = byte.Create_vector(part.count, part.size, part.stride).Commit()
        return [memory, 1, self._types[part]]

    def _finish(self, requests: list[Any], exchange: Exchange, number: int, meeting: int) -> None:
        wait = _Wait(self, exchange, requests, number, meeting)
        try:
            self.world.wait(requests, time.monotonic() + self.timeout, wait.why, wait.look)
        except BaseException:
            wait.give_up()
            raise


class _Wait:
    """One wait for messages: who has not come, and why not."""

    def __init__(self, transport: Transport, exchange: Exchange, requests: list[Any], number: int, meeting: int):
        self.transport, self.exchange, self.requests = transport, exchange, requests
        self.number, self.meeting = number, transport.meetings[meeting]
        self.tag = transport.tags + meeting % MEETINGS
        self._suspected: tuple[int, int] | None = None

    def _open(self) -> list[tuple[Message, Any]]:
        """The messages to come that have not."""
        return [(m, r) for m, r in zip(self.exchange.receives, self.requests) if not r.Test()]

    def why(self) -> str:
        process, members = self._process(self.number), self.meeting.members[self.number]
        missing = dict.fromkeys(members[m.position] for m, _ in self._open()) or self._not_taking()
        names = ", ".join(f"process {self._process(n)}" for n in missing)
        message = f"waited for {self.transport.timeout:g} seconds: process {process} waits in {self.meeting.op_location} for {names}"
        return self._finding(message)

    def _not_taking(self) -> dict[int, None]:
        """Processes of ranks that have not taken what is sent to them."""
        sends = zip(self.exchange.sends, self.requests[len(self.exchange.receives) :])
        ranks = self.transport.plans.ranks(self.meeting.members[self.number])
        open_ranks = {ranks[m.rank] for m, r in sends if not r.Test()}
        rank_of = self.transport.plans.rank_of
        return dict.fromkeys(n for n in self.meeting.members[self.number] if rank_of(n) in open_ranks)

    def _process(self, number: int) -> Any:
        return self.transport.grid.processes[number]

    def _finding(self, message: str) -> Any:
        return self.meeting.op_location.finding(message)

    def look(self) -> None:
        """Raises HloError when a process for which this one waits has ended, or waits elsewhere."""
        if self.transport.words.failure:
            raise Stopped
        for number in self._awaited():
            rank = self.transport.plans.rank_of(number)
            if self.transport.world.has_ended(rank):
                message = f"process {self._process(self.number)} waits for process {self._process(number)}: rank {rank} has ended"
                raise HloError(self._finding(f"{message}, in {self.meeting.op_location}"))
        self._look_for_other_ops()

    def _awaited(self) -> list[int]:
        members = self.meeting.members[self.number]
        return list(dict.fromkeys([*(members[m.position] for m, _ in self._open()), *self._not_taking()]))

    def _look_for_other_ops(self) -> None:
        """What an awaited rank has sent from another meeting: it has sent nothing from this one before. Two looks must see it, since
        what was sent from this one may be on its way."""
        found = next((f for m, _ in self._open() if (f := self._other_message(m)) is not None), None)
        if found is not None and found == self._suspected:
            self._raise_different(*found)
        self._suspected = found

    def _other_message(self, message: Message) -> tuple[int, int] | None:
        """The owner of the array that is awaited, and the tag of another message of its rank."""
        status = self.transport.world.mpi.Status()
        any_tag = self.transport.world.mpi.ANY_TAG
        if not self.exchange.comm.Iprobe(message.rank, any_tag, status):
            return None
        tag, runs = status.Get_tag(), self.transport.runs
        is_left_over = (tag // MEETINGS - self.tag // MEETINGS) % runs > runs // 2  # of a run that has failed
        if tag == self.tag or is_left_over:
            return None
        return self.meeting.members[self.number][message.position], tag

    def _raise_different(self, other: int, tag: int) -> None:
        run, meeting = divmod(tag, MEETINGS)
        process, there = self._process(self.number), self._process(other)
        if run != self.tag // MEETINGS or meeting >= len(self.transport.meetings):
            raise HloError(
                self._finding(
                    f"process {process} waits in {self.meeting.op_location} for process {there}, which is in another run"
                )
            )
        raise different_ops(process, self.meeting, there, self.transport.meetings[meeting])

    def give_up(self) -> None:
        """Nothing is written into memory of this run any more."""
        for _, request in self._open():
            request.Cancel()
            request.Free()
        self.transport.abandoned.append((self.requests[len(self.exchange.receives) :], self.transport.inputs))
