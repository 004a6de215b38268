"""What machine code must know to call a program without Python (hlo.jax.call_code)."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from hlo.jax.native import SMALL
from hlo.jax.places import READY
from hlo.runtime.executable import Executable


def call_plan(executable: Executable, forms: Sequence[Any]) -> tuple[int, Any]:
    """The address of a program's plan, 0 where Python must make its calls; and what must live as long as the plan.

    Python makes the calls of programs that call Python functions, and of those whose results or temporaries are large."""
    program, donation = executable.program, executable.program.donation
    kinds = executable.signature.results
    places = {result: argument for argument, result in donation.results}
    sources = [places.get(n, -1) for n in range(len(kinds))]
    fresh = [kind.nbytes for kind, source in zip(kinds, sources) if source < 0]
    if program.custom_calls or max([program.arena, *fresh]) >= SMALL or len(forms) != len(kinds):
        return 0, None
    tail, donated = _words(executable.tail), _words(donation.arguments)
    copies, givers = _words(word for form in forms for word in form), _words(sources)
    plan = _words(
        [
            executable.entry, program.arena, len(kinds), len(executable.tail), ctypes.addressof(tail),
            ctypes.addressof(copies), ctypes.addressof(givers), len(donation.arguments), ctypes.addressof(donated), READY,
        ]
    )  # fmt: skip
    return ctypes.addressof(plan), (plan, tail, donated, copies, givers)


def _words(values: Any) -> Any:
    found = list(values)
    return (ctypes.c_int64 * max(1, len(found)))(*found)
