"""What --mlir-timing and --mlir-pass-statistics print on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence


def report_times(times: Sequence[tuple[str, float]], display: str, form: str) -> None:
    """`times`: passes with seconds, in order. `display`: tree, or list (each pass once, the slowest first). `form`:
    text or json, as mlir-opt's."""
    if display == "list":
        merged: dict[str, float] = {}
        for name, seconds in times:
            merged[name] = merged.get(name, 0.0) + seconds
        times = sorted(merged.items(), key=lambda row: -row[1])
    total = sum(seconds for _, seconds in times)
    rows = [*times, ("total", total)]
    if form == "json":
        entries = [
            {"name": n, "wall": {"duration": s, "percentage": 100 * s / total if total else 0.0}} for n, s in rows
        ]
        print(json.dumps(entries, indent=1), file=sys.stderr)
        return
    cells = [(name, f"{seconds * 1e3:.2f}", f"{seconds / total if total else 0:.0%}") for name, seconds in rows]
    _print_table("Pass execution time", ("ms", "share"), cells)


def report_counts(counts: Sequence[tuple[str, int, int]], display: str) -> None:
    """`counts`: passes with the ops that they found and left, in order. `display`: pipeline, or list (each pass once, by name)."""
    columns: tuple[str, ...] = ("ops before", "ops after", "change")
    cells = [(name, str(found), str(left), _signed(left - found)) for name, found, left in counts]
    if display == "list":
        changes: dict[str, int] = {}
        for name, found, left in counts:
            changes[name] = changes.get(name, 0) + left - found
        columns, cells = ("change",), [(name, _signed(change)) for name, change in sorted(changes.items())]  # type: ignore[misc]
    _print_table("Pass statistics", columns, cells)


def _signed(number: int) -> str:
    return f"{number:+d}" if number else "0"


def _print_table(title: str, columns: Iterable[str], rows: Iterable[tuple[str, ...]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    table.add_column("pass")
    for column in columns:
        table.add_column(column, justify="right")
    for row in rows:
        table.add_row(*row)
    Console(stderr=True).print(table)
