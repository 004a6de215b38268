"""Python's limit on recursion is for mistakes. Compiling goes through what is computed together by recursion, a few frames an op: a
kernel of a thousand ops is no mistake."""

from __future__ import annotations

import sys
import threading
from contextlib import suppress
from typing import Any

FRAMES = 20_000


class _DeepRecursion:
    """Raises the limit while any thread is inside."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = self._before = 0

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._before = sys.getrecursionlimit()
                sys.setrecursionlimit(max(self._before, FRAMES))
            self._inside += 1

    def __exit__(self, *_: Any) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                with suppress(RecursionError):  # deeper than the old limit already
                    sys.setrecursionlimit(self._before)


DEEP_RECURSION = _DeepRecursion()
