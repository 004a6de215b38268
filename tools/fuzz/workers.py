"""Ranges of mutants spread over worker processes. One that dies is one finding; the rest of its range goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import field
from queue import Queue

from hlo.lazy_dataclasses import dataclass
from hlo.python_process import module_command

WAIT = 1800.0
"""Seconds that a worker may be silent: a mutant that waits for something that never comes takes no processor time."""
STATES = ("starts", "compiles", "runs", "loops", "asks upstream")


@dataclass(frozen=True)
class Finding:
    """What is wrong with a mutant; `kind` is one of abort, hang, exception."""

    number: int
    kind: str
    what: str


@dataclass
class Report:
    """How many mutants of a range came how far, and the findings among them."""

    counts: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)


def run_range(stage: str, seed: int, first: int, end: int) -> Report:
    report = Report()
    while first < end:
        first = _run_worker(stage, seed, first, end, report)
    return report


def _run_worker(stage: str, seed: int, first: int, end: int, report: Report) -> int:
    """One worker, until it has done the range or dies; the number of the mutant after its last."""
    command = module_command("hlo.tools.fuzz.worker", stage, str(seed), str(first), str(end))
    environment = {**os.environ, "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1")}
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, errors="replace", env=environment)
    errors = _Tail(process)
    number, state = first, "starts"
    watch = threading.Timer(WAIT, process.kill)
    watch.start()
    assert process.stdout
    for line in process.stdout:
        word, state = line.rstrip("\n").split(" ", 1)
        number = int(word)
        if state == "starts":
            watch.cancel()
            watch = threading.Timer(WAIT, process.kill)
            watch.start()
        if state not in STATES:
            _count(report, number, state)
    watch.cancel()
    code = process.wait()
    if state not in STATES:
        return number + 1
    _count_death(report, number, state, code, errors.text())
    return number + 1


def _count(report: Report, number: int, state: str) -> None:
    if state.startswith("BUG "):
        report.findings.append(Finding(number, "exception", state[4:]))
        state = "exception"
    report.counts[state] += 1


def _count_death(report: Report, number: int, state: str, code: int, errors: str) -> None:
    """A worker that died at a mutant. A loop that a mutation made endless is no fault of the compiler, nor is what ends
    upstream's verifier."""
    is_endless = code in (-signal.SIGPROF, -signal.SIGKILL)
    if state == "asks upstream" or (state == "loops" and is_endless):
        report.counts["upstream dies" if state == "asks upstream" else "endless loop"] += 1
        return
    kind = "hang" if is_endless else "abort"
    report.counts[kind] += 1
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    report.findings.append(Finding(number, kind, f"while it {state}: {how}: {errors[-300:]!r}"))


class _Tail:
    """The end of what a process writes to its standard error."""

    def __init__(self, process: subprocess.Popen[str]):
        self._process = process
        self._last = ""
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        assert self._process.stderr
        for line in self._process.stderr:
            self._last = (self._last + line)[-2000:]

    def text(self) -> str:
        self._thread.join()
        return self._last


def run_all(stage: str, seed: int, ranges: Iterator[range], jobs: int) -> Iterator[Report]:
    """The report of each range, as they are done. A range is taken when a worker is free for it: there may be no end of them."""
    taking = threading.Lock()
    done: Queue[Report | Exception | None] = Queue()

    def take() -> range | None:
        with taking:
            return next(ranges, None)

    def serve() -> None:
        while (part := take()) is not None:
            try:
                done.put(run_range(stage, seed, part.start, part.stop))
            except Exception as error:
                done.put(error)
        done.put(None)

    for _ in range(jobs):
        threading.Thread(target=serve, daemon=True).start()
    while jobs:
        report = done.get()
        if isinstance(report, Exception):
            raise report
        if report is None:
            jobs -= 1
        else:
            yield report
