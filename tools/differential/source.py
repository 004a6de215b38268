"""Where the generator's choices come from: numbers of a seed here, hypothesis in the tests."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Source:
    """All choices follow from `integer`."""

    def integer(self, low: int, high: int) -> int:
        """From low to high, both included. Lower is simpler."""
        raise NotImplementedError

    def pick(self, items: Sequence[T]) -> T:
        """One of the items; earlier ones are simpler."""
        return items[self.integer(0, len(items) - 1)]

    def chance(self, percent: int) -> bool:
        return self.integer(0, 99) >= 100 - percent

    def weighted(self, weights: dict[T, int]) -> T:
        """A key, as often as its weight says."""
        number = self.integer(1, sum(weights.values()))
        for item, weight in weights.items():
            number -= weight
            if number <= 0:
                return item
        raise AssertionError("weights are positive")

    def permutation(self, count: int) -> list[int]:
        left = list(range(count))
        return [left.pop(self.integer(0, len(left) - 1)) for _ in range(count)]

    def subset(self, count: int, size: int | None = None) -> list[int]:
        """Some of the numbers below `count`, in increasing order."""
        if size is None:
            return [i for i in range(count) if self.chance(50)]
        return sorted(self.permutation(count)[:size])

    def integers(self, count: int, low: int, high: int) -> list[int]:
        return [self.integer(low, high) for _ in range(count)]


class Seeded(Source):
    """The same choices for the same seed, on every machine."""

    def __init__(self, seed: str):
        self._random = random.Random(seed)

    def integer(self, low: int, high: int) -> int:
        return low + int(self._random.random() * (high - low + 1))
