"""Targets: where programs run. One registration says all that the compiler, the executables and the command lines know of one.

    hlo.register_target(hlo.Target("mine", pipeline=my_phases))        # runs as the CPU's code does
    hlo.compile(program, target="mine")                                 # also hlo-run and hlo-opt with --load-pass=FILE.py --target=mine

A function may be given as "module:function", which is imported when it is first needed: a saved program runs without the compiler."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from importlib import import_module
from typing import Any

from hlo.errors import ArgumentError, CompileError
from hlo.lazy_dataclasses import dataclass

Function = Callable[..., Any] | str


@dataclass(frozen=True)
class Target:
    """`pipeline(**options)`: a fresh list of phases; None for a target that interprets programs.
    `load(module, signature, phases=, **options)`: an executable of what the last phase left.
    `interpret(module, entry, grid=)`: an executable of a program that was only read.

    `options`: the keyword options of `hlo.compile`, with their defaults; `pipeline_options`: those that the pipeline
    takes, with their names there (the others are for `load`, which gets all). `runs_grids`: whether it runs programs of
    several processes. `read_saved(header, blobs, threads)`: an executable of a saved program's parts (those of hlo's
    own targets are in runtime/saved/load_file.py). `decides`: the phase after which `remarks(module)` tell decisions;
    `texts`: what else the last phase's module can be printed as."""

    name: str
    pipeline: Function | None
    load: Function = "hlo.runtime.compile.loader:load"
    interpret: Function | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    pipeline_options: Mapping[str, str] = field(default_factory=dict)
    runs_grids: bool = False
    read_saved: Function | None = None
    decides: str = ""
    remarks: Function | None = None
    texts: Mapping[str, Function] = field(default_factory=dict)

    def phases(self, options: Mapping[str, Any] | None = None) -> list[Any]:
        """Fresh phases, with those of the options of `hlo.compile` that the pipeline takes. Raises CompileError where there are none."""
        if self.pipeline is None:
            raise CompileError(f"target {self.name!r} has no phases: it interprets programs as they are read")
        given = options or {}
        return call(self.pipeline, **{key: given[name] for name, key in self.pipeline_options.items() if name in given})


def call(function: Function, *arguments: Any, **options: Any) -> Any:
    """Calls a function, or what "module:function" names."""
    if isinstance(function, str):
        module, _, name = function.partition(":")
        function = getattr(import_module(module), name)
    assert not isinstance(function, str)
    return function(*arguments, **options)


_TARGETS: dict[str, Target] = {}


def register_target(target: Target) -> Target:
    """Makes a target known by its name; a later one of the same name replaces it, but none that hlo brings. Raises ArgumentError."""
    if not isinstance(target, Target):
        raise ArgumentError(f"register_target takes a hlo.Target, found {type(target).__name__}")
    if not isinstance(target.name, str) or not target.name.isidentifier():
        raise ArgumentError(f"the name of a target is a word of letters, digits and '_', found {target.name!r}")
    if target.name in BUILT_IN:
        raise ArgumentError(f"target {target.name!r} is one of hlo's own; choose another name")
    if target.pipeline is None and target.interpret is None:
        raise ArgumentError(f"target {target.name!r} needs a pipeline, or a function that interprets programs")
    _TARGETS[target.name] = target
    return target


def find_target(name: Any) -> Target:
    """The target of a name. Raises ArgumentError for what is no name, CompileError for one that is not registered."""
    if not isinstance(name, str):
        raise ArgumentError(f"target takes the name of a target such as 'cpu', found {name!r}")
    if name not in _TARGETS:
        raise CompileError(f"unknown target {name!r}; targets: {', '.join(_TARGETS)}")
    return _TARGETS[name]


def target_names() -> tuple[str, ...]:
    """In the order of registration; hlo's own come first."""
    return tuple(_TARGETS)


BUILT_IN: tuple[str, ...] = ()
for _target in (
    Target(
        "cpu",
        pipeline="hlo.pipelines.cpu:cpu",
        options={"engine": "llvm", "cpu": "host", "donate": (), "threads": None, "profile": False, "tune": None},
        pipeline_options={"cpu": "processor", "profile": "profile"},
        runs_grids=True,
        decides="kernels",
        remarks="hlo.lowering.kernels.remarks:kernel_remarks",
    ),
    Target(
        "gpu",
        pipeline="hlo.pipelines.gpu:gpu",
        load="hlo.runtime.gpu.loader:load",
        options={"device": "cuda", "arch": "card"},
        pipeline_options={"arch": "arch", "device": "device"},
        decides="memory",
        remarks="hlo.lowering.gpu.remarks:launch_remarks",
        texts={"ptx": "hlo.lowering.gpu.ptx:ptx_of"},
    ),
    Target("reference", pipeline=None, interpret="hlo.reference.executable:ReferenceExecutable", runs_grids=True),
):
    register_target(_target)
BUILT_IN = target_names()
"""The names of the targets that hlo brings: every process knows them."""
