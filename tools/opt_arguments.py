"""The command line of hlo-opt: its options, which of them take a value only behind '=', and passes given by name."""

from __future__ import annotations

import argparse
import difflib
import re

from hlo.errors import ArgumentError
from hlo.tools.command_line import ToolParser

EPILOG = """\
examples:
  hlo-opt program.mlir                                   verify and print
  hlo-opt program.mlir --inline-calls --fold-constants   passes, in order
  hlo-opt program.mlir --pass-pipeline='builtin.module(inline-calls,func.func(canonicalize))'
  hlo-opt program.mlir --load-pass=own.py --own          a pass of your own, from a Python file
  hlo-opt program.mlir --compile-to=linalg               the linalg phase of the CPU pipeline
  hlo-opt program.mlir --compile-to=llvm --dump-phases=out
  hlo-opt program.mlir --target=gpu --compile-to=ptx     what an NVIDIA card runs
Passes are given as --NAME or --NAME='option=value ...', Python and upstream MLIR ones alike; --list-passes names them."""

WITH_DEFAULT = {"--split-input-file": "// -----", "--verify-each": "true"}
"""Options whose value stands behind '=' or is left out, as in mlir-opt; with the value that is meant then."""

SWITCH = {"true": True, "1": True, "false": False, "0": False}


