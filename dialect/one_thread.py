"""MLIR works on one thread unless a pass over many functions asks for several.

Verifying on several threads would bring findings made on one of them into Python without its lock, which ends the process; and
starting and joining threads takes longer than any pass over a small program."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mlir import ir


def use_one_thread(context: ir.Context) -> None:
    """MLIR uses the calling thread only, from here on."""
    context.enable_multithreading(False)


@contextmanager
def on_several_threads(context: ir.Context) -> Iterator[None]:
    """Passes take functions side by side; nothing that verifies may run meanwhile."""
    context.enable_multithreading(True)
    try:
        yield
    finally:
        context.enable_multithreading(False)
