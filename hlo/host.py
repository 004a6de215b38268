"""This machine, as its system tells: the architecture and the features of its processor."""

import ctypes
import platform
from functools import cache

ARCHITECTURES = {"amd64": "x86_64", "arm64": "aarch64", "armv7l": "armv7", "armv7a": "armv7"}
"""Other names of the architectures in the table of processors (`lowering/target.py`)."""

TILES = "amx_tile"
ARCH_PRCTL, REQUEST_PERMISSION, TILE_DATA = 158, 0x1023, 18
"""The system call of x86-64, what it is asked for, and the component of the processor's state that tiles are."""


def architecture_of(triple: str) -> str:
    """The architecture of a target triple, or of what the system calls its processor, as the table has it."""
    first = triple.partition("-")[0].lower()
    return ARCHITECTURES.get(first, first)


@cache
def host_architecture() -> str:
    return architecture_of(platform.machine())


def host_triple() -> str:
    """Of this machine: "x86_64-unknown-linux-gnu" and the like."""
    system = {"Darwin": "apple-darwin"}.get(platform.system(), f"unknown-{platform.system().lower()}-gnu")
    return f"{host_architecture()}-{system}"


@cache
def host_flags() -> frozenset[str]:
    """What the kernel says the processor has and lets this process use; nothing where it does not tell."""
    told = frozenset(_told("flags", "Features").split())
    return told if TILES not in told or _may_use_tiles() else frozenset(f for f in told if not f.startswith("amx"))


def _may_use_tiles() -> bool:
    """Whether the kernel gives this process, and those that it forks, the tile registers of AMX, which it saves for no
    process that has not asked (Linux, Documentation/arch/x86/xstate.rst)."""
    return ctypes.CDLL(None).syscall(ARCH_PRCTL, REQUEST_PERMISSION, TILE_DATA) == 0


@cache
def host_vendor() -> str:
    """Who made the processor: "GenuineIntel", "AuthenticAMD"; "" where the kernel does not tell."""
    return _told("vendor_id").strip()


def _told(*names: str) -> str:
    """Of the first processor, under one of these names."""
    try:
        with open("/proc/cpuinfo") as file:
            line = next((line for line in file if line.startswith(names)), "")
    except OSError:
        return ""
    return line.partition(":")[2]
