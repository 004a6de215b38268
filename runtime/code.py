"""Machine code in this process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Code:
    """The address of the entry, the size in bytes, and what must stay alive with it. `objects`: the object files that it
    was linked from, where the engine has them. `threads`: the address of the words `hlo_threads` (shared_parts.py), `interrupt`: that of the
    pointer `hlo_interrupt` (interrupts.py), `profile`: that of the pointer `hlo_profile` (profile/timers.py); 0 if the code runs nothing on
    threads, has no loops, or no timers."""

    entry: int
    size: int
    keep: Any
    objects: tuple[bytes, ...] = ()
    threads: int = 0
    interrupt: int = 0
    profile: int = 0
