"""How the arrays of a partitioned program are cut, as JAX reads it: OpSharding, a protocol buffer.

Read by JAX where a program's results have no sharding that the user chose, and by `compiled.input_shardings` and `output_shardings`."""

from __future__ import annotations

from math import prod
from typing import Protocol

from hlo.jax.programs.compile_options import encoded

REPLICATED = b"\x08\x00"
"""The type (1) that says that every device has the whole array."""

MANUAL = b"\x08\x04"
"""The type that says that each device has an array of its own."""

UNREDUCED = b"\x08\x06"
"""The type that says that each device has a summand of the whole array."""

_OTHER = b"\x08\x03"
_COUNTS, _DEVICES, _LAST_IS_REPLICATED, _LAST_DIMENSIONS = b"\x1a", b"\x22", b"\x30\x01", b"\x42"
"""Fields 3 and 4, packed numbers; field 6, a truth value; field 8, the types (6, 0) of the dimensions behind those of the array."""


class HasParts(Protocol):
    """How an array is cut: runtime.global_arrays.Layout, partition_calls.Cut."""

    @property
    def counts(self) -> tuple[int, ...]: ...
    @property
    def parts(self) -> tuple[tuple[int, ...], ...]: ...
    @property
    def summands(self) -> tuple[int, ...]: ...


def op_sharding(layout: HasParts) -> bytes:
    """Numbers of parts of each dimension, with one more for processes that have summands of the same part, and one for
    those that have the same; and the processes by what they have."""
    count, processes, sums = prod(layout.counts), len(layout.parts), len(set(layout.summands)) or 1
    copies = processes // (count * sums)
    if count == copies == 1:
        return UNREDUCED if sums > 1 else REPLICATED
    if count == sums == 1:
        return REPLICATED
    summands = layout.summands or (0,) * processes
    order = sorted(range(processes), key=lambda process: (layout.parts[process], summands[process], process))
    more = [n for n in (sums, copies) if n > 1]
    data = _OTHER + _packed(_COUNTS, [*layout.counts, *more]) + _packed(_DEVICES, order)
    if sums > 1:
        return data + _packed(_LAST_DIMENSIONS, [6, 0][: len(more)])
    return data + (_LAST_IS_REPLICATED if copies > 1 else b"")


def _packed(key: bytes, numbers: tuple[int, ...] | list[int]) -> bytes:
    data = b"".join(map(encoded, numbers))
    return key + encoded(len(data)) + data
