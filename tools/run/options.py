"""The options of hlo-run, in groups, and those that do nothing together with others."""

from __future__ import annotations

import argparse
from typing import Any

from hlo.tools.tool_parser import ToolParser

DESCRIPTION = """\
Compiles a program, runs it on inputs, and prints the results, writes them, or compares them with others. With --check it runs files that check
themselves. A compiled program that was saved (exe.save) is run as it is."""

EPILOG = """\
examples:
  hlo-run program.mlir                                         random inputs
  hlo-run program.mlir --input 2x3xf32=1.5 --input x.npy       one --input an argument
  hlo-run model.mlir --input inputs.npz --output results.npz   arrays from and to files
  hlo-run model.mlir --input inputs.npz --expected results.npz  exit code 1 if the results are others
  hlo-run program.mlir --compare=reference                     exit code 1, and the first op that differs, if the code is wrong
  hlo-run model.mlir --repeat=100 --memory                     the time of a call, and its memory
  hlo-run model.mlir --profile --repeat=100                    where the time goes, kernel by kernel
  hlo-run model.mlir --asm --kernel=mul_add_reduce_0           the machine's code of one kernel
  hlo-run model.exe --input x.npy                              a program that exe.save(path) has written
  hlo-run program.mlir --replicas 2 --input a.npy --input b.npy  two processes with one input each
  mpirun -n 4 hlo-run program.mlir --grid=mpi                  the processes of a grid, divided among four ranks
  hlo-run --check test/e2e/*.mlir -j 2                         PASS or FAIL a part
exit codes: 0 fine; 1 the input is at fault, results differ or a check failed; 2 this command line is at fault"""


def make_parser() -> ToolParser:
    parser = ToolParser("hlo-run", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("files", nargs="+", metavar="FILE", help="an .mlir file; '-' is standard input")
    for title, add_to in _GROUPS.items():
        add_to(parser.add_argument_group(title).add_argument)
    return parser


def _add_target(add: Any) -> None:
    add(
        "--target",
        default="cpu",
        metavar="NAME",
        help="where it runs: cpu (default), gpu, reference (numpy), or one that --load-pass registers",
    )
    add("--load-pass", action="append", default=[], metavar="FILE.py", help="run a Python file that registers a target")
    add("--device", choices=["cuda", "model"], help="for --target=gpu: a card (default), or the numpy model of one")
    add("--gpu-arch", metavar="ARCH", help="for --target=gpu: sm_80, sm_90a, ... (default: the card's, or sm_80)")


def _add_program(add: Any) -> None:
    add("--entry", default="main", metavar="NAME", help="the function to run (default main)")
    add(
        "--compile-from",
        metavar="PHASE",
        help="the file is what this phase left (hlo-opt --compile-to=PHASE), edited perhaps: stablehlo, linalg or kernels",
    )
    add(
        "--input",
        action="append",
        default=[],
        metavar="X",
        help=".npy, .npz, 2x3xf32=1.5, 4xi32=1,2,3,4, 4xi32=random, or random for what the program takes",
    )
    add("--seed", type=int, default=0, metavar="N", help="for random inputs (default 0)")


def _add_grid(add: Any) -> None:
    add("--replicas", type=int, metavar="R", help="replicas of the grid (default: what the program says, or 1)")
    add("--partitions", type=int, metavar="P", help="its partitions; inputs are those of all processes in a row")
    add(
        "--grid",
        choices=["mpi"],
        help="divide the grid's processes among the ranks of mpirun (default: they are threads)",
    )


def _add_results(add: Any) -> None:
    add(
        "--output",
        metavar="FILE",
        help="write the results to a .npy or .npz file (--asm: the assembly to a file) instead of printing them",
    )
    add("--expected", metavar="FILE", help="compare the results with a .npy or .npz file and name the first difference")
    add("--compare", choices=["reference"], help="also run by the reference and name the first difference")
    add("--check", action="store_true", help="run each file's parts and their check.expect_* ops")
    add("-j", "--jobs", type=int, default=1, metavar="N", help="worker processes for --check (default 1)")


def _add_looking(add: Any) -> None:
    add("--repeat", type=int, default=1, metavar="N", help="call N times; tells the median time of a call")
    add("--memory", action="store_true", help="tell the bytes of arguments, results, temporaries, constants, code")
    add("--profile", action="store_true", help="tell where the time goes: --repeat calls (default 10) with timers")
    add(
        "--profile-output",
        metavar="FILE",
        help="write the profile: .json, .trace.json (for ui.perfetto.dev), others a table",
    )
    add("--asm", action="store_true", help="print the assembly of the compiled kernels; nothing runs")
    add(
        "--kernel",
        metavar="NAME",
        help="for --asm: only functions whose name contains this (hlo-opt --remarks tells names), and the routines that they call",
    )


_GROUPS = {
    "where it runs": _add_target,
    "the program and its inputs": _add_program,
    "several processes": _add_grid,
    "what becomes of the results": _add_results,
    "looking at the code": _add_looking,
}

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
        "profile",
        "profile_output",
        "asm",
        "kernel",
        "compile_from",
    ),
    "compile_from": ("compare",),
    "compare": ("expected", "output", "repeat", "memory", "profile", "profile_output"),
    "expected": ("output", "repeat", "memory", "profile", "profile_output"),
    "asm": (
        *("replicas", "partitions", "grid", "input", "seed", "repeat"),
        *("compare", "expected", "memory", "compile_from", "profile", "profile_output"),
    ),
}
"""Options that would do nothing together with another one."""


def refuse_idle_options(parser: ToolParser, options: argparse.Namespace) -> None:
    for leader, names in IDLE.items():
        given = [n for n in names if getattr(options, n) != parser.get_default(n)]
        if getattr(options, leader) and given:
            parser.error(f"--{given[0].replace('_', '-')} does nothing with --{leader.replace('_', '-')}")
    parser.check_target(options.target)
    if len(options.files) != 1 and not options.check:
        arrays = [name for name in options.files if name.endswith((".npy", ".npz"))]
        parser.error(f"inputs are given as --input={arrays[0]}" if arrays else "several files need --check")
    if options.jobs != parser.get_default("jobs") and not options.check:
        parser.error("-j needs --check")
    if options.kernel is not None and not options.asm:
        parser.error("--kernel needs --asm")
    for name in ("device", "gpu_arch"):
        if getattr(options, name) and options.target in ("cpu", "reference"):
            parser.error(f"--{name.replace('_', '-')} does nothing for --target={options.target}: give --target=gpu")
    if options.asm and options.target != "cpu":
        parser.error("--asm is for --target=cpu; hlo-opt --target=gpu --compile-to=ptx prints a GPU's")
