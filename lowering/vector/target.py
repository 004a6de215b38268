"""What the emitters need to know of the processor they write for."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from hlo.environment import CPU
from hlo.errors import ArgumentError

CACHES = Path("/sys/devices/system/cpu/cpu0/cache")


@dataclass(frozen=True)
class Target:
    """`vector_bits`: the width of a vector register. `masks`: masked loads and stores are single instructions, so
    that a remainder is one masked vector instead of a scalar loop. `threads`: how many run at once. `dots`: the element
    types for which an instruction multiplies pairs (bf16) or fours (i8) and adds them up. Caches in bytes, `l3` shared."""

    vector_bits: int = 128
    masks: bool = False
    threads: int = 1
    dots: frozenset[str] = frozenset()
    l1: int = 32 << 10
    l2: int = 512 << 10
    l3: int = 8 << 20

    def lanes(self, element_bits: int) -> int:
        return max(1, self.vector_bits // element_bits)


THREADS = os.cpu_count() or 1
TARGETS = {
    "avx512": Target(512, True, THREADS, l2=1 << 20),
    "avx2": Target(256, False, THREADS),
    "baseline": Target(128, False, THREADS),
}
"""By name, for options and tests; "host" is the one of this machine, with its own caches and instructions."""

DOTS = {"bf16": "avx512_bf16", "i8": "avx512_vnni"}
"""The processor flag of each element type's dot products (512-bit registers)."""


@cache
def host_flags() -> frozenset[str]:
    """What the kernel says the processor has; nothing where it does not tell."""
    try:
        with open("/proc/cpuinfo") as file:
            return frozenset(next((line for line in file if line.startswith("flags")), "").split())
    except OSError:
        return frozenset()


def host_name() -> str:
    """The widest target that this machine's processor runs."""
    flags = host_flags()
    if {"avx512f", "avx512bw", "avx512vl", "avx512dq"} <= flags:
        return "avx512"
    return "avx2" if {"avx2", "fma", "f16c"} <= flags else "baseline"


@cache
def host() -> Target:
    """This machine."""
    widest = TARGETS[host_name()]
    dots = frozenset(t for t, flag in DOTS.items() if widest.vector_bits == 512 and flag in host_flags())
    sizes = _caches()
    l1, l2, l3 = (sizes.get(f"l{n}", getattr(widest, f"l{n}")) for n in (1, 2, 3))
    return replace(widest, dots=dots, l1=l1, l2=l2, l3=l3)


def _caches() -> dict[str, int]:
    """The sizes of the data caches that the kernel tells."""
    found: dict[str, int] = {}
    for folder in CACHES.glob("index*"):
        try:
            level, kind, size = ((folder / name).read_text().strip() for name in ("level", "type", "size"))
        except OSError:
            continue
        if kind != "Instruction" and size.endswith("K") and f"l{level}" in ("l1", "l2", "l3"):
            found[f"l{level}"] = int(size[:-1]) << 10
    return found


def processor(name: str) -> str:
    """A processor by name; "host" is what HLO_CPU says, where it is set. Raises ArgumentError if that is none."""
    return (CPU.value() or name) if name == "host" else name


def target(name: str = "host") -> Target:
    """A target by name: host, avx512, avx2, baseline."""
    name = processor(name)
    if name == "host":
        return host()
    if name not in TARGETS:
        raise ArgumentError(f"unknown vector target {name!r}; there are host, {', '.join(TARGETS)}")
    return TARGETS[name]


def single(machine: Target) -> Target:
    """The same with one thread."""
    return replace(machine, threads=1)
