"""interpreter.run_parallel: functions of a module as the processes of a grid."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

from hlo.dialect import interpreter
from hlo.dialect.locations import diagnostic
from hlo.dialect.process_grid import Grid
from hlo.errors import CompileError
from hlo.reference.table import evaluates
from hlo.reference.values import TOKEN
from hlo.runtime.grid.processes import run_processes


@evaluates(interpreter.RunParallelOp)
def evaluate_run_parallel(call, *inputs):
    """Inputs and results are those of all processes in a row, process after process. The functions of `infeed` run first;
    what the n-th gives is taken by the grid's n-th infeed."""
    grid = Grid(len(call.programs), len(call.programs[0]))
    names = [name for row in call.programs for name in row]
    fed = [[v for v in call.function(name, []) if v is not TOKEN] for name in call.infeed or ()]
    arguments = _arguments_of_processes(call, names, inputs)
    programs = [functools.partial(call.function, name, argument) for name, argument in zip(names, arguments)]
    return [value for results in run_processes(grid, programs, infeed=fed) for value in results]


def _arguments_of_processes(call: Any, names: Sequence[str], inputs: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """The arguments of each process."""
    start = 0
    for name in names:
        end = start + len(call.interpreter.functions[name].type.inputs)
        yield inputs[start:end]
        start = end
    if start != len(inputs):
        raise CompileError(diagnostic(call, f"the programs take {start} inputs, found {len(inputs)}"))
