"""Settings of LLVM's code generator while kernels are compiled. They belong to the process, so others get theirs back.

Emitters write loops as they are to run: pointers go on by constants, tiles fill the registers in the order of their uses. LLVM's
loop strength reduction and both of its schedulers take a third of code generation and gain nothing on that (docs/performance.md)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from hlo.runtime.llvm_library import S, llvm

OURS = (b"-disable-lsr=true", b"-disable-post-ra=true", b"-enable-misched=false")
THEIRS = (b"-disable-lsr=false", b"-disable-post-ra=false", b"-enable-misched=true")


FOR_GPUS = (b"-disable-lsr=false", b"-disable-post-ra=false", b"-enable-misched=false")
"""What NVPTX has by default. Once an option was set it counts as the user's wish: `-enable-misched=true` among THEIRS would turn
on a scheduler there that is off in a fresh process."""


class _Users:
    """How many threads generate code of ours now."""

    def __init__(self) -> None:
        self.count = 0
        self.lock = threading.Lock()

    def add(self, change: int) -> None:
        with self.lock:
            self.count += change
            if self.count == max(change, 0):  # the first one, or none any more
                _set(OURS if self.count else THEIRS)


_users = _Users()


@contextmanager
def code_options() -> Iterator[None]:
    """Ours inside, LLVM's defaults after the last one has left."""
    _users.add(1)
    try:
        yield
    finally:
        _users.add(-1)


@contextmanager
def gpu_code_options() -> Iterator[None]:
    """NVPTX's defaults inside, whatever was compiled in this process before."""
    with _users.lock:
        _set(FOR_GPUS)
    try:
        yield
    finally:
        with _users.lock:
            _set(OURS if _users.count else THEIRS)


def _set(options: tuple[bytes, ...]) -> None:
    words = (S * (len(options) + 1))(b"hlo", *options)
    llvm().LLVMParseCommandLineOptions(len(words), words, None)
