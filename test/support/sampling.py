"""How many of many alike cases a normal run takes. `ALL_CASES=1 make test` takes all, and so does `ALL_CASES=1 pytest FILE`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

Case = TypeVar("Case")

ALL = bool(os.environ.get("ALL_CASES"))


def step(normal: int) -> int:
    """One case in so many runs: `normal`, or 1 if all were asked for."""
    return 1 if ALL else normal


def sample(cases: Sequence[Case], normal: int) -> Sequence[Case]:
    """Every case whose index is a multiple of `normal`, or all if all were asked for."""
    return cases[:: step(normal)]
