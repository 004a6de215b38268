"""Whether exact attention is faster as one kernel: a block goes through all keys, so that few queries leave multiprocessors idle,
which kernels of their own for each product do not; those have more launches."""

from __future__ import annotations

from hlo.lowering.gpu.contraction.problem import Problem
from hlo.lowering.gpu.grid import MULTIPROCESSORS

QUERIES = 32
"""Of a block, where there are few."""

RATE = 64
"""Multiply-adds of a block in a clock: half of what a multiprocessor's units do."""

LAUNCHES = 15000
"""Clocks that two launches more take."""

SCORES_PER_CLOCK = 144
"""That memory takes and gives, each written and read twice."""


def is_worth_one_kernel(scores: Problem, values: Problem) -> bool:
    """By a cost model, in clocks."""
    blocks = scores.batches * -(-scores.m // QUERIES)
    block = QUERIES * scores.n * (scores.k + values.n) // RATE
    by_memory = scores.batches * scores.m * scores.n // SCORES_PER_CLOCK
    return -(-blocks // MULTIPROCESSORS) * block <= blocks * block // MULTIPROCESSORS + LAUNCHES + by_memory