def parse_arguments(argv: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """Known options, and the passes among the rest in order. Other words are a usage error (exit code 2)."""
    parser = _parser()
    options, rest = parser.parse_known_args([f"{w}={WITH_DEFAULT[w]}" if w in WITH_DEFAULT else w for w in argv])
    passes = []
    for word in rest:
        match = re.fullmatch(r"--?([a-z][\w-]*)(?:=(.*))?", word, re.DOTALL)
        if not match:
            parser.error(f"unknown argument {word!r}")
        passes.append(f"{match[1]}{{{match[2].strip('{}')}}}" if match[2] else match[1])
    _refuse_contradictions(parser, options, passes)
    _load_passes(options.load_pass)
    _refuse_unknown(parser, passes)
    return options, passes


def _refuse_contradictions(parser: argparse.ArgumentParser, options: argparse.Namespace, passes: list[str]) -> None:
    if passes and options.pass_pipeline:
        parser.error(f"give passes either by --pass-pipeline or by name, not both (found --{passes[0]})")
    if options.target not in (None, "cpu", "gpu"):
        parser.error(f"--target is cpu or gpu, found {options.target!r}")
    if not options.split_input_file and options.split_input_file is not None:
        parser.error("--split-input-file= takes the line that separates the parts, found nothing")
    if options.verify_each is not None and options.verify_each not in SWITCH:
        parser.error(f"--verify-each takes one of {', '.join(SWITCH)}, found {options.verify_each!r}")
    if options.mlir_elide_elementsattrs_if_larger is not None and options.mlir_elide_elementsattrs_if_larger < 0:
        parser.error("--mlir-elide-elementsattrs-if-larger takes a number of elements from 0")
    if options.emit_bytecode and (options.split_input_file or options.verify_diagnostics):
        parser.error(
            "--emit-bytecode writes one module: it goes with neither --split-input-file nor --verify-diagnostics"
        )
    if options.emit_bytecode and options.compile_to == "ptx":
        parser.error("--emit-bytecode: --compile-to=ptx leaves no module")


def _refuse_unknown(parser: argparse.ArgumentParser, passes: list[str]) -> None:
    """A word that is neither an option nor a pass is called just that, with what is closest to it."""
    from hlo.lowering.passes import find_pass, load_all_passes
    from hlo.pipelines.parser import upstream_pass_exists

    for text in passes:
        name = text.split("{")[0]
        if find_pass(name) or upstream_pass_exists(name):
            continue
        options = [o for action in parser._actions for o in action.option_strings]
        near = difflib.get_close_matches(f"--{name}", [*options, *(f"--{p}" for p in load_all_passes())], 1)
        hint = f"; did you mean {near[0]}?" if near else "; see --help and --list-passes"
        parser.error(f"unknown option --{name}: it is no pass either{hint}")


def _load_passes(files: list[str]) -> None:
    """Runs Python files that register passes; each file's pass has the kebab-case of its name."""
    import importlib.util
    from pathlib import Path

    from hlo.lowering.passes import PASSES

    for file in files:
        path = Path(file)
        name = path.stem.replace("_", "-")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        if path.suffix != ".py" or spec is None or spec.loader is None:
            raise ArgumentError(f"--load-pass takes a Python file (NAME.py), found {file!r}")
        try:
            spec.loader.exec_module(importlib.util.module_from_spec(spec))
        except Exception as error:  # a user's own code may raise anything
            raise ArgumentError(f"--load-pass={file}: {type(error).__name__}: {error}") from error
        if name not in PASSES:
            raise ArgumentError(f"--load-pass={file} registers no pass {name!r}: its class needs @register_pass")


def _parser() -> argparse.ArgumentParser:
    parser = ToolParser(
        prog="hlo-opt",
        usage="hlo-opt [options] [--PASS ...] [FILE]",
        description="hlo-opt: reads a program, verifies it, runs passes, prints it. mlir-opt's habits wherever they apply.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "input", nargs="?", default="-", metavar="FILE", help="an .mlir file; '-' (default) is standard input"
    )
    parser.add_argument(
        "-o", dest="output", default="-", metavar="FILE", help="where the result goes; default standard output"
    )
    parser.add_argument("--version", action="store_true", help="print the versions of hlo and of the LLVM that it uses")
    _add_compilation(parser.add_argument_group("what runs").add_argument)
    _add_input(parser.add_argument_group("how the input is read and checked").add_argument)
    _add_output(parser.add_argument_group("how results are printed").add_argument)
    _add_watching(parser.add_argument_group("watching passes").add_argument)
    _add_lists(parser.add_argument_group("lists").add_argument)
    return parser


def _add_compilation(add) -> None:
    add("--pass-pipeline", metavar="TEXT", help="'builtin.module(...)', Python and upstream passes, nested")
    add(
        "--load-pass",
        action="append",
        default=[],
        metavar="FILE.py",
        help="a Python file that registers a pass of the file's name",
    )
    add("--target", metavar="cpu|gpu", help="the pipeline for --compile-to (default cpu); alone: all its phases")
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
    add("--mlir-disable-threading", action="store_true", help="run all passes on one thread")


def _add_input(add) -> None:
    add(
        "--split-input-file", metavar="LINE", help="process the parts between '// -----' lines (or =LINE) by themselves"
    )
    add("--verify-diagnostics", action="store_true", help="check the expected-error/warning comments of the input")
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
    add(
        "--run-reproducer",
        action="store_true",
        help="run the pipeline that the input names: its '// RUN: hlo-opt' line, or mlir-opt's mlir_reproducer",
    )


def _add_output(add) -> None:
    add("--mlir-print-op-generic", action="store_true", help="print every op in MLIR's generic form")
    add("--mlir-print-debuginfo", action="store_true", help="print locations")
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


def _add_watching(add) -> None:
    add(
        "--remarks",
        action="store_true",
        help="say on standard error what became of each kernel (with --target=gpu: each launch): what was fused, tiles, threads (alone: --compile-to=kernels); of a program that was partitioned, what each collective moves",
    )
    add("--dump-phases", metavar="DIR", help="write every phase's IR to DIR/N_PHASE.mlir")
    add("--mlir-print-ir-before", action="append", default=[], metavar="PASS", help="print the IR before a pass")
    add("--mlir-print-ir-after", action="append", default=[], metavar="PASS", help="print the IR after a pass")
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
    add("--mlir-pass-statistics", action="store_true", help="a table of the ops each pass found and left")
    add("--dump-pass-pipeline", action="store_true", help="print the pipeline that runs, on standard error")
    add("--reproducer", metavar="FILE", help="write input and command line to FILE, for a report")
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
        "--debug-only",
        metavar="TYPES",
        help="print LLVM's debug output of these types (comma-separated), such as greedy-rewriter",
    )


def _add_lists(add) -> None:
    add("--list-passes", action="store_true", help="the passes of this project, with their options")
    add("--show-dialects", action="store_true", help="the names of the dialects that programs may use")
    add("--show-dialect", action="store_true", help="print the IRDL of StableHLO, CHLO and the checking dialects")
