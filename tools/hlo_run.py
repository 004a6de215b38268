"""hlo-run: compiles a program, runs it on given inputs, prints the results; or (--check) runs self-checking files."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hlo.errors import ArgumentError
from hlo.program_text import shown
from hlo.tools.command_line import FINE, INPUT_AT_FAULT, read_input, run_tool, write_output
from hlo.tools.run.options import make_parser, refuse_idle_options
from hlo.tools.run.profiles import check_profile_options, tell_profile, wants_profile
from hlo.tools.run.saved_programs import is_saved, loaded
from hlo.tools.user_files import load_files, told_with_location


def main(argv: list[str] | None = None) -> int:
    return run_tool("hlo-run", _main, argv)


def _main(argv: list[str]) -> int:
    parser = make_parser()
    options = parser.parse_args(argv)
    load_files(options.load_pass)
    refuse_idle_options(parser, options)
    with told_with_location():
        return _dispatch(options)


def _dispatch(options: argparse.Namespace) -> int:
    if options.check:
        from hlo.tools.run.check import check_files

        return check_files(options.files, options.target, options.jobs, _target_options(options), options.load_pass)
    return _assembly(options, options.files[0]) if options.asm else _run(options, options.files[0])


def _run(options: argparse.Namespace, path: str) -> int:
    if options.repeat < 1:
        raise ArgumentError(f"--repeat takes a number from 1, found {options.repeat}")
    program = _program(options, path)
    if options.grid and not isinstance(program, Path):
        raise ArgumentError("--grid=mpi reads programs from files: each rank reads them")
    check_profile_options(options)
    executable = loaded(options, program, make_parser()) if is_saved(program) else _compiled(options, program)
    if wants_profile(options) and executable.grid.size > 1:
        raise ArgumentError(f"--profile is for programs of one process, found {executable.grid.size}")
    takes_all = not hasattr(executable, "join")  # those with shardings take global arrays
    if options.grid:
        from hlo.tools.run.ranks import quiet_unless_first, run_ranks

        with quiet_unless_first(executable.world, options) as options:
            return run_ranks(executable, options, program) if takes_all else run_whole(executable, options, program)
    if executable.grid.size > 1 and takes_all:
        from hlo.tools.run.grid import run_grid

        return run_grid(executable, options, program)
    return run_whole(executable, options, program)


def run_whole(executable: Any, options: argparse.Namespace, program: Any) -> int:
    """Runs a program of one process, or with global arrays; prints, writes or compares its results."""
    import hlo
    from hlo.tools.run.values import compare_with_file, read_inputs, show, write_outputs

    types = [(p.shape, p.dtype) for p in executable.signature.arguments]
    arrays = read_inputs(options.input, types, options.seed)
    if hasattr(executable, "specialize"):  # shapes are dynamic; asking for the class would import the compiler
        executable = executable.specialize(*(a.shape for a in arrays))
    results = executable(*arrays)
    if options.compare:
        module = hlo.load(program) if isinstance(program, Path) else program
        return _compare(module, options.entry, arrays, results)
    if options.expected:
        return compare_with_file(options.expected, results)
    if wants_profile(options):
        tell_profile(executable, arrays, options)
    elif options.repeat > 1:
        _repeat(executable, arrays, options.repeat)
    if options.memory:
        print(executable.memory, file=sys.stderr)
    if options.output is not None:
        write_outputs(options.output, results)
        return FINE
    for number, result in enumerate(results):
        print(f"result {number}: {show(result)}")
    return FINE


def _program(options: argparse.Namespace, path: str) -> Any:
    """What hlo.compile takes: a path, or a module that is read here."""
    import hlo

    if options.compile_from:
        from hlo.pipelines.dump import read_dump

        return read_dump(read_input(path), _name(path))
    return Path(path) if Path(path).is_file() else hlo.parse(read_input(path), _name(path))  # pipes are read once


def _compiled(options: argparse.Namespace, program: Any) -> Any:
    import hlo

    how: dict[str, Any] = {"num_replicas": options.replicas, "num_partitions": options.partitions}
    if options.compile_from:
        from hlo.pipelines.dump import check_dump, phases_after

        phases = hlo.pipelines.target_pipeline(options.target, **_target_options(options))
        how["pipeline"] = phases_after(phases, options.compile_from)
        _check_signature(options.compile_from, [phase.name for phase in phases])
        check_dump(program, phases, options.compile_from)
    target = _target_options(options)
    return hlo.compile(program, target=options.target, entry=options.entry, grid=options.grid, **how, **target)


LAST_ON_TENSORS = "kernels"
"""The last phase whose dumps say what types arguments and results have."""


def _check_signature(phase: str, names: Sequence[str]) -> None:
    """Raises ArgumentError for a phase whose dumps cannot be called with arrays."""
    later = names[names.index(LAST_ON_TENSORS) + 1 :] if LAST_ON_TENSORS in names else []
    if phase in later:
        allowed = ", ".join(name for name in names if name not in later)
        raise ArgumentError(
            f"--compile-from={phase}: its dumps do not say what arguments are; phases that can be run from: {allowed}"
        )


def _assembly(options: argparse.Namespace, path: str) -> int:
    import hlo
    from hlo.tools.run.assembly import assembly_of

    module = hlo.parse(read_input(path), file_name=_name(path))
    write_output("-" if options.output is None else options.output, assembly_of(module, options.entry, options.kernel))
    return FINE


def _name(path: str) -> str:
    return "<stdin>" if path == "-" else shown(path)


def _target_options(options: argparse.Namespace) -> dict[str, Any]:
    """Options of `hlo.compile` that only some targets have."""
    given = {"device": options.device, "arch": options.gpu_arch, "profile": wants_profile(options)}
    return {name: value for name, value in given.items() if value}


def _compare(module, entry: str, arrays, results) -> int:
    from hlo.tools.run.compare import compare

    found = compare(module, entry, arrays, results)
    if found:
        print(found, file=sys.stderr)
        return INPUT_AT_FAULT
    print(f"{len(results)} results agree with the reference")
    return FINE


def _repeat(executable, arrays, times: int) -> None:
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        executable(*arrays)
        seconds.append(time.perf_counter() - start)
    seconds.sort()
    print(
        f"{times} calls: median {seconds[times // 2] * 1e3:.4f} ms, best {seconds[0] * 1e3:.4f} ms",
        file=sys.stderr,
    )


__all__ = ["FINE", "INPUT_AT_FAULT", "main"]

if __name__ == "__main__":
    sys.exit(main())
