"""The search for one kernel: from a schedule to better neighbours, and theirs, until none is better or the time is over."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import field
from statistics import median
from typing import Any

import numpy as np
from mlir import ir

from hlo.errors import HloError
from hlo.interruption import stop_if_asked
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.kernels.schedule import SCHEDULE, ScheduleError, attribute_of
from hlo.lowering.target import Target
from hlo.lowering.vector.contraction.emit import scheduled_contraction
from hlo.lowering.vector.region.schedule import scheduled_region
from hlo.lowering.vector.rows.schedule import check_rows
from hlo.runtime.tuning.kernel_program import KernelProgram
from hlo.runtime.tuning.neighbours import fields_of, neighbours
from hlo.runtime.tuning.results import agree, reduced_elements, same_order

CHECKS: dict[str, Callable[[Any, Target], Any]] = {
    "contraction": scheduled_contraction,
    "region": scheduled_region,
    "rows": check_rows,
}
"""By the value of hlo.kernel: what raises ScheduleError for a schedule that is not allowed."""

ROUNDS = 9
"""How often two candidates are measured alternately."""
MEASURED = 5e-4
"""Seconds of a measurement, at least: short kernels run several times for one."""
HOPELESS = 1.25
"""A candidate so many times slower at its first run is not measured further."""
BETTER = 0.97
"""The share of the time that a better one takes at most; what is closer may be noise."""


@dataclass
class Outcome:
    """`gain`: time of the untuned code over that of the best. `refused`: what was wrong with candidates, in words."""

    schedule: ir.Attribute
    seconds: float
    gain: float = 1.0
    tried: int = 0
    finished: bool = False
    refused: list[str] = field(default_factory=list)


class Search:
    """Of a kernel. `processor`: whose checks schedules must pass. Raises an HloError where the untuned kernel does not compile."""

    def __init__(self, program: KernelProgram, processor: Target):
        self.program, self.processor = program, processor
        self.untuned = program.kernel.attributes[SCHEDULE]
        self.kind = ir.StringAttr(program.kernel.attributes["hlo.kernel"]).value
        self.additions = reduced_elements(program.module)
        self.arguments = program.arguments()
        self.base = program.compile(self.untuned)
        self.wanted = _results(self.base, self.arguments)
        self.seconds = min(_seconds(self.base, self.arguments, 1) for _ in range(3))

    def run(self, ends: float, start: ir.Attribute | None = None) -> Outcome:
        """Until `ends` (of time.monotonic), and then no new candidate. `start`: a schedule that an earlier search has found."""
        best = Outcome(self.untuned, self.seconds)
        best_code, seen = self.base, {str(self.untuned)}
        steps = [fields_of(start)] if start is not None else []
        steps += neighbours(fields_of(self.untuned), self.program.machine.threads)
        while steps:
            stop_if_asked()
            if time.monotonic() >= ends:
                return self._final(best, best_code)
            with self.program.module.context:
                candidate = attribute_of(steps.pop(0))
            if str(candidate) in seen or not self._is_allowed(candidate):
                continue
            seen.add(str(candidate))
            best.tried += 1
            code = self._checked(candidate, best)
            if code is not None and self._is_faster(code, best_code):
                best.schedule, best_code = candidate, code
                steps = list(neighbours(fields_of(candidate), self.program.machine.threads))
        best.finished = True
        return self._final(best, best_code)

    def _is_allowed(self, candidate: ir.Attribute) -> bool:
        kernel = self.program.kernel
        kernel.attributes[SCHEDULE] = candidate
        try:
            CHECKS[self.kind](kernel, self.processor)
        except ScheduleError:
            return False
        return True

    def _checked(self, candidate: ir.Attribute, outcome: Outcome) -> Any:
        """The code of a candidate whose results are right; None, with the reason noted, for another."""
        try:
            code = self.program.compile(candidate)
            found = _results(code, self.arguments)
        except HloError as error:
            outcome.refused.append(f"{candidate} does not compile: {error}")
            return None
        bits = same_order(fields_of(self.untuned), fields_of(candidate), self.additions)
        if not agree(found, self.wanted, self.additions, bits):
            outcome.refused.append(f"{candidate} gives other results")
            return None
        return code

    def _is_faster(self, code: Any, best: Any) -> bool:
        if _seconds(code, self.arguments, 1) > HOPELESS * max(_seconds(best, self.arguments, 1), MEASURED / 10):
            return False
        return _ratio(code, best, self.arguments) < BETTER

    def _final(self, outcome: Outcome, code: Any) -> Outcome:
        """Compared with the untuned code once more; that stays where it was luck."""
        if code is self.base:
            return outcome
        ratio = _ratio(code, self.base, self.arguments)
        if ratio >= BETTER:
            return Outcome(self.untuned, self.seconds, 1.0, outcome.tried, outcome.finished, outcome.refused)
        outcome.gain = 1 / ratio
        return outcome


def _results(code: Any, arguments: list[np.ndarray]) -> list[np.ndarray]:
    return [np.asarray(one) for one in code(*arguments)]


def _ratio(code: Any, other: Any, arguments: list[np.ndarray], clock: Callable[[], float] = time.perf_counter) -> float:
    """The time of one over that of the other, measured alternately: the median of neighbouring measurements' ratios."""
    runs = max(1, round(MEASURED / max(_seconds(other, arguments, 1), 1e-7)))
    ratios = []
    for _ in range(ROUNDS):
        stop_if_asked()
        ratios.append(_seconds(code, arguments, runs, clock) / _seconds(other, arguments, runs, clock))
    return median(ratios)


def _seconds(
    code: Any, arguments: list[np.ndarray], runs: int, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Of so many runs together."""
    start = clock()
    for _ in range(runs):
        code(*arguments)
    return max(clock() - start, 1e-9)
