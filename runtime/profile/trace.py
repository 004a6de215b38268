"""A profile as a trace for Perfetto (https://ui.perfetto.dev): Chrome's JSON events. One track a thread, with the last
call's kernels, custom calls and copies, and the parts that threads ran; one track with the phases of the
compilation."""

from __future__ import annotations

import json
from typing import Any

from hlo.runtime.profile import layout
from hlo.runtime.profile.profile import Profile
from hlo.runtime.profile.record import Event

TRACKS = 10_000
"""Numbers of tracks that a program has. The first is the compilation's, then come the threads'. As for an operating system, no two programs
have the same ones, none is 0, and none a program's number: readers take such tracks for one."""

CATEGORIES = {
    "custom call": "custom call",
    "copy": "transfer",
    "collective": "collective",
    "loop": "loop",
    "layer": "layer",
}
"""By kind of row; others are kernels."""


def trace(profiles: list[Profile]) -> dict[str, Any]:
    """Of several programs: each is a process of the trace."""
    events = [event for number, one in enumerate(profiles, 1) for event in _of_program(one, number)]
    return {"traceEvents": events, "displayTimeUnit": "ns"}


def trace_text(profiles: list[Profile]) -> str:
    return json.dumps(trace(profiles))


def _of_program(profile: Profile, process: int) -> list[dict[str, Any]]:
    threads = sorted({event.thread for event in profile.events})
    compilation = process * TRACKS
    names = {_track(process, thread): f"thread {thread}" for thread in threads}
    names |= {compilation: "compilation"} if profile.phases else {}
    found = [_named("process_name", process, process * TRACKS, f"{profile.name} ({profile.processor})")]
    if profile.is_full:
        label = f"the first {len(profile.events)} events"
        found.append(
            {"ph": "M", "name": "process_labels", "pid": process, "tid": process * TRACKS, "args": {"labels": label}}
        )
    found += [_named("thread_name", process, track, name) for track, name in names.items()]
    found += [
        {
            "ph": "X",
            "cat": "compilation",
            "name": p.name,
            "pid": process,
            "tid": compilation,
            **_times(p.start, p.start + p.seconds * 1e9),
        }
        for p in profile.phases
    ]
    events = sorted(profile.events, key=lambda event: (event.start, -event.end))  # what lies in an event comes after it
    return found + [_event(profile, event, process) for event in events]


def _track(process: int, thread: int) -> int:
    return process * TRACKS + 1 + thread


def _named(what: str, process: int, track: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": what, "pid": process, "tid": track, "args": {"name": name}}


def _times(start: float, end: float) -> dict[str, float]:
    """In microseconds, from both ends in whole nanoseconds: readers round a start and a duration to these, each for itself, and drop an
    event that then ends after the next of its track has begun, or after the one it lies in."""
    begin = round(start)
    return {"ts": begin / 1e3, "dur": max(0, round(end) - begin) / 1e3}


def _event(profile: Profile, event: Event, process: int) -> dict[str, Any]:
    found: dict[str, Any] = {
        "ph": "X",
        "pid": process,
        "tid": _track(process, event.thread),
        **_times(event.start, event.end),
    }
    if event.kind == layout.IS_RUN:
        return {**found, "cat": "call", "name": profile.name}
    row = profile.rows[event.row]
    if event.kind == layout.IS_PART:
        return {**found, "cat": "part", "name": f"part of {row.name}"}
    about = {"kind": row.kind, "source": row.sources[0] if row.sources else "", "op": row.names[0] if row.names else ""}
    counts = {"flops": row.operations, "bytes_read": row.read, "bytes_written": row.written}
    known = {key: count for key, count in counts.items() if count is not None}
    return {**found, "cat": CATEGORIES.get(row.kind, "kernel"), "name": row.name, "args": {**about, **known}}
