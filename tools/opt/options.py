"""The options of hlo-opt, in groups."""

from __future__ import annotations

from typing import Any

from hlo.tools.tool_parser import ToolParser

DESCRIPTION = """\
Reads a StableHLO program (text or bytecode), verifies it, runs passes or phases of a compiler, and prints the result. Passes are given as
--NAME or --NAME='option=value ...', ours and upstream MLIR's alike, and run in the order of the command line; --list-passes names them.
Options of mlir-opt mean here what they mean there, with one dash or two."""

EPILOG = """\
examples, from looking at a program to changing how it is compiled:
  hlo-opt program.mlir                                   verify and print
  hlo-opt program.mlir --inline-calls --fold-constants   passes, in order
  hlo-opt program.mlir --pass-pipeline='builtin.module(inline-calls,func.func(canonicalize))'
  hlo-opt program.mlir --compile-to=linalg               the linalg phase of the CPU pipeline
  hlo-opt program.mlir --compile-to=llvm --dump-phases=out -o /dev/null
                                                         every phase, in files
  hlo-opt out/02_kernels.mlir --compile-from=kernels     go on from a file of these, edited perhaps
  hlo-opt program.mlir --remarks -o /dev/null            which ops became one kernel, with which tiles and threads
  hlo-opt program.mlir --target=gpu --compile-to=ptx     what an NVIDIA card runs
  hlo-opt program.mlir --mlir-print-ir-after-change --mlir-print-ir-tree-dir=ir --target=cpu -o /dev/null
                                                         what each pass changed, in files
  hlo-opt program.mlir --load-pass=own.py --own          a pass of your own, from a Python file
  hlo-opt program.mlir --mlir-pass-pipeline-crash-reproducer=crash.mlir --own
                                                         keeps what it takes to see a failure again;
  hlo-opt crash.mlir --run-reproducer                    sees it again
exit codes: 0 fine; 1 the input or a pass is at fault (told on standard error; nothing is written); 2 this command line is"""


WITH_DEFAULT = {
    "--split-input-file": "// -----",
    "--verify-diagnostics": "all",
    "--verify-each": "true",
    "--serialize": "current",
}
"""Options whose value stands behind '=' or is left out, as in mlir-opt; with the value that is meant then."""


def make_parser() -> ToolParser:
    """The parser of all options but the names of passes."""
    parser = ToolParser(
        "hlo-opt", usage="hlo-opt [options] [--PASS ...] [FILE]", description=DESCRIPTION, epilog=EPILOG
    )
    parser.add_argument(
        "input", nargs="?", default="-", metavar="FILE", help="an .mlir file; '-' (default) is standard input"
    )
    parser.add_argument(
        "-o", dest="output", default="-", metavar="FILE", help="where the result goes; default standard output"
    )
    for title, add_to in _GROUPS.items():
        add_to(parser.add_argument_group(title).add_argument)
    return parser


def _add_compilation(add: Any) -> None:
    add("--pass-pipeline", metavar="TEXT", help="'builtin.module(...)', Python and upstream passes, nested")
    add(
        "--load-pass",
        action="append",
        default=[],
        metavar="FILE.py",
        help="run a Python file that registers a pass of the file's name, or a target",
    )
    add(
        "--target",
        metavar="NAME",
        help="whose phases: cpu (default), gpu, or one that --load-pass registers; without --compile-to: all of them",
    )
    add(
        "--compile-to",
        metavar="PHASE",
        help="stop after a phase: stablehlo, linalg, kernels, memory, llvm; for the GPU: ..., memory, device, nvvm, ptx",
    )
    add("--compile-from", metavar="PHASE", help="the input is the dump of PHASE: go on from there")
    add(
        "--gpu-arch",
        metavar="ARCH",
        help="the oldest GPU that the code is to run on: sm_80 (default), sm_90, sm_90a, ...",
    )
    add(
        "--tune",
        metavar="SECONDS",
        help="search for faster schedules of the kernels on this machine; without --compile-to: print the kernels with them",
    )
    add("--mlir-disable-threading", action="store_true", help="run all passes on one thread")


def _add_input(add: Any) -> None:
    add(
        "--split-input-file", metavar="LINE", help="process the parts between '// -----' lines (or =LINE) by themselves"
    )
    add(
        "--verify-diagnostics",
        choices=("all", "only-expected"),
        metavar="all|only-expected",
        help="check that the input gives the diagnostics of its expected-error/warning comments; =only-expected: others are no failure",
    )
    add(
        "--verify-each",
        metavar="true|false",
        help="verify StableHLO's constraints after each pass too; =false: not even MLIR's own after upstream passes",
    )
    add("--verify-roundtrip", action="store_true", help="print what was read, read that again, and compare the two")
    add(
        "--allow-unregistered-dialect",
        action="store_true",
        help="accept ops that no dialect defines; only their types and regions are checked",
    )


