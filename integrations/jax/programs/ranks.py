"""JAX's processes as the ranks of MPI: who has which devices, and programs whose devices are in several ranks.

JAX's own coordination service (`jax.distributed`) may be there too; hlo's collectives go by MPI."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from hlo.errors import HloError
from hlo.jax.code.process_memory import WORD, bytes_at
from hlo.runtime.mpi.launcher import is_one_of_many

if TYPE_CHECKING:
    from hlo.jax.objects.device_memories import DeviceMemory
    from hlo.jax.programs.program import Program
    from hlo.runtime.mpi.runner import RankRunner
    from hlo.runtime.mpi.world import World

WORDS_OF_VALUE = 7
"""Of a PJRT_NamedValue: its size, extensions, the name (address and length), kind, value, length."""


def connect(devices: int, options: int, count: int) -> tuple[int, list[int]]:
    """The number of this process, and how many devices each has; all ranks of MPI call it together. `devices`: here;
    `options`, `count`: those that JAX makes its client with, among them what `jax.distributed` says of processes.
    Raises HloError where that says something else than MPI."""
    told = _number(options, count, "node_id", 0), _number(options, count, "num_nodes", 1)
    if not is_one_of_many():
        if told[1] > 1:
            raise HloError(
                f"jax.distributed says that there are {told[1]} processes: hlo's collectives go by MPI, so start them by mpirun (or set HLO_MPI=1)"
            )
        return 0, [devices]
    world = _world()
    if told[1] > 1 and told != (world.rank, world.size):
        raise HloError(
            f"jax.distributed says that this is process {told[0]} of {told[1]}, MPI that it is rank {world.rank} of {world.size}"
        )
    with world.exclusive():
        return world.rank, [int(said) for said in world.agree(str(devices).encode(), "making JAX's client")]


def _world() -> World:
    from hlo.runtime.mpi.world import world

    return world("mpi")


def _number(options: int, count: int, name: str, default: int) -> int:
    for at in range(options >> 3, (options >> 3) + WORDS_OF_VALUE * count, WORDS_OF_VALUE):
        if bytes_at(WORD[at + 2], WORD[at + 3]) == name.encode():
            return int(WORD[at + 5])
    return default


class Shared:
    """A program whose devices are in several processes: ranks of MPI that run it together if its collectives cross them."""

    def __init__(self, program: Program, devices: Sequence[DeviceMemory]):
        self.program = program
        self.processes = [device.process for device in devices]
        executable = program.executable
        groups = {members for meeting in executable.program.meetings for members in meeting.members}
        self.crosses = any(len({self.processes[m] for m in members}) > 1 for members in groups)
        meetings = [(m.op, m.signature, m.members, m.sources, m.channel) for m in executable.program.meetings]
        said = (
            program.facts.digest,
            str(executable.grid),
            str(executable.signature),
            meetings,
            [p.number for p in devices],
        )
        self._digest = np.frombuffer(hashlib.sha256(repr(said).encode()).digest(), np.uint8)
        self._runner: RankRunner | None = None

    @property
    def ranks(self) -> list[int]:
        """Those that run it together."""
        return sorted(set(self.processes))

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """What the ranks do together, one thread at a time. Raises HloError in all where one runs another program."""
        if not self.crosses:
            yield
            return
        world = _world().part(self.ranks)
        with world.exclusive():
            self._compare(world)
            yield

    def _compare(self, world: World) -> None:
        name = self.program.facts.name
        digests = [one.tobytes() for one in world.gather(self._digest, f"the program {name}")]
        if len(set(digests)) == 1:
            return
        from hlo.runtime.mpi.compilation import difference

        mine = name, (self.program.executable.grid, self.program.executable.program.meetings)
        said = [pickle.loads(one) for one in world.agree(pickle.dumps(mine))]
        other = next(rank for rank, one in enumerate(digests) if one != digests[0])
        start = f"process {self.ranks[other]} runs another program ({said[other][0]}) than process {self.ranks[0]} ({said[0][0]})"
        raise HloError(difference(start, said[0][1], said[other][1]))

    @property
    def runner(self) -> RankRunner:
        """Runs the processes that are here. Called within `exclusive`."""
        if self._runner is None:
            from hlo.runtime.mpi.runner import RankRunner

            world = _world().part(self.ranks) if self.crosses else _world()
            names = self.ranks if self.crosses else list(range(world.size))
            self._runner = RankRunner(self.program.executable, world, [names.index(p) for p in self.processes])
        return self._runner


class Alone:
    """A program whose devices are all in this process."""

    def __init__(self, program: Program):
        self.program = program

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        yield

    @property
    def runner(self) -> Any:
        return self.program.executable.runner
