"""Profiles as files: what is in one follows from its name's ending."""

from __future__ import annotations

import gzip
import os
import sys
from typing import Any

from hlo.runtime.profile.profile import Profile, json_text


def contents(profiles: list[Profile], path: str) -> bytes:
    """`.trace.json`, `.trace.json.gz`: a trace for Perfetto; `.json`: the profile (several: a list); others: tables."""
    name = path.lower()
    if name.endswith((".trace.json", ".trace.json.gz")):
        from hlo.runtime.profile.trace import trace_text

        data = trace_text(profiles).encode()
        return gzip.compress(data, mtime=0) if name.endswith(".gz") else data
    if name.endswith(".json"):
        return json_text(profiles).encode()
    return "\n".join(map(str, profiles)).encode()


def write_profiles(profiles: list[Profile], path: Any) -> None:
    """`-`: standard error. Raises ArgumentError for a file that cannot be written."""
    from hlo.whole_files import save

    if path == "-":
        sys.stderr.write(contents(profiles, "-").decode())
        return
    save(path, contents(profiles, os.fsdecode(path) if isinstance(path, (str, bytes, os.PathLike)) else ""))
