"""What object files are made for: systems by their triples, and processors of the table of targets."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hlo.errors import ArgumentError
from hlo.host import architecture_of, host_architecture
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.target import (
    FEATURES,
    TARGETS,
    host_name,
    names_of,
    target,
)
from hlo.runtime.compile.object_files import Machine, machine_named

LINUX, MACOS = "linux", "macos"


@dataclass(frozen=True)
class Platform:
    """`name`: the triple as users write it; `triple`: as LLVM does. `processors` (1234 for `sysconf`): the number that asks how many
    processors are online."""

    name: str
    triple: str
    system: str
    pointer_bits: int = 64

    @property
    def architecture(self) -> str:
        return architecture_of(self.triple)

    @property
    def is_here(self) -> bool:
        """Whether this machine runs its programs."""
        return self.system == here_system() and self.architecture == host_architecture()


PLATFORMS = {
    p.name: p
    for p in (
        Platform("x86_64-linux-gnu", "x86_64-unknown-linux-gnu", LINUX),
        Platform("aarch64-linux-gnu", "aarch64-unknown-linux-gnu", LINUX),
        Platform("armv7-linux-gnueabihf", "armv7-unknown-linux-gnueabihf", LINUX, 32),
        Platform("x86_64-apple-macos", "x86_64-apple-macosx13.0.0", MACOS),
        Platform("arm64-apple-macos", "arm64-apple-macosx13.0.0", MACOS),
    )
}


CONSTRUCTORS = {LINUX: ".init_array", MACOS: "__DATA,__mod_init_func,mod_init_funcs"}
"""The section of addresses of functions that run when a program is loaded. (LLVM's C API would write the older .ctors on Linux.)"""


def constructor_text(function: str, system: str) -> str:
    """LLVM IR that has a function run when the program is loaded."""
    return f"""
@{function}.address = internal global ptr @{function}, section "{CONSTRUCTORS[system]}"
@llvm.used = appending global [1 x ptr] [ptr @{function}.address], section "llvm.metadata"
"""


def here_system() -> str:
    return MACOS if platform.system() == "Darwin" else LINUX


def platform_named(name: Any) -> Platform:
    """The platform of a triple; None is this machine's. Raises ArgumentError for one that is not in the table."""
    if name is None:
        found = [p for p in PLATFORMS.values() if p.is_here]
        if not found:
            raise ArgumentError(f"this machine, {host_architecture()}, has no triple; there are {', '.join(PLATFORMS)}")
        return found[0]
    if name not in PLATFORMS:
        raise ArgumentError(f"unknown triple {name!r}; there are {', '.join(PLATFORMS)}")
    return PLATFORMS[name]


@dataclass(frozen=True)
class Level:
    """One version of the code: the target that kernels are written for (its name, after a slash the threads), and LLVM's machine."""

    name: str
    target: str
    machine: Machine


def levels(chosen: Any, features: Any, where: Platform, threads: int) -> list[Level]:
    """The versions that `cpu` names, the one that needs least first. Raises ArgumentError for what the architecture does not have."""
    if not isinstance(chosen, str) or not isinstance(features, str):
        raise ArgumentError(f"cpu and features are texts such as 'avx2' and '+fma', found {chosen!r} and {features!r}")
    names = [name.strip() for name in chosen.split(",")]
    known = names_of(where.architecture)
    for name in names:
        _check_name(name, names, known, where)
    extra = _features(features, where.architecture)
    ordered = sorted(names, key=lambda n: -known.index(n) if n in known else -len(known))
    if "baseline" in ordered and "baseline" not in known:
        ordered = [known[-1]]
    for name in ordered[1:]:
        _check_asked_for(name)
    return [_level(name, extra, where, threads) for name in ordered]


def _check_name(name: str, names: Sequence[str], known: Sequence[str], where: Platform) -> None:
    if names.count(name) > 1:
        raise ArgumentError(f"cpu names {name!r} twice")
    if name == "host":
        if not where.is_here:
            raise ArgumentError(f"cpu='host' is this machine's processor, which does not run code for {where.name}")
        if len(names) > 1:
            raise ArgumentError(
                "cpu='host' is one version; several are named by the table's rows, found " + ", ".join(names)
            )
    elif name not in known and name != "baseline":
        raise ArgumentError(
            f"unknown cpu {name!r} for {where.name}; there are {', '.join(dict.fromkeys([*known, 'baseline', 'host']))}"
        )
    if len(names) > 1 and name not in known:
        raise ArgumentError(f"{where.name} has one version of code, {known[-1]}; found {', '.join(names)}")


def _check_asked_for(name: str) -> None:
    """Raises ArgumentError for a target of which an object with several versions cannot tell whether the processor is one."""
    from hlo.runtime.aot.levels import BITS

    if name not in BITS:
        raise ArgumentError(
            f"cpu: an object cannot tell whether a processor is {name!r}; it can for {', '.join(BITS)} "
            "(BITS of runtime/aot/levels.py)"
        )


def _features(text: str, architecture: str) -> tuple[str, ...]:
    found = tuple(part.strip() for part in text.split(",") if part.strip())
    known = FEATURES[architecture]
    for one in found:
        if one[0] not in "+-" or one[1:] not in known:
            raise ArgumentError(f"unknown feature {one!r} for {architecture}; + or - before one of {', '.join(known)}")
    return found


def _level(name: str, extra: tuple[str, ...], where: Platform, threads: int) -> Level:
    here = machine_named(name)
    text = ",".join([*filter(None, [here.features]), *extra])
    return Level(
        host_name() if name == "host" else name, f"{name}/{threads}", replace(here, triple=where.triple, features=text)
    )


__all__ = ["LINUX", "MACOS", "PLATFORMS", "TARGETS", "Level", "Platform", "levels", "platform_named", "target"]
