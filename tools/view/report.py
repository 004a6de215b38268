"""A compilation as the data of its page: a head that is read at once, and chunks that are unpacked when they are looked at."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hlo.dialect.collective_traffic import Collective
from hlo.errors import Diagnostic
from hlo.tools.view.collect import Compilation
from hlo.tools.view.history import History
from hlo.tools.view.origins import FILE, NumberedOps, Ops
from hlo.tools.view.sources import origin_table, source_texts

AT_ONCE = 8
"""Steps whose edits are one chunk."""


def report_of(
    made: Compilation, title: str, program: str | None, folders: Sequence[Path], profile: Any = None
) -> tuple[dict[str, Any], list[Any]]:
    """(head, chunks), as JSON. `program`: the name that locations have for the program's own file. `profile`: as `exe.profile` gives it."""
    files, origins = origin_table(made.numbered.origins)
    texts = source_texts(files, folders, program)
    history = made.history
    steps, chunks = _steps(history)
    head = {
        "title": title,
        "target": made.target,
        "grid": list(made.grid),
        "collectives": [_collective(*one) for one in made.collectives],
        "steps": steps,
        "files": [{"name": name, "shown": text is not None} for name, text in zip(files, texts)],
        "kernels": [asdict(kernel) for kernel in made.kernels],
        "remarks": [_remark(one, made.numbered) for one in made.remarks],
        "memory": made.memory,
        "profile": profile,
    }
    links = {"ops": list(history.ops), "origins": origins, "sources": texts}
    return head, [links, *chunks]


def _steps(history: History) -> tuple[list[dict[str, Any]], list[list[Any]]]:
    steps = [
        {
            "phase": step.phase,
            "name": step.name,
            "ms": round(step.seconds * 1e3, 3),
            "added": step.added,
            "dropped": step.dropped,
        }
        for step in history.steps
    ]
    edits = [step.edits for step in history.steps]
    return steps, [edits[n : n + AT_ONCE] for n in range(0, len(edits), AT_ONCE)]


_LINES = re.compile(r" \(lines? [\d, ]+\)")
"""What a remark says about lines counts numbered ops, which the page shows."""


def _remark(found: Diagnostic, numbered: NumberedOps) -> dict[str, Any]:
    """`ops`: those where it stands."""
    name, _, text = found.message.partition(": ")
    ops = numbered.sets[found.line] if found.file == FILE else ()
    return {"kernel": name.removeprefix("@"), "text": _LINES.sub("", text), "ops": ops}


def _collective(ops: Ops, found: Collective) -> dict[str, Any]:
    """`sent`: bytes, of each process; `group`: how many processes it has to do with, 0 for one other."""
    return {"ops": ops, "kind": found.kind, "sent": round(found.sent), "group": found.group}


def written(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode(errors="surrogatepass")
