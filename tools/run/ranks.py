"""`mpirun -n N hlo-run --grid=mpi`: each rank runs its processes of the grid; the first one prints, writes or compares what all give."""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
from collections.abc import Iterator
from typing import Any

from hlo.tools.run.grid import compare_grid, read_arguments, repeat_grid, tell_results
from hlo.tools.run.values import compare_with_file


def run_ranks(executable: Any, options: argparse.Namespace, program: Any) -> int:
    """Inputs are those of all processes in a row, as for a grid in one process: each rank reads all and uses its own."""
    arguments = read_arguments(executable, options)
    mine = [arguments[number] for number in executable.numbers]
    results = executable.gathered(executable.run_grid(mine))
    if options.compare:
        return compare_grid(executable, program, options.entry, arguments, results)
    if options.expected:
        return compare_with_file(options.expected, [array for one in results for array in one])
    if options.repeat > 1:
        repeat_grid(executable, mine, options.repeat)
    if options.memory:
        print(executable.memory, file=sys.stderr)
    return tell_results(executable.grid, options, results)


@contextlib.contextmanager
def quiet_unless_first(world: Any, options: argparse.Namespace) -> Iterator[argparse.Namespace]:
    """The options of a rank: those after the first compare and write nothing, and what they print is dropped."""
    if world.rank == 0:
        yield options
        return
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield argparse.Namespace(**{**vars(options), "compare": None, "expected": None, "output": None})
