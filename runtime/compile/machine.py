"""Which machines can run what is compiled for `cpu=`."""

from __future__ import annotations

import ctypes as C
import functools

from hlo.host import TILES, host_flags

FLAGS = {
    "64bit": "lm",
    "bmi": "bmi1",
    "crc32": "sse4_2",
    "lzcnt": "abm",
    "pclmul": "pclmulqdq",
    "prfchw": "3dnowprefetch",
    "rdrnd": "rdrand",
    "sahf": "lahf_lm",
    "sha": "sha_ni",
    "sse3": "pni",
    "x87": "fpu",
    "pku": "ospke",
    "neon": "asimd",
    "fp-armv8": "fp",
    "lse": "atomics",
    "dotprod": "asimddp",
    "fullfp16": "asimdhp",
    "rdm": "asimdrdm",
    "rcpc": "lrcpc",
    "sha3": "sha3",
}
"""Features for which the kernel has another word than LLVM. Other words differ in dots and underscores only."""

NO_INSTRUCTIONS = frozenset({"shstk"})
"""Features that LLVM generates no code for unless it is asked to."""


SLOW = frozenset({"sse4a"})
"""Features that are lacking on purpose. LLVM moves 16-bit lanes by `insertq`, which has no VEX encoding: on an EPYC
(Zen 3) each takes 110 ns among AVX instructions (sums of two products of bf16 with a stride take 47 times as long)."""


@functools.cache
def host() -> tuple[str, tuple[str, ...]]:
    """The name of this machine's processor, and what it has and lacks, as LLVM spells them: "znver5", ("+avx2", "-rdseed", ...).

    LLVM asks the processor alone. What the kernel does not list, though the processor has it (an instruction that it found to be
    defect, registers that it does not save), is lacking here: code without it runs, and `can_run` is told the same."""
    from hlo.runtime.compile.llvm_library import llvm  # here: programs that were compiled before need no LLVM

    name, features = (
        C.string_at(text()).decode() for text in (llvm().LLVMGetHostCPUName, llvm().LLVMGetHostCPUFeatures)
    )
    return name, tuple(f if f[0] == "-" or _may_use(f[1:]) else f"-{f[1:]}" for f in features.split(",") if f)


def _may_use(feature: str) -> bool:
    return feature not in SLOW and _kernel_lists(feature)


def machine_of(cpu: str) -> str:
    """What code for `cpu` needs, as text: the name of a level ("avx2"), or the host's processor and all it has."""
    from hlo.lowering.target import processor

    cpu = processor(cpu)
    if cpu != "host":
        return cpu
    return _words_of(*host())


@functools.cache
def _words_of(name: str, features: tuple[str, ...]) -> str:
    return " ".join([name, *sorted(f for f in features if f.startswith("+"))])


IDENTITY = frozenset(
    {"vendor_id", "cpu family", "model", "stepping", "flags"}
    | {"CPU implementer", "CPU architecture", "CPU variant", "CPU part", "CPU revision", "Features"}
)
"""What the kernel says of a processor that LLVM tells its name and features from."""


def identity_of(cpu: str) -> str:
    """What distinguishes machines for which `machine_of` is not the same; LLVM is asked only where the kernel tells nothing."""
    from hlo.lowering.target import processor

    cpu = processor(cpu)
    if cpu != "host":
        return cpu
    words = _kernels_words()
    denied = TILES in words and TILES not in host_flags()
    return f"{words}; without {TILES}" if denied else words or machine_of(cpu)


def _kernels_words() -> str:
    """Of the first processor; empty where there are none."""
    try:
        with open("/proc/cpuinfo") as file:
            first = file.read().partition("\n\n")[0]
    except OSError:
        return ""
    lines = (line.partition(":") for line in first.splitlines())
    return "; ".join(f"{key.strip()}: {value.strip()}" for key, _, value in lines if key.strip() in IDENTITY)


def can_run(machine: str) -> bool:
    """Whether this machine runs code that was compiled for another. LLVM is not asked where the kernel tells what the processor has."""
    name, *needed = machine.split(" ")
    if not needed:  # the table is read for these only: loading code for the host itself does without it
        from hlo.lowering.target import TARGETS, host_name, names_of

        if name in TARGETS:
            here = host_name()
            order = names_of(TARGETS[here].architecture)  # from the most to the least that a processor must have
            return name in order and order.index(name) >= order.index(here)
    if not host_flags():
        return set(needed) <= set(host()[1])
    return _kernel_lists_all(tuple(needed))


@functools.cache
def _kernel_lists_all(features: tuple[str, ...]) -> bool:
    return all(_kernel_lists(one.removeprefix("+")) for one in features)


def _kernel_lists(feature: str) -> bool:
    """Whether the kernel says that the processor has what LLVM calls so, or says nothing at all."""
    known = _kernels_flags()
    return not known or feature in NO_INSTRUCTIONS or _plain(FLAGS.get(feature, feature)) in known


@functools.cache
def _kernels_flags() -> frozenset[str]:
    return frozenset(_plain(flag) for flag in host_flags())


def _plain(word: str) -> str:
    return word.replace("_", "").replace(".", "").replace("-", "")
