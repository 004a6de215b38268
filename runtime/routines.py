"""Routines that programs call (`lowering/linalg/routine_calls.py`): compiled once a process, kept on disk, and added to the code of each program that calls one."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from mlir import ir

from hlo.lowering.finding import name_of
from hlo.lowering.linalg.routine_calls import PREFIX, is_routine
from hlo.runtime.engine import add_functions

NAME = re.compile(rb"\b" + PREFIX.encode() + rb"[a-z0-9_]+")


def routine_objects(objects: Iterable[bytes], cpu: str) -> list[bytes]:
    """The object files of the routines that object files call, and of those that these call."""
    made: dict[str, bytes] = {}
    waiting = _called(objects)
    while waiting:
        name = waiting.pop()
        made[name] = _object(name, cpu)
        waiting |= _called([made[name]]) - made.keys()
    return [made[name] for name in sorted(made)]


def _called(objects: Iterable[bytes]) -> set[str]:
    return {found.decode() for one in objects if PREFIX.encode() in one for found in NAME.findall(one)}


@functools.cache
def _object(name: str, cpu: str) -> bytes:
    from hlo.runtime import disk_cache
    from hlo.runtime.llvm_engine import object_of_text

    kept_as = disk_cache.digest(name.encode(), {"cpu": cpu})
    found = disk_cache.find_object(kept_as)
    if found is None:
        found = object_of_text(_text(name, cpu), cpu)
        disk_cache.keep_object(kept_as, found)
    return found


def _text(name: str, cpu: str) -> str:
    from hlo.lowering.memory.routine_emitter import routine_text

    return routine_text(name, cpu)


def add_routines(module: ir.Module, cpu: str) -> None:
    """The code of the routines that a module in the LLVM dialect declares, into the module itself."""
    while missing := [name_of(op) for op in module.body.operations if is_routine(op) and not len(op.regions[0].blocks)]:
        for name in missing:
            add_functions(module, _text(name, cpu))
