"""Where the processes of one rank wait for what comes through channels, from here and from other ranks of MPI."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from hlo.dialect.process_grid import Grid
from hlo.errors import HloError
from hlo.runtime.grid.rendezvous import Channel, Id, OpLocation, Rendezvous, Sent, Wait, who_waits
from hlo.runtime.mpi.courier import Courier, Letter
from hlo.runtime.mpi.world import World

PUT, WANT, GIVE, FINISHED, COMPLETE, LEFT = "put", "want", "give", "finished", "complete", "left"
"""Subjects of letters: a send to a queue that is at home in the reader's rank; a process that waits for such a one, and
where; what it gets; a process that has come to its end; a rank all of whose letters have arrived; what nobody has
received there (diagnostics)."""


class RankRendezvous(Rendezvous):
    """The rendezvous of the processes of this rank in one run. `close` ends it, which all ranks do together, or
    `abandon` after a failure."""

    def __init__(self, world: World, grid: Grid, ranks: Sequence[int], timeout: float):
        """`ranks`: that of each process."""
        super().__init__([p for p, rank in zip(grid.processes, ranks) if rank == world.rank], timeout)
        self.world, self._processes = world, grid.processes
        self._ranks = dict(zip(grid.processes, ranks))
        self._wanting: dict[Channel, deque[tuple[Id, OpLocation]]] = {}
        """Processes of other ranks that wait for a queue that is at home here."""

        self._receiving: dict[Id, Channel] = {}
        """What processes here wait for, of queues that are at home here."""

        self._said: dict[str, list[Any]] = {COMPLETE: [], LEFT: []}
        """What other ranks have said at the end of the run."""

        self._courier = Courier(world, self._deliver, self._look, self.stop)

    def _home(self, channel: Channel) -> int:
        """The rank in which a queue lies."""
        return channel.number % self.world.size if channel.target is None else self._ranks[channel.target]

    def send(self, channel: Channel, sent: Sent) -> None:
        home = self._home(channel)
        if home == self.world.rank:
            self._put(channel, sent)
        else:
            self._courier.post(home, PUT, channel, sent)

    def receive(self, process: Id, channel: Channel, location: OpLocation) -> Sent:
        home = self._home(channel)
        if home != self.world.rank:
            self._courier.post(home, WANT, (channel, process, location))
            return super().receive(process, _answers(channel, process), location)
        with self._changed:
            self._receiving[process] = channel
            try:
                return super().receive(process, channel, location)
            finally:
                del self._receiving[process]

    def finish(self, process: Id) -> None:
        super().finish(process)
        self._tell(FINISHED, process)

    def unserved(self) -> dict[Id, Wait]:
        """Nothing that only this rank's watch could judge: what is awaited may come from another rank."""
        return {}

    def left_over(self) -> HloError | None:
        """Nothing: `close` looks in all ranks."""
        return None

    def close(self) -> None:
        """Ends a run that has not failed here. Raises in all ranks the error of what nobody has received."""
        end, others = time.monotonic() + self.timeout, self.world.size - 1
        self._courier.all_taken(end, lambda: "another rank does not take what is sent to it", self._raise_failure)
        self._tell(COMPLETE, ())
        self._wait_until(end, lambda: len(self._said[COMPLETE]) == others)
        found = super().left_over()
        mine = found.diagnostics if found else ()
        self._tell(LEFT, mine)
        self._wait_until(end, lambda: len(self._said[LEFT]) == others)
        self._courier.leave()
        diagnostics = dict.fromkeys([*mine, *(d for one in self._said[LEFT] for d in one)])
        if diagnostics:
            raise HloError(*diagnostics)

    def abandon(self) -> None:
        """Ends a run that has failed."""
        self._courier.leave()

    def _tell(self, subject: str, about: Any) -> None:
        for rank in range(self.world.size):
            if rank != self.world.rank:
                self._courier.post(rank, subject, about)

    def _wait_until(self, end: float, has_come: Callable[[], bool]) -> None:
        with self._changed:
            while not has_come():
                self._raise_failure()
                left = end - time.monotonic()
                if left <= 0:
                    raise HloError(
                        f"waited for {self.timeout:g} seconds: not all ranks have come to the end of the run"
                    )
                self._changed.wait(left)

    def _raise_failure(self) -> None:
        if self.failure is not None:
            raise self.failure

    def _look(self) -> None:
        """Raises HloError when another rank has failed in this run, or has ended while processes here wait."""
        self.world.look()
        with self._changed:
            waits = [(p, wait) for p, wait in self._waits.items() if not wait.served()]
        if not waits and self._finished.isdisjoint(self.ids):
            return
        lost = next((rank for rank in range(self.world.size) if self.world.has_ended(rank)), None)
        if lost is not None:
            told = "; ".join(f"process {p} waits in {wait.location} for {wait.awaited()}" for p, wait in waits)
            location = waits[0][1].location if waits else OpLocation("")
            raise HloError(location.finding(f"{told}: rank {lost} has ended" if told else f"rank {lost} has ended"))

    # Letters

    def _deliver(self, letter: Letter) -> None:
        if letter.subject == FINISHED:
            super().finish(letter.about)
        elif letter.subject == WANT:
            channel, process, location = letter.about
            with self._changed:
                self._wanting.setdefault(channel, deque()).append((process, location))
                self._hand_out(channel)
                self._find_deadlock()
        elif letter.subject in self._said:
            with self._changed:
                self._said[letter.subject].append(letter.about)
                self._changed.notify_all()
        elif letter.sent is not None:
            channel, sent = letter.about, letter.sent
            if letter.subject == GIVE:
                super().send(channel, sent)
            else:
                self._put(channel, sent)

    def _put(self, channel: Channel, sent: Sent) -> None:
        with self._changed:
            super().send(channel, sent)
            self._hand_out(channel)

    def _hand_out(self, channel: Channel) -> None:
        """What is in a queue goes to those in other ranks that wait for it."""
        values, wanting = self._channels.get(channel, ()), self._wanting.get(channel, ())
        while values and wanting:
            process, _ = wanting.popleft()
            self._courier.post(self._ranks[process], GIVE, _answers(channel, process), values.popleft())

    def _find_deadlock(self) -> None:
        """Whether processes wait here, for queues at home here, for which nobody is left who could send."""
        if self.failure is not None:
            return
        waits = {p: (location, channel) for channel, some in self._wanting.items() for p, location in some}
        for process, channel in self._receiving.items():
            wait = self._waits.get(process)
            if wait is not None and not wait.served():
                waits[process] = wait.location, channel
        hopeless = _hopeless({p: channel for p, (_, channel) in waits.items()}, set(self._processes) - self._finished)
        if hopeless:
            told = {p: (waits[p][0], f"a send to {waits[p][1]}") for p in hopeless}
            message = f"no process can go on: {who_waits(self._processes, told, self._finished)}{self._not_received()}"
            self.failure = HloError(next(iter(told.values()))[0].finding(message))
            self._changed.notify_all()


def _answers(channel: Channel, process: Id) -> Channel:
    """The queue of what the home of a channel gives to a process elsewhere."""
    return Channel(channel.number, target=process)


def _hopeless(waits: dict[Id, Channel], running: set[Id]) -> list[Id]:
    """Of processes that wait for channels, those to which no running process can send unless it is sent something itself."""
    free = running - set(waits)
    while more := {p for p, c in waits.items() if p not in free and (c.source in free if c.source else free)}:
        free |= more
    return sorted(set(waits) - free)
