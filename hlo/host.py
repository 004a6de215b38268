"""This machine, as its system tells: the architecture and the features of its processor."""

import platform
from functools import cache

ARCHITECTURES = {"amd64": "x86_64", "arm64": "aarch64", "armv7l": "armv7", "armv7a": "armv7"}
"""Other names of the architectures in the table of processors (`lowering/vector/target.py`)."""


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
    """What the kernel says the processor has; nothing where it does not tell."""
    return frozenset(_told("flags", "Features").split())


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
