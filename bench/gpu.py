"""`python -m bench.gpu`, in a folder that bench/gpu_files.py has made, on a machine with a card: checks all programs there,
runs compute-sanitizer over a few of them, measures, and prints a table. Nothing is compiled but PTX, by the card's driver.

It ends after --minutes: what is not reached by then is told. What is known is in the --output folder at any time.

--device=model runs a folder that was made for the numpy model of a card: a test of this script; its times mean nothing."""

from __future__ import annotations

import argparse
import datetime
import json
import re
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench import gpu_checks, gpu_timing
from bench.gpu_programs import PROGRAMS
from bench.gpu_report import aims, line, table
from bench.gpu_timing import DEVICE, Row
from bench.gpu_workers import GONE, Workers

TOOLS = ("memcheck", "racecheck", "synccheck")
"""Of compute-sanitizer."""

CHECKED, LOOKING, SANITIZED = 0.45, 0.05, 0.65
"""When checks and sanitizer are to be done, as parts of the time; LOOKING: for a second look in between."""

STARTED = 60.0
"""Seconds that it may take until a process can use the card."""

CHECK, TIMES = 20.0, 60.0
"""Seconds that a check may take (the driver compiles its PTX), and a row of the table (XLA compiles its program)."""

LOOKED_AT = 12
"""Programs that failed on the card and are run again, so that the kernel is named."""

FIRST = 3
"""Programs that are checked before all others: where each of them fails, so would the rest, and the card's time is dear."""

MOST_PRINTED = 40


def main() -> int:
    options = _options()
    about = json.loads((options.folder / "about.json").read_text())
    if about["device"] != options.device:
        sys.exit(f"the folder was made for {about['device']}, not for {options.device}")
    run = _Run(options.folder, options.device, options.jobs, 60 * options.minutes, options.output, tuple(options.only))
    found = run.facts()
    if found is None:
        return 1
    if not options.skip_checks and not run.begins():
        return 1
    if not options.skip_checks:
        run.check()
    if not options.skip_checks and not options.skip_sanitizer:
        run.sanitize(options.sample)
    if not options.skip_times:
        run.measure(found)
    run.tell(f"\n{len(run.failed)} failures{': ' if run.failed else ''}{', '.join(run.failed[:20])}")
    return 1 if run.failed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.gpu", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path.cwd(), help="default: this one")
    parser.add_argument("--device", default="cuda", choices=["cuda", "model"])
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="what has this in its name")
    parser.add_argument("--sample", type=int, default=24, metavar="N", help="programs under compute-sanitizer")
    parser.add_argument("--minutes", type=float, default=9.0, help="that all of it may take (default: 9)")
    parser.add_argument("--jobs", type=int, default=4, metavar="N", help="processes that check at a time (default: 4)")
    parser.add_argument("--output", type=Path, metavar="FOLDER", help="also writes gpu.log, gpu.md and gpu.json there")
    for what in ("checks", "sanitizer", "times"):
        parser.add_argument(f"--skip-{what}", action="store_true")
    return parser.parse_args()


