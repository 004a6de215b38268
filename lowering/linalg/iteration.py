"""Iterations and accesses: loops, and the elements of memory that an iteration reads or writes, as positions that are affine in the loops.

    for i of 8, k of 4:  x[2 * i + k, 3] of memref<20x6xf32>      position 12 * i + 6 * k + 3

What code for a CPU and for a GPU asks of an access is asked of its position: along which loop it is contiguous
(coefficient 1), whether two loops are one walk through memory, of what its address is a multiple, and whether it is in
bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from itertools import count
from math import gcd
from typing import TypeVar

from mlir import ir

from hlo.errors import CompileError
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.structured import linear_form
from hlo.lowering.memory.storage import row_major

L = TypeVar("L")

_serial = count()
ANY = range(-(1 << 48), 1 << 48)
"""The values of an index of which nothing is known."""


@dataclass(eq=False)
class Dim:
    """A loop dimension, or (with `value`) an index that is computed once before the loops: a dynamic offset."""

    size: int
    value: ir.Value | None = None
    serial: int = field(default_factory=lambda: next(_serial))
    order: tuple[int, int | str] = (0, 0)
    """In positions: the same in every compilation, and for two Dims of one computed value."""

    def __post_init__(self) -> None:
        if self.value is not None:
            self.serial = -abs(hash(self.value)) - 1
        # A name of the whole module's scope would number all its values: each slice would take as long as the program is.
        self.order = (1, self.serial) if self.value is None else (0, self.value.get_name(use_local_scope=True))

    @property
    def values(self) -> range:
        """Those that it may have."""
        return range(self.size) if self.value is None else ANY

    def __eq__(self, other: object) -> bool:
        """Two Dims of one computed value are the same."""
        if self is other or not isinstance(other, Dim) or self.value is None or other.value is None:
            return self is other
        return self.value == other.value

    def __hash__(self) -> int:
        return self.serial


@dataclass(frozen=True)
class Affine:
    """`const` plus the sum of coefficient * Dim; equal positions are equal objects."""

    terms: tuple[tuple[Dim, int], ...] = ()
    const: int = 0
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.terms, self.const)))

    def __hash__(self) -> int:
        """Kept: a position is looked up more often than it is made."""
        return self._hash

    @staticmethod
    def of(dim: Dim) -> Affine:
        return Affine(((dim, 1),))

    def __add__(self, other: Affine | int) -> Affine:
        if isinstance(other, int):
            return Affine(self.terms, self.const + other)
        if not other.terms or not self.terms:
            return Affine(self.terms or other.terms, self.const + other.const)
        sums = dict(self.terms)
        for dim, coefficient in other.terms:
            sums[dim] = sums.get(dim, 0) + coefficient
        terms = sorted(((d, c) for d, c in sums.items() if c), key=lambda t: t[0].order)
        return Affine(tuple(terms), self.const + other.const)

    def __mul__(self, factor: int) -> Affine:
        if factor == 1:
            return self
        if factor == 0:
            return ZERO
        return Affine(tuple((d, c * factor) for d, c in self.terms), self.const * factor)

    def interval(self, values: Callable[[Dim], range]) -> tuple[int, int]:
        """The least and the greatest value, for independent values of the loops."""
        low = high = self.const
        for dim, factor in self.terms:
            ends = [value * factor for value in (values(dim)[0], values(dim)[-1])]
            low, high = low + min(ends), high + max(ends)
        return low, high

    def divided(self, divisor: int) -> Affine | None:
        """The position divided by a number; None where that is not affine with whole factors."""
        if self.const % divisor or any(c % divisor for _, c in self.terms):
            return None
        return Affine(tuple((d, c // divisor) for d, c in self.terms), self.const // divisor)

    def without(self, dim: Dim) -> Affine:
        """The position where a loop is at 0."""
        return Affine(tuple((d, c) for d, c in self.terms if d is not dim), self.const)

    def contiguous_loop(self, loops: Sequence[Dim]) -> Dim | None:
        """The loop whose iterations, one after the other, are neighbours in memory: the others step over all of these.
        None if there is none."""
        steps = {d: c for d, c in self.terms if d.value is None and d.size != 1}
        return next(
            (d for d in loops if steps.get(d) == 1 and all(abs(c) >= d.size for e, c in steps.items() if e is not d)),
            None,
        )

    def multiple(self, loop: Dim | None) -> int:
        """What all positions are multiples of where `loop` is at 0; 0 if all are 0."""
        return gcd(self.const, *(c for d, c in self.terms if d is not loop and (d.value is not None or d.size != 1)))

    def substituted(self, replaced: Mapping[Dim, Affine]) -> Affine:
        """The position with loops replaced by positions."""
        total = Affine((), self.const)
        for dim, factor in self.terms:
            total = total + replaced.get(dim, Affine.of(dim)) * factor
        return total

    def coefficient(self, dim: Dim | None) -> int:
        for d, c in self.terms:
            if d is dim:
                return c
        return 0


ZERO = Affine()
Index = tuple[Affine, ...]


def flatten(index: Sequence[Affine], shape: Sequence[int]) -> Affine:
    """The position of an index in a row-major array of this shape."""
    position = ZERO
    for one, stride in zip(index, row_major(shape), strict=True):
        position = position + one * stride
    return position


def are_one(outer: Dim, inner: Dim, positions: Iterable[Affine]) -> bool:
    """Whether every access walks through two loops, one inside the other, as through one."""
    return all(one.coefficient(outer) == one.coefficient(inner) * inner.size for one in positions)


def with_last(loops: Iterable[L], last: L | None) -> tuple[L, ...]:
    """The loops, one of them innermost."""
    return tuple(sorted(loops, key=lambda loop: loop == last))


def apply_map(affine_map: ir.AffineMap, index: Sequence[Affine]) -> Index:
    """The map's results at an index."""
    found = linear_index(affine_map, index)
    if found is None:
        raise CompileError(f"an indexing map that is not affine with constant factors: {affine_map}")
    return found


