"""hlo-run: compiles a program, runs it on given inputs, prints the results; or (--check) runs self-checking files."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from hlo.errors import ArgumentError
from hlo.program_text import shown
from hlo.tools.command_line import FINE, INPUT_AT_FAULT, ToolParser, read_input, run_tool, write_output
from hlo.tools.saved_programs import is_saved, loaded

EPILOG = """\
examples:
  hlo-run program.mlir                                         random inputs
  hlo-run program.mlir --input 2x3xf32=1.5 --input x.npy       one --input an argument
  hlo-run model.exe --input x.npy                              a program that exe.save(path) has written
  hlo-run model.mlir --input inputs.npz --output results.npz
  hlo-run model.mlir --input inputs.npz --expected results.npz  exit code 1 if the results are others
  hlo-run program.mlir --replicas 2 --input a.npy --input b.npy  two processes with one input each
  mpirun -n 4 hlo-run program.mlir --grid=mpi                  the processes of a grid, divided among four ranks
  hlo-run model.mlir --asm --kernel=mul_add_reduce_0           the machine's code of one kernel
  hlo-run --check test/e2e/*.mlir -j 2                         PASS or FAIL a part, exit code 1 if any failed"""


def main(argv: list[str] | None = None) -> int:
    return run_tool("hlo-run", _main, argv)


def _main(argv: list[str]) -> int:
    parser = _parser()
    options = parser.parse_args(argv)
    _refuse_idle_options(parser, options)
    if options.check:
        from hlo.tools.check import check_files

        return check_files(options.files, options.target, options.jobs, _target_options(options))
    if len(options.files) != 1:
        parser.error("several files need --check")
    return _assembly(options, options.files[0]) if options.asm else _run(options, options.files[0])


IDLE = {
    "check": (
        "entry",
        "replicas",
        "partitions",
        "grid",
        "input",
        "seed",
        "output",
        "repeat",
        "compare",
        "expected",
        "memory",
        "asm",
        "kernel",
        "compile_from",
    ),
    "compile_from": ("compare",),
    "compare": ("expected", "output", "repeat", "memory"),
    "expected": ("output", "repeat", "memory"),
    "asm": (
        *("replicas", "partitions", "grid", "input", "seed", "repeat"),
        *("compare", "expected", "memory", "compile_from"),
    ),
}
"""Options that would do nothing beside another one."""


def _refuse_idle_options(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    for leader, names in IDLE.items():
        given = [n for n in names if getattr(options, n) != parser.get_default(n)]
        if getattr(options, leader) and given:
            parser.error(f"--{given[0]} does nothing with --{leader}")
    if options.jobs != parser.get_default("jobs") and not options.check:
        parser.error("-j needs --check")
    if options.kernel is not None and not options.asm:
        parser.error("--kernel needs --asm")
    if options.asm and options.target != "cpu":
        parser.error("--asm is for --target=cpu; hlo-opt --target=gpu --compile-to=ptx prints a GPU's")


def _parser() -> argparse.ArgumentParser:
    parser = ToolParser(
        prog="hlo-run",
        description=__doc__,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE", help="an .mlir file; '-' is standard input")
    add("--target", default="cpu", choices=["cpu", "gpu", "reference"], help="where it runs (default cpu)")
    add("--device", choices=["cuda", "model"], help="for --target=gpu: a card (default), or the numpy model of one")
    add("--gpu-arch", metavar="ARCH", help="for --target=gpu: sm_80, sm_90a, ... (default: the card's, or sm_80)")
    add("--entry", default="main", metavar="NAME", help="the function to run (default main)")
    add(
        "--input",
        action="append",
        default=[],
        metavar="X",
        help=".npy, .npz, 2x3xf32=1.5, 4xi32=1,2,3,4 or random",
    )
    add("--replicas", type=int, metavar="R", help="replicas of the grid (default: what the program says, or 1)")
    add("--partitions", type=int, metavar="P", help="its partitions; inputs are those of all processes in a row")
    add(
        "--grid",
        choices=["mpi"],
        help="divide the grid's processes among the ranks of mpirun (default: they are threads)",
    )
    add(
        "--compile-from",
        metavar="PHASE",
        help="the file is what this phase left (hlo-opt --compile-to=PHASE), edited perhaps",
    )
    add("--seed", type=int, default=0, help="for random inputs (default 0)")
    add(
        "--output",
        metavar="FILE",
        help="write the results to a .npy or .npz file (--asm: the assembly to a file) instead of printing them",
    )
    add("--repeat", type=int, default=1, metavar="N", help="call N times; tells the median time of a call")
    add("--compare", choices=["reference"], help="also run by the reference and name the first difference")
    add("--expected", metavar="FILE", help="compare the results with a .npy or .npz file and name the first difference")
    add("--check", action="store_true", help="run each file's parts and their check.expect_* ops")
    add("-j", "--jobs", type=int, default=1, metavar="N", help="worker processes for --check (default 1)")
    add(
        "--memory",
        action="store_true",
        help="tell the bytes of arguments, results, temporaries, constants, code",
    )
    add("--asm", action="store_true", help="print the assembly of the compiled kernels; nothing runs")
    add(
        "--kernel",
        metavar="NAME",
        help="for --asm: only functions whose name contains this (hlo-opt --remarks tells names)",
    )
    return parser


def _run(options: argparse.Namespace, path: str) -> int:
    if options.repeat < 1:
        raise ArgumentError(f"--repeat takes a number from 1, found {options.repeat}")
    program = _program(options, path)
    if options.grid and not isinstance(program, Path):
        raise ArgumentError("--grid=mpi reads programs from files: each rank reads them")
    executable = loaded(options, program, _parser()) if is_saved(program) else _compiled(options, program)
    takes_all = not hasattr(executable, "join")  # those with shardings take global arrays
    if options.grid:
        from hlo.tools.run_ranks import quiet_unless_first, run_ranks

        with quiet_unless_first(executable.world, options) as options:
            return run_ranks(executable, options, program) if takes_all else run_whole(executable, options, program)
    if executable.grid.size > 1 and takes_all:
        from hlo.tools.run_grid import run_grid

        return run_grid(executable, options, program)
    return run_whole(executable, options, program)


def run_whole(executable: Any, options: argparse.Namespace, program: Any) -> int:
    """Runs a program of one process, or with global arrays; prints, writes or compares its results."""
    import hlo
    from hlo.tools.values import compare_with_file, read_inputs, show, write_outputs

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
    if options.repeat > 1:
        _repeat(executable, arrays, options.repeat)
    if options.memory:
        print(executable.memory, file=sys.stderr)
    if options.output:
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
        from hlo.pipelines.dump import phases_after

        how["pipeline"] = phases_after(hlo.pipelines.target_pipeline(options.target), options.compile_from)
    target = _target_options(options)
    return hlo.compile(program, target=options.target, entry=options.entry, grid=options.grid, **how, **target)


def _assembly(options: argparse.Namespace, path: str) -> int:
    import hlo
    from hlo.tools.assembly import assembly_of

    module = hlo.parse(read_input(path), file_name=_name(path))
    write_output(options.output or "-", assembly_of(module, options.entry, options.kernel))
    return FINE


def _name(path: str) -> str:
    return "<stdin>" if path == "-" else shown(path)


def _target_options(options: argparse.Namespace) -> dict[str, Any]:
    """Options of `hlo.compile` that only some targets have."""
    given = {"device": options.device, "arch": options.gpu_arch}
    return {name: value for name, value in given.items() if value}


def _compare(module, entry: str, arrays, results) -> int:
    from hlo.tools.compare import compare

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
