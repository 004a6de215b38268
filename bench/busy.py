"""Single calls of hlo, XLA:CPU and IREE in turns, beside processes that keep the processor's cores busy.

python -m bench.busy [--processes 0,1,2,4] [--seconds 2] [--only NAME]...

Prints for each program the median and the 95th percentile of hlo's calls in milliseconds and a peer's over hlo's, then
geometric means and least ratios. Calls take turns one by one, so that each finds in the caches what others have left there, and
its threads asleep as long as the others took."""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bench.measure import Row

PROGRAMS = (
    *("matmul 512", "gelu 4096x1024", "softmax 4096x1024", "sum of rows 4096x1024", "transpose + 1 4096x1024"),
    *("convolution 1x1 8x28x28x256", "mlp forward", "cnn forward", "attention 8 heads 1024x64", "lstm 64 steps 32x256"),
)
"""Those of the fixed table that are measured."""
SPIN = "while True: pass"
MISSING = "–"
AT_LEAST = 8
"""Calls of each contender, however long they take."""

Figures = tuple[float, float]
"""The median and the 95th percentile."""


def main() -> int:
    options = _options()
    os.environ["JAX_PLATFORMS"] = "cpu"
    from bench import contenders, report
    from bench.programs import PROGRAMS as fixed

    threads = len(os.sched_getaffinity(0))
    os.environ["HLO_THREADS"] = str(threads)
    competing = contenders.available(threads)
    chosen = [fixed[name] for name in PROGRAMS if not options.only or any(o in name for o in options.only)]
    if not chosen:
        sys.exit(f"no such program; programs: {', '.join(PROGRAMS)}")
    print(f"{report.state()}: {threads} threads, {options.seconds:g} s a program\n")
    for count in options.processes:
        with busy(count):
            rows = [_measured(program, competing, options.seconds) for program in chosen]
        print(table(count, {row.name: all_figures(row) for row in rows}), *failures(rows), "", sep="\n", flush=True)
    return 0


@contextmanager
def busy(count: int) -> Iterator[None]:
    """So many processes that compute without end, of the priority of this one."""
    processes = [subprocess.Popen([sys.executable, "-c", SPIN]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _measured(program: Any, competing: Sequence[Any], seconds: float) -> Row:
    """The times of single calls, in seconds; who cannot run the program has a note, and no times."""
    from bench.measure import Row, prepare, problem_of

    row = Row(program.name)
    ready = prepare(row, program, problem_of(program), competing)
    take_calls(row, [contender for contender in competing if contender.name in ready], seconds)
    return row


def take_calls(row: Row, contenders: Sequence[Any], seconds: float) -> None:
    """Calls of all by turns, until so many seconds have passed. Who fails in one has a note, and no times."""
    from bench.measure import take_turn

    row.turns = {contender.name: [] for contender in contenders}
    end = time.monotonic() + seconds
    while row.turns and (time.monotonic() < end or min(map(len, row.turns.values())) < AT_LEAST):
        for contender in [c for c in contenders if c.name in row.turns]:
            take_turn(row, contender, 0)


def all_figures(row: Row) -> dict[str, Figures]:
    """Milliseconds by contender."""
    return {name: figures([1e3 * seconds for seconds in times]) for name, times in row.turns.items()}


def failures(rows: Sequence[Row]) -> list[str]:
    """A line for each who could not run a program."""
    return [f"{row.name}: {name}: {note}" for row in rows for name, note in row.notes.items()]


def figures(times: Sequence[float]) -> Figures:
    """The median, and what one in twenty takes longer than."""
    return statistics.median(times), sorted(times)[int(0.95 * (len(times) - 1))]


def table(count: int, rows: dict[str, dict[str, Figures]]) -> str:
    """Milliseconds of hlo, and peers' times over hlo's, medians and 95th percentiles; a dash where one is missing."""
    peers = list(dict.fromkeys(name for row in rows.values() for name in row if name != "hlo"))
    columns = [f"{peer}: {figure}" for peer in peers for figure in ("median", "95th")]
    head = ["hlo: median", "95th", *columns]
    lines = [f"| beside {count} busy processes | {' | '.join(head)} |", f"|---|{'---:|' * len(head)}"]
    ratios: dict[str, list[float]] = {column: [] for column in columns}
    for name, row in rows.items():
        cells = [f"{value:.3f}" for value in row["hlo"]] if "hlo" in row else [MISSING] * 2
        for column, (peer, index) in zip(columns, ((p, i) for p in peers for i in range(2))):
            ratio = row[peer][index] / row["hlo"][index] if peer in row and "hlo" in row else None
            cells.append(_cell(ratio))
            ratios[column] += [] if ratio is None else [ratio]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    for title, combined in (("geometric mean", statistics.geometric_mean), ("least", min)):
        cells = ["", "", *(_cell(combined(found) if found else None) for found in ratios.values())]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(ratio: float | None) -> str:
    return MISSING if ratio is None else f"{ratio:.2f}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.busy", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--processes", type=_counts, default=[0, 1, 2, 4], help="how many are busy; default 0,1,2,4")
    parser.add_argument("--seconds", type=float, default=2.0, help="for the calls of a program; default %(default)s")
    parser.add_argument("--only", action="append", metavar="NAME", help="programs whose name contains this")
    return parser.parse_args()


def _counts(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


if __name__ == "__main__":
    sys.exit(main())
