"""Routines that programs call (`lowering/linalg/routine_calls.py`): compiled once a process, kept on disk, and added to
the code of each program that calls one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from mlir import ir

from hlo.lowering.finding import name_of
from hlo.lowering.linalg.routine_calls import PREFIX, is_routine
from hlo.runtime.compile.engine import add_functions
from hlo.runtime.compile.object_files import ASSEMBLY, OBJECT
from hlo.runtime.compile.split_module import one_by_one

NAME = re.compile(PREFIX.encode() + rb"(?<!\w" + PREFIX.encode() + rb")[a-z0-9_.-]+")
"""Begins with letters, which are searched for at once: `\\b` in front of them would be tried at each byte of the code."""


def routine_objects(objects: Iterable[bytes], cpu: str) -> list[bytes]:
    """The object files of the routines that object files call, and of those that these call."""
    return _with_callees(objects, lambda names: _objects(names, cpu))


def routine_assembly(code: bytes, cpu: str) -> list[bytes]:
    """The same as assembly, of what assembly calls."""
    return _with_callees([code], lambda names: _made(names, cpu, ASSEMBLY))


def _with_callees(callers: Iterable[bytes], made_of: Callable[[list[str]], dict[str, bytes]]) -> list[bytes]:
    made: dict[str, bytes] = {}
    waiting: set[str] = set().union(*map(routines_in, callers))
    while waiting:
        found = made_of(sorted(waiting))
        made.update(found)
        waiting = set().union(*map(routines_in, found.values())) - made.keys()
    return [made[name] for name in sorted(made)]


def routines_in(code: bytes) -> set[str]:
    """The routines whose names are in object files or assembly."""
    return {name.decode() for name in NAME.findall(code)} if PREFIX.encode() in code else set()


_known: dict[tuple[str, str], bytes] = {}
"""The object files of this process, by name and processor."""


def _objects(names: list[str], cpu: str) -> dict[str, bytes]:
    """From memory, from disk, or made."""
    from hlo.runtime.saved import disk_cache

    kept_as = {name: disk_cache.digest(name.encode(), {"cpu": cpu}) for name in names if (name, cpu) not in _known}
    found = {name: one for name, key in kept_as.items() if (one := disk_cache.find_object(key)) is not None}
    made = _made([name for name in kept_as if name not in found], cpu)
    for name, one in made.items():
        disk_cache.keep_object(kept_as[name], one)
    _known.update({(name, cpu): one for name, one in {**found, **made}.items()})
    return {name: _known[name, cpu] for name in names}


def _made(names: list[str], cpu: str, kind: int = OBJECT) -> dict[str, bytes]:
    if not names:
        return {}
    from hlo.lowering.memory.routine_emitter import of_routines
    from hlo.runtime.compile.llvm_engine import code_of_text, compiled

    made: dict[str, bytes] = {}
    groups, others = _groups(names)
    for group in groups:
        codes = of_routines(group, cpu, lambda module: compiled(one_by_one(module), cpu, kind))
        made.update(zip(group, codes, strict=True))
    return made | {name: code_of_text(_text(name, cpu), cpu, kind) for name in others}


def _groups(names: list[str]) -> tuple[list[list[str]], list[str]]:
    """Names whose functions call no other, those of a kind together, and the other names."""
    from hlo.lowering.llvm.math.large_angles import is_of_angles

    angles, others = _parted(names, is_of_angles)
    if not others:
        return [angles], []
    from hlo.lowering.vector.contraction.routines import is_named

    contractions, others = _parted(others, is_named)
    return [group for group in (angles, contractions) if group], others


def _parted(names: list[str], is_first: Callable[[str], bool]) -> tuple[list[str], list[str]]:
    return [name for name in names if is_first(name)], [name for name in names if not is_first(name)]


def _text(name: str, cpu: str) -> str:
    from hlo.lowering.memory.routine_emitter import routine_text

    return routine_text(name, cpu)


def add_routines(module: ir.Module, cpu: str) -> None:
    """The code of the routines that a module in the LLVM dialect declares, into the module itself."""
    while missing := [name_of(op) for op in module.body.operations if is_routine(op) and not len(op.regions[0].blocks)]:
        for name in missing:
            add_functions(module, _text(name, cpu))
