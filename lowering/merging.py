"""Passes that keep one of several equal things say so: who follows ops by their locations (hlo-view) gives the kept one all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_LISTENER: ContextVar[Callable[[Any, Any], None] | None] = ContextVar("merge listener", default=None)


@contextmanager
def watch_merges(listener: Callable[[Any, Any], None]) -> Iterator[None]:
    """Inside, `listener(kept, dropped)` is called for each op that is dropped for an equal one, while both are there."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def tell_merge(kept: Any, dropped: Any) -> None:
    """Two equal ops, with the same ops inside, become one. Called before `dropped` is erased."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(kept, dropped)
