"""The phase `tune`, behind `kernels`: gives the kernels that take the time better schedules.

Before:  func.func private @dot_0(...) attributes {hlo.kernel = "contraction", hlo.schedule = {unroll_m = 1, ...}}
After:   the same with {unroll_m = 14, ...} where that was measured to be faster on this machine, with right results"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Iterator
from dataclasses import field
from numbers import Real
from typing import Any

from mlir import ir

from hlo.dialect.locations import diagnostic
from hlo.errors import ArgumentError, Diagnostic, HloError
from hlo.interruption import Stopped
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.kernel_calls import functions_by_name, kind
from hlo.lowering.kernels.schedule import SCHEDULE
from hlo.lowering.memory.kernel_work import work_of
from hlo.lowering.passes import Pass
from hlo.lowering.target import target
from hlo.pipelines.phase import Phase
from hlo.runtime.tuning import stored
from hlo.runtime.tuning.kernel_program import KernelProgram, Machine, kernel_program, why_not_alone
from hlo.runtime.tuning.neighbours import Fields, fields_of
from hlo.runtime.tuning.search import CHECKS, Outcome, Search
from hlo.runtime.tuning.work import call_counts

LOG = logging.getLogger("hlo.tune")
PHASE = "tune"
SIZING = 0.25
"""The share of the time in which kernels are timed to see which of them take it."""
SMALL = 0.02
"""Kernels that take a smaller share of a run are left as they are."""


def with_tuning(phases: list[Phase], seconds: Any, machine: Machine) -> list[Phase]:
    """Phases of the CPU with `tune` behind `kernels`. Raises ArgumentError where there is no such phase, or what is
    made cannot run here."""
    wanted = seconds_of(seconds)
    names = [phase.name for phase in phases]
    if "kernels" not in names:
        raise ArgumentError(f"tune: the pipeline has no phase 'kernels'; phases: {', '.join(names)}")
    at = names.index("kernels") + 1
    return [*phases[:at], Phase(PHASE, [TuneKernels(wanted, machine.processor, machine.threads)]), *phases[at:]]


@dataclass
class _Job:
    """A kernel that may be tuned. `share`: of the time of all."""

    kernel: Any
    program: KernelProgram
    key: str
    calls: int
    search: Search | None = None
    start: ir.Attribute | None = None
    share: float = 0.0

    @property
    def seconds(self) -> float:
        return self.search.seconds * self.calls if self.search else 0.0


@dataclass(frozen=True)
class TuneKernels(Pass):
    """`seconds`: of the search; 0: only what earlier searches have found is used. `remarks`: what was found, kernel by kernel."""

    seconds: float
    processor: str
    threads: int
    remarks: list[Diagnostic] = field(init=False, default_factory=list, compare=False)

    name = PHASE

    @property
    def machine(self) -> Machine:
        return Machine(self.processor, self.threads)

    def run(self, module: ir.Module) -> None:
        begins = time.monotonic()
        jobs = self._open_jobs(module) if self.seconds else self._stored_only(module)
        measured = self._measured(jobs, begins + SIZING * self.seconds)
        total = sum(job.seconds for job in measured)
        for job in measured:
            job.share = job.seconds / total
        worthwhile = sorted((job for job in measured if job.share >= SMALL), key=lambda job: -job.share)
        for number, job in enumerate(worthwhile):
            left = begins + self.seconds - time.monotonic()
            rest = sum(one.share for one in worthwhile[number:])
            self._search(job, time.monotonic() + max(left, 0.0) * job.share / rest)

    def _stored_only(self, module: ir.Module) -> list[_Job]:
        self._open_jobs(module)
        return []

    def _open_jobs(self, module: ir.Module) -> list[_Job]:
        """The kernels to search for, those with most to do first; what is kept of finished searches is used at once."""
        counts = call_counts(module)
        kernels = [op for op in module.body.operations if kind(op.operation) in CHECKS]
        functions = functions_by_name(module)
        kernels.sort(key=lambda op: -work_of(op, functions).sum * counts.get(op.name.value, 0))
        found = []
        for kernel in kernels:
            reason = why_not_alone(kernel)
            if reason:
                self._tell(kernel, f"not tuned: {reason}")
                continue
            program = kernel_program(kernel, self.machine)
            job = _Job(kernel, program, stored.key_of(program), counts.get(kernel.name.value, 0))
            if not self._use_stored(job):
                found.append(job)
        return found

    def _use_stored(self, job: _Job) -> bool:
        """Takes over the schedule that is kept for a kernel; whether nothing is left to search."""
        kept = stored.find(job.key, job.kernel.context)
        if kept is None:
            return False
        schedule, finished = kept
        untuned = job.kernel.attributes[SCHEDULE]
        job.kernel.attributes[SCHEDULE] = schedule
        try:
            CHECKS[ir.StringAttr(job.kernel.attributes["hlo.kernel"]).value](job.kernel, target(self.processor))
        except Exception as error:
            job.kernel.attributes[SCHEDULE] = untuned
            self._tell(job.kernel, f"the schedule that is kept is not allowed: {error}", logging.WARNING)
            return False
        self._tell(job.kernel, f"has the schedule that an earlier search found: {_changes(untuned, schedule)}")
        job.start = schedule
        return finished

    def _measured(self, jobs: list[_Job], ends: float) -> list[_Job]:
        """The kernels whose untuned code was timed; the others wait for another search."""
        for number, job in enumerate(jobs):
            if number and time.monotonic() >= ends:
                self._tell(
                    job.kernel, f"not tuned: no time to measure it, nor the {len(jobs) - number - 1} kernels behind it"
                )
                return jobs[:number]
            try:
                job.search = Search(job.program, target(self.processor))
            except HloError as error:
                self._tell(job.kernel, f"not tuned: it cannot be run alone: {error}", logging.WARNING)
        return [job for job in jobs if job.search is not None]

    def _search(self, job: _Job, ends: float) -> None:
        assert job.search is not None
        try:
            outcome = job.search.run(ends, job.start)
        except (Stopped, KeyboardInterrupt):
            self._tell(job.kernel, "the search was interrupted: the untuned code stays", logging.WARNING)
            raise
        for reason in outcome.refused:
            self._tell(job.kernel, f"refused: {reason}", logging.WARNING)
        untuned = job.search.untuned
        job.kernel.attributes[SCHEDULE] = outcome.schedule
        stored.keep(job.key, outcome.schedule, outcome.finished)
        self._tell(job.kernel, _told(outcome, untuned, job.share))

    def _tell(self, kernel: Any, text: str, level: int = logging.INFO) -> None:
        text = f"@{kernel.name.value}: {text}"
        LOG.log(level, text)
        found = diagnostic(kernel, text)
        self.remarks.append(Diagnostic(found.message, found.file, found.line, found.column, severity="remark"))


def _told(outcome: Outcome, untuned: ir.Attribute, share: float) -> str:
    tried = f"{outcome.tried} schedules tried{'' if outcome.finished else ' until the time was over'}, {share:.0%} of the kernels' time"
    if outcome.gain == 1.0:
        return f"none is faster; {tried}"
    return f"{outcome.gain:.2f} times as fast: {_changes(untuned, outcome.schedule)}; {tried}"


def _changes(untuned: ir.Attribute, tuned: ir.Attribute) -> str:
    """The fields that differ, as the IR has them."""
    return ", ".join(_differences(fields_of(untuned), fields_of(tuned), "")) or "the one that it has"


def _differences(before: Fields, after: Fields, where: str) -> Iterator[str]:
    for name in before:
        if name == "stages":
            for n, both in enumerate(zip(before[name], after[name])):
                yield from _differences(*both, f"{where}stages[{n}].")
        elif before[name] != after[name]:
            yield f"{where}{name} {before[name]} -> {after[name]}"


def seconds_of(tune: Any) -> float:
    """Raises ArgumentError for what is no number of seconds."""
    if isinstance(tune, bool) or not isinstance(tune, Real) or not math.isfinite(tune) or tune < 0:
        raise ArgumentError(f"tune takes a number of seconds from 0, found {tune!r}")
    return float(tune)
