"""How many threads an executable runs on: the option `threads`, HLO_THREADS, OMP_NUM_THREADS, or the processors that this process may
use, by affinity and by the quota of its control group."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from numbers import Integral
from typing import Any

from hlo.environment import MOST_THREADS as MOST
from hlo.environment import THREADS
from hlo.errors import ArgumentError

GROUPS = "/sys/fs/cgroup"


def number_of_threads(chosen: Any = None) -> int:
    """The number that was chosen, or else this process's default. Raises ArgumentError for one that cannot be."""
    if chosen is None:
        return default_threads()
    if isinstance(chosen, bool) or not isinstance(chosen, Integral) or not 1 <= int(chosen) <= MOST:
        raise ArgumentError(f"threads takes a number from 1 to {MOST}, found {chosen!r}")
    return int(chosen)


def default_threads() -> int:
    """What the environment says, or else how many processors there are. Raises ArgumentError for a wrong HLO_THREADS."""
    chosen = THREADS.value()
    if chosen is not None:
        return chosen
    first = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()  # "8,2": threads of nested regions
    digits = first.lstrip("0") if first.isdecimal() else ""  # OpenMP's runtimes ignore what is none, too
    if digits:
        return min(int(digits[: len(str(MOST)) + 1]), MOST)
    return available_processors()


def available_processors() -> int:
    """How many threads this process can run at once; at least 1."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = _quota_of_this_process()
    return max(1, min(allowed, MOST, allowed if quota is None else quota))


@cache
def _quota_of_this_process() -> int | None:
    text = _contents("/proc/self/cgroup")
    if text is None:  # not Linux
        return None
    return quota(text, lambda path: _contents(f"{GROUPS}/{path}"))


def _contents(path: str) -> str | None:
    try:
        with open(path) as file:
            return file.read()
    except (OSError, ValueError):
        return None


def quota(groups: str, read: Callable[[str], str | None]) -> int | None:
    """Processors that control groups leave a process, rounded up; None without a limit. `groups`: what /proc/self/cgroup says;
    `read`: the contents of a file under /sys/fs/cgroup. A group's parents limit it too."""
    limits = [
        limit
        for line in groups.splitlines()
        for folder, in_v2 in _folders(line)
        for limit in [_v2(read(_file(folder, "cpu.max"))) if in_v2 else _v1(folder, read)]
        if limit is not None
    ]
    return min(limits, default=None)


def _folders(line: str) -> Iterator[tuple[str, bool]]:
    """The folders under /sys/fs/cgroup of one line, "number:controllers:path", and whether they are of version 2."""
    number, _, rest = line.partition(":")
    controllers, _, path = rest.partition(":")
    if number != "0" and "cpu" not in controllers.split(","):
        return
    names = [name for name in (controllers, *path.split("/")) if name]
    for count in range(len(names), bool(controllers) - 1, -1):
        yield "/".join(names[:count]), number == "0"


def _file(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _v2(text: str | None) -> int | None:
    """Of "200000 100000" (microseconds, of a period) or "max 100000"."""
    words = (text or "").split()
    return _ratio(*words) if len(words) == 2 else None


def _v1(folder: str, read: Callable[[str], str | None]) -> int | None:
    limit, period = (read(_file(folder, f"cpu.cfs_{name}_us")) for name in ("quota", "period"))
    return _ratio((limit or "").strip(), (period or "").strip())


def _ratio(limit: str, period: str) -> int | None:
    """Rounded up; None for "max", -1 and what is no number."""
    if not limit.isdecimal() or not period.isdecimal() or int(period) == 0:
        return None
    return max(1, -(-int(limit) // int(period)))
