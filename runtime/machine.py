"""Which machines can run what is compiled for `cpu=`."""

from __future__ import annotations

import ctypes as C
import functools

from hlo.lowering.vector.target import TARGETS, host_name, names_of, processor
from hlo.runtime.llvm_library import llvm


@functools.cache
def host() -> tuple[str, frozenset[str]]:
    """The name of this machine's processor, and what it has, as LLVM spells them: "znver5", {"+avx2", ...}."""
    name, features = (
        C.string_at(text()).decode() for text in (llvm().LLVMGetHostCPUName, llvm().LLVMGetHostCPUFeatures)
    )
    return name, frozenset(f for f in features.split(",") if f.startswith("+"))


def machine_of(cpu: str) -> str:
    """What code for `cpu` needs, as text: the name of a level ("avx2"), or the host's processor and all it has."""
    cpu = processor(cpu)
    if cpu != "host":
        return cpu
    name, features = host()
    return " ".join([name, *sorted(features)])


def can_run(machine: str) -> bool:
    """Whether this machine runs code that was compiled for another."""
    if machine in TARGETS:
        here = host_name()
        order = names_of(TARGETS[here].architecture)  # from the most to the least that a processor must have
        return machine in order and order.index(machine) >= order.index(here)
    _, *needed = machine.split(" ")
    return set(needed) <= host()[1]
