"""hlo-view: a program's way from StableHLO to machine code, as one HTML page that needs nothing else (docs/view.md)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hlo.errors import ArgumentError
from hlo.interruption import uninterrupted
from hlo.program_text import shown
from hlo.tools.command_line import FINE, read_input, run_tool, write_output
from hlo.tools.run.profiles import CALLS
from hlo.tools.tool_parser import ToolParser
from hlo.whole_files import check_writable

if TYPE_CHECKING:
    from mlir import ir

EPILOG = """\
examples:
  hlo-view model.mlir -o model.html                      open model.html in a browser
  hlo-view model.mlir -o model.html --profile            also runs it: a flame graph, and kernels in a roofline plot
  hlo-view model.mlir -o model.html --input inputs.npz   the same on these inputs
  hlo-view model.mlir -o model.html --source src         Python files below src are part of the page
  hlo-view model.mlir -o model.html --target=gpu --gpu-arch=sm_90a   kernels down to PTX; no card is needed

the page:
  Program   the text, or the graph, after each pass, and what the pass changed
  Kernels   one kernel from StableHLO to instructions; a click on a line shows the lines that belong to it
  Memory    the arena: which bytes hold what, and when
  Profile   with --profile: where the time goes"""


def main(argv: list[str] | None = None) -> int:
    return run_tool("hlo-view", _main, argv)


def _main(argv: list[str]) -> int:
    parser = make_parser()
    options = parser.parse_args(argv)
    if options.gpu_arch and options.target != "gpu":
        parser.error("--gpu-arch is for --target=gpu")
    if (options.profile or options.input) and options.target != "cpu":
        parser.error("--profile and --input are for --target=cpu: only its programs are profiled")
    if options.repeat < 1:
        parser.error(f"--repeat takes a number from 1, found {options.repeat}")
    if options.output != "-":
        check_writable(options.output)
    write_output(options.output, uninterrupted(lambda: _page(options)))
    return FINE


def make_parser() -> ToolParser:
    parser = ToolParser(
        prog="hlo-view",
        description="Writes a program's way from StableHLO to machine code as one HTML page that needs nothing else.",
        epilog=EPILOG,
    )
    add = parser.add_argument
    add("file", metavar="FILE", help="a StableHLO program, or - for standard input")
    add("-o", "--output", required=True, metavar="FILE", help="the page, or - for standard output")
    add = parser.add_argument_group("what is compiled").add_argument
    add("--target", default="cpu", choices=["cpu", "gpu"], help="what it is compiled for (default cpu)")
    add("--gpu-arch", metavar="ARCH", help="for --target=gpu: sm_80 (default), sm_90a, ...")
    add("--replicas", type=int, metavar="R", help="replicas of the grid (default: what the program says, or 1)")
    add("--partitions", type=int, metavar="P", help="its partitions; the page is the program of one process")
    add("--entry", default="main", metavar="NAME", help="the function that is the program (default main)")
    add = parser.add_argument_group("what is profiled").add_argument
    add("--profile", action="store_true", help="run it, on random inputs without --input, and show where the time goes")
    add(
        "--input",
        action="append",
        default=[],
        metavar="X",
        help="one argument of the calls that are profiled: .npy, .npz, 2x3xf32=1.5, 4xi32=1,2,3,4, 4xi32=random, or random for what the program takes, as for hlo-run",
    )
    add("--seed", type=int, default=0, metavar="N", help="for random inputs (default 0)")
    add("--repeat", type=int, default=CALLS, metavar="N", help=f"calls that are profiled (default {CALLS})")
    add = parser.add_argument_group("what is on the page").add_argument
    add(
        "--source",
        action="append",
        default=[],
        metavar="DIR",
        help="show Python files below DIR that locations name (default: below the current folder)",
    )
    add("--title", metavar="TEXT", help="of the page (default: the name of the program's file)")
    return parser


def _page(options: argparse.Namespace) -> str:
    import hlo
    from hlo.tools.view.collect import compile_watched
    from hlo.tools.view.page import page
    from hlo.tools.view.report import report_of

    name = "<stdin>" if options.file == "-" else shown(options.file)
    module = hlo.parse(read_input(options.file), file_name=name)
    how = {"arch": options.gpu_arch} if options.gpu_arch else {}
    sizes = options.replicas, options.partitions
    made = compile_watched(module, options.target, options.entry, how, sizes)
    folders = [Path(one) for one in options.source] or [Path()]
    asked = options.profile or options.input
    if asked and made.grid.size > 1:
        raise ArgumentError(f"--profile and --input are for programs of one process, found a grid of {made.grid}")
    profile = _profile(options, module) if asked else None
    return page(*report_of(made, options.title or Path(name).name, name, folders, profile))


def _profile(options: argparse.Namespace, module: ir.Module) -> dict[str, Any]:
    """The profile of calls with the given arguments, as JSON has it."""
    import hlo
    from hlo.tools.run.values import read_inputs

    exe = hlo.compile(module, entry=options.entry, profile=True)
    types = [(p.shape, p.dtype) for p in exe.signature.arguments]
    return exe.profile(*read_inputs(options.input, types, options.seed), repeat=options.repeat).as_json()


__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
