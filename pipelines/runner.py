"""Runs phases, and single passes of both kinds, on a module."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, Protocol

from mlir import ir

from hlo.dialect.locations import file_location
from hlo.dialect.one_thread import on_several_threads, use_one_thread
from hlo.environment import DUMP_TO
from hlo.errors import ArgumentError, CompileError, Diagnostic
from hlo.interruption import stop_if_asked
from hlo.lowering.finding import each, regions_of
from hlo.lowering.passes import Pass, pass_manager
from hlo.pipelines.legality import check_legality
from hlo.pipelines.needs import is_idle
from hlo.pipelines.phase import Phase
from hlo.stages import enter_stage

FEW_FUNCTIONS = 8
"""Up to so many functions with bodies, one thread is done before others have started."""


class PassObserver(Protocol):
    """Called around every pass."""

    def before(self, name: str, module: ir.Module) -> None: ...
    def after(self, name: str, module: ir.Module) -> None: ...


def run(
    module: ir.Module,
    phases: Sequence[Phase],
    *,
    stop_after: str | None = None,
    start_from: str | None = None,
    on_phase: Callable[[str, ir.Module], None] | None = None,
    on_pass: PassObserver | None = None,
) -> None:
    """Runs the phases in order, in place; after each one checks that only legal ops are left.

    `stop_after`: the last phase that runs. `start_from`: the module is what this phase left, which is checked; those
    after it run. `on_phase(name, module)` is called after each phase. Raises CompileError with all findings of the
    first pass or check that fails; the module is not usable then. Where HLO_DUMP_TO names a folder, the module is
    written there before the first phase and after each."""
    _check_module(module)
    if not isinstance(phases, (list, tuple)) or not all(isinstance(p, Phase) for p in phases):
        raise ArgumentError(f"phases are a list such as hlo.pipelines.cpu(), found {phases!r}")
    if start_from is not None:
        check_legality(module, phases[_position(phases, start_from)])
    dump = _dump(module, [phase.name for phase in phases])
    for phase in phases[_first(phases, start_from) : _last(phases, stop_after)]:
        for item in phase.passes:
            stop_if_asked()
            enter_stage(phase.name, item)
            _run_observed(module, item, on_pass)
        _verify(module, phase)
        check_legality(module, phase)
        if dump:
            dump(phase.name, module)
        if on_phase:
            on_phase(phase.name, module)


def _dump(module: ir.Module, names: list[str]) -> Callable[[str, ir.Module], None] | None:
    """What writes the phases where HLO_DUMP_TO says; the code for it is not loaded otherwise."""
    if not DUMP_TO.value():
        return None
    from hlo.pipelines.dump import dump_of_environment

    return dump_of_environment(module, names)


def run_pass(module: ir.Module, item: Pass | str, verify: bool = True) -> None:
    """Runs one pass: a `Pass`, the text of a pass with options, or a pipeline ("builtin.module(...)").

    `verify`: whether upstream passes check the module they leave (a tenth of the compile time of a large program)."""
    _check_module(module)
    if not isinstance(item, (Pass, str)):
        raise ArgumentError(f"a pass is an object of a class of passes, or a text, found {item!r}")
    if isinstance(item, str) and not verify and is_idle(module, item):
        return
    for one in resolve(item):
        if isinstance(one, Pass):
            with module.context:
                one.run(module)
        else:
            _run_upstream(module, one, verify)


def _check_module(module: Any) -> None:
    if not isinstance(module, ir.Module):
        raise ArgumentError(f"a module expected, found {type(module).__name__}")


def resolve(item: Pass | str) -> tuple[Pass | str, ...]:
    """Python passes by name become objects; what is left is upstream pipeline text."""
    return (item,) if isinstance(item, Pass) else _parsed(item)


@functools.cache
def _parsed(text: str) -> tuple[Pass | str, ...]:
    from hlo.pipelines.parser import parse_pass, parse_pipeline

    return tuple(parse_pipeline(text)) if text.startswith("builtin.module(") else (parse_pass(text),)


def _run_observed(module: ir.Module, item: Pass | str, observer: PassObserver | None) -> None:
    if observer is None:
        run_pass(module, item, verify=False)
        return
    from hlo.pipelines.parser import pass_name, single_passes

    for one in single_passes(list(resolve(item))):
        observer.before(pass_name(one), module)
        run_pass(module, one)
        observer.after(pass_name(one), module)


def _verify(module: ir.Module, phase: Phase) -> None:
    use_one_thread(module.context)
    try:
        module.operation.verify()
    except ir.MLIRError as error:
        raise CompileError(*(_finding(d, f"phase {phase.name}") for d in error.error_diagnostics)) from None


def _run_upstream(module: ir.Module, text: str, verify: bool) -> None:
    use_one_thread(module.context)
    several = not verify and _has_many_functions(module)
    with module.context:
        manager = pass_manager(
            module.context, text if text.startswith("builtin.module(") else f"builtin.module({text})"
        )
        manager.enable_verifier(verify)
        try:
            with on_several_threads(module.context) if several else nullcontext():
                manager.run(module.operation)
        except ir.MLIRError as error:
            raise CompileError(*(_finding(d, text) for d in error.error_diagnostics)) from None


def _has_many_functions(module: ir.Module) -> bool:
    """Declarations of routines, which small programs have several of, are nothing that a pass works on."""
    ops = module.body.operations
    if len(ops) <= FEW_FUNCTIONS:
        return False
    return sum(any(len(region.blocks) for region in regions_of(op)) for op in each(ops)) > FEW_FUNCTIONS


def _finding(found: Any, text: str) -> Diagnostic:
    message = f"{found.message} (in {text})"
    location = file_location(found.location)
    return (
        Diagnostic(message, str(location.filename), location.start_line, location.start_col)
        if location
        else Diagnostic(message)
    )


def _first(phases: Sequence[Phase], start_from: str | None) -> int:
    return 0 if start_from is None else _position(phases, start_from) + 1


def _last(phases: Sequence[Phase], stop_after: str | None) -> int:
    return len(phases) if stop_after is None else _position(phases, stop_after) + 1


def _position(phases: Sequence[Phase], name: str) -> int:
    names = [p.name for p in phases]
    if name not in names:
        raise ArgumentError(f"no phase {name!r}; phases: {', '.join(names)}")
    return names.index(name)
