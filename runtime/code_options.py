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


def _set(options: tuple[bytes, ...]) -> None:
    words = (S * (len(options) + 1))(b"hlo", *options)
    llvm().LLVMParseCommandLineOptions(len(words), words, None)
