"""What a compilation is doing: told to whoever wants to know (a worker process tells the process that waits for it)."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

LISTENER: ContextVar[Callable[[str, Any], None] | None] = ContextVar("stage listener", default=None)
"""Called with the name of a phase, and the pass that begins in it, or None."""


def enter_stage(phase: str, item: Any = None) -> None:
    listener = LISTENER.get()
    if listener is not None:
        listener(phase, item)
