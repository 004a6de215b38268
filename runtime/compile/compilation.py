"""Compiling a program with a target's pipeline."""

from __future__ import annotations

import functools
import itertools
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mlir import ir

from hlo import pipelines
from hlo.dialect.printer import print_module
from hlo.dialect.process_grid import Grid
from hlo.dialect.process_groups import check_grid, grid_of, refuse_shardings
from hlo.environment import DUMP_TO
from hlo.errors import ArgumentError, CompileError
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.finding import ops_named
from hlo.lowering.stablehlo.collectives.grid_attributes import set_grid
from hlo.lowering.stablehlo.shapes.specialize_shapes import has_dynamic_arguments, resolve_shapes
from hlo.runtime.calls.donation import read_donation
from hlo.runtime.compile.deep_recursion import DEEP_RECURSION
from hlo.runtime.compile.entry_function import entry_only, function_named
from hlo.runtime.compile.progress import CODE, Progress
from hlo.runtime.compile.read_signature import signature_of
from hlo.runtime.compile.size_limits import check_sizes
from hlo.runtime.profile.rows import PhaseTime
from hlo.runtime.threads.count import number_of_threads
from hlo.stages import enter_stage
from hlo.targets import Target, call, find_target

if TYPE_CHECKING:  # what few programs need is imported where it is needed
    from hlo.pipelines.phase import Phase
    from hlo.reference.executable import ReferenceExecutable
    from hlo.runtime.calls.dynamic import DynamicExecutable
    from hlo.runtime.calls.executable import Executable
    from hlo.runtime.calls.signature import Signature
    from hlo.runtime.grid.sharded import ShardedExecutable


def compile_program(
    read: Callable[[], ir.Module],
    target: Any,
    entry: str,
    pipeline: Any,
    keep_phases: bool,
    options: dict[str, Any],
    sizes: tuple[Any, Any] = (None, None),
) -> Executable | DynamicExecutable | ReferenceExecutable | ShardedExecutable:
    """What `hlo.compile` does for a program that is not on disk; `read` gives its module. `sizes`: num_replicas and
    num_partitions."""
    program = read()
    if has_shardings(program):
        from hlo.runtime.grid.sharded import compile_sharded

        def compile_rest(module: ir.Module) -> Any:
            return compile_program(lambda: module, target, entry, pipeline, keep_phases, options, sizes)

        return compile_sharded(program, entry, sizes, compile_rest)
    made_for = find_target(target)
    chosen = _options(made_for, options)
    if made_for.interpret is not None:
        return _interpreted(made_for, program, entry, sizes)
    phases = made_for.phases(chosen) if pipeline is None else _phases(pipeline)
    compiler = Compiler(made_for, _tuned(phases, chosen), chosen, keep_phases)
    module = entry_only(program, entry)
    grid = checked_grid(module, made_for, sizes)
    if grid.size > 1:
        set_grid(module, grid)
    if has_dynamic_arguments(function_named(module, entry)):
        if grid.size > 1:
            raise CompileError(f"a program for a grid of {grid} processes must have arguments of static shapes")
        from hlo.runtime.calls.dynamic import DynamicExecutable

        return DynamicExecutable(
            entry, functools.partial(entry_only, module, entry), functools.partial(compiler.build, entry=entry)
        )
    resolve_shapes(module)
    return compiler.build(module, entry)


@dataclass(frozen=True)
class Compiler:
    """A target's phases and options, by which programs of static shapes are compiled. `keep_phases`: executables have
    the text of each phase."""

    target: Target
    phases: list[Phase]
    options: dict[str, Any]
    keep_phases: bool

    def build(self, module: ir.Module, entry: str) -> Executable:
        """The executable of a module, which is changed; of the programs that it calls, too. Raises CompileError."""
        check_sizes(module)
        if not (self.target.runs_grids and _runs_programs(module)):
            return self._build_alone(module, entry)
        from hlo.runtime.custom_calls.parallel_programs import parallel_programs

        with parallel_programs(module, self.build):
            return self._build_alone(module, entry)

    def _build_alone(self, module: ir.Module, entry: str) -> Executable:
        texts: dict[str, str] = {}
        times = [("", time.perf_counter_ns())]

        def after(name: str, reached: ir.Module) -> None:
            progress.done(name)
            times.append((name, time.perf_counter_ns()))
            if self.keep_phases:
                texts[name] = print_module(reached)

        signature, options = self._prepared(module, entry)
        with DEEP_RECURSION, Progress([*(phase.name for phase in self.phases), CODE], sys.stderr) as progress:
            pipelines.run(module, self.phases, on_phase=after)
            enter_stage(CODE)
            try:
                made = call(self.target.load, module, signature, phases=texts, **options)
                if hasattr(made, "compile_phases"):
                    made.compile_phases = _phases_of([*times, (CODE, time.perf_counter_ns())])
                return made
            except MemoryError as error:
                raise CompileError(f"not enough memory for the program's constants: {error}") from None

    def _prepared(self, module: ir.Module, entry: str) -> tuple[Signature, dict[str, Any]]:
        """The program's signature, and the options that its loader takes; donated arguments are written on the module."""
        function = function_named(module, entry)
        signature = signature_of(function)
        options = {name: value for name, value in self.options.items() if name not in ("donate", "tune")}
        if "donate" in self.options:
            options["donation"] = read_donation(function, self.options["donate"], signature)
            _set_donated(module, options["donation"].arguments)
        return signature, options


