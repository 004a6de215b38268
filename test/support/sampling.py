"""How many of many alike cases a normal run takes. `ALL_CASES=1 make test` takes all, and so does `ALL_CASES=1 pytest FILE`."""

from __future__ import annotations

import math
import os
from collections import Counter

import pytest

ALL = bool(os.environ.get("ALL_CASES"))


def step(normal: int) -> int:
    """One case in so many is run: `normal`, or 1 if all were asked for."""
    return 1 if ALL else normal


def sampled(items: list[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The tests that are run and those that are left out. Of a function with the mark `sampled(n)` the first of its cases is run, and
    every n-th after it. Of a function with several tables, n must have no factor in common with their lengths: so each entry is taken."""
    counts, run, left_out = Counter[str](), [], []
    for item in items:
        mark, name = item.get_closest_marker("sampled"), item.nodeid.partition("[")[0]
        number, counts[name] = counts[name], counts[name] + 1
        if mark and not number:
            _check(item, mark.args[0])
        (left_out if mark and number % step(mark.args[0]) else run).append(item)
    return run, left_out


def _check(item: pytest.Item, every: int) -> None:
    """Raises pytest.UsageError where entries of a table would never be taken."""
    lengths = [len(table.args[1]) for table in item.iter_markers("parametrize")]
    if len(lengths) > 1 and any(math.gcd(every, length) > 1 for length in lengths):
        raise pytest.UsageError(f"{item.nodeid}: sampled({every}) leaves out entries of tables of {lengths}")
