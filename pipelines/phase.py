"""A phase: named passes, and what must hold after them."""

from __future__ import annotations

from dataclasses import field

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.passes import Pass


@dataclass
class Phase:
    """One stage of a target's pipeline.

    `passes`: `Pass` objects, names of registered Python passes with options ("inline-calls{limit=5}"), upstream passes
    ("canonicalize") and upstream pipelines ("builtin.module(func.func(cse))"), run in order on the module.
    `legal`: the dialects ("arith") and ops ("tensor.empty") allowed after it; () checks nothing."""

    name: str
    passes: list[Pass | str] = field(default_factory=list)
    legal: tuple[str, ...] = ()
