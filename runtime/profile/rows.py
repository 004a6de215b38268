"""What is known of a program's profile when it is compiled: its rows, which are saved with it, and how long the compilation took."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

SPANS = ("layer", "loop")
"""Kinds of rows whose time is that of other rows."""


@dataclass(frozen=True)
class Row:
    """`kind`: that of the kernel (region, contraction, rows, loops, fft), custom call, collective, copy, or a kind of SPANS. `operations`,
    `transcendentals`: of a call, None where nobody knows. `read`, `written`: bytes of a call. `element`: the type that is computed in.
    `sources`: `file:line:column`. `names`: what the front end calls the ops."""

    name: str
    kind: str
    operations: int | None = None
    transcendentals: int | None = None
    read: int | None = None
    written: int | None = None
    element: str = ""
    sources: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def is_span(self) -> bool:
        return self.kind in SPANS


@dataclass(frozen=True)
class PhaseTime:
    """A phase of the compilation; `start`: nanoseconds of time.perf_counter_ns."""

    name: str
    start: int
    seconds: float


def rows_as_json(rows: tuple[Row, ...] | None) -> list[dict[str, Any]] | None:
    return None if rows is None else [asdict(row) for row in rows]


def read_rows(records: list[dict[str, Any]] | None) -> tuple[Row, ...] | None:
    """From `rows_as_json`."""
    return None if records is None else tuple(map(read_row, records))


def read_row(record: dict[str, Any]) -> Row:
    return Row(**{**record, "sources": tuple(record["sources"]), "names": tuple(record["names"])})
