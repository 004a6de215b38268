"""The table of processors: what emitters ask about the one that they write for, and what LLVM is told of it.

`hlo/host.py` says which one this machine has. No other module names an architecture. A target is asked for by name: one
of `TARGETS`, or "host", this machine's; "avx2/1" is the same for one thread."""

import os
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from hlo.environment import CPU, MOST_THREADS
from hlo.errors import ArgumentError
from hlo.host import host_architecture, host_flags, host_vendor

CACHES = "/sys/devices/system/cpu/cpu0/cache"
THREADS = os.cpu_count() or 1


class DotProduct(NamedTuple):
    """An instruction that multiplies the elements of two registers and adds the products of each word: the flag that
    says that a processor has it, LLVM's name of it, the element type of its sums, the width of its registers, and
    whether it adds to earlier sums too."""

    flag: str
    name: str
    sums: str
    bits: int = 512
    adds: bool = True


DOTS: Mapping[str, DotProduct] = MappingProxyType(
    {
        "bf16": DotProduct("avx512_bf16", "llvm.x86.avx512bf16.dpbf16ps.512", "f32"),
        "i8": DotProduct("avx512_vnni", "llvm.x86.avx512.vpdpbusd.512", "i32"),
        "i16": DotProduct("avx2", "llvm.x86.avx2.pmadd.wd", "i32", 256, adds=False),
    }
)
"""By element type. Bytes are extended to i16 in packed panels where there is nothing for bytes."""

MATRICES: Mapping[str, str] = MappingProxyType({"bf16": "amx_bf16", "i8": "amx_int8"})
"""Element types of AMX's products of tiles (Intel 64 and IA-32 Architectures Software Developer's Manual, "Programming
with Intel AMX"), with the flag that says that a processor has them. A row of a tile has 64 bytes, as a vector of 512
bits; sums are those of `DOTS`."""

TILE_ROWS = 16
"""The most rows of a tile."""

PACKED_TILES: Mapping[str, tuple[int, int]] = MappingProxyType({"GenuineIntel": (6, 4)})
"""By vendor, `packed_tile` of processors with 32 vector registers, where it is not (8, 2). On Zen 5 more sums than hide
the latency of a multiply-add were slower: loads and stores of C are longer stretches without multiplications. On an
Emerald Rapids, matmuls of 512 to 2048 take 0.83 to 0.9 of the time with (6, 4): fewer loads for each multiplication."""

SLOW_DOTS: Mapping[str, frozenset[str]] = MappingProxyType({"GenuineIntel": frozenset({"bf16"})})
"""By vendor, the types whose instruction multiplies fewer elements a cycle than multiply-adds of what they are extended
to: panels are extended there (a matmul of 1024 in bf16 on a Xeon with AVX512_BF16: 1.8 times as fast). On Zen 5 the
instruction takes twice as many."""


ONE_MAXIMUM = frozenset({"GenuineIntel"})
"""Vendors for which `one_maximum` is true of vectors of 512 bits. On an Emerald Rapids, sorts of 256 words of 64 bits
take 0.75 of the time with exclusive ors; on Zen 5 they took 1.1 to 1.2 times as long."""


