"""hlo-opt: reads a program, verifies it, runs passes, prints it. mlir-opt's habits wherever they apply."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from pathlib import Path
from typing import Any

from hlo.errors import ArgumentError, Diagnostic, HloError
from hlo.interruption import uninterrupted
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.passes import Pass
from hlo.program_text import shown
from hlo.runtime.compile.size_limits import check_sizes
from hlo.targets import call
from hlo.tools.command_line import FINE, INPUT_AT_FAULT, read_input, render, run_tool, write_output
from hlo.tools.opt.arguments import SWITCH, parse_arguments, written_by
from hlo.tools.opt.instrumentation import PassWatcher
from hlo.tools.opt.lists import ANSWERS
from hlo.tools.opt.phases import TUNE_PHASE, pipeline_text, print_collectives, run_phases, target_of, text_printer
from hlo.tools.opt.reproducers import CrashReproducer, arguments_of, write_reproducer
from hlo.tools.user_files import told_with_location


@dataclass
class Job:
    """One run over one chunk of input: what to do with it and where its parts came from."""

    options: argparse.Namespace
    passes: list[Pass | str]
    watcher: PassWatcher = field(default_factory=PassWatcher)
    crashes: CrashReproducer | None = None
    style: dict[str, Any] = field(default_factory=dict)
    """How modules are printed."""


def main(argv: list[str] | None = None) -> int:
    return run_tool("hlo-opt", _main, argv)


def _main(argv: list[str]) -> int:
    options, pass_texts = parse_arguments(argv)
    for wanted, answer in ANSWERS.items():
        if getattr(options, wanted):
            write_output(options.output, answer())
            return FINE
    if options.debug or options.debug_only:
        _show_debug_output(options.debug_only or "")
    data = read_input(options.input)
    if options.run_reproducer:
        options, pass_texts, data = _reproduced(options, pass_texts, argv, data)
    if options.reproducer:
        write_reproducer(options.reproducer, argv, options.input, data)
    job = _job(options, pass_texts)
    with told_with_location():
        outcome = _process_all(job, data)
    job.watcher.report()
    return outcome


def _reproduced(
    options: argparse.Namespace, pass_texts: list[str], argv: list[str], data: bytes
) -> tuple[argparse.Namespace, list[str], bytes]:
    """The options and passes that a reproducer names, with those of this call, and its program. Only this call says
    what is written: whoever reads a reproducer of someone else's does not expect files of theirs to be overwritten."""
    if pass_texts or options.pass_pipeline:
        raise ArgumentError("--run-reproducer: the input names the pipeline: give no passes")
    arguments, program = arguments_of(data, _name(options.input))
    if path := written_by(arguments):
        raise ArgumentError(
            f"--run-reproducer: {_name(options.input)} names {path!r} to write: take that out of its RUN line, and give it on the command line"
        )
    return *parse_arguments([*arguments, *(word for word in argv if word != "--run-reproducer")]), program


def _show_debug_output(types: str) -> None:
    """LLVM prints what its passes note under these types; all of it where none is named."""
    from mlir.ir import _GlobalDebug

    _GlobalDebug.flag = True
    _GlobalDebug.set_types([t.strip() for t in types.split(",") if t.strip()])


