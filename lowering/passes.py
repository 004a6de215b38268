"""What a pass is: a frozen dataclass whose fields are its options (a pass without options needs no decorator for that), registered
under the kebab-case name of its file.

    @register_pass
    @dataclass(frozen=True)
    class InlineCalls(Pass):
        limit: int = 1000
        def run(self, module: ir.Module) -> None: ...

The same object serves `hlo-opt --inline-calls`, `--pass-pipeline='builtin.module(inline-calls{limit=5})'`
and `Phase(passes=[InlineCalls(limit=5)])`."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from importlib import import_module
from typing import ClassVar

from mlir import ir
from mlir.passmanager import PassManager

from hlo.errors import ArgumentError


@dataclass(frozen=True)
class Pass:
    """Base of every pass written in Python. `run` changes the module in place, whose context is the current one; it
    reports a user's mistake by raising HloError, after which the module is not used any more."""

    name: ClassVar[str] = ""

    def run(self, module: ir.Module) -> None:
        raise NotImplementedError


PASSES: dict[str, type[Pass]] = {}


def register_pass(cls: type[Pass]) -> type[Pass]:
    """Registers a pass under the kebab-case of the file that defines it."""
    name = cls.__module__.rsplit(".", 1)[-1].replace("_", "-")
    if PASSES.get(name, cls).__qualname__ != cls.__qualname__:
        raise ValueError(f"pass {name!r} is defined twice: one pass a file")
    cls.name = name
    PASSES[name] = cls
    return cls


def find_pass(name: str) -> type[Pass] | None:
    """The pass with this kebab-case name, or None; imports the files of that name and no other."""
    if name not in PASSES:
        for module in _modules().get(name, ()):
            import_module(module)
    return PASSES.get(name)


def pass_manager(context: ir.Context, pipeline: str) -> PassManager:
    """The context's pass manager for a pipeline of upstream passes, kept by the context: its passes gather their
    patterns at its first run. Whoever runs it says first whether it verifies. Raises ArgumentError for what is no
    pipeline."""
    kept = vars(context).setdefault("hlo_pass_managers", {})
    if pipeline not in kept:
        try:
            kept[pipeline] = PassManager.parse(pipeline, context)
        except ValueError as error:
            raise ArgumentError(f"pass pipeline {pipeline!r}: {error}") from None
    return kept[pipeline]


def load_all_passes() -> dict[str, type[Pass]]:
    """Imports every module of hlo.lowering, so that PASSES is complete; returns it. It takes half a second: pipelines ask `find_pass`."""
    for modules in _modules().values():
        for module in modules:
            import_module(module)
    return PASSES


@functools.cache
def _modules() -> dict[str, list[str]]:
    """The modules of hlo.lowering by the kebab-case of their files' names."""
    root = os.path.dirname(__file__)
    found: dict[str, list[str]] = {}
    for folder, _, files in os.walk(root):
        package = folder.replace(root, "hlo.lowering", 1).replace(os.sep, ".")
        for stem in (file[:-3] for file in sorted(files) if file.endswith(".py") and file != "__init__.py"):
            found.setdefault(stem.replace("_", "-"), []).append(f"{package}.{stem}")
    return found
