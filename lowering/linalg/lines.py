"""The lines of an array along one dimension."""

from __future__ import annotations

from math import prod

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.loops import Index, positions


@dataclass(frozen=True)
class Lines:
    """The lines of arrays of a shape along one dimension: a number for each line, and for each element of it."""

    extents: tuple[int, ...]
    dimension: int

    @property
    def length(self) -> int:
        return self.extents[self.dimension]

    @property
    def others(self) -> tuple[int, ...]:
        return self.extents[: self.dimension] + self.extents[self.dimension + 1 :]

    @property
    def count(self) -> int:
        return prod(self.others)

    def at(self, line: Index, k: Index) -> list[Index]:
        outer = positions(line, self.others)
        return [*outer[: self.dimension], k, *outer[self.dimension :]]
