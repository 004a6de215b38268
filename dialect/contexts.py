"""Contexts that one program after another is compiled in: making one takes a third of a small program's compile time, and upstream passes
prepare their patterns once a context.

A context holds what was ever written in it. So one is retired after a number of programs or bytes, at once if a compilation
fails or if its module lives on, and none is ever shared by two compilations at a time."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from hlo.dialect.registration import make_context

USES, BYTES, IDLE = 100, 1 << 20, 2
"""How many programs, of how many bytes of text and constants together, a context serves; how many wait for their next."""


@dataclass
class LentContext:
    """A context in the hands of one compilation."""

    context: ir.Context
    uses: int = 0
    held: int = 0


_idle: list[LentContext] = []


def lend() -> LentContext:
    """A context that nobody else has; it is dropped unless it is given back."""
    try:
        return _idle.pop()
    except IndexError:
        return LentContext(make_context())


def give_back(lent: LentContext, size: int) -> None:
    """Another program may have the context, in which `size` bytes of text and constants were left and no module."""
    lent.uses, lent.held = lent.uses + 1, lent.held + size
    if lent.uses < USES and lent.held < BYTES and len(_idle) < IDLE:
        _idle.append(lent)
