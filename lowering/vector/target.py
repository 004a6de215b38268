"""What the emitters need to know of the processor they write for."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache

from hlo.errors import ArgumentError


@dataclass(frozen=True)
class Target:
    """`vector_bits`: the width of a vector register. `masks`: masked loads and stores are single instructions, so
    that a remainder is one masked vector instead of a scalar loop. `threads`: how many run at once."""

    vector_bits: int = 128
    masks: bool = False
    threads: int = 1

    def lanes(self, element_bits: int) -> int:
        return max(1, self.vector_bits // element_bits)


TARGETS = {
    "avx512": Target(512, True, os.cpu_count() or 1),
    "avx2": Target(256, False, os.cpu_count() or 1),
    "baseline": Target(128, False, os.cpu_count() or 1),
}
"""By name, for options and tests; "host" is the one of this machine."""


@cache
def host_name() -> str:
    """The best target that this machine's processor runs."""
    try:
        with open("/proc/cpuinfo") as file:
            flags = next((line for line in file if line.startswith("flags")), "").split()
    except OSError:
        return "baseline"
    if {"avx512f", "avx512bw", "avx512vl", "avx512dq"} <= set(flags):
        return "avx512"
    return "avx2" if {"avx2", "fma", "f16c"} <= set(flags) else "baseline"


def target(name: str = "host") -> Target:
    """A target by name: host, avx512, avx2, baseline."""
    name = host_name() if name == "host" else name
    if name not in TARGETS:
        raise ArgumentError(f"unknown vector target {name!r}; there are host, {', '.join(TARGETS)}")
    return TARGETS[name]