def _add_output(add: Any) -> None:
    add(
        "--output-split-marker",
        metavar="LINE",
        help="what stands between the parts of --split-input-file in the output (default: as in the input)",
    )
    add("--mlir-print-op-generic", action="store_true", help="print every op in MLIR's generic form")
    add("--mlir-print-debuginfo", action="store_true", help="print locations")
    add(
        "--mlir-pretty-debuginfo",
        action="store_true",
        help="print locations (of --mlir-print-debuginfo) for people to read",
    )
    add(
        "--mlir-use-nameloc-as-prefix",
        action="store_true",
        help="call values as their locations are called: JAX's and torch's names",
    )
    add(
        "--mlir-print-local-scope",
        action="store_true",
        help="print locations and attributes where they are used, without aliases",
    )
    add(
        "--mlir-elide-elementsattrs-if-larger",
        type=int,
        metavar="N",
        help="print constants of more than N elements without their elements",
    )
    add(
        "--emit-bytecode",
        action="store_true",
        help="write MLIR bytecode; programs of StableHLO are written through jaxlib",
    )
    add(
        "--serialize",
        metavar="VERSION",
        help="write a portable artifact that StableHLO of this version and later reads (1.8.0, ..., minimum; without '=VERSION' current), through jaxlib",
    )


def _add_watching(add: Any) -> None:
    add(
        "--remarks",
        action="store_true",
        help="say on standard error what became of each kernel (with --target=gpu: each launch): what was fused, tiles, threads (alone: --compile-to=kernels); of a program that was partitioned, what each collective moves",
    )
    add("--dump-phases", metavar="DIR", help="write every phase's IR to DIR/N_PHASE.mlir")
    add(
        "--mlir-print-ir-before",
        action="append",
        default=[],
        metavar="PASS,...",
        help="print the IR before these passes",
    )
    add(
        "--mlir-print-ir-after", action="append", default=[], metavar="PASS,...", help="print the IR after these passes"
    )
    add("--mlir-print-ir-before-all", action="store_true", help="print the IR before each pass")
    add("--mlir-print-ir-after-all", action="store_true", help="print the IR after each pass")
    add(
        "--mlir-print-ir-after-change",
        action="store_true",
        help="of those after passes, print only what a pass has changed",
    )
    add("--mlir-print-ir-after-failure", action="store_true", help="print the IR that a failing pass leaves")
    add("--mlir-print-ir-module-scope", action="store_true", help="print whole modules: always so here")
    add("--mlir-print-ir-tree-dir", metavar="DIR", help="print to DIR/MODULE/N_PASS.mlir instead of standard error")
    add("--mlir-timing", action="store_true", help="a table of the time each pass took")
    add(
        "--mlir-timing-display",
        choices=("tree", "list"),
        default="tree",
        metavar="tree|list",
        help="times in the order of the passes (default), or each pass once, the slowest first",
    )
    add("--mlir-output-format", choices=("text", "json"), default="text", metavar="text|json", help="of --mlir-timing")
    add("--mlir-pass-statistics", action="store_true", help="a table of the ops each pass found and left")
    add(
        "--mlir-pass-statistics-display",
        choices=("pipeline", "list"),
        default="pipeline",
        metavar="pipeline|list",
        help="in the order of the passes (default), or each pass once, by name",
    )
    add("--dump-pass-pipeline", action="store_true", help="print the pipeline that runs, on standard error")


def _add_reports(add: Any) -> None:
    add(
        "--reproducer",
        "--mlir-generate-reproducer",
        metavar="FILE",
        help="write input and command line to FILE, which lit or --run-reproducer runs",
    )
    add(
        "--mlir-pass-pipeline-crash-reproducer",
        metavar="FILE",
        help="keep input and pipeline in FILE if a pass fails or the process dies",
    )
    add(
        "--mlir-pass-pipeline-local-reproducer",
        action="store_true",
        help="the crash reproducer holds the failing pass and what it was given",
    )
    add(
        "--run-reproducer",
        action="store_true",
        help="run the pipeline that the input names: its '// RUN: hlo-opt' line, or mlir-opt's mlir_reproducer",
    )
    add("--debug", action="store_true", help="print the debug output of all of LLVM")
    add(
        "--debug-only",
        metavar="TYPES",
        help="print LLVM's debug output of these types (comma-separated), such as greedy-rewriter",
    )


def _add_lists(add: Any) -> None:
    add("--list-passes", action="store_true", help="the passes of this project, with their options")
    add("--show-dialects", action="store_true", help="the names of the dialects that programs may use")
    add("--show-dialect", action="store_true", help="print the IRDL of StableHLO, CHLO and the checking dialects")


_GROUPS = {
    "what runs": _add_compilation,
    "how the input is read and checked": _add_input,
    "how results are printed": _add_output,
    "watching passes": _add_watching,
    "when something fails": _add_reports,
    "lists": _add_lists,
}
