"""What the transport in machine code (exchange_text.py) must know: the context, and the plans of the borrows that it makes."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hlo.lazy_dataclasses import dataclass
from hlo.runtime.calls.addresses import address_of
from hlo.runtime.calls.allocator import Pool
from hlo.runtime.code.process_code import load_once
from hlo.runtime.mpi import exchange_text as words

if TYPE_CHECKING:
    from hlo.runtime.grid.process_words import Layout
    from hlo.runtime.mpi.transport import Exchange, Message, Part
    from hlo.runtime.mpi.world import World

FUNCTIONS = {words.RECEIVE: "MPI_Irecv", words.SEND: "MPI_Isend", words.TEST: "MPI_Testall"}


@dataclass(frozen=True)
class MachinePlan:
    """The plan of one borrow. `copies`: where what comes is put."""

    words: np.ndarray
    requests: np.ndarray
    copies: int
    kept: tuple[Any, ...]

    @property
    def is_begun(self) -> bool:
        return bool(self.words[words.BEGUN])

    def take_requests(self, mpi: Any) -> list[Any]:
        """The requests of messages that machine code has begun and left to Python."""
        self.words[words.BEGUN] = 0
        return [mpi.Request.fromhandle(int(handle)) for handle in self.requests]


class MachineExchange:
    """The machine code of one transport. `address`: of `hlo_exchange`; `looks`: how often it looks at its messages
    before others may have the processor. Raises AttributeError where mpi4py's library does not show MPI's functions."""

    def __init__(self, mpi: Any, looks: int, python: int, layout: Layout):
        self._mpi = mpi
        library = ctypes.CDLL(mpi.__file__)
        self._context = np.zeros(words.WORDS_OF_CONTEXT, np.int64)
        for word, name in FUNCTIONS.items():
            self._context[word] = ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0
        self._context[words.PYTHON] = python
        self._context[words.REQUEST_BYTES] = mpi._sizeof(mpi.Request)
        self._context[words.LOOKS] = looks
        context = self._context.ctypes.data
        self._tags = ctypes.c_int64.from_address(context + 8 * words.TAGS)
        self._error = ctypes.c_int64.from_address(context + 8 * words.ERROR)
        self._statuses = np.zeros(0, np.uint8)
        self._plans: dict[tuple[int, int, int], MachinePlan] = {}
        self._pool = Pool()
        self._copies: dict[int, np.ndarray] = {}
        self._lists = {
            (number, position): np.array([self._context.ctypes.data] + [0] * len(meeting.exposed), np.int64)
            for number, meetings in layout.programs.items()
            for position, meeting in enumerate(meetings)
        }
        for (number, position), one in self._lists.items():
            layout.set_plans(number, position, one.ctypes.data)
        self.address = load_once(words.text()).address("hlo_exchange")

    def begin(self, tags: int) -> None:
        self._tags.value = tags
        self._error.value = 0

    def error(self) -> str:
        """What MPI has said of an error in this run."""
        code = self._error.value
        return self._mpi.Get_error_string(code) if code else ""

    def plan(self, number: int, meeting: int, step: int) -> MachinePlan | None:
        return self._plans.get((number, meeting, step))

    def add(self, where: tuple[int, int, int], rendezvous: int, exchange: Exchange, group: int, tag: int) -> None:
        """Makes the plan of a borrow (the process, the meeting, the step); `rendezvous`: the position of its words;
        `group`: how many meet."""
        if len(exchange.into) > 1:
            return  # what comes is copied into several arrays
        memory = self._memory(rendezvous, exchange.bytes)
        copies = address_of(memory)
        spread = bool(exchange.into)
        messages = [
            self._message(m, exchange.into[0], 0) if spread else self._message(m, words.ABSOLUTE, copies + exchange.offsets[m.position])
            for m in exchange.receives
        ]  # fmt: skip
        messages += [self._message(m, m.position, 0) for m in exchange.sends]
        absent = 0 if spread else words.LEAVE
        puts = [words.LEAVE if p in exchange.into else absent for p in range(group)]
        for position, at in exchange.offsets.items():
            puts[position] = copies + at
        table, all_puts = np.array(messages, np.int64).reshape(-1), np.array(puts, np.int64)
        bytes = self._mpi._sizeof(self._mpi.Request)
        requests = np.zeros(max(1, len(messages)), f"u{bytes}")
        made = np.zeros(words.WORDS_OF_PLAN, np.int64)
        made[: words.BEGUN] = [
            _signed(self._mpi._handleof(exchange.comm)), tag, len(exchange.receives), len(messages), table.ctypes.data,
            requests.ctypes.data, all_puts.ctypes.data,
        ]  # fmt: skip
        self._room_for_statuses(len(messages))
        self._plans[where] = MachinePlan(made, requests[: len(messages)], copies, (table, all_puts, memory))
        number, meeting, step = where
        self._lists[number, meeting][1 + step] = made.ctypes.data

    def _message(self, message: Message, base: int, offset: int) -> Sequence[int]:
        kind, count = self._type(message.part)
        return base, offset + message.part.start, count, kind, message.rank

    def _type(self, part: Part) -> tuple[int, int]:
        """MPI's type of a part, and how many of it."""
        if part.count == 1:
            return _signed(self._mpi._handleof(self._mpi.BYTE)), part.size
        rows = self._mpi.BYTE.Create_vector(part.count, part.size, part.stride).Commit()
        return _signed(self._mpi._handleof(rows)), 1

    def _room_for_statuses(self, count: int) -> None:
        size = count * self._mpi._sizeof(self._mpi.Status)
        if self._statuses.size < size:
            self._statuses = np.zeros(size, np.uint8)
            self._context[words.STATUSES] = self._statuses.ctypes.data

    def _memory(self, rendezvous: int, size: int) -> np.ndarray:
        """Memory for copies of what is exposed in a rendezvous: who meets there again has read what was there before."""
        if rendezvous not in self._copies or self._copies[rendezvous].nbytes < size:
            self._copies[rendezvous] = self._pool.take(size)  # plans keep what they had before
        return self._copies[rendezvous]


def machine_exchange(world: World, python: int, layout: Layout) -> MachineExchange | None:
    """For the transport whose Python function is at an address; None where MPI's functions are not found, and Python calls them."""
    try:
        return MachineExchange(world.mpi, world.looks, python, layout)
    except (AttributeError, OSError):
        return None


def _signed(handle: int) -> int:
    """A handle as the 64 bits of a word."""
    return ctypes.c_int64(handle).value
