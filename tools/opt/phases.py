"""hlo-opt's phases: those of a target from one to another, with dumps, remarks and progress."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from hlo.errors import ArgumentError
from hlo.lowering.passes import Pass
from hlo.pipelines.phase import Phase
from hlo.targets import Target, call, find_target
from hlo.tools.opt.instrumentation import PassWatcher

TUNE_PHASE = "tune"


def target_of(options: argparse.Namespace) -> Target:
    """The target of --target, or the CPU. Raises ArgumentError for options that it does not have."""
    target = find_target(options.target or "cpu")
    if options.gpu_arch and "arch" not in target.pipeline_options:
        raise ArgumentError(f"--gpu-arch does nothing for target {target.name!r}: give --target=gpu")
    return target


def text_printer(options: argparse.Namespace) -> Any:
    """What prints the last phase's module where --compile-to names a text that is no phase (ptx); else None."""
    return target_of(options).texts.get(options.compile_to) if options.compile_to else None


def pipeline_text(passes: Sequence[Pass | str]) -> str:
    """`builtin.module(...)`, as --pass-pipeline takes it."""
    from hlo.pipelines.parser import text_of

    return f"builtin.module({','.join(map(text_of, passes))})"


def run_phases(module: Any, options: argparse.Namespace, watcher: PassWatcher) -> None:
    """Runs the phases that the options ask for, in place. Raises ArgumentError for names and orders that do not fit the target."""
    from hlo import pipelines
    from hlo.pipelines.dump import PhaseDump
    from hlo.runtime.compile.progress import Progress

    target = target_of(options)
    phases = _with_tuning(target.phases({"arch": options.gpu_arch} if options.gpu_arch else {}), options, target)
    decides = TUNE_PHASE if options.tune is not None else target.decides
    names = [p.name for p in phases]
    stop_after = None if options.compile_to in target.texts else options.compile_to
    _check_names(options, names, target)
    _check_remarks(options, names, target)
    if options.dump_pass_pipeline:
        _print_pipelines([p for p in phases if p.name in _those_that_run(names, options.compile_from, stop_after)])
    dump = PhaseDump(options.dump_phases, names) if options.dump_phases else None

    def after(name: str, reached: Any) -> None:
        progress.done(name)
        if dump:
            dump(name, reached)
        if options.remarks and name == decides and target.remarks is not None:
            for remark in [
                *call(target.remarks, reached),
                *(_search_remarks(phases) if options.tune is not None else []),
            ]:
                print(remark, file=sys.stderr)

    others_write = options.remarks or watcher  # on the same terminal
    with Progress(
        names[: names.index(stop_after) + 1] if stop_after else names, None if others_write else sys.stderr
    ) as progress:
        pipelines.run(
            module,
            phases,
            stop_after=stop_after,
            start_from=options.compile_from,
            on_phase=after,
            on_pass=watcher if watcher else None,
        )


def _with_tuning(phases: list[Phase], options: argparse.Namespace, target: Target) -> list[Phase]:
    if options.tune is None:
        return phases
    from hlo.runtime.threads.count import number_of_threads
    from hlo.runtime.tuning.kernel_program import Machine
    from hlo.runtime.tuning.phase import with_tuning

    if target.name != "cpu":
        raise ArgumentError(f"--tune: schedules of target 'cpu' are searched for, not of {target.name!r}")
    return with_tuning(phases, _number(options.tune), Machine("host", number_of_threads()))


def _number(text: str) -> float | str:
    """What is no number stays a text: it is refused by whoever takes numbers."""
    try:
        return float(text)
    except ValueError:
        return text


def _search_remarks(phases: Sequence[Phase]) -> list[Any]:
    """What a search of schedules has found, kernel by kernel."""
    from hlo.runtime.tuning.phase import TuneKernels

    passes = [item for phase in phases for item in phase.passes if isinstance(item, TuneKernels)]
    return [remark for item in passes for remark in item.remarks]


def _check_names(options: argparse.Namespace, names: list[str], target: Target) -> None:
    last = [*names, *target.texts]
    for flag, name, known in (
        ("--compile-to", options.compile_to, last),
        ("--compile-from", options.compile_from, names),
    ):
        if name and name not in known:
            raise ArgumentError(f"{flag}: no phase {name!r}; phases: {', '.join(known)}")
    both = options.compile_to and options.compile_from
    if both and last.index(options.compile_from) >= last.index(options.compile_to):
        raise ArgumentError(
            f"--compile-to={options.compile_to} does not come after --compile-from={options.compile_from}"
        )


def _check_remarks(options: argparse.Namespace, names: list[str], target: Target) -> None:
    if not options.remarks:
        return
    if target.remarks is None or target.decides not in names:
        raise ArgumentError(f"--remarks: target {target.name!r} tells none")
    if options.compile_to in names and names.index(options.compile_to) < names.index(target.decides):
        raise ArgumentError(
            f"--remarks: --compile-to={options.compile_to} stops before the phase {target.decides!r}, which decides"
        )


def _those_that_run(names: list[str], first: str | None, last: str | None) -> list[str]:
    return names[names.index(first) if first else 0 : names.index(last) + 1 if last else None]


def _print_pipelines(phases: Sequence[Phase]) -> None:
    for phase in phases:
        print(f"{phase.name}: {pipeline_text(phase.passes)}", file=sys.stderr)


def print_collectives(module: Any) -> bool:
    """What a partitioned program moves; False for any other program."""
    from hlo.lowering.stablehlo.sharding.partitioning.remarks import collective_remarks, is_partitioned

    if not is_partitioned(module):
        return False
    for remark in collective_remarks(module):
        print(remark, file=sys.stderr)
    return True
