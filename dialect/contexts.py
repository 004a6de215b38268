"""Contexts that one program after another is compiled in: making one takes a third of a small program's compile time, and upstream passes
prepare their patterns once a context.

A context holds what was ever written in it. So one is retired after a number of programs or bytes, at once if a compilation
fails or if its module lives on, and none is ever shared by two compilations at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mlir import ir

from hlo.dialect.registration import make_context
from hlo.lazy_dataclasses import dataclass

USES, BYTES, IDLE = 100, 1 << 20, 2
"""How many programs, of how many bytes of text and constants together, a context serves; how many wait for their next."""


@dataclass
class BorrowedContext:
    """A context in the hands of one compilation."""

    context: ir.Context
    native: bool = True
    uses: int = 0
    held: int = 0


_idle: dict[bool, list[BorrowedContext]] = {True: [], False: []}
"""Native ones, and those that know the types only (`make_context`)."""


def borrow(*, native: bool = True) -> BorrowedContext:
    """A context that nobody else has; it is dropped unless it is given back."""
    try:
        return _idle[native].pop()
    except IndexError:
        return BorrowedContext(make_context(native=native), native)


def give_back(borrowed: BorrowedContext, size: int) -> None:
    """Another program may have the context, in which `size` bytes of text and constants were left and no module."""
    borrowed.uses, borrowed.held = borrowed.uses + 1, borrowed.held + size
    idle = _idle[borrowed.native]
    if borrowed.uses < USES and borrowed.held < BYTES and len(idle) < IDLE:
        idle.append(borrowed)


@contextmanager
def context_of_types(size: int) -> Iterator[ir.Context]:
    """A context that knows the types only, for `size` bytes of text in which mistakes are looked for."""
    borrowed = borrow(native=False)
    yield borrowed.context
    give_back(borrowed, size)
