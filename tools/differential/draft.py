"""A program being generated: values so far, and operands of wanted types for the next op."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from hlo.builder import Builder
from hlo.builder.value import Value
from hlo.dialect.elements import DTYPES
from hlo.dialect.types import element_type, is_tensor
from hlo.tools.differential import data
from hlo.tools.differential.elements import ANY, COMPLEX, WEIGHTS
from hlo.tools.differential.source import Source

RANKS = {0: 14, 1: 26, 2: 26, 3: 18, 4: 9, 5: 5, 8: 2}
SIZES = {1: 20, 2: 16, 3: 16, 4: 14, 5: 8, 7: 6, 8: 6, 0: 4, 16: 3, 17: 3, 33: 2, 70: 2}
LARGEST = 600
"""Elements of a tensor: small, so that thousands of programs run in a minute; past the size of every vector."""
DATA = {"exact": 50, "random": 26, "wide": 8, "special": 16}


def element_of(value: Value) -> str:
    return str(element_type(value.type))


def sizes_of(value: Value) -> tuple[int, ...]:
    """The shape of a tensor; those here are all static."""
    return tuple(n for n in value.shape if n is not None)


class Draft:
    """`values` are those that the next op may use; `inputs` the arrays of the parameters, in their order."""

    def __init__(self, source: Source, builder: Builder, inputs: list[np.ndarray]):
        self.source, self.builder, self.inputs = source, builder, inputs
        self.values: list[Value] = []
        self.unchecked: set[Value] = set()
        """Values that the specification leaves open (random numbers)."""
        self.depth = 0
        """Of regions and functions around the next op."""

    # Types

    def element(self, names: Sequence[str] = ANY) -> str:
        return self.source.weighted({name: WEIGHTS[name] for name in names})

    def shape(
        self, ranks: Sequence[int] = tuple(RANKS), largest: int = LARGEST, smallest_size: int = 0
    ) -> tuple[int, ...]:
        sizes: list[int] = []
        for _ in range(self.source.weighted({r: RANKS.get(r, 3) for r in ranks})):
            room = max(largest // math.prod(s for s in sizes if s), 1)
            sizes.append(self.source.weighted({s: w for s, w in SIZES.items() if max(smallest_size, 0) <= s <= room}))
        return tuple(sizes)

    # Values

    def any(self, names: Sequence[str] = ANY, ranks: Sequence[int] | None = None, largest: int = LARGEST) -> Value:
        """A tensor with elements of one of the types, there already or new."""
        fits = [v for v in self.values if self._fits(v, names, ranks, largest)]
        if fits and self.source.chance(75):
            return self.source.pick(fits[::-1])
        return self.new(self.shape(ranks or tuple(RANKS), largest), self.element(names))

    def _fits(self, value: Value, names: Sequence[str], ranks: Sequence[int] | None, largest: int) -> bool:
        return (
            element_of(value) in names
            and (ranks is None or value.rank in ranks)
            and math.prod(sizes_of(value)) <= largest
        )

    def like(self, value: Value) -> Value:
        """A value of the same type."""
        return self.typed(sizes_of(value), element_of(value))

    def typed(self, shape: Sequence[int], name: str, kind: str = "") -> Value:
        """A value of this type, there already (when any data will do) or new."""
        fits = [v for v in self.values if sizes_of(v) == tuple(shape) and element_of(v) == name]
        if fits and not kind and self.source.chance(60):
            return self.source.pick(fits)
        return self.new(shape, name, kind)

    def new(self, shape: Sequence[int], name: str, kind: str = "") -> Value:
        """A parameter, or a constant: always inside of regions, now and then outside."""
        chosen = kind or self.source.weighted(DATA)
        if name in COMPLEX and chosen == "special":
            chosen = "exact"  # what complex numbers with an infinite part give is open
        return self.given(data.array(name, tuple(shape), chosen, self.source.integer(0, 2**32 - 1)), name)

    def given(self, array: np.ndarray, name: str) -> Value:
        """A parameter or constant that holds the array."""
        if self.depth or (name in DTYPES and self.source.chance(12)):
            return self.builder.constant(array, name)
        self.inputs.append(array)
        value = self.builder.parameter((array.shape, name))
        self.values.append(value)
        return value

    def scalar(self, number: Any, name: str) -> Value:
        return self.given(np.asarray(number).astype(DTYPES[name]), name)

    # Ops

    def op(self, name: str, *arguments: Any, **named: Any) -> Any:
        return self.builder.op(name, *arguments, **named)

    def leave_open(self, value: Value) -> Value:
        """A value that is a result, but not compared, and that no other op may use."""
        self.unchecked.add(value)
        return value

    def keep(self, made: Any) -> None:
        """What an op gave may be used by the next ones."""
        for value in made if isinstance(made, (list, tuple)) else [made]:
            if isinstance(value, Value) and is_tensor(value.type):
                self.values.append(value)

    @contextmanager
    def inside(self, arguments: Sequence[Value], captured: bool):
        """In a region: its arguments, and (captured) the values outside, are there; new ones vanish with it."""
        before, depth = self.values, self.depth
        self.values, self.depth = (
            [*(before if captured else []), *(a for a in arguments if is_tensor(a.type))],
            depth + 1,
        )
        try:
            yield
        finally:
            self.values, self.depth = before, depth


Family = Callable[[Draft, str], Any]
