"""`hlo-run` of a program for a grid of several processes: inputs of all processes in a row, process after process; results are
printed with their process."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from hlo.dialect.process_grid import Grid
from hlo.errors import ArgumentError
from hlo.tools.command_line import FINE, INPUT_AT_FAULT
from hlo.tools.run.values import compare_with_file, read_inputs, show, write_outputs

Lists = Sequence[Sequence[np.ndarray]]


def run_grid(executable: Any, options: argparse.Namespace, program: Any) -> int:
    """Runs all processes and prints, writes or compares what they give."""
    arguments = read_arguments(executable, options)
    results = executable.run_grid(arguments)
    if options.compare:
        return compare_grid(executable, program, options.entry, arguments, results)
    if options.expected:
        return compare_with_file(options.expected, [array for one in results for array in one])
    if options.repeat > 1:
        repeat_grid(executable, arguments, options.repeat)
    if options.memory:
        print(executable.memory, file=sys.stderr)
    return tell_results(executable.grid, options, results)


def tell_results(grid: Grid, options: argparse.Namespace, results: Lists) -> int:
    """Writes or prints what all processes have given."""
    if options.output is not None:
        write_outputs(options.output, [array for one in results for array in one])
        return FINE
    for process, one in zip(grid.processes, results):
        for number, result in enumerate(one):
            print(f"process {process} result {number}: {show(result)}")
    return FINE


def read_arguments(executable: Any, options: argparse.Namespace) -> list[list[np.ndarray]]:
    """The arrays of the command line, divided among the processes."""
    types = [(t.shape, t.dtype) for t in executable.signature.arguments]
    grid, count = executable.grid, len(types)
    arrays = read_inputs(options.input, types * grid.size, options.seed)
    if len(arrays) != count * grid.size:
        raise ArgumentError(
            f"--input: {count * grid.size} arrays expected, {count} for each of {grid.size} processes, found {len(arrays)}"
        )
    return [arrays[number * count : (number + 1) * count] for number in range(grid.size)]


def compare_grid(executable: Any, program: Any, entry: str, arguments: Lists, results: Lists) -> int:
    """Compares the results of all processes with those of the reference."""
    import hlo
    from hlo.tools.run.compare import difference

    grid = executable.grid
    sizes = {"num_replicas": grid.num_replicas, "num_partitions": grid.num_partitions}
    expected = hlo.compile(program, target="reference", entry=entry, **sizes).run_grid(arguments)
    for process, one, wanted in zip(grid.processes, results, expected):
        for number, (found, want) in enumerate(zip(one, wanted)):
            differs = difference(found, want)
            if differs:
                print(f"process {process} result {number}: {differs}", file=sys.stderr)
                return INPUT_AT_FAULT
    print(f"{sum(map(len, results))} results of {grid.size} processes agree with the reference")
    return FINE


def repeat_grid(executable: Any, arguments: Lists, times: int) -> None:
    """Tells how long a run takes."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        executable.run_grid(arguments)
        seconds.append(time.perf_counter() - start)
    median, best = float(np.median(seconds)), min(seconds)
    print(f"{times} runs: median {median * 1e3:.4f} ms, best {best * 1e3:.4f} ms", file=sys.stderr)
