"""The schedule of a kernel of kind "loops": `{threads = 2, vector_bytes = 64, vectors = 8}`. Fourier transforms have
one of their own (`fft/schedule.py`)."""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.environment import MOST_THREADS
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.kernels.schedule import attribute_of, between, one_of, read_as, schedule_of
from hlo.lowering.memory.storage import element_bytes
from hlo.lowering.target import Target

SHORTEST = 16
"""Bytes of a vector: two elements of the widest type."""

MOST_VECTORS = 4
"""At once, of 32 registers: with four equations of a system, as many independent sums as half of the registers hold;
the other operands take the rest."""


@dataclass(frozen=True)
class LoopsSchedule:
    """How loops whose iterations are independent run; docs/kernels.md tells what each field does."""

    threads: int
    vector_bytes: int
    vectors: int


def schedule_loops(kernel: Any, target: Target) -> ir.Attribute:
    """What `hlo.schedule` is to be."""
    return attribute_of(LoopsSchedule(target.threads, target.column_bytes, _vectors(kernel, target)))


def most_vectors(target: Target, results: int) -> int:
    """At once, of a kernel with so many results. (With 16 registers, both parts of complex numbers are two vectors all
    the same: systems take 0.84 to 0.99 of the time of one vector on an AMD EPYC, Zen 3.)"""
    return min(MOST_VECTORS * target.registers // 32, MOST_VECTORS // results)


def _vectors(kernel: Any, target: Target) -> int:
    """As many as a thread's part of the last dimension of every result fills; each result (the parts of complex numbers
    are two) has its sums."""
    shaped = [r for r in map(ir.RankedTensorType, kernel.type.results) if r.rank]
    if not target.column_bytes or not shaped:
        return 1
    columns = min(r.shape[-1] for r in shaped)
    if "hlo.independent" in kernel.attributes and ir.IntegerAttr(kernel.attributes["hlo.independent"]).value == columns:
        columns //= target.threads
    filled = columns * max(element_bytes(r.element_type) for r in shaped) // target.column_bytes
    return 1 << max(0, min(filled, most_vectors(target, len(shaped))).bit_length() - 1)


def scheduled_loops(kernel: Any, target: Target) -> LoopsSchedule:
    """The schedule that a kernel has, checked. Raises ScheduleError."""
    found = read_as(LoopsSchedule, schedule_of(kernel))
    between("threads", found.threads, 1, MOST_THREADS)
    widths = [1 << n for n in range(target.vector_bits.bit_length()) if SHORTEST <= 1 << n <= target.vector_bits // 8]
    one_of("vector_bytes", found.vector_bytes, [0, *(widths if target.column_bytes else [])])
    one_of("vectors", found.vectors, [1 << n for n in range(MOST_VECTORS.bit_length())] if target.column_bytes else [1])
    return found
