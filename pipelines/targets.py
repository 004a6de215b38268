"""The table of targets and their pipelines."""

from __future__ import annotations

from collections.abc import Callable

from hlo.errors import CompileError
from hlo.pipelines.cpu import cpu
from hlo.pipelines.gpu import gpu
from hlo.pipelines.phase import Phase

TARGETS: dict[str, Callable[..., list[Phase]]] = {"cpu": cpu, "gpu": gpu}

LATER: tuple[str, ...] = ()
"""Targets of the design that this version does not have."""


def target_pipeline(target: str, **options: str) -> list[Phase]:
    """A fresh list of the target's phases, with the options of its function (cpu: processor). Raises CompileError for a target that is not there."""
    if target in LATER:
        raise CompileError(f"target {target!r} is not available in this version; available: {', '.join(TARGETS)}")
    if target not in TARGETS:
        raise CompileError(f"unknown target {target!r}; targets: {', '.join((*TARGETS, *LATER))}")
    return TARGETS[target](**options)
