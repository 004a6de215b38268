"""How the arrays of a partitioned program are cut, as JAX reads it: OpSharding, a protocol buffer.

Read by JAX where a program's results have no sharding that the user chose, and by `compiled.input_shardings` and `output_shardings`."""

from __future__ import annotations

from math import prod
from typing import Protocol

from hlo.jax.compile_options import encoded

REPLICATED = b"\x08\x00"
"""The type (1) that says that every device has the whole array."""

MANUAL = b"\x08\x04"
"""The type that says that each device has an array of its own."""

_OTHER = b"\x08\x03"
_COUNTS, _DEVICES, _LAST_IS_REPLICATED = b"\x1a", b"\x22", b"\x30\x01"
"""Fields 3 and 4, packed numbers, and field 6, a truth value."""


class HasParts(Protocol):
    """How an array is cut: runtime.global_arrays.Layout, partition_calls.Cut."""

    @property
    def counts(self) -> tuple[int, ...]: ...
    @property
    def places(self) -> tuple[tuple[int, ...], ...]: ...


def op_sharding(layout: HasParts) -> bytes:
    """Numbers of parts of each dimension, with one more for devices that have the same part, and the processes by the parts that they have."""
    parts, processes = prod(layout.counts), len(layout.places)
    if parts == 1:
        return REPLICATED
    copies = processes // parts
    order = sorted(range(processes), key=lambda process: (layout.places[process], process))
    counts = (*layout.counts, copies) if copies > 1 else layout.counts
    last = _LAST_IS_REPLICATED if copies > 1 else b""
    return _OTHER + _packed(_COUNTS, counts) + _packed(_DEVICES, order) + last


def _packed(key: bytes, numbers: tuple[int, ...] | list[int]) -> bytes:
    data = b"".join(map(encoded, numbers))
    return key + encoded(len(data)) + data
