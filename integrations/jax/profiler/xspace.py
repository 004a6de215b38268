"""What hlo adds to a trace of JAX's profiler, as JAX takes it: an XSpace (xplane.proto of TSL's profiler), which jaxlib
makes from its text form.

It has one plane, which holds a line for each thread that ran compiled code; the events of a line are calls of programs,
in them the loops, layers, kernels, custom calls, collectives and copies, in those the parts that the thread ran. Names
of stats are those that XProf knows, where it has one."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any

from hlo.jax.profiler.traces import Timed, Trace, read_together
from hlo.runtime.profile import layout
from hlo.runtime.profile.record import Event
from hlo.runtime.profile.rows import Row

PLANE = "/device:CUSTOM:hlo"
"""Planes of devices that are neither GPUs nor TPUs begin like this: jaxlib writes no others into trace.json.gz."""

CALL_CATEGORY, PART_CATEGORY = "call", "part"


def xspace(trace: Trace) -> bytes:
    """The XSpace of a trace that has stopped: empty where no program ran."""
    from jax.profiler import ProfileData

    since_1970, monotonic = read_together(time.time_ns, time.perf_counter_ns)
    return ProfileData.text_proto_to_serialized_xspace(xspace_text(trace, since_1970 - monotonic))


def xspace_text(trace: Trace, epoch: int) -> str:
    """`epoch`: the time since 1970 in nanoseconds when CLOCK_MONOTONIC was zero."""
    if not (trace.programs or trace.untimed):
        return ""
    plane = _Plane(epoch)
    for program in trace.programs:
        plane.add(program)
    notes = {f"not timed: {name}": reason for name, reason in trace.untimed.items()}
    full = [program.name for program in trace.programs if program.is_full]
    return plane.text({**notes, **({"more events than there is room for": ", ".join(full)} if full else {})})


class _Plane:
    def __init__(self, epoch: int):
        self._epoch = epoch
        self._stats: dict[str, int] = {}
        self._kinds: list[str] = []
        self._lines: dict[int, list[tuple[float, float, int]]] = {}
        """By thread: start, end and kind of each event."""

    def add(self, program: Timed) -> None:
        kinds: dict[tuple[int, int], int] = {}
        for event in program.events:
            what = event.row, event.kind
            if what not in kinds:
                kinds[what] = self._kind(program, event)
            thread = program.threads[event.thread]
            self._lines.setdefault(thread, []).append((event.start, event.end, kinds[what]))

    def text(self, notes: Mapping[str, str]) -> str:
        stats = "".join(self._stat(name, value) for name, value in notes.items())
        lines = "".join(self._line(number, *one) for number, one in enumerate(_named(self._lines), 1))
        kinds = "".join(_entry("event_metadata", number, one) for number, one in enumerate(self._kinds, 1))
        names = "".join(
            _entry("stat_metadata", number, f"name: {_quoted(name)}") for name, number in self._stats.items()
        )
        return f"planes {{ name: {_quoted(PLANE)} {lines}{kinds}{names}{stats}}}"

    def _kind(self, program: Timed, event: Event) -> int:
        """The number of the description that the events of a row have in common."""
        name, stats = _description(program, event)
        told = "".join(self._stat(key, value) for key, value in stats.items() if value not in (None, ""))
        self._kinds.append(f"name: {_quoted(name)} {told}")
        return len(self._kinds)

    def _stat(self, name: str, value: int | str) -> str:
        number = self._stats.setdefault(name, len(self._stats) + 1)
        told = f"int64_value: {value}" if isinstance(value, int) else f"str_value: {_quoted(value)}"
        return f"stats {{ metadata_id: {number} {told} }} "

    def _line(self, number: int, name: str, events: list[tuple[float, float, int]]) -> str:
        """Times are picoseconds from the line's first event; of events that begin together the one around the others comes first."""
        events = sorted(events, key=lambda event: (event[0], -event[1]))
        first = int(events[0][0])
        told = "".join(
            f"events {{ metadata_id: {kind} offset_ps: {int((start - first) * 1e3)} duration_ps: {int(max(0.0, end - start) * 1e3)} }}\n"
            for start, end, kind in events
        )
        return f"lines {{ id: {number} name: {_quoted(name)} timestamp_ns: {first + self._epoch}\n{told}}}\n"


def _description(program: Timed, event: Event) -> tuple[str, dict[str, Any]]:
    if event.kind == layout.IS_RUN:
        return program.name, {"hlo_category": CALL_CATEGORY}
    row = program.rows[event.row]
    if event.kind == layout.IS_PART:
        return f"part of {row.name}", {"hlo_category": PART_CATEGORY, "hlo_module": program.name}
    return row.name, {"hlo_category": row.kind, "hlo_module": program.name, **_work(row)}


def _work(row: Row) -> dict[str, Any]:
    known = row.read is not None and row.written is not None
    return {
        "model_flops": row.operations,
        "bytes_accessed": (row.read or 0) + (row.written or 0) if known else None,
        "tf_op": row.names[0] if row.names else "",
        "source": row.sources[0] if row.sources else "",
    }


def _named(lines: dict[int, Any]) -> Iterator[tuple[str, Any]]:
    """Lines with the names of Python's threads; the others are hlo's own."""
    names = {t.ident: t.name for t in threading.enumerate() if not isinstance(t, threading._DummyThread)}
    others = 0
    for thread, events in lines.items():
        others += thread not in names
        yield names.get(thread, f"hlo's thread {others}"), events


def _entry(table: str, number: int, value: str) -> str:
    return f"{table} {{ key: {number} value {{ id: {number} {value}}} }}\n"


def _quoted(text: str) -> str:
    """JSON's escapes are among those of protobuf's text form, but for characters that it takes as they are."""
    return json.dumps(text, ensure_ascii=False)
