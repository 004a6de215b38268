"""Contexts that one program after another is compiled in: making one takes a third of a small program's compile time, and upstream passes
prepare their patterns once a context.

A context holds what was ever written in it. So one is retired after a number of programs or bytes, at once if a compilation
fails or if its module lives on, and none is ever shared by two compilations at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from mlir import ir

from hlo.dialect.registration import make_context

USES, BYTES, IDLE = 100, 1 << 20, 2
"""How many programs, of how many bytes of text and constants together, a context serves; how many wait for their next."""


@dataclass
class LentContext:
    """A context in the hands of one compilation."""

    context: ir.Context
    native: bool = True
    uses: int = 0
    held: int = 0


_idle: dict[bool, list[LentContext]] = {True: [], False: []}
"""Native ones, and those that know the types only (`make_context`)."""


def lend(*, native: bool = True) -> LentContext:
    """A context that nobody else has; it is dropped unless it is given back."""
    try:
        return _idle[native].pop()
    except IndexError:
        return LentContext(make_context(native=native), native)


def give_back(lent: LentContext, size: int) -> None:
    """Another program may have the context, in which `size` bytes of text and constants were left and no module."""
    lent.uses, lent.held = lent.uses + 1, lent.held + size
    idle = _idle[lent.native]
    if lent.uses < USES and lent.held < BYTES and len(idle) < IDLE:
        idle.append(lent)


@contextmanager
def context_of_types(size: int) -> Iterator[ir.Context]:
    """A context that knows the types only, for `size` bytes of text in which mistakes are looked for."""
    lent = lend(native=False)
    yield lent.context
    give_back(lent, size)