def _job(options: argparse.Namespace, pass_texts: list[str]) -> Job:
    from hlo.pipelines.parser import parse_pass, parse_pipeline

    passes = (
        parse_pipeline(options.pass_pipeline)
        if options.pass_pipeline is not None
        else [parse_pass(t) for t in pass_texts]
    )
    style = {
        "generic": options.mlir_print_op_generic,
        "debug_info": options.mlir_print_debuginfo,
        "local_scope": options.mlir_print_local_scope,
        "most_elements": options.mlir_elide_elementsattrs_if_larger,
        "names_of_locations": options.mlir_use_nameloc_as_prefix,
        "pretty_debug_info": options.mlir_pretty_debuginfo,
    }
    if options.mlir_print_ir_tree_dir and not _prints_some(options):
        raise ArgumentError(
            "--mlir-print-ir-tree-dir says where IR is printed: say when, such as by --mlir-print-ir-after-all"
        )
    watcher = PassWatcher(
        print_before={*options.mlir_print_ir_before} | ({"*"} if options.mlir_print_ir_before_all else set()),
        print_after={*options.mlir_print_ir_after} | ({"*"} if _prints_after_all(options) else set()),
        only_changes=options.mlir_print_ir_after_change,
        after_failure=options.mlir_print_ir_after_failure,
        folder=Path(options.mlir_print_ir_tree_dir) if options.mlir_print_ir_tree_dir else None,
        timing=f"{options.mlir_timing_display} {options.mlir_output_format}" if options.mlir_timing else "",
        statistics=options.mlir_pass_statistics_display if options.mlir_pass_statistics else "",
        one_thread=options.mlir_disable_threading,
        style=style,
    )
    crashes = options.mlir_pass_pipeline_crash_reproducer
    local = options.mlir_pass_pipeline_local_reproducer
    return Job(options, passes, watcher, CrashReproducer(crashes, local) if crashes else None, style)


def _prints_some(options: argparse.Namespace) -> bool:
    before = options.mlir_print_ir_before or options.mlir_print_ir_before_all
    after = options.mlir_print_ir_after or options.mlir_print_ir_after_failure or _prints_after_all(options)
    return bool(before or after)


def _prints_after_all(options: argparse.Namespace) -> bool:
    """--mlir-print-ir-after-change alone prints after every pass that changes something."""
    return options.mlir_print_ir_after_all or (options.mlir_print_ir_after_change and not options.mlir_print_ir_after)


def _process_all(job: Job, data: bytes) -> int:
    """Every part of the input. A file is written only when all of them went well; standard output has those that did, as mlir-opt's has."""
    if not job.options.split_input_file and not job.options.verify_diagnostics:
        write_output(job.options.output, uninterrupted(lambda: _output(job, data)))
        return FINE
    outputs, failures = [], []
    for first_line, text in _parts(job.options, data):
        output, findings = _process_part(job, text, first_line)
        outputs.append(output)
        failures.extend(findings)
    for finding in failures:
        print(finding, file=sys.stderr)
    marker = job.options.output_split_marker
    separator = (job.options.split_input_file or "") if marker is None else marker
    if not failures or (job.options.output == "-" and any(outputs) and not job.options.verify_diagnostics):
        write_output(job.options.output, f"{separator}\n".join(outputs))
    return INPUT_AT_FAULT if failures else FINE


def _output(job: Job, data: bytes) -> str | bytes:
    module = _run(job, data)
    if job.options.serialize is not None:
        return _portable_artifact(module, job.options.serialize)
    return _bytecode(module) if job.options.emit_bytecode else _text(job, module)


def _parts(options: argparse.Namespace, data: bytes) -> list[tuple[int, str]]:
    from hlo.dialect.reader import split_input

    text = data.decode(errors="surrogateescape")
    return split_input(text, options.split_input_file) if options.split_input_file else [(0, text)]


def _process_part(job: Job, text: str, first_line: int) -> tuple[str, list[Diagnostic]]:
    """The output of one part, and what is wrong with it: errors, or expectations that were not met."""
    from hlo.tools.opt.expected_diagnostics import mismatches

    output = ""
    found: list[Diagnostic] = []
    padded = "\n" * first_line + text  # so that lines count from the file's first
    try:
        output = uninterrupted(lambda: _text(job, _run(job, padded.encode(errors="surrogateescape"))))
    except HloError as error:
        found = list(error.diagnostics)
    if job.options.verify_diagnostics:
        only_expected = job.options.verify_diagnostics == "only-expected"
        return output, mismatches(padded, found, _name(job.options.input), only_expected)
    return output, found


def _name(path: str) -> str:
    return "<stdin>" if path == "-" else shown(path)


