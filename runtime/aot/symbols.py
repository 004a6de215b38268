"""What an object file defines and needs."""

from __future__ import annotations

import struct
from collections.abc import Collection

from hlo.errors import CompileError
from hlo.lazy_dataclasses import dataclass
from hlo.runtime.elf.read import ObjectFile

LIBM = frozenset(
    f"{name}{suffix}"
    for suffix in ("", "f")
    for name in [
        "acos",
        "acosh",
        "asin",
        "asinh",
        "atan",
        "atan2",
        "atanh",
        "cbrt",
        "ceil",
        "copysign",
        "cos",
        "cosh",
        "erf",
        "erfc",
        "exp",
        "exp10",
        "exp2",
        "expm1",
        "fabs",
        "fdim",
        "floor",
        "fma",
        "fmax",
        "fmin",
        "fmod",
        "frexp",
        "hypot",
        "ldexp",
        "lgamma",
        "log",
        "log10",
        "log1p",
        "log2",
        "logb",
        "lround",
        "modf",
        "nearbyint",
        "nextafter",
        "pow",
        "remainder",
        "rint",
        "round",
        "scalbn",
        "sin",
        "sincos",
        "sinh",
        "sqrt",
        "tan",
        "tanh",
        "tgamma",
        "trunc",
    ]
)
LIBC = frozenset(
    [
        "memcpy",
        "memmove",
        "memset",
        "memcmp",
        "bzero",
        "__bzero",
        "malloc",
        "calloc",
        "realloc",
        "free",
        "aligned_alloc",
        "posix_memalign",
        "abort",
        "open",
        "close",
        "lseek",
        "mmap",
        "munmap",
        "sysconf",
        "getpid",
        "syscall",
        "sched_yield",
        "sched_getcpu",
        "sched_getaffinity",
        "sched_setaffinity",
        "clock_gettime",
        "sigfillset",
        "sigdelset",
        "pthread_create",
        "pthread_attr_init",
        "pthread_attr_setdetachstate",
        "pthread_attr_setstacksize",
        "pthread_attr_destroy",
        "pthread_sigmask",
        "pthread_self",
        "pthread_mutex_lock",
        "pthread_mutex_unlock",
        "pthread_cond_wait",
        "pthread_cond_broadcast",
    ]
)
LINKER = frozenset({"_GLOBAL_OFFSET_TABLE_"})
COMPILER = (
    "__aeabi_",
    "__divti3",
    "__udivti3",
    "__modti3",
    "__umodti3",
    "__multi3",
    "__ashlti3",
    "__lshrti3",
    "__fix",
    "__float",
    "__mul",
    "__div",
    "__gnu_",
)
"""How the names of functions begin that each C compiler links by itself (libgcc, compiler-rt)."""


@dataclass(frozen=True)
class Symbols:
    """Names. `needed`: by where they come from: "libc", "libm", "the C compiler", "the program" (custom calls), "LAPACK"."""

    defined: tuple[str, ...]
    needed: dict[str, tuple[str, ...]]

    def __str__(self) -> str:
        lines = [f"defines {name}" for name in self.defined]
        return "\n".join(
            [*lines, *(f"needs {name} ({where})" for where, names in self.needed.items() for name in names)]
        )


def symbols_of(data: bytes, own: Collection[str], lapack: Collection[str] = ()) -> Symbols:
    """What an object file has. `own`: names of custom calls; `lapack`: of LAPACK's functions. Raises CompileError for a
    name that no C program has."""
    defined, undefined = _of_elf(data) if data[:4] == b"\x7fELF" else _of_mach_o(data)
    needed: dict[str, list[str]] = {}
    for name in undefined:
        where = "LAPACK" if name in lapack else _origin(name, own)
        if where is None:
            raise CompileError(f"the object would need {name!r}, which is in no C library; please report this program")
        if where:
            needed.setdefault(where, []).append(name)
    return Symbols(tuple(defined), {where: tuple(names) for where, names in needed.items()})


def _origin(name: str, own: Collection[str]) -> str | None:
    if name in own:
        return "the program"
    if name in LINKER:
        return ""
    if name in LIBC:
        return "libc"
    if name in LIBM:
        return "libm"
    return "the C compiler" if name.startswith(COMPILER) else None


def _of_elf(data: bytes) -> tuple[list[str], list[str]]:
    file = ObjectFile(data)
    return file.defined(), file.undefined()


MACH_O_64 = 0xFEEDFACF
SYMBOL_TABLE = 2
"""LC_SYMTAB."""
EXTERNAL, TYPE, PRIVATE = 0x01, 0x0E, 0x10
"""Of n_type (mach-o/nlist.h)."""


def _of_mach_o(data: bytes) -> tuple[list[str], list[str]]:
    """Names without the underscore that C has before each."""
    magic, _, _, _, commands, _, _, _ = struct.unpack_from("<8I", data)
    if magic != MACH_O_64:
        raise CompileError("an object file expected")
    at = 32
    for _ in range(commands):
        kind, size = struct.unpack_from("<II", data, at)
        if kind == SYMBOL_TABLE:
            return _of_table(data, *struct.unpack_from("<4I", data, at + 8))
        at += size
    return [], []


def _of_table(data: bytes, at: int, count: int, strings: int, _: int) -> tuple[list[str], list[str]]:
    defined: list[str] = []
    undefined: list[str] = []
    for name, kind, _, _, _ in struct.iter_unpack("<IBBHQ", data[at : at + 16 * count]):
        if not kind & EXTERNAL:
            continue
        start = strings + name
        text = data[start : data.index(b"\0", start)].decode().removeprefix("_")
        (defined if kind & TYPE else undefined).append(text)
    return sorted(defined), sorted(set(undefined))
