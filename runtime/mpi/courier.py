"""Brings what processes send through channels to other ranks of MPI, while programs that have send and recv run.

Each queue lies in one rank, its home: of a channel from a source to a target that of the target's; of another one a
rank that its number says. Who sends puts values there; who receives elsewhere asks the home, which gives them as soon
as there are any. A thread in each rank serves these letters during a run, whatever its processes do."""

from __future__ import annotations

import pickle
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from hlo.errors import HloError
from hlo.lazy_dataclasses import dataclass
from hlo.runtime.grid.rendezvous import Sent
from hlo.runtime.mpi.world import LEAVE_WITHIN, LOOK_EVERY, NAP, World

HEAD, PART = 2, 3
"""Tags: of what a letter says, and of the bytes of its arrays."""

PIECE = 1 << 28
"""Bytes of one message at most."""


@dataclass(frozen=True)
class Letter:
    """`run`: of the world in which it is written; `subject`, `about`: what the reader is to do, and with which of its
    queues or processes; `sent`: the values, if it brings some."""

    run: int
    subject: str
    about: Any
    sent: Sent | None = None


@dataclass
class Mail:
    """What a world has for letters in all runs: a communicator, those of a later run that have come early, and the
    requests of messages of earlier runs that may be under way, with the memory that they read."""

    comm: Any
    early: list[Letter] = field(default_factory=list)
    under_way: list[tuple[Any, Any]] = field(default_factory=list)


class Courier:
    """The letters of one run. `deliver` is called with each that comes, `look` now and then, both in the thread that
    serves; what they raise, `fail` gets, and the thread goes on reading what was sent."""

    def __init__(
        self,
        world: World,
        deliver: Callable[[Letter], None],
        look: Callable[[], None],
        fail: Callable[[BaseException], None],
    ):
        self.world, self.run = world, world.run
        self._deliver, self._look, self._fail = deliver, look, fail
        self._mail = mail_of(world)
        self._posting = threading.Lock()
        self._posted: list[tuple[Any, Any]] = []
        """Requests under way, and the memory that they read."""

        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="hlo channels", daemon=True)
        self._thread.start()

    def post(self, rank: int, subject: str, about: Any, sent: Sent | None = None) -> None:
        """Sends a letter; does not wait. Those from one process to one rank come in their order."""
        arrays = [np.asarray(a, order="C") for a in sent.values] if sent else []
        kinds = [(a.shape, a.dtype) for a in arrays]
        said = sent and Sent(sent.process, sent.location, ())
        head = pickle.dumps((Letter(self.run, subject, about, said), kinds))
        comm, byte = self._mail.comm, self.world.mpi.BYTE
        with self._posting:
            made: list[tuple[Any, Any]] = [(comm.Issend([head, byte], rank, HEAD), head)]
            made += [(comm.Issend([piece, byte], rank, PART), piece) for a in arrays for piece in _pieces(a)]
            self._posted += made

    def all_taken(self, end: float, why: Callable[[], str], look: Callable[[], None]) -> None:
        """Returns when others have taken all letters from here. Raises HloError as World.wait does."""
        while requests := self._under_way():
            self.world.wait(requests, end, why, look)

    def leave(self) -> None:
        """Reads no more letters. What is under way goes on."""
        self._is_over.set()
        self._thread.join(LEAVE_WITHIN)
        self._under_way()
        self._mail.under_way = [one for one in self._mail.under_way if not one[0].Test()] + self._posted

    def _under_way(self) -> list[Any]:
        with self._posting:
            self._posted = [one for one in self._posted if not one[0].Test()]
            return [request for request, _ in self._posted]

    def _serve(self) -> None:
        next_look = 0.0
        early, self._mail.early = self._mail.early, []
        try:
            for letter in early:
                self._read(letter)
            while not self._is_over.is_set():
                if self._take():
                    continue
                if time.monotonic() >= next_look:
                    next_look = time.monotonic() + LOOK_EVERY
                    self._look()
                time.sleep(NAP)
            while self._take():
                pass
        except BaseException as error:
            self._fail(error)

    def _take(self) -> bool:
        """Reads a letter, if one has come."""
        mpi, status = self.world.mpi, self.world.mpi.Status()
        message = self._mail.comm.Improbe(mpi.ANY_SOURCE, HEAD, status)
        if message is None:
            return False
        head = bytearray(status.Get_count(mpi.BYTE))
        message.Recv([head, mpi.BYTE])
        source = status.Get_source()
        letter, kinds = pickle.loads(head)
        arrays = [np.empty(shape, dtype) for shape, dtype in kinds]
        for array in arrays:
            for piece in _pieces(array):
                self._wait(self._mail.comm.Irecv([piece, mpi.BYTE], source, PART), source)
        sent = letter.sent and Sent(letter.sent.process, letter.sent.location, tuple(arrays))
        self._read(Letter(letter.run, letter.subject, letter.about, sent))
        return True

    def _wait(self, request: Any, rank: int) -> None:
        """The head of a letter has come, so its arrays do, unless their rank is lost; also in a run that has failed,
        since they must not be taken for those of another letter."""
        while not request.Test():
            time.sleep(NAP)
            if self.world.has_ended(rank):
                raise HloError(f"rank {rank} has ended")

    def _read(self, letter: Letter) -> None:
        """Letters of runs that have failed are thrown away; a rank that is ahead writes of the next run."""
        if letter.run == self.run:
            self._deliver(letter)
        elif letter.run > self.run:
            self._mail.early.append(letter)


def mail_of(world: World) -> Mail:
    """The same for all programs; all ranks ask for it the first time together."""
    if world.mail is None:
        world.mail = Mail(world.group(range(world.size), "channels"))
    return world.mail


def _pieces(array: np.ndarray) -> Sequence[np.ndarray]:
    """The bytes of an array, in parts of a message each."""
    data = array.reshape(-1).view(np.uint8) if array.size else np.empty(0, np.uint8)
    return [data[start : start + PIECE] for start in range(0, data.size, PIECE)]
