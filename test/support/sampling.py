"""How many of many alike cases a normal run takes. `ALL_CASES=1 make test` takes all, and so does `ALL_CASES=1 pytest FILE`."""

from __future__ import annotations

import math
import os
from collections import Counter
from itertools import count

import pytest

ALL = bool(os.environ.get("ALL_CASES"))


def step(normal: int) -> int:
    """One case in so many is run: `normal`, or 1 if all were asked for."""
    return 1 if ALL else normal


def sampled(items: list[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The tests that are run and those that are left out. Of a function with the mark `sampled(n)` the first of its cases is run, and
    every n-th after it (`_every`)."""
    counts, every, run, left_out = Counter[str](), dict[str, int](), [], []
    for item in items:
        name = item.nodeid.partition("[")[0]
        number, counts[name] = counts[name], counts[name] + 1
        if not number:
            every[name] = _every(item)
        (left_out if number % every[name] else run).append(item)
    return run, left_out


def _every(item: pytest.Item) -> int:
    """One case in how many is run of a function. Of one with several tables, the next number that has no factor in common with their
    lengths, so that each entry of each table is taken: some are as long as the list of processors whose code this machine runs."""
    mark = item.get_closest_marker("sampled")
    if not mark:
        return 1
    every = step(mark.args[0])
    lengths = [len(table.args[1]) for table in item.iter_markers("parametrize")]
    together = math.prod(lengths) if len(lengths) > 1 else 1
    return next(n for n in count(every) if math.gcd(n, together or 1) == 1)
