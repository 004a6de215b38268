"""hlo-view: a program's way from StableHLO to machine code, as one HTML page that needs nothing else (docs/view.md)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from hlo.errors import ArgumentError
from hlo.interruption import uninterrupted
from hlo.program_text import shown
from hlo.tools.command_line import FINE, ToolParser, read_input, run_tool, write_output

EPILOG = """\
examples:
  hlo-view model.mlir -o model.html                      open model.html in a browser
  hlo-view model.mlir -o model.html --input random       also runs it: a flame graph, and kernels in a roofline plot
  hlo-view model.mlir -o model.html --source src         Python files below src are part of the page
  hlo-view model.mlir -o model.html --target=gpu --gpu-arch=sm_90a   kernels down to PTX; no card is needed

the page:
  Program   the text, or the graph, after each pass, and what the pass changed
  Kernels   one kernel from StableHLO to instructions; a click on a line shows the lines that belong to it
  Memory    the arena: which bytes hold what, and when
  Profile   with --input: where the time goes"""


def main(argv: list[str] | None = None) -> int:
    return run_tool("hlo-view", _main, argv)


def _main(argv: list[str]) -> int:
    parser = _parser()
    options = parser.parse_args(argv)
    if options.gpu_arch and options.target != "gpu":
        parser.error("--gpu-arch is for --target=gpu")
    if options.input and options.target != "cpu":
        parser.error("--input is for --target=cpu: only its programs are profiled")
    _check_folder(options.output)
    write_output(options.output, uninterrupted(lambda: _page(options)))
    return FINE


def _parser() -> argparse.ArgumentParser:
    parser = ToolParser(
        prog="hlo-view",
        description=__doc__,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("file", metavar="FILE", help="an .mlir file; '-' is standard input")
    add("-o", "--output", required=True, metavar="FILE", help="the page; '-' is standard output")
    add("--target", default="cpu", choices=["cpu", "gpu"], help="what it is compiled for (default cpu)")
    add("--gpu-arch", metavar="ARCH", help="for --target=gpu: sm_80 (default), sm_90a, ...")
    add("--entry", default="main", metavar="NAME", help="the function that is the program (default main)")
    add(
        "--input",
        action="append",
        default=[],
        metavar="X",
        help="run and profile it: .npy, .npz, 2x3xf32=1.5, 4xi32=1,2,3,4 or random, as for hlo-run",
    )
    add("--seed", type=int, default=0, help="for random inputs (default 0)")
    add(
        "--source",
        action="append",
        default=[],
        metavar="DIR",
        help="Python files below DIR that locations name become part of the page (default: below the current folder)",
    )
    add("--title", metavar="TEXT", help="of the page (default: the name of the program's file)")
    return parser


def _check_folder(output: str) -> None:
    """Before minutes are spent on a page that cannot be written."""
    if output != "-" and not Path(output).absolute().parent.is_dir():
        raise ArgumentError(f"cannot write {shown(output)!r}: there is no such folder")


def _page(options: argparse.Namespace) -> str:
    import hlo
    from hlo.tools.view.collect import compile_watched
    from hlo.tools.view.page import page
    from hlo.tools.view.report import report_of

    name = "<stdin>" if options.file == "-" else shown(options.file)
    module = hlo.parse(read_input(options.file), file_name=name)
    how = {"arch": options.gpu_arch} if options.gpu_arch else {}
    made = compile_watched(module, options.target, options.entry, how)
    folders = [Path(one) for one in options.source] or [Path()]
    profile = _profile(options, module) if options.input else None
    return page(*report_of(made, options.title or Path(name).name, name, folders, profile))


def _profile(options: argparse.Namespace, module: Any) -> Any:
    raise ArgumentError("--input: this version has no profiles")


__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
