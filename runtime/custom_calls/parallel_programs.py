"""interpreter.run_parallel in a compiled program: the functions that it names are programs of their own, compiled for the
grid, and the op is a custom call that runs them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from mlir import ir
from mlir.dialects import func

from hlo.dialect.interpreter import RunParallelOp
from hlo.dialect.process_grid import Grid
from hlo.dialect.process_groups import check_grid
from hlo.dialect.stablehlo import CreateTokenOp, CustomCallOp
from hlo.dialect.stablehlo.calls import find_function
from hlo.dialect.types import is_tensor
from hlo.lowering.replacing import replace
from hlo.lowering.stablehlo.collectives.grid_attributes import set_grid
from hlo.runtime.calls.executable import PARALLEL_PREFIX, Executable
from hlo.runtime.compile.entry_function import entry_only
from hlo.runtime.custom_calls.registry import TARGETS
from hlo.runtime.grid.grid_run import GridRunner

Build = Callable[[ir.Module, str], Executable]
"""Compiles a module whose program is the function of a name."""

_NUMBERS = itertools.count()
"""Of the targets: each belongs to one program, and is registered while that is made."""


@contextmanager
def parallel_programs(module: ir.Module, build: Build) -> Iterator[None]:
    """Replaces each run_parallel of several processes in the module; inside, its custom calls can be bound."""
    names = []
    try:
        for op in _parallel_ops(module):
            names.append(f"{PARALLEL_PREFIX}{next(_NUMBERS)}")
            TARGETS[names[-1]] = _run_programs(op, _runner(op, module, build))
            with module.context, ir.InsertionPoint(op), op.location:
                replace(op, _call(op, names[-1]))
        yield
    finally:
        for name in names:
            TARGETS.pop(name, None)


def _parallel_ops(module: ir.Module) -> list[RunParallelOp]:
    """Those of grids of more than one process; for one, call-programs has a simple call."""
    found: list[RunParallelOp] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == RunParallelOp.OPERATION_NAME and [len(row) for row in op.opview.programs] != [1]:
            found.append(op.opview)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found


def _runner(op: RunParallelOp, module: ir.Module, build: Build) -> GridRunner:
    grid = Grid(len(op.programs), len(op.programs[0]))
    names = [name for row in op.programs for name in row]
    compiled = {}
    for name in dict.fromkeys(names):
        alone = entry_only(module, name)
        check_grid(alone, grid)
        set_grid(alone, grid)
        compiled[name] = build(alone, name)
    return GridRunner([compiled[name] for name in names])


def _run_programs(op: RunParallelOp, runner: GridRunner) -> Callable[..., list[np.ndarray]]:
    """What the custom call does. It gets the arguments of all processes, then what the functions of `infeed` have given."""
    fed_counts = [_arrays_of(op, name) for name in op.infeed or ()]

    def run(*arrays: np.ndarray) -> list[np.ndarray]:
        given = iter(arrays)
        inputs = [p.inputs(list(itertools.islice(given, len(p.signature.arguments)))) for p in runner.programs]
        fed = [tuple(np.array(x) for x in itertools.islice(given, count)) for count in fed_counts]
        return [result for results in runner.run(inputs, fed) for result in results]

    return run


def _arrays_of(op: RunParallelOp, name: str) -> int:
    return sum(map(is_tensor, _function(op, name).type.results))


def _function(op: RunParallelOp, name: str) -> func.FuncOp:
    found = find_function(op, name)
    assert found is not None, "the verifier has looked for it"
    return found


def _call(op: RunParallelOp, target: str) -> list[ir.Value]:
    fed = [
        value for name in op.infeed or () for value in func.CallOp(_function(op, name).type.results, name, []).results
    ]
    arrays = [value for value in (*op.inputs, *fed) if is_tensor(value.type)]
    types = [r.type for r in op.outputs]
    made = CustomCallOp.create(
        *arrays, results=[t for t in types if is_tensor(t)], call_target_name=target, has_side_effect=True
    )
    results = iter(made.results)
    return [next(results) if is_tensor(t) else CreateTokenOp.create().results[0] for t in types]
