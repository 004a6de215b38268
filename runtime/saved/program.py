"""A compiled program as data: what an executable is made from, in this process or another."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hlo.dialect.process_grid import Grid
from hlo.runtime.calls.donation import Donation
from hlo.runtime.calls.signature import Signature

if TYPE_CHECKING:  # few programs have them
    from hlo.runtime.custom_calls.registry import CustomCall
    from hlo.runtime.grid.process_words import Meeting
    from hlo.runtime.profile.rows import Row


class Program(NamedTuple):
    """`objects`: object files, which are linked together; `library`: what they were linked to, where that is done (a
    program from a shared library has no objects); `process_code`: libraries with their names of what it calls in the
    process (process_code.py). `entry`: the function that takes all pointers. `arena`: bytes of temporaries. `machine`:
    what processor the code needs (machine.py). `grid`: the processes that it is for; on more than one, the code takes
    an argument more, the words of its process (process_words.py). `meetings`: its collectives. `profile`: the rows of a
    program with timers, None for one without."""

    signature: Signature
    objects: tuple[bytes, ...]
    entry: str
    constants: tuple[np.ndarray, ...]
    arena: int
    custom_calls: tuple["CustomCall", ...]
    machine: str
    donation: Donation = Donation()
    grid: Grid = Grid()
    meetings: tuple["Meeting", ...] = ()
    library: bytes = b""
    process_code: tuple[tuple[str, bytes], ...] = ()
    profile: "tuple[Row, ...] | None" = None
