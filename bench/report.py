"""Rows as a Markdown table and a plot. Every time stands beside its peers'."""

from __future__ import annotations

import datetime
import math
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.machine import Machine
from bench.measure import Row

HEAD = [
    "program",
    "hlo ms",
    "XLA ms",
    "IREE ms",
    "XLA/hlo",
    "IREE/hlo",
    "error",
    "of floor",
    "compile s: hlo",
    "XLA",
    "IREE",
    "temporaries MB: hlo",
    "XLA",
]
BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"


def table(rows: Sequence[Row]) -> str:
    lines = ["| " + " | ".join(HEAD) + " |", "|---" + "|---:" * (len(HEAD) - 1) + "|"]
    return "\n".join([*lines, *(_line(row) for row in rows)])


def _line(row: Row) -> str:
    names = ("hlo", "XLA", "IREE")
    times = [_number(row.seconds.get(n), 1e3, "{:.3g}") for n in names]
    ratios = [_number(row.ratio(n), 1, "{:.2f}") for n in names[1:]]
    share = _number(row.share() if row.floor else None, 100, "{:.0f}%")
    compiles = [_number(row.compile.get(n), 1, "{:.2f}") for n in names]
    temporaries = [_number(row.temporaries.get(n), 1e-6, "{:.2f}") for n in names[:2]]
    cells = [row.name, *times, *ratios, _number(row.error, 1, "{:.0e}"), share, *compiles, *temporaries]
    return "| " + " | ".join(cells) + " |"


def _number(value: float | None, scale: float, form: str) -> str:
    return "–" if value is None else form.format(value * scale)


def geometric_mean(values: Iterable[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return math.exp(sum(map(math.log, known)) / len(known)) if known else None


def _best_peer(row: Row) -> float | None:
    ratios = [r for r in (row.ratio("XLA"), row.ratio("IREE")) if r is not None]
    return min(ratios, default=None)


def _compile_ratio(row: Row) -> float | None:
    known = "hlo" in row.compile and "XLA" in row.compile
    return row.compile["XLA"] / row.compile["hlo"] if known else None


def summary(rows: Sequence[Row]) -> str:
    means = {
        "XLA/hlo": geometric_mean(r.ratio("XLA") for r in rows),
        "IREE/hlo": geometric_mean(r.ratio("IREE") for r in rows),
        "better peer/hlo": geometric_mean(map(_best_peer, rows)),
        "compile time XLA/hlo": geometric_mean(map(_compile_ratio, rows)),
    }
    lines = ["Geometric means: " + ", ".join(f"{n} {_number(v, 1, '{:.2f}')}" for n, v in means.items()) + "."]
    lost = sorted((b, r.name) for r in rows if (b := _best_peer(r)) is not None and b < 0.98)
    lines += ["", f"Behind the better peer (below 0.98), {len(lost)} of {len(rows)}, the worst first: "]
    lines[-1] += ", ".join(f"{name} {ratio:.2f}" for ratio, name in lost) + "." if lost else "none."
    notes = [f"- {r.name}, {who}: {why}" for r in rows for who, why in r.notes.items()]
    return "\n".join([*lines, *(["", "Missing:", *notes] if notes else [])])


def state() -> str:
    """Today's date and the sources' commit, with a + where they have been changed since."""
    described = subprocess.run(
        ["git", "describe", "--always", "--exclude=*", "--dirty=+"],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
    ).stdout.strip()
    return f"{datetime.date.today().isoformat()}, state {described or 'unknown'}"


def describe(machine: Machine) -> str:
    return (
        f"{state()}: {machine.processor}, {machine.threads} threads; measured there: {machine.operations / 1e9:.0f} G f32 operations/s "
        f"(fused multiply-adds), {machine.bytes / 1e9:.1f} GB/s copied (read and written bytes)."
    )


def write(path: Path, rows: Sequence[Row], machine: Machine) -> None:
    """Replaces what is between the marks in the document; the rest of it is a person's."""
    text = path.read_text() if path.exists() else f"# Performance\n\n{BEGIN}\n{END}\n"
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    body = f"{describe(machine)}\n\n{table(rows)}\n\n{summary(rows)}\n\n![ratios](performance.png)"
    path.write_text(f"{before}{BEGIN}\n{body}\n{END}{after}")


def plot(path: Path, rows: Sequence[Row]) -> None:
    """Bars of peer/hlo on a logarithmic scale: right of the line hlo is the faster one."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(9, 1.2 + 0.24 * len(rows)))
    for peer, shift, colour in (("XLA", -0.2, "#3b6fb6"), ("IREE", 0.2, "#d98b2b")):
        places = [i + shift for i, row in enumerate(rows) if row.ratio(peer)]
        axes.barh(places, [row.ratio(peer) or 1 for row in rows if row.ratio(peer)], 0.38, color=colour, label=peer)
    axes.set_xscale("log")
    axes.axvline(1, color="black", linewidth=1)
    axes.set_yticks(range(len(rows)), [row.name for row in rows], fontsize=7)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlabel("time of the peer / time of hlo")
    axes.legend(loc="lower right")
    figure.tight_layout()
    figure.savefig(path, dpi=110)
