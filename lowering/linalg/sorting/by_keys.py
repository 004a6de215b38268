"""Sorts whose comparator compares keys, in vectors: which key, which way, and what becomes of the operands.

one key with a name                   the operand whose key it is is what a routine sorts
other keys of up to 64 bits           are numbers in an array of their own (`numbers.py`)
more of them                          the operands are sorted by the last ones first: what is equal by the first ones stays in that order"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.loops import element
from hlo.lowering.linalg.rules import Lowering
from hlo.lowering.linalg.sorting.by_routines import RowSort
from hlo.lowering.linalg.sorting.choice import Case, Rows, in_vectors
from hlo.lowering.linalg.sorting.keys import Key, StandardKey
from hlo.lowering.linalg.sorting.numbers import elements_of, numbers_of, taken, with_any_rest

Values = list[ir.Value]

WORD_BITS = 64

INDEX_KIND = "p32"
"""Of indices by which elements are taken."""


def sort_by_keys(operands: Values, rows: Rows, keys: Sequence[Key], counted: Set[int], used: Set[int], lowering: Lowering) -> Values | None:  # fmt: skip
    """The sorted operands: of those in `used` the first elements of each row that are; None where no routine is the
    fastest. `counted`: those whose elements are their indices."""
    first, *others = _groups(keys)
    every, whole = set(range(len(operands))), replace(rows, kept=rows.length)
    sorts = [KeySort(operands, whole, group, set(), every, lowering) for group in reversed(others)]
    sorts.append(KeySort(operands, rows, first, set() if others else counted, used, lowering))
    if any(sort.algorithm is None for sort in sorts):
        return None
    for sort in sorts:
        operands = replace(sort, operands=operands).sorted()
    return operands


def _groups(keys: Sequence[Key]) -> list[list[Key]]:
    """Neighbours that have up to 64 bits together."""
    groups: list[list[Key]] = [[]]
    for key in keys:
        if sum(k.bits for k in groups[-1]) + key.bits > WORD_BITS:
            groups.append([])
        groups[-1].append(key)
    return groups


@dataclass(frozen=True)
class KeySort:
    """A sort by keys that make one number."""

    operands: Values
    rows: Rows
    keys: Sequence[Key]
    counted: Set[int]
    used: Set[int]
    lowering: Lowering

    @property
    def _named(self) -> StandardKey | None:
        return self.keys[0].named if len(self.keys) == 1 else None

    @property
    def _case(self) -> Case:
        key, is_whole = self.keys[0], self._named is not None and self.rows.kept == self.rows.length
        is_one = len(self.operands) == len(self.keys) == 1
        tells_elements = is_one and (
            key.is_exact or is_whole
        )  # in whole rows others are put right (`rows/equal_keys.py`)
        gives_indices = self._named is not None and len(self.used) == 1 and self.used <= self.counted
        bits = sum(k.bits for k in self.keys)
        return Case(self.rows, bits, self._named, tells_elements, gives_indices, self.lowering.machine.compresses)

    @property
    def algorithm(self) -> str | None:
        return in_vectors(self._case)

    @property
    def _kinds(self) -> dict[int, str]:
        """By the operands that are used, what they are made from if their elements are not taken."""
        if self._case.is_plain:
            return {}
        made = {n: f"p{element(self.operands[n]).width}" for n in self.used & self.counted}
        key, is_named = self.keys[0], self._named is not None
        if key.operand is not None and is_named and key.is_exact and key.operand in self.used - self.counted:
            made[key.operand] = "e"
        return dict(sorted(made.items()))

    def sorted(self) -> Values:
        algorithm, dimension = self.algorithm, self.rows.dimension
        assert algorithm is not None
        sort, is_moved = self._row_sort(algorithm)
        made = getattr(sort, algorithm)()
        if not sort.kinds:
            return [elements_of(made[0], self.operands[0], dimension, self.keys[0])] if is_moved else made
        found, results = dict(zip(sort.kinds, made, strict=True)), list(self.operands)
        kinds = {} if is_moved else self._kinds
        for n in sorted(self.used):
            value, is_counted = self.operands[n], n in self.counted
            if n in kinds:
                first = found[kinds[n]]
            else:
                first = taken(value, found[INDEX_KIND], dimension, is_moved, is_counted)
            results[n] = with_any_rest(first, value.type)
        return results

    def _row_sort(self, algorithm: str) -> tuple[RowSort, bool]:
        """What a routine sorts, and whether that are numbers in contiguous rows."""
        key, made = self._named, self._kinds
        rows, is_plain = self.rows, self._case.is_plain
        takes = not is_plain and len(made) < len(self.used)
        kinds = tuple(dict.fromkeys([*made.values(), *[INDEX_KIND] * takes]))
        if key is not None:
            operand = self.operands[self.keys[0].operand or 0]
            sort = RowSort(operand, key, rows.dimension, kinds, rows.kept, self.lowering)
            if rows.is_last or (algorithm == "columns" and sort.is_beside):
                return sort, False
        numbers, key = numbers_of(self.operands, rows.dimension, self.keys)
        kinds = () if is_plain and self.keys[0].is_exact else (INDEX_KIND,)
        return RowSort(numbers, key, len(rows.extents) - 1, kinds, rows.kept, self.lowering), True