class Target(NamedTuple):
    """A row of the table: a processor as emitters see it, and what LLVM is told of it; or a GPU. Sizes are in bytes. A
    row that says nothing has 128-bit vectors and no instruction beyond x86-64's first ones, but for `fuses`, `rounds`
    and `maxima`."""

    vector_bits: int = 128
    """The width of a vector register."""
    masks: bool = False
    """Masked loads and stores are single instructions, so that a remainder is one masked vector instead of a scalar loop."""
    threads: int = THREADS
    """How many run at once. On a processor that is named without them as many as this machine has, whatever HLO_THREADS says: parts,
    and with them the bits of results, are the same for every number of threads that a program runs on (docs/threads.md)."""
    dots: frozenset[str] = frozenset()
    """Element types, of `DOTS`, for which an instruction multiplies pairs (bf16, i16) or fours (i8) and adds them up,
    faster than after extending them."""
    matrices: frozenset[str] = frozenset()
    """Element types, of `MATRICES`, for which an instruction multiplies tiles of 16 rows of 64 bytes."""
    packed_tile: tuple[int, int] = (6, 2)
    """Rows and vectors of what a contraction on packed panels computes at once."""
    l1: int = 32 << 10
    l2: int = 512 << 10
    """Of a GPU: the card's."""
    l3: int = 8 << 20
    """Shared by the threads."""
    registers: int = 16
    """Of vectors; of a GPU: those of a multiprocessor."""
    fuses: bool = True
    """A multiplication with an addition is a single instruction."""
    rounds: bool = True
    """So is rounding to a whole number."""
    maxima: bool = True
    """LLVM has code for maxima of f64."""
    one_maximum: bool = False
    """Of vectors of 64-bit words, a cycle computes one maximum or minimum, but two operations on bits."""
    integer_halves: bool = False
    """There are maxima of vectors of 16-bit integers, which make those of f16 faster than conversions to f32 (0.5 of the
    time with AVX2, 0.04 on a processor without conversions, 1.0 with AVX-512)."""
    compresses: int = 0
    """Bits of the narrowest lanes that one instruction makes contiguous in a vector, or a permutation by numbers from a
    table in vectors of 256 bits; 0: none does."""
    architecture: str = "x86_64"
    """What LLVM's triples begin with."""
    llvm_name: str | None = None
    """The processor's name in LLVM (`-mcpu`); None: what LLVM finds the host to be."""
    features: tuple[str, ...] = ()
    """For LLVM, in addition to what that processor has."""
    flags: frozenset[str] = frozenset()
    """What the system must list for a machine to run this code (`host_flags`: /proc/cpuinfo's names)."""
    multiprocessors: int = 0
    """Of a GPU; 0: a processor."""
    shared_bytes: int = 0
    """Shared memory that a block of a GPU may have."""
    wgmma: bool = False
    """Warpgroups of a GPU multiply, and TMA copies."""
    ptx: int = 0
    """The version of PTX (86: 8.6), the oldest that has the architecture and that the kernels need, so that old drivers take it."""

    @property
    def is_gpu(self) -> bool:
        return self.multiprocessors > 0

    @property
    def masked_bits(self) -> int:
        """Bits of the narrowest lanes of masked loads and stores that are single instructions; 0: none are. Those of
        AVX2 have lanes of 32 and 64 bits."""
        return 8 if self.masks else 32 if self.vector_bits == 256 else 0

    @property
    def column_bytes(self) -> int:
        """Of the vectors that loops of "loops" kernels run in. Without masks each lane of a remainder would be tested,
        so there are none."""
        return self.vector_bits // 8 if self.masked_bits else 0

    @property
    def has_range(self) -> bool:
        """Whether one instruction takes the larger of two vectors of 512 bits and distinguishes zeros."""
        return self.vector_bits == 512 and "avx512dq" in self.flags

    @property
    def orders_narrow(self) -> bool:
        """Whether the smaller and the larger of two vectors of 64-bit words take several times as long as of 32-bit
        ones: a cycle has one of these instructions, or there is none (AVX2)."""
        return self.one_maximum or self.vector_bits < 512

    @property
    def has_exponents(self) -> bool:
        """Whether instructions read and make exponents of vectors of 512 bits."""
        return self.vector_bits == 512 and "avx512f" in self.flags

    @property
    def looks_up(self) -> bool:
        """Whether one instruction picks the lanes of a vector of f32 of 256 bits by their numbers."""
        return self.vector_bits == 256 and "avx2" in self.flags

    @property
    def permutes(self) -> bool:
        """Whether one instruction picks the lanes of a vector of 512 bits from two others by their numbers."""
        return self.vector_bits == 512 and "avx512f" in self.flags

    @property
    def permutes_bytes(self) -> bool:
        """The same of lanes of one byte (VBMI, which processors have whose instructions make such lanes contiguous)."""
        return self.permutes and self.compresses == 16

    def lanes(self, element_bits: int) -> int:
        return max(1, self.vector_bits // element_bits)


AVX512 = frozenset({"avx512f", "avx512bw", "avx512vl", "avx512dq"})

ICE_LAKE = AVX512 | {
    "avx512vbmi",
    "avx512_vbmi2",
    "avx512_vnni",
    "avx512_bitalg",
    "avx512_vpopcntdq",
    "avx512ifma",
    "gfni",
}

TARGETS = {
    "amx": Target(
        512,
        True,
        dots=frozenset({"i8"}),
        matrices=frozenset(MATRICES),
        packed_tile=PACKED_TILES["GenuineIntel"],
        l1=48 << 10,
        l2=2 << 20,
        registers=32,
        compresses=16,
        one_maximum=True,
        integer_halves=True,
        llvm_name="icelake-server",
        features=("+amx-tile", "+amx-bf16", "+amx-int8"),
        flags=ICE_LAKE | {"amx_tile", *MATRICES.values()},
    ),
    "avx512": Target(
        512,
        True,
        packed_tile=(8, 2),
        l2=1 << 20,
        registers=32,
        integer_halves=True,
        compresses=32,
        llvm_name="skylake-avx512",
        flags=AVX512,
    ),
    "avx2": Target(
        256,
        dots=frozenset({"i16"}),
        integer_halves=True,
        compresses=32,
        llvm_name="haswell",
        flags=frozenset({"avx2", "fma", "f16c"}),
    ),
    "baseline": Target(llvm_name="x86-64", fuses=False, rounds=False, integer_halves=True),
    "aarch64": Target(
        packed_tile=(8, 2), registers=32, architecture="aarch64", llvm_name="generic", features=("+neon",)
    ),
    "armv7": Target(
        rounds=False,
        maxima=False,
        architecture="armv7",
        llvm_name="cortex-a7",
        features=("+neon", "+vfp4"),
        l2=256 << 10,
        l3=1 << 20,
    ),
}
"""By name, those of an architecture from the most to the least that a processor must have; "host" is the one of this machine, with its own
caches and instructions. armv7: NEON with fused multiplication (Cortex-A7, A15 and later)."""

H100 = Target(
    registers=1 << 16,
    l2=50 << 20,
    architecture="nvptx64",
    multiprocessors=132,
    shared_bytes=227 << 10,
    ptx=80,
)
"""An H200 has the same multiprocessors."""

A100 = H100._replace(l2=40 << 20, multiprocessors=108, shared_bytes=163 << 10)

SMALL_SHARED, ORIN_SHARED = 99 << 10, 163 << 10
"""Bytes of shared memory that a block may have: cards of sm_86, sm_89, sm_120 and sm_121; Jetson Orin."""

GPUS: Mapping[str, Target] = MappingProxyType(
    {
        "sm_80": A100,
        "sm_86": H100._replace(shared_bytes=SMALL_SHARED),
        "sm_87": H100._replace(shared_bytes=ORIN_SHARED),
        "sm_89": H100._replace(shared_bytes=SMALL_SHARED),
        "sm_90": H100,
        "sm_90a": H100._replace(wgmma=True),
        "sm_100": H100._replace(ptx=86),
        "sm_103": H100._replace(ptx=88),
        "sm_110": H100._replace(ptx=90),
        "sm_120": H100._replace(ptx=87, shared_bytes=SMALL_SHARED),
        "sm_121": H100._replace(ptx=88, shared_bytes=SMALL_SHARED),
    }
)
"""By architecture, oldest first (CUDA Programming Guide, "Compute Capabilities"). What is not known of one is an H100's."""


def gpu_named(architecture: str) -> Target:
    """What code for an architecture is planned for: its row, with the shared memory that all later ones have too, as it
    runs on them; code for a card alone (sm_90a) or its family (sm_100f) has all of its own."""
    if architecture[-1] in "af":
        return GPUS[architecture if architecture in GPUS else architecture.rstrip("af")]
    names = list(GPUS)
    later = [GPUS[name].shared_bytes for name in names[names.index(architecture) :] if name[-1].isdigit()]
    return GPUS[architecture]._replace(shared_bytes=min(later))


BACK_ENDS = ("X86", "AArch64", "ARM")
"""LLVM's, for the architectures of the table."""

FEATURES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "x86_64": (
            "sse4.2",
            "popcnt",
            "avx",
            "avx2",
            "fma",
            "f16c",
            "bmi",
            "bmi2",
            "lzcnt",
            "avx512bf16",
            "avx512vnni",
        ),
        "aarch64": ("fullfp16", "dotprod", "bf16", "i8mm", "lse", "rcpc"),
        "armv7": ("fp16", "hwdiv", "hwdiv-arm", "d32"),
    }
)
"""By architecture: what may be asked for in addition to a row of the table, as LLVM spells it."""


