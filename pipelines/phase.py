"""A phase: named passes, and what must hold after them."""

from __future__ import annotations

from dataclasses import dataclass, field

from hlo.lowering.passes import Pass


@dataclass
class Phase:
    """One stage of a target's pipeline.

    `passes`: Python passes (`Pass` objects) and upstream ones by their textual pipeline
    ("canonicalize", "func.func(linalg-fold-unit-extent-dims)"), run in order on the module.
    `legal`: the dialects ("arith") and ops ("tensor.empty") allowed after it; () checks nothing."""

    name: str
    passes: list[Pass | str] = field(default_factory=list)
    legal: tuple[str, ...] = ()