def linear_index(affine_map: ir.AffineMap, index: Sequence[Affine]) -> Index | None:
    """The same; None for a map that is not affine with constant factors."""
    found = []
    for expression in affine_map.results:
        if isinstance(expression, ir.AffineDimExpr):  # most of them
            found.append(index[expression.position])
            continue
        form = linear_form(expression, len(index))
        if form is None:
            return None
        parts = (one * factor for one, factor in zip(index, form) if factor)
        found.append(sum(parts, Affine((), form[-1])))
    return tuple(found)


def strides_along(affine_map: ir.AffineMap, shape: Sequence[int]) -> tuple[list[int], int] | None:
    """For each loop, how many elements an operand of this shape moves, and where it starts; None when the map is not linear."""
    loops = [Dim(0) for _ in range(affine_map.n_dims)]
    index = linear_index(affine_map, list(map(Affine.of, loops)))
    position = flatten(index, shape) if index is not None else None
    return None if position is None else ([position.coefficient(d) for d in loops], position.const)


def invert_permutation(affine_map: ir.AffineMap, index: Index) -> list[Affine] | None:
    """The iteration index at which a permutation map gives `index`; None when the map is none."""
    found: list[Affine | None] = [None] * affine_map.n_dims
    for expression, one in zip(affine_map.results, index, strict=True):
        if not isinstance(expression, ir.AffineDimExpr):
            return None
        found[expression.position] = one
    known = [one for one in found if one is not None]
    return known if len(known) == len(found) else None


def kept_dimensions(sizes: Sequence[int], shape: Sequence[int]) -> list[bool]:
    """Which dimensions of the large array a rank-reduced slice keeps: as many 1s as needed are dropped, first ones
    first."""
    surplus, kept, position = len(sizes) - len(shape), [], 0
    for size in sizes:
        drop = surplus > 0 and size == 1 and (position >= len(shape) or shape[position] != 1)
        kept.append(not drop)
        surplus -= drop
        position += not drop
    for d in range(len(sizes) - 1, -1, -1):
        if surplus and kept[d] and sizes[d] == 1:
            kept[d], surplus = False, surplus - 1
    return kept


def joined_dimensions(op: ir.Operation) -> list[list[int]]:
    """Of an expand_shape or collapse_shape of a tensor or memref: for each dimension of the smaller rank those of the
    larger one that it is."""
    return [[ir.IntegerAttr(d).value for d in group] for group in op.attributes["reassociation"]]