def _run(job: Job, data: bytes) -> Any:
    """Reads and verifies one module and runs the passes and phases that were asked for."""
    options = job.options
    module = _read(job, data, _name(options.input))
    if options.verify_roundtrip:
        _verify_roundtrip(job, module)
    _run_passes(job, module)
    if options.tune is not None and not options.compile_to:
        options.compile_to = TUNE_PHASE
    if options.remarks and not (options.compile_to or options.target) and not print_collectives(module):
        options.compile_to = target_of(options).decides
    if options.compile_to or options.compile_from or options.target or options.dump_phases:
        check_sizes(module)
        run_phases(module, options, job.watcher)
    return module


def _text(job: Job, module: Any) -> str:
    from hlo.dialect.printer import print_module

    if printer := text_printer(job.options):
        return call(printer, module)
    text = print_module(module, **job.style)
    return text if text.endswith("\n") else text + "\n"


def _bytecode(module: Any) -> bytes:
    from hlo.dialect.printer.bytecode import bytecode_of

    return bytecode_of(module)


def _portable_artifact(module: Any, version: str) -> bytes:
    from hlo.dialect.printer.bytecode import portable_artifact_of

    return portable_artifact_of(module, version)


def _read(job: Job, data: bytes | str, name: str) -> Any:
    from hlo.dialect.reader import read
    from hlo.dialect.registration import has_exact_types, make_context
    from hlo.dialect.verifier import check

    module = read(data, make_context(exact=has_exact_types(data)), name)
    check(module, data, name, allow_unregistered=job.options.allow_unregistered_dialect, in_dump=True)
    return module


def _verify_roundtrip(job: Job, module: Any) -> None:
    """Raises HloError if what is printed is not read again as the same module."""
    from hlo.dialect.printer import print_module

    for style in ({}, {"generic": True}, {"debug_info": True}):
        again = _read(job, print_module(module, **style), "<printed>")
        if print_module(again, generic=True) != print_module(module, generic=True):
            raise HloError(
                f"--verify-roundtrip: the module printed ({style or 'short forms'}) is read as another module"
            )


def _run_passes(job: Job, module: Any) -> None:
    from hlo.dialect.verifier import check
    from hlo.pipelines import run_pass
    from hlo.pipelines.parser import pass_name, single_passes

    options = job.options
    if job.passes:
        check_sizes(module)
    one_by_one = job.watcher or job.crashes
    passes = single_passes(job.passes) if one_by_one else job.passes
    if options.dump_pass_pipeline and job.passes:
        print(pipeline_text(job.passes), file=sys.stderr)
    upstream_verifies = SWITCH[options.verify_each] if options.verify_each else True
    with _kept_for_crashes(job, passes, module) as reached:
        for item in passes:
            reached(item)
            with _told_of_failures(job, pass_name(item), module):
                job.watcher.before(pass_name(item), module)
                run_pass(module, item, verify=upstream_verifies)
                job.watcher.after(pass_name(item), module)
            if options.verify_each and upstream_verifies:
                check(module, allow_unregistered=options.allow_unregistered_dialect, in_dump=True)


@contextmanager
def _told_of_failures(job: Job, name: str, module: Any) -> Iterator[None]:
    try:
        yield
    except HloError:
        job.watcher.failed(name, module)
        raise


@contextmanager
def _kept_for_crashes(job: Job, passes: Sequence[Pass | str], module: Any) -> Iterator[Any]:
    """A function that is told of each pass before it runs; the crash reproducer is on disk meanwhile."""
    from hlo.dialect.printer import print_module

    crashes = job.crashes
    if crashes is None or not passes:
        yield lambda item: None
        return
    if not crashes.local:
        crashes.keep(pipeline_text(passes), print_module(module))
    yield lambda item: crashes.keep(pipeline_text([item]), print_module(module)) if crashes.local else None
    crashes.drop()


__all__ = ["main", "render"]

if __name__ == "__main__":
    sys.exit(main())
