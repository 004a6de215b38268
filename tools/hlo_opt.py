"""hlo-opt: reads a program, verifies it, runs passes, prints it. mlir-opt's habits wherever they apply."""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass, field
from typing import Any

from hlo.errors import ArgumentError, Diagnostic, HloError
from hlo.lowering.passes import Pass
from hlo.tools.command_line import FINE, INPUT_AT_FAULT, read_input, render, run_tool, write_output
from hlo.tools.instrumentation import PassWatcher

DECISIONS = {"cpu": "kernels", "gpu": "memory"}
"""By target, the phase after which decisions are told as remarks."""

EPILOG = """\
examples:
  hlo-opt program.mlir                                   verify and print
  hlo-opt program.mlir --inline-calls --fold-constants   passes, in order
  hlo-opt program.mlir --pass-pipeline='builtin.module(inline-calls,func.func(canonicalize))'
  hlo-opt program.mlir --compile-to=linalg               the linalg phase of the CPU pipeline
  hlo-opt program.mlir --compile-to=llvm --dump-phases=out
  hlo-opt program.mlir --target=gpu --compile-to=ptx     what an NVIDIA card runs
Passes are given as --NAME or --NAME='option=value ...', Python and upstream MLIR ones alike; --list-passes names them."""


@dataclass
class Job:
    """One run over one chunk of input: what to do with it and where its parts came from."""

    options: argparse.Namespace
    passes: list[Pass | str]
    watcher: PassWatcher = field(default_factory=PassWatcher)


def main(argv: list[str] | None = None) -> int:
    return run_tool("hlo-opt", _main, argv)


def _main(argv: list[str]) -> int:
    options, pass_texts = _parse_arguments(argv)
    if options.list_passes:
        return _list_passes()
    if options.show_dialect:
        from hlo.dialect.registration import dialect_text

        write_output(options.output, dialect_text())
        return FINE
    job = _job(options, pass_texts)
    if options.reproducer:
        _write_reproducer(options, job)
    data = read_input(options.input)
    outcome = _process_all(job, data)
    job.watcher.report()
    return outcome


