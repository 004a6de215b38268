"""A profile: where the time of a program's runs goes. As data, as JSON (docs/profiling.md describes it), as a table
(table.py), as a trace (trace.py)."""

from __future__ import annotations

import json
from dataclasses import asdict, field
from typing import Any

from hlo.lazy_dataclasses import dataclass
from hlo.runtime.profile.machine_rates import Rates
from hlo.runtime.profile.record import Counts, Event, Record
from hlo.runtime.profile.rows import PhaseTime, Row

FORMAT, VERSION = "hlo-profile", 1

OTHER = "other"
"""The kind of two rows: what is between kernels, and what the call does around the program (arguments, memory for results)."""

BETWEEN, AROUND = "between kernels", "arguments and results"


@dataclass(frozen=True)
class Entry:
    """A row with what was measured, for one run on average. Times in seconds; `share`: of the whole run's time.
    `roofline`: what part of its time the row would take at least on this machine, which is bound by `bound` ("compute",
    "memory"); None where the work or the machine is not known."""

    row: Row
    calls: float
    seconds: float
    share: float
    busy: float
    waited: float
    threads: int
    parts: float
    roofline: float | None = None
    bound: str = ""


@dataclass(frozen=True)
class Profile:
    """`seconds`: a call of the program, mean of `runs`; `inside`: of that, in compiled code. `calls`: seconds of each
    call, where they were measured one by one. `is_full`: `events` may be the first of more. `entries`: rows that add up
    to `seconds`, the last two of kind OTHER; `spans`: loops and layers, whose time is that of entries."""

    name: str
    processor: str
    threads: int
    runs: int
    seconds: float
    inside: float
    memory: dict[str, int]
    entries: tuple[Entry, ...]
    spans: tuple[Entry, ...]
    rates: Rates | None = None
    calls: tuple[float, ...] = ()
    phases: tuple[PhaseTime, ...] = ()
    events: tuple[Event, ...] = ()
    is_full: bool = False
    rows: tuple[Row, ...] = field(default=(), repr=False)

    def __str__(self) -> str:
        from hlo.runtime.profile.table import table

        return table(self)

    def as_json(self) -> dict[str, Any]:
        """What `write` puts into a `.json` file."""
        best = {"median": sorted(self.calls)[len(self.calls) // 2], "best": min(self.calls)} if self.calls else None
        return {
            "format": FORMAT,
            "version": VERSION,
            "program": self.name,
            "target": "cpu",
            "processor": self.processor,
            "threads": self.threads,
            "runs": self.runs,
            "seconds": self.seconds,
            "inside_seconds": self.inside,
            "call_seconds": best,
            "memory": self.memory,
            "machine": None if self.rates is None else asdict(self.rates),
            "rows": [_entry_as_json(entry) for entry in self.entries],
            "spans": [_entry_as_json(entry) for entry in self.spans],
            "compile": [{"phase": p.name, "seconds": p.seconds} for p in self.phases],
        }

    def write(self, path: Any) -> None:
        """Writes a file: `.json` the profile, `.trace.json` or `.trace.json.gz` a trace for Perfetto, another ending
        the table. Raises ArgumentError for a file that cannot be written."""
        from hlo.runtime.profile.files import write_profiles

        write_profiles([self], path)


def _entry_as_json(entry: Entry) -> dict[str, Any]:
    row = entry.row
    return {
        "name": row.name,
        "kind": row.kind,
        "calls": entry.calls,
        "seconds": entry.seconds,
        "share": entry.share,
        "flops": row.operations,
        "transcendentals": row.transcendentals,
        "bytes_read": row.read,
        "bytes_written": row.written,
        "element": row.element,
        "roofline": entry.roofline,
        "bound": entry.bound,
        "threads": entry.threads,
        "parts": entry.parts,
        "busy_seconds": entry.busy,
        "wait_seconds": entry.waited,
        "sources": [_location(text) for text in row.sources],
        "names": list(row.names),
    }


def _location(text: str) -> dict[str, Any]:
    file, line, column = text.rsplit(":", 2)
    return {"file": file, "line": int(line), "column": int(column)}


def entries_of(
    rows: tuple[Row, ...], record: Record, seconds: float, runs: int, rates: Rates | None
) -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
    """The rows that took time, the longest first, and those of kind OTHER; and spans. `seconds`: of all runs together."""
    pairs = [(row, counts) for row, counts in zip(rows, record.counts()) if counts.calls]
    entries = [_entry(row, counts, seconds, runs, rates) for row, counts in pairs if not row.is_span]
    spans = [_entry(row, counts, seconds, runs, None) for row, counts in pairs if row.is_span]
    timed = sum(counts.seconds for row, counts in pairs if not row.is_span)
    rest = ((BETWEEN, record.seconds - timed), (AROUND, seconds - record.seconds))
    others = [_entry(Row(n, OTHER), Counts(runs, max(0.0, s), 0.0, 0.0, 0, 0), seconds, runs, None) for n, s in rest]
    ordered = [sorted(found, key=lambda e: -e.seconds) for found in (entries, spans)]
    return (*ordered[0], *others), tuple(ordered[1])


def _entry(row: Row, counts: Counts, seconds: float, runs: int, rates: Rates | None) -> Entry:
    roofline, bound = _roofline(row, counts, rates)
    runs = max(1, runs)
    return Entry(
        row,
        counts.calls / runs,
        counts.seconds / runs,
        counts.seconds / seconds if seconds else 0.0,
        (counts.busy if counts.parts else counts.seconds) / runs,
        counts.waited / runs,
        max(1, counts.threads),
        counts.parts / runs,
        roofline,
        bound,
    )


def _roofline(row: Row, counts: Counts, rates: Rates | None) -> tuple[float | None, str]:
    if rates is None or row.read is None or row.written is None or counts.seconds <= 0:
        return None, ""
    size = row.read + row.written
    memory = size / rates.bytes_rate(size)
    compute = (row.operations or 0) / rates.operations_rate(row.element)
    if row.operations is None or not (size or row.operations):
        return None, ""
    return counts.calls * max(memory, compute) / counts.seconds, "compute" if compute > memory else "memory"


def json_text(profiles: list[Profile]) -> str:
    """One profile as an object, several as a list of such."""
    found = [profile.as_json() for profile in profiles]
    return json.dumps(found[0] if len(found) == 1 else found, indent=1) + "\n"
