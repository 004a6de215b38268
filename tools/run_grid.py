"""`hlo-run` of a program for a grid of several processes: inputs of all processes in a row, process after process; results are
printed with their process."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from hlo.errors import ArgumentError
from hlo.tools.command_line import FINE, INPUT_AT_FAULT
from hlo.tools.values import read_inputs, show, write_outputs

Lists = Sequence[Sequence[np.ndarray]]


def run_grid(executable: Any, options: argparse.Namespace, program: Any) -> int:
    """Runs all processes and prints, writes or compares what they give."""
    arguments = read_arguments(executable, options)
    results = executable.run_grid(arguments)
    if options.compare:
        return _compare(executable, program, options.entry, arguments, results)
    if options.repeat > 1:
        _repeat(executable, arguments, options.repeat)
    if options.memory:
        print(executable.memory, file=sys.stderr)
    if options.output:
        write_outputs(options.output, [array for one in results for array in one])
        return FINE
    for process, one in zip(executable.grid.processes, results):
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


def _compare(executable: Any, program: Any, entry: str, arguments: Lists, results: Lists) -> int:
    import hlo
    from hlo.tools.compare import difference

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


def _repeat(executable: Any, arguments: Lists, times: int) -> None:
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        executable.run_grid(arguments)
        seconds.append(time.perf_counter() - start)
    median, best = float(np.median(seconds)), min(seconds)
    print(f"{times} runs: median {median * 1e3:.4f} ms, best {best * 1e3:.4f} ms", file=sys.stderr)
