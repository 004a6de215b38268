"""What is known of a program's profile when it is compiled: its rows, which are saved with it, and how long the compilation took."""

from __future__ import annotations

from typing import Any

from hlo.lazy_dataclasses import dataclass

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


def read_row(record: dict[str, Any]) -> Row:
    """From a row's fields, lists instead of tuples."""
    return Row(**{**record, "sources": tuple(record["sources"]), "names": tuple(record["names"])})