@dataclass
class _Run:
    folder: Path
    device: str
    jobs: int
    seconds: float
    output: Path | None
    only: tuple[str, ...]

    def __post_init__(self) -> None:
        self.start = time.monotonic()
        self.failed: list[str] = []
        if self.output:
            self.output.mkdir(parents=True, exist_ok=True)
            (self.output / "gpu.log").write_text("")

    def tell(self, text: str) -> None:
        print(text, flush=True)
        if self.output:
            with (self.output / "gpu.log").open("a") as log:
                log.write(text + "\n")

    def fail(self, name: str, why: str) -> None:
        self.failed.append(name)
        if len(self.failed) <= MOST_PRINTED or self.output:
            self.tell(f"FAIL {name}: {why}")

    def workers(self, command: Sequence[str], part: float, patience: float, jobs: int = 1) -> Workers:
        """`part`: of all the time, at which they are to be done."""
        return Workers(command, jobs, patience, STARTED, self.start + part * self.seconds)

    def facts(self) -> dict[str, Any] | None:
        """None where no device can be used: told and counted."""
        command = (*gpu_timing.COMMAND, str(self.folder), self.device)
        found = dict(self.workers(command, 1.0, TIMES).answers([DEVICE])).get(DEVICE, GONE)
        if isinstance(found, str):
            self.fail("no device", found)
            return None
        copies = f"copies {found['bandwidth'] / 1e9:.0f} GB/s (read and written)"
        found["about"] = f"{found['card']}, {found['driver']}, {datetime.date.today()}, {copies}"
        self.tell(found["about"] + "\n" + ", ".join(f"{name} {version}" for name, version in found["others"].items()))
        return found

    def _chosen(self, names: Sequence[str]) -> list[str]:
        return [name for name in names if not self.only or any(one in name for one in self.only)]

    def _checks(self) -> list[str]:
        return sorted(path.stem for path in (self.folder / "checks").glob("*.hlo"))

    def begins(self) -> bool:
        """Whether any of a few programs, evenly over the names, gives the reference's results; what they say is told."""
        names = self._chosen(self._checks())
        names = names[:: max(1, len(names) // FIRST)][:FIRST]
        if len(names) < FIRST:
            return True
        workers = self.workers((*gpu_checks.COMMAND, str(self.folder)), CHECKED, CHECK)
        answers = [(name, answer if isinstance(answer, str) else answer[0]) for name, answer in workers.answers(names)]
        if not all(finding for _, finding in answers):
            return True
        for name, finding in answers:
            self.fail(name, finding)
        self.tell("each of the first programs fails: nothing else is tried")
        return False

    def check(self) -> None:
        names = self._chosen(self._checks())
        if not names:
            self.fail("nothing to check", "no such program")
            return
        workers = self.workers((*gpu_checks.COMMAND, str(self.folder)), CHECKED, CHECK, self.jobs)
        count, wrong, remarks, broken = 0, 0, 0, []
        for name, answer in workers.answers(names):
            finding, remark = (answer, "") if isinstance(answer, str) else answer
            count += 1
            if finding:
                wrong += 1
                self.fail(name, finding)
            if finding == GONE or "CUDA_ERROR" in finding:
                broken.append(name)
            if remark:
                remarks += 1
                if remarks <= MOST_PRINTED:
                    self.tell(f"remark {name}: {remark}")
        self.tell(f"checks: {count - wrong} of {len(names)} programs give the reference's results; {remarks} remarks")
        self._not_reached("checks", len(names) - count)
        self._look_at(broken[:: max(1, len(broken) // LOOKED_AT)])

    def _look_at(self, names: Sequence[str]) -> None:
        """What the runtime says when it waits for every launch, without graphs."""
        command = ("env", "HLO_GPU_CHECK=1", "HLO_GPU_GRAPHS=0", *gpu_checks.COMMAND, str(self.folder))
        for name, answer in self.workers(command, CHECKED + LOOKING, CHECK, self.jobs).answers(names):
            self.tell(f"again {name}: {answer if isinstance(answer, str) else answer[0] or 'right, launch by launch'}")

    def _not_reached(self, what: str, count: int) -> None:
        if count:
            self.fail(f"{count} {what} not reached", "the time was over (--minutes)")

    def sanitize(self, sample: int) -> None:
        """Evenly over the names: a program of every kind."""
        if not shutil.which("compute-sanitizer"):
            self.tell("compute-sanitizer: not found, left out")
            return
        names = self._checks()
        chosen = names[:: max(1, len(names) // max(sample, 1))]
        for number, tool in enumerate(TOOLS):
            self._sanitize(
                tool, chosen, SANITIZED - (SANITIZED - CHECKED - LOOKING) * (len(TOOLS) - 1 - number) / len(TOOLS)
            )

    def _sanitize(self, tool: str, names: Sequence[str], part: float) -> None:
        logs = self.folder / f"{tool}-logs"
        shutil.rmtree(logs, ignore_errors=True)
        logs.mkdir()
        prefix = ("compute-sanitizer", "--tool", tool, "--log-file", str(logs / "%p.log"))
        workers = self.workers((*prefix, *gpu_checks.COMMAND, str(self.folder)), part, TIMES)
        count = 0
        for name, answer in workers.answers(names):
            finding = answer if isinstance(answer, str) else answer[0]
            count += 1
            if finding:
                self.fail(f"{tool}:{name}", finding)
        said = [text.splitlines() for text in (log.read_text() for log in sorted(logs.glob("*.log"))) if text]
        last = [lines[-1] for lines in said]
        self.tell(f"compute-sanitizer {tool}: {count} of {len(names)} programs; {'; '.join(last) or 'no log'}")
        for lines in said:
            if count == len(names) and not re.search(r"\b0 (errors|hazards)", lines[-1]):
                self.fail(tool, "\n".join(lines[:MOST_PRINTED]))

    def measure(self, found: dict[str, Any]) -> None:
        there = {p.name for p in PROGRAMS if (self.folder / "programs" / f"{p.file}.hlo").exists()}
        names = self._chosen([p.name for p in PROGRAMS if p.name in there])
        command = (*gpu_timing.COMMAND, str(self.folder), self.device)
        rows: list[Row] = []
        count = 0
        for name, answer in self.workers(command, 1.0, TIMES).answers(names):
            count += 1
            if isinstance(answer, str):
                self.fail(name, answer)
                continue
            rows.append(Row(**answer))
            if not rows[-1].is_right:
                self.fail(name, "wrong result")
            self.tell(line(rows[-1], found["bandwidth"]))
            self._write(rows, found)
        self._not_reached("programs to be timed", len(names) - count)
        self.tell("\n" + _text(rows, found))

    def _write(self, rows: Sequence[Row], found: dict[str, Any]) -> None:
        if self.output:
            (self.output / "gpu.md").write_text(_text(rows, found) + "\n")
            (self.output / "gpu.json").write_text(
                json.dumps({**found, "rows": [asdict(row) for row in rows]}, indent=1)
            )


def _text(rows: Sequence[Row], found: dict[str, Any]) -> str:
    bandwidth = found["bandwidth"]
    return f"{found['about']}\n\n{table(rows, bandwidth)}\n\n{aims(rows, bandwidth)}"


if __name__ == "__main__":
    sys.exit(main())