def _parse_arguments(argv: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """Known options, and the passes among the rest in order. Other words are a usage error (exit code 2)."""
    parser = _parser()
    options, rest = parser.parse_known_args(argv)
    passes = []
    for word in rest:
        match = re.fullmatch(r"--?([a-z][\w-]*)(?:=(.*))?", word, re.DOTALL)
        if not match:
            parser.error(f"unknown argument {word!r}")
        passes.append(f"{match[1]}{{{match[2].strip('{}')}}}" if match[2] else match[1])
    if passes and options.pass_pipeline:
        parser.error(f"give passes either by --pass-pipeline or by name, not both (found --{passes[0]})")
    if options.target not in (None, "cpu", "gpu"):
        parser.error(f"--target is cpu or gpu, found {options.target!r}")
    return options, passes


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hlo-opt",
        description=__doc__,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("input", nargs="?", default="-", metavar="FILE", help="an .mlir file; '-' (default) is standard input")
    add(
        "-o",
        dest="output",
        default="-",
        metavar="FILE",
        help="where the result goes; default standard output",
    )
    add("--pass-pipeline", metavar="TEXT", help="'builtin.module(...)', Python and upstream passes, nested")
    add(
        "--target",
        metavar="cpu|gpu",
        help="the pipeline for --compile-to (default cpu); alone: all its phases",
    )
    add(
        "--compile-to",
        metavar="PHASE",
        help="stop after a phase: stablehlo, linalg, kernels, memory, llvm; for the GPU: ..., memory, device, nvvm, ptx",
    )
    add(
        "--gpu-arch",
        metavar="ARCH",
        help="the oldest GPU that the code is to run on: sm_80 (default), sm_90, sm_90a, ...",
    )
    add("--compile-from", metavar="PHASE", help="the input is the dump of PHASE: go on from there")
    add(
        "--remarks",
        action="store_true",
        help="say on standard error what became of each kernel (with --target=gpu: each launch): what was fused, tiles, "
        "threads (alone: --compile-to=kernels)",
    )
    add("--dump-phases", metavar="DIR", help="write every phase's IR to DIR/N_PHASE.mlir")
    add(
        "--split-input-file",
        action="store_true",
        help="process the parts between '// -----' lines by themselves",
    )
    add(
        "--verify-diagnostics",
        action="store_true",
        help="check the expected-error/warning comments of the input",
    )
    add(
        "--mlir-print-ir-before",
        action="append",
        default=[],
        metavar="PASS",
        help="print the IR before a pass",
    )
    add("--mlir-print-ir-after", action="append", default=[], metavar="PASS", help="print the IR after a pass")
    add("--mlir-print-ir-before-all", action="store_true", help="print the IR before each pass")
    add("--mlir-print-ir-after-all", action="store_true", help="print the IR after each pass")
    add("--mlir-timing", action="store_true", help="a table of the time each pass took")
    add("--mlir-print-op-generic", action="store_true", help="print every op in MLIR's generic form")
    add("--mlir-print-debuginfo", action="store_true", help="print locations")
    add("--verify-each", action="store_true", help="verify StableHLO's constraints after each pass too")
    add("--reproducer", metavar="FILE", help="write input and command line to FILE, for a report")
    add("--list-passes", action="store_true", help="the passes of this project, with their options")
    add("--show-dialect", action="store_true", help="print the IRDL of the dialects")
    return parser


def _job(options: argparse.Namespace, pass_texts: list[str]) -> Job:
    from hlo.pipelines.parser import parse_pass, parse_pipeline

    passes = (
        parse_pipeline(options.pass_pipeline)
        if options.pass_pipeline is not None
        else [parse_pass(t) for t in pass_texts]
    )
    watcher = PassWatcher(
        print_before={*options.mlir_print_ir_before} | ({"*"} if options.mlir_print_ir_before_all else set()),
        print_after={*options.mlir_print_ir_after} | ({"*"} if options.mlir_print_ir_after_all else set()),
        timing=options.mlir_timing,
        generic=options.mlir_print_op_generic,
    )
    return Job(options, passes, watcher)


def _process_all(job: Job, data: bytes) -> int:
    """Every part of the input. The output is written only when all of them went well."""
    if not job.options.split_input_file and not job.options.verify_diagnostics:
        write_output(job.options.output, _process(job, data))
        return FINE
    outputs, failures = [], []
    for first_line, text in _parts(job.options, data):
        output, findings = _process_part(job, text, first_line)
        outputs.append(output)
        failures.extend(findings)
    for finding in failures:
        print(finding, file=sys.stderr)
    if failures:
        return INPUT_AT_FAULT
    write_output(job.options.output, "// -----\n".join(outputs))
    return FINE


def _parts(options: argparse.Namespace, data: bytes) -> list[tuple[int, str]]:
    from hlo.dialect.reader import split_input

    text = data.decode(errors="surrogateescape")
    return split_input(text) if options.split_input_file else [(0, text)]


def _process_part(job: Job, text: str, first_line: int) -> tuple[str, list[Diagnostic]]:
    """The output of one part, and what is wrong with it: errors, or expectations that were not met."""
    from hlo.tools.expected_diagnostics import mismatches

    output, found = "", []
    padded = "\n" * first_line + text  # so that lines count from the file's first
    try:
        output = _process(job, padded.encode(errors="surrogateescape"))
    except HloError as error:
        found = list(error.diagnostics)
    if job.options.verify_diagnostics:
        return output, mismatches(padded, found, _name(job.options.input))
    return output, found


def _name(path: str) -> str:
    return "<stdin>" if path == "-" else path


def _process(job: Job, data: bytes) -> str:
    """Reads, verifies, runs, prints one module."""
    from hlo.dialect.printer import print_module
    from hlo.dialect.reader import read
    from hlo.dialect.registration import make_context
    from hlo.dialect.verifier import check

    options = job.options
    module = read(data, make_context(), _name(options.input))
    check(module)
    _run_passes(job, module)
    if options.remarks and not (options.compile_to or options.target):
        options.compile_to = DECISIONS["cpu"]
    if options.compile_to or options.compile_from or options.target or options.dump_phases:
        _run_phases(job, module)
    if _wants_ptx(options):
        from hlo.lowering.gpu.ptx import ptx_of

        return ptx_of(module)
    text = print_module(module, generic=options.mlir_print_op_generic, debug_info=options.mlir_print_debuginfo)
    return text if text.endswith("\n") else text + "\n"


def _run_passes(job: Job, module) -> None:
    from hlo.dialect.verifier import check
    from hlo.pipelines import run_pass
    from hlo.pipelines.parser import pass_name, single_passes

    for item in single_passes(job.passes) if job.watcher else job.passes:
        job.watcher.before(pass_name(item), module)
        run_pass(module, item)
        job.watcher.after(pass_name(item), module)
        if job.options.verify_each:
            check(module)


def _wants_ptx(options: argparse.Namespace) -> bool:
    return options.target == "gpu" and options.compile_to == "ptx"


def _target_options(options: argparse.Namespace) -> dict[str, str]:
    return {"arch": options.gpu_arch} if options.target == "gpu" and options.gpu_arch else {}


def _run_phases(job: Job, module) -> None:
    from hlo import pipelines
    from hlo.pipelines.dump import PhaseDump
    from hlo.runtime.progress import Progress

    options = job.options
    phases = pipelines.target_pipeline(options.target or "cpu", **_target_options(options))
    names = [p.name for p in phases]
    stop_after = None if _wants_ptx(options) else options.compile_to
    for flag, name in (("--compile-to", stop_after), ("--compile-from", options.compile_from)):
        if name and name not in names:
            raise ArgumentError(f"{flag}: no phase {name!r}; phases: {', '.join(names)}")
    if stop_after and options.compile_from and names.index(options.compile_from) >= names.index(stop_after):
        raise ArgumentError(
            f"--compile-to={options.compile_to} does not come after --compile-from={options.compile_from}"
        )
    decided = DECISIONS[options.target or "cpu"]
    if options.remarks and stop_after and names.index(stop_after) < names.index(decided):
        raise ArgumentError(f"--remarks: --compile-to={stop_after} stops before the phase {decided!r}, which decides")
    dump = PhaseDump(options.dump_phases, names) if options.dump_phases else None

    def after(name: str, reached: Any) -> None:
        progress.done(name)
        if dump:
            dump(name, reached)
        if options.remarks and name == decided:
            _print_remarks(reached, options.target)

    others_write = options.remarks or job.watcher  # on the same terminal
    with Progress(
        names[: names.index(stop_after) + 1] if stop_after else names, None if others_write else sys.stderr
    ) as progress:
        pipelines.run(
            module,
            phases,
            stop_after=stop_after,
            start_from=options.compile_from,
            on_phase=after,
            on_pass=job.watcher if job.watcher else None,
        )


def _print_remarks(module: Any, target: str) -> None:
    from hlo.lowering.gpu.remarks import launch_remarks
    from hlo.lowering.vector.remarks import kernel_remarks

    for remark in launch_remarks(module) if target == "gpu" else kernel_remarks(module):
        print(remark, file=sys.stderr)


def _write_reproducer(options: argparse.Namespace, job: Job) -> None:
    """The input behind a comment with the command that was given; running it again needs nothing else."""
    command = " ".join(word for word in sys.argv[1:] if not word.startswith("--reproducer") and word != options.input)
    data = read_input(options.input)
    write_output(options.reproducer, f"// RUN: hlo-opt %s {command}\n".encode() + data)


def _list_passes() -> int:
    import dataclasses

    from hlo.lowering.passes import load_all_passes

    for name, cls in sorted(load_all_passes().items()):
        summary = (cls.__doc__ or "").strip().split("\n")[0]
        print(f"--{name}\n    {summary}")
        for option in dataclasses.fields(cls):
            print(f"    option {option.name.replace('_', '-')}={option.default} ({option.type})")
    print("\nEvery upstream MLIR pass is known by its name too: --canonicalize, --cse, --convert-scf-to-cf, ...")
    return FINE


__all__ = ["main", "render"]

if __name__ == "__main__":
    sys.exit(main())
