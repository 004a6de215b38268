"""The phases of a target, by its name (hlo/targets.py says what a target is)."""

from __future__ import annotations

from typing import Any

from hlo.pipelines.phase import Phase
from hlo.targets import find_target


def target_pipeline(target: str, **options: Any) -> list[Phase]:
    """A fresh list of a target's phases, with options of `hlo.compile` that its pipeline takes (cpu: `cpu`, `profile`).
    Raises CompileError for a target that is not registered, or has no phases."""
    return find_target(target).phases(options)
