"""The schedule of a kernel of kind "loops": `{threads = 2, vector_bytes = 64}`. Fourier transforms have one of their own (`fft/schedule.py`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlir import ir

from hlo.environment import MOST_THREADS
from hlo.lowering.vector.schedule import attribute_of, between, one_of, read_as, schedule_of
from hlo.lowering.vector.target import Target

SHORTEST = 16
"""Bytes of a vector: two elements of the widest type."""


@dataclass(frozen=True)
class LoopsSchedule:
    """How loops whose iterations are independent run; docs/kernels.md tells what each field does."""

    threads: int
    vector_bytes: int


def schedule_loops(kernel: Any, target: Target) -> ir.Attribute:
    """What `hlo.schedule` is to be. Without masks each lane of a remainder would be tested, so there are no vectors."""
    return attribute_of(LoopsSchedule(target.threads, target.vector_bits // 8 if target.masks else 0))


def scheduled_loops(kernel: Any, target: Target) -> LoopsSchedule:
    """The schedule that a kernel has, checked. Raises ScheduleError."""
    found = read_as(LoopsSchedule, schedule_of(kernel))
    between("threads", found.threads, 1, MOST_THREADS)
    widths = [1 << n for n in range(target.vector_bits.bit_length()) if SHORTEST <= 1 << n <= target.vector_bits // 8]
    one_of("vector_bytes", found.vector_bytes, [0, *(widths if target.masks else [])])
    return found