def _runs_programs(module: ir.Module) -> bool:
    with module.context:
        return bool(ops_named(module, ("interpreter.run_parallel",)))


def _phases_of(ends: list[tuple[str, int]]) -> tuple[PhaseTime, ...]:
    """From the moments at which phases ended."""
    return tuple(PhaseTime(name, start, (end - start) * 1e-9) for (_, start), (name, end) in itertools.pairwise(ends))


def _tuned(phases: list[Phase], options: dict[str, Any]) -> list[Phase]:
    """With the phase that searches for schedules, where the option `tune` asks for one."""
    if options.get("tune") is None:
        return phases
    from hlo.runtime.tuning.phase import Machine, with_tuning

    return with_tuning(phases, options["tune"], Machine(options["cpu"], number_of_threads(options["threads"])))


def _refusal(grid: Grid, target: str) -> str:
    return (
        f"a grid of {grid} processes is not supported by target {target!r}: it runs one process on one device and has no "
        "collectives between devices; 'cpu' and 'reference' run grids"
    )


def has_shardings(module: ir.Module) -> bool:
    """Whether a program says how arrays are cut over several devices. Strings count where mhlo.num_partitions is not 1: without it,
    they say how many devices there are."""
    if any(op.operation.name == "sdy.mesh" for op in module.body.operations):
        return True
    says = "mhlo.num_partitions" in module.operation.attributes
    if says and grid_of(module, None, None).num_partitions == 1:
        return False
    from hlo.lowering.stablehlo.sharding.import_shardings import has_strings, has_strings_for_several

    return has_strings(module) if says else has_strings_for_several(module)


def _set_donated(module: ir.Module, numbers: tuple[int, ...]) -> None:
    with module.context:
        module.operation.attributes["hlo.donated"] = ir.DenseI64ArrayAttr.get(numbers)


def checked_grid(module: ir.Module, target: Target, sizes: tuple[Any, Any]) -> Grid:
    """The grid of a program whose collectives fit it. Raises CompileError where the target runs no grids."""
    grid = grid_of(module, *sizes)
    if grid.size > 1:
        refuse_shardings(module)
        check_grid(module, grid)
        if not target.runs_grids:
            raise CompileError(_refusal(grid, target.name))
    return grid


def _interpreted(target: Target, program: ir.Module, entry: str, sizes: tuple[Any, Any]) -> ReferenceExecutable:
    assert target.interpret is not None
    module = entry_only(program, entry)
    check_sizes(module)
    grid = checked_grid(module, target, sizes)
    if DUMP_TO.value():
        from hlo.pipelines.dump import dump_of_environment

        dump_of_environment(module, [])
    return call(target.interpret, module, entry, grid=grid)


def _phases(pipeline: Any) -> list[Phase]:
    from hlo.pipelines.phase import Phase

    if not isinstance(pipeline, (list, tuple)) or not all(isinstance(phase, Phase) for phase in pipeline):
        raise ArgumentError(f"pipeline takes a list of phases such as hlo.pipelines.cpu(), found {pipeline!r}")
    return list(pipeline)


def _options(target: Target, options: dict[str, Any]) -> dict[str, Any]:
    for name in options:
        if name not in target.options:
            known = f"options: {', '.join(target.options)}" if target.options else "it has none"
            raise ArgumentError(f"unknown option {name!r} for target {target.name!r}; {known}")
    for name, value in options.items():
        if isinstance(target.options[name], str) and not isinstance(value, str):
            raise ArgumentError(f"{name} takes a name such as {target.options[name]!r}, found {value!r}")
        if isinstance(target.options[name], bool) and not isinstance(value, bool):
            raise ArgumentError(f"{name} takes True or False, found {value!r}")
    chosen = {**target.options, **options}
    if "threads" in chosen:
        number_of_threads(chosen["threads"])  # refuses a wrong one before anything is compiled
    if chosen.get("arch") == "card":
        from hlo.runtime.gpu.devices import arch_of

        chosen["arch"] = arch_of(chosen["device"])
    return chosen
