"""Settings of LLVM's code generator while kernels are compiled. They belong to the process, so others get theirs back.

Emitters write loops as they are to run: pointers go on by constants, tiles fill the registers in the order of their
uses. LLVM's loop strength reduction and both of its schedulers take a third of code generation and gain nothing on that
(docs/performance-notebook.md)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from hlo.runtime.compile.llvm_library import S, llvm

WITHOUT_EFFECT = tuple(
    f"-disable-{name}".encode()
    for name in (
        *("constant-hoisting", "early-ifcvt", "early-taildup", "mergeicmps", "partial-libcall-inlining"),
        *("replace-with-vec-lib", "x86-domain-reassignment"),
    )
)
"""Passes for code that emitters do not write: 2 to 4 percent of code generation, and no object file is another without them."""

OURS = (
    b"-disable-lsr=true",
    b"-disable-post-ra=true",
    b"-enable-misched=false",
    *(o + b"=true" for o in WITHOUT_EFFECT),
)
THEIRS = (
    *(b"-disable-lsr=false", b"-disable-post-ra=false", b"-enable-misched=true"),
    *(o + b"=false" for o in WITHOUT_EFFECT),
)


FOR_GPUS = (b"-disable-lsr=false", b"-disable-post-ra=false", b"-enable-misched=false")
"""What NVPTX has by default. Once an option was set it counts as the user's wish: `-enable-misched=true` among THEIRS would turn
on a scheduler there that is off in a fresh process."""


class _Section:
    """Threads that generate code with the same options are in it together; those that want other options wait until it is
    empty. Whoever comes while another kind waits queues behind it, so that none waits for ever."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.options: tuple[bytes, ...] = THEIRS
        self.inside = 0
        self.queue: list[tuple[bytes, ...]] = []
        """What those who wait want, in the order of their coming."""
        self.mine = threading.local()

    @contextmanager
    def using(self, options: tuple[bytes, ...]) -> Iterator[None]:
        """A thread that is inside may enter again with the same options."""
        held = getattr(self.mine, "options", None)
        if held is not None:
            assert held == options, "code for another target cannot be generated meanwhile"
            yield
            return
        self._enter(options)
        self.mine.options = options
        try:
            yield
        finally:
            self.mine.options = None
            self._leave()

    def _enter(self, options: tuple[bytes, ...]) -> None:
        with self.changed:
            self.queue.append(options)
            self.changed.wait_for(lambda: self._may_enter(options))
            self.queue.remove(options)
            if not self.inside:
                self.options = options
                _set(options)
            self.inside += 1
            self.changed.notify_all()

    def _may_enter(self, options: tuple[bytes, ...]) -> bool:
        """Nobody of another kind is inside, or has come before."""
        return self.queue[0] == options and (not self.inside or self.options == options)

    def _leave(self) -> None:
        with self.changed:
            self.inside -= 1
            if not self.inside:
                self.options = THEIRS
                _set(THEIRS)
            self.changed.notify_all()


_section = _Section()


def code_options() -> AbstractContextManager[None]:
    """Ours inside, LLVM's defaults after the last one has left."""
    return _section.using(OURS)


def gpu_code_options() -> AbstractContextManager[None]:
    """NVPTX's defaults inside, whatever was compiled in this process before, and whatever other threads compile."""
    return _section.using(FOR_GPUS)


def _set(options: tuple[bytes, ...]) -> None:
    words = (S * (len(options) + 1))(b"hlo", *options)
    llvm().LLVMParseCommandLineOptions(len(words), words, None)
