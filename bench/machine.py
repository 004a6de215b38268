"""What the machine allows, measured with the benchmark's threads."""

from __future__ import annotations

from dataclasses import dataclass

from hlo.runtime.profile import machine_rates
from hlo.runtime.profile.machine_rates import processor_name

LARGE = 1 << 28
"""Bytes of two blocks that no cache holds."""


@dataclass(frozen=True)
class Machine:
    """Rates a second: f32 operations, bytes copied (read and written bytes both count)."""

    processor: str
    threads: int
    operations: float
    bytes: float

    def floor(self, operations: float, size: float) -> float:
        """The seconds that a program needs at least."""
        return max(operations / self.operations, size / self.bytes)


def measure(threads: int) -> Machine:
    found = machine_rates.measure(threads, (LARGE,))
    return Machine(processor_name(), threads, found.f32, found.bytes_rate(LARGE))
