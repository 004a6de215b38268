"""A profile as a trace for Perfetto (https://ui.perfetto.dev): Chrome's JSON events. One track a thread, with the last call's kernels, custom
calls and copies, and the parts that threads ran; one track with the phases of the compilation."""

from __future__ import annotations

import json
from typing import Any

from hlo.runtime.profile import layout
from hlo.runtime.profile.profile import Profile
from hlo.runtime.profile.record import Event

COMPILER = 1000
"""The number of the track of the compilation."""

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
    names = {thread: f"thread {thread}" for thread in threads} | ({COMPILER: "compilation"} if profile.phases else {})
    found = [_named("process_name", process, 0, f"{profile.name} ({profile.processor})")]
    if profile.is_full:
        label = f"the first {len(profile.events)} events"
        found.append({"ph": "M", "name": "process_labels", "pid": process, "tid": 0, "args": {"labels": label}})
    found += [_named("thread_name", process, thread, name) for thread, name in names.items()]
    found += [
        {
            "ph": "X",
            "cat": "compilation",
            "name": p.name,
            "pid": process,
            "tid": COMPILER,
            "ts": p.start / 1e3,
            "dur": p.seconds * 1e6,
        }
        for p in profile.phases
    ]
    return found + [_event(profile, event, process) for event in profile.events]


def _named(what: str, process: int, thread: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": what, "pid": process, "tid": thread, "args": {"name": name}}


def _event(profile: Profile, event: Event, process: int) -> dict[str, Any]:
    found: dict[str, Any] = {
        "ph": "X",
        "pid": process,
        "tid": event.thread,
        "ts": event.start / 1e3,
        "dur": max(0.0, event.end - event.start) / 1e3,
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