def names_of(architecture: str) -> list[str]:
    """The table's names for an architecture, from the most to the least that a processor must have."""
    return [name for name, row in TARGETS.items() if row.architecture == architecture]


def host_name() -> str:
    """The widest target that this machine's processor runs."""
    fitting = [n for n in names_of(host_architecture()) if TARGETS[n].flags <= host_flags()]
    if not fitting:
        known = ", ".join(dict.fromkeys(row.architecture for row in TARGETS.values()))
        raise ArgumentError(f"no code is generated for {host_architecture()!r}; there are {known}")
    return fitting[0]


def host_dots() -> frozenset[str]:
    """The element types for which this machine has dot products, slow ones too."""
    bits = TARGETS[host_name()].vector_bits
    return frozenset(t for t, dot in DOTS.items() if dot.bits == bits and dot.flag in host_flags())


@cache
def host() -> Target:
    """This machine."""
    widest = TARGETS[host_name()]
    dots = host_dots() - SLOW_DOTS.get(host_vendor(), frozenset())
    sizes = _caches()
    l1, l2, l3 = (sizes.get(f"l{n}", getattr(widest, f"l{n}")) for n in (1, 2, 3))
    compresses = 16 if widest.compresses and "avx512_vbmi2" in host_flags() else widest.compresses
    tile = PACKED_TILES.get(host_vendor(), widest.packed_tile) if widest.vector_bits == 512 else widest.packed_tile
    return widest._replace(
        one_maximum=widest.vector_bits == 512 and host_vendor() in ONE_MAXIMUM,
        dots=dots,
        packed_tile=tile,
        compresses=compresses,
        l1=l1,
        l2=l2,
        l3=l3,
        llvm_name=None,
        features=(),
    )


