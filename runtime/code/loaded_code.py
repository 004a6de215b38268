"""Machine code in this process."""

from __future__ import annotations

from typing import Any

THREADS, INTERRUPT, RECORD = "hlo_threads", "hlo_interrupt", "hlo_profile"
"""Variables of a program that has such: the words of its threads (parallel_parts.py), the pointer to what ends its loops
(interrupted_loops.py), that to its record (profile/layout.py)."""


class Code:
    """The address of the entry, the size in bytes, and what must stay alive with it. `objects`: the object files that it
    was linked from, where the engine has them. `threads`, `interrupt`, `profile`: the addresses of the variables above; 0 if
    the code runs nothing on threads, has no loops, or no timers."""

    def __init__(
        self,
        entry: int,
        size: int,
        keep: Any,
        objects: tuple[bytes, ...] = (),
        threads: int = 0,
        interrupt: int = 0,
        profile: int = 0,
    ):
        self.entry, self.size, self.keep, self.objects = entry, size, keep, objects
        self.threads, self.interrupt, self.profile = threads, interrupt, profile
