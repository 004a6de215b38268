"""Compiles a program and keeps what its page shows."""

from __future__ import annotations

import time
from dataclasses import field
from typing import Any

from mlir import ir

from hlo.dialect.collective_traffic import Collective, collectives_of
from hlo.dialect.process_grid import Grid
from hlo.errors import CompileError, Diagnostic, HloError
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.stablehlo.collectives.grid_attributes import set_grid
from hlo.pipelines import run, target_pipeline
from hlo.pipelines.runner import run_pass
from hlo.runtime.compile.compilation import checked_grid, has_shardings
from hlo.runtime.grid.sharded import entry_with_meshes, partitioned
from hlo.targets import find_target
from hlo.tools.view.history import History
from hlo.tools.view.kernels import EMITTERS, Kernel, kernels_of, remarks_of
from hlo.tools.view.machine_code import cpu_code, gpu_code
from hlo.tools.view.memory import memory_plans
from hlo.tools.view.origins import NumberedOps, Ops

DECIDES = {"cpu": "kernels", "gpu": "memory"}
"""By target, the phase after which remarks tell what was decided."""


@dataclass
class Compilation:
    """What became of a program. `remarks`: at numbered ops. `grid`: of the processes that run it; `collectives`: by the
    numbers of ops, what each process sends."""

    target: str
    numbered: NumberedOps
    history: History
    kernels: list[Kernel] = field(default_factory=list)
    remarks: list[Diagnostic] = field(default_factory=list)
    memory: list[dict[str, Any]] = field(default_factory=list)
    grid: Grid = field(default_factory=Grid)
    collectives: list[tuple[Ops, Collective]] = field(default_factory=list)


Sizes = tuple[int | None, int | None]


def compile_watched(
    program: ir.Module, target: str, entry: str, options: dict[str, str], sizes: Sizes = (None, None)
) -> Compilation:
    """Runs the target's pipeline on a copy of the program. `options`: of the pipeline (cpu: processor, gpu: arch).
    `sizes`: num_replicas and num_partitions, where they are not those of the program; of a program for several
    processes it is the program of one. Raises CompileError as `hlo.compile` does, and for programs of dynamic
    shapes."""
    from hlo.lowering.merging import watch_merges

    module = entry_with_meshes(program, entry)
    phases = target_pipeline(target, **options)
    numbered = NumberedOps(module)
    made = Compilation(target, numbered, History(numbered))
    made.history.add_module("input", "the program", 0.0, module)
    try:
        module = _of_one_process(made, module, entry, sizes)
        with watch_merges(numbered.merge):
            run(module, phases, on_pass=_Watcher(made), on_phase=_after_phase(made))
    except HloError as error:
        raise numbered.restored(error) from None
    code = cpu_code(module, numbered) if target == "cpu" else gpu_code(module, numbered)
    made.history.add("code", "assembly" if target == "cpu" else "PTX", 0.0, code, anew=True)
    return made


def _of_one_process(made: Compilation, module: ir.Module, entry: str, sizes: Sizes) -> ir.Module:
    """The program of one process, of static shapes; for a program with shardings that is a step."""
    from hlo.lowering.stablehlo.shapes.specialize_shapes import has_dynamic_arguments, resolve_shapes
    from hlo.runtime.compile.entry_function import function_named
    from hlo.runtime.compile.size_limits import check_sizes

    if has_shardings(module):
        start = time.perf_counter()
        module = partitioned(module, entry, sizes)
        run_pass(module, "remove-shardings")
        made.history.add_module("partition", "the program of one process", time.perf_counter() - start, module)
    if has_dynamic_arguments(function_named(module, entry)):
        raise CompileError("the program has arguments of dynamic shapes; there is no code before their sizes are known")
    resolve_shapes(module)
    check_sizes(module)
    made.grid = checked_grid(module, find_target(made.target), sizes)
    if made.grid.size > 1:
        set_grid(module, made.grid)
        ops_of = made.numbered.ops_of
        made.collectives = [(ops_of(op.location), one) for op, one in collectives_of(module, made.grid)]
    return module


def _after_phase(made: Compilation) -> Any:
    def after(phase: str, module: ir.Module) -> None:
        made.history.ends_phase(phase, module)
        if phase == DECIDES[made.target]:
            made.remarks = remarks_of(module, made.target)
        if phase == "memory":
            made.memory = memory_plans(module)

    return after


@dataclass
class _Watcher:
    """The history's, with a look at the kernels before their code is written."""

    made: Compilation
    computed: dict[str, Ops] = field(default_factory=dict)
    """By the name of a function, the ops that it computes."""

    def before(self, name: str, module: ir.Module) -> None:
        if name.startswith(EMITTERS):
            self.made.kernels = kernels_of(module)
            self.computed = {_symbol(f): self._computed(f) for f in _functions(module)}
        self.made.history.before(name, module)

    def after(self, name: str, module: ir.Module) -> None:
        if name.startswith(EMITTERS):
            for function in _functions(module):
                ops = self.computed.get(_symbol(function).partition(".")[0])
                if ops:
                    self._locate(function, self.made.numbered.location_of(ops))
        self.made.history.after(name, module)

    def _computed(self, function: ir.Operation) -> Ops:
        ops_of = self.made.numbered.ops_of
        return tuple(n for block in function.regions[0].blocks for op in block.operations for n in ops_of(op.location))

    def _locate(self, function: ir.Operation, location: ir.Location) -> None:
        """Code that comes from a library of texts has no locations: it computes what its kernel does."""

        def visit(op: ir.Operation) -> ir.WalkResult:
            if not self.made.numbered.ops_of(op.location):
                op.location = location
            return ir.WalkResult.ADVANCE

        function.walk(visit)


def _functions(module: ir.Module) -> list[ir.Operation]:
    return [op.operation for op in module.body.operations if op.operation.name == "func.func"]


def _symbol(function: ir.Operation) -> str:
    return ir.StringAttr(function.attributes["sym_name"]).value
