"""The threads of one launch, all in lock step.

A value is an array with an element a thread. Where threads diverge (scf.if, loops of different lengths) the mask narrows;
what masked threads would compute is computed too and thrown away. A barrier that not all threads of a block reach, an
index outside its memref, and an address outside its allocation are errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from hlo.errors import HloError
from hlo.lazy_dataclasses import dataclass
from hlo.runtime.gpu.model.banks import bank_conflicts
from hlo.runtime.gpu.model.branches import Branches
from hlo.runtime.gpu.model.limits import Registers
from hlo.runtime.gpu.model.memory import FIRST, Memory
from hlo.runtime.gpu.model.products_under_way import Products
from hlo.runtime.gpu.model.races import WARP, Meetings

Step = Callable[["Machine"], None]
"""One op, decoded: reads and sets values of a machine."""


@dataclass(frozen=True)
class Copy:
    """Elements [copy, element] on their way to addresses of the same shape; `threads`: [copy, 1]."""

    addresses: np.ndarray
    threads: np.ndarray
    elements: np.ndarray


@dataclass
class Group:
    """Copies that threads ended together. `threads`: by thread, whether it did and has not waited for it yet."""

    threads: np.ndarray
    copies: list[Copy]


@dataclass
class Copies:
    """Of a launch: those since the last end of a group, and groups in order."""

    started: list[Copy] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)


class Machine:
    """The threads of one launch, and the values of all ops so far."""

    def __init__(
        self,
        memory: Memory,
        globals_: dict[str, int],
        blocks: int,
        threads: int,
        shared_bytes: int = 0,
        order: int = 0,
    ):
        self.memory, self.globals = memory, globals_
        self.shared_bytes = shared_bytes
        self.order = order
        """Of the lot that decides which branch goes on."""
        self.threads, self.size = threads, blocks * threads
        self.thread = np.arange(self.size, dtype=np.int64)
        self.mask = np.ones(self.size, bool)
        self.values: dict[int, Any] = {}
        self.meetings = Meetings(blocks, threads)
        self.borrowed: list[int] = []
        """Memory of this launch alone: shared by blocks, or threads' own."""
        self.copies = Copies()
        self.products = Products(np.zeros(self.size, bool))
        self.named: dict[int, np.ndarray] = {}
        """By number of a barrier of some warps, the threads that have used it."""
        self.dynamic = np.zeros(self.size, np.int64)
        """Where each thread's block has its dynamic shared memory."""
        self.branches: Branches | None = None
        self.what = ""
        """Where a branch waited last."""
        self.registers = Registers(blocks, threads)
        self.mbarriers: list[Any] = []
        """Groups of them in shared memory."""
        self.conflicts = 0
        """How often lanes that read shared memory by ldmatrix at once wanted the same bank."""
        self.vector_conflicts = 0
        """The same of vectors that whole warps read or write there."""

    def shared(self, size: int, alignment: int = 16) -> np.ndarray:
        """The address of new memory of each block's own, for each thread."""
        room = -(-max(size, 1) // alignment) * alignment
        base = self.borrow(room * (self.size // self.threads) + alignment)
        return -(-base // alignment) * alignment + self.thread // self.threads * room

    def borrow(self, size: int) -> int:
        self.borrowed.append(self.memory.allocate(size))
        self.memory.notes.grow(len(self.memory.bytes))
        return self.borrowed[-1]

    def read(self, addresses: np.ndarray, threads: np.ndarray, dtype: np.dtype, name: str) -> np.ndarray:
        """One element an address, for one thread each (or a row of them)."""
        self.memory.notes.read(self, addresses - FIRST, threads, name)
        return self.memory.read(addresses, dtype)

    def write(self, addresses: np.ndarray, threads: np.ndarray, values: np.ndarray, name: str) -> None:
        self.memory.notes.write(self, addresses - FIRST, threads, name)
        self.memory.write(addresses, values)

    def _are_shared(self, addresses: np.ndarray) -> bool:
        """In dynamic shared memory."""
        first, end = self.dynamic[0], self.dynamic[-1] + self.shared_bytes
        return bool(len(addresses)) and bool(first <= addresses.flat[0] < end)

    def count_conflicts(self, addresses: np.ndarray, dtype: np.dtype) -> None:
        """Of an access of [thread, element], where it is one of whole warps to dynamic shared memory."""
        warps = self.mask.reshape(-1, WARP)
        are_whole = bool((warps.any(1) == warps.all(1)).all())
        if are_whole and self._are_shared(addresses) and addresses.shape[1] * dtype.itemsize >= 4:
            self.vector_conflicts += bank_conflicts(addresses, dtype.itemsize)

    def update(
        self, addresses: np.ndarray, threads: np.ndarray, values: np.ndarray, combine: np.ufunc, name: str
    ) -> None:
        """One element an address, each combined with what is there: also where several have the same one."""
        self.memory.notes.update(self, addresses - FIRST, threads, name)
        self.memory.update(addresses, values, combine)

    def wait(self, is_ready: Callable[[], bool], what: str) -> None:
        """Until it is so: other branches run meanwhile. `what`: where, for the error if it never is."""
        if self.branches is not None:
            self.branches.wait(is_ready, what)
        elif not is_ready():
            raise HloError(f"{what}: every warp waits; on a card the kernel would hang")

    def check_end(self) -> None:
        """The launch has done all that it does. Raises HloError for what is not finished."""
        self.registers.finish()

    def finish(self) -> None:
        for address in self.borrowed:
            self.memory.free(address)

    def broadcast(self, value: Any, dtype: np.dtype) -> np.ndarray:
        return np.full(self.size, value, dtype)

    def under(self, mask: np.ndarray, steps: Sequence[Step]) -> None:
        """Runs steps with fewer threads."""
        outer, self.mask = self.mask, mask
        for step in steps:
            step(self)
        self.mask = outer
