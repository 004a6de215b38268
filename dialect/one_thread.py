"""MLIR verifies functions on several threads, and a finding made on one of them would enter Python without its lock, which ends the process.

What may find something is done on one thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mlir import ir


@contextmanager
def on_one_thread(context: ir.Context) -> Iterator[None]:
    """MLIR uses this thread only; after it several again."""
    context.enable_multithreading(False)
    try:
        yield
    finally:
        context.enable_multithreading(True)