def _caches() -> dict[str, int]:
    """The sizes of the data caches that the kernel tells."""
    found: dict[str, int] = {}
    for folder in _folders(CACHES):
        try:
            level, kind, size = (_text(f"{folder}/{name}") for name in ("level", "type", "size"))
        except OSError:
            continue
        if kind != "Instruction" and size.endswith("K") and f"l{level}" in ("l1", "l2", "l3"):
            found[f"l{level}"] = int(size[:-1]) << 10
    return found


def _folders(path: str) -> list[str]:
    """Those of its caches, in no order; none where the kernel tells nothing."""
    try:
        return [f"{path}/{name}" for name in os.listdir(path) if name.startswith("index")]
    except OSError:
        return []


def _text(path: str) -> str:
    with open(path) as file:
        return file.read().strip()


def processor(name: str) -> str:
    """A processor by name; "host" is what HLO_CPU says, where it is set. Raises ArgumentError if that is none, or none
    of this machine's."""
    chosen: str = (CPU.value() or name) if name == "host" else name
    if name == "host" and chosen != "host" and TARGETS[chosen].architecture != host_architecture():
        here = ", ".join(names_of(host_architecture()))
        raise ArgumentError(
            f"HLO_CPU={chosen} is no processor of this machine, {host_architecture()}; there are {here}"
        )
    return chosen


def target(name: str = "host") -> Target:
    """A target by name: "host" or a row of the table; after a slash, for how many threads."""
    name, slash, threads = name.partition("/")
    found = _named(processor(name))
    return found._replace(threads=_number(threads)) if slash else found


def _named(name: str) -> Target:
    if name == "host":
        return host()
    if name.rstrip("af") in GPUS:
        return gpu_named(name)
    if name not in TARGETS:
        raise ArgumentError(f"unknown processor {name!r}; there are host, {', '.join(TARGETS)}")
    return TARGETS[name]


def _number(threads: str) -> int:
    if not (threads.isascii() and threads.isdecimal() and 1 <= int(threads) <= MOST_THREADS):
        raise ArgumentError(f"a processor is named with 1 to {MOST_THREADS} threads (avx2/1), found {threads!r}")
    return int(threads)


def single(machine: Target) -> Target:
    """The same with one thread."""
    return machine._replace(threads=1)
