"""Sorts whose comparator compares keys, by routines: which key, which way, and what becomes of the operands.

one key with a name                   the operand whose key it is is what a routine sorts
other keys of up to 64 bits           are numbers in an array of their own (`numbers.py`)
more of them                          the operands are sorted by the last ones first: what is equal by the first ones stays in that order"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from math import prod

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.loops import element, shape
from hlo.lowering.linalg.rules import Lowering
from hlo.lowering.linalg.sorting.by_routines import RowSort
from hlo.lowering.linalg.sorting.counting import CountKeys
from hlo.lowering.linalg.sorting.keys import Key, StandardKey
from hlo.lowering.linalg.sorting.numbers import elements_of, numbers_of, taken, with_any_rest
from hlo.lowering.linalg.sorting.radix import LEAST
from hlo.lowering.linalg.sorting.routines import KeyWords, whole_bits
from hlo.lowering.linalg.sorting.selection import Selection

Values = list[ir.Value]

MOST_SELECTED = 64
"""Up to so many first elements are selected instead of sorting the whole row, if it is at least four times as long."""

LONGEST = 1024
"""Elements of a row, at most, that is sorted in vectors across rows."""

SELECTED = 64
"""Of so many elements of a row, one is selected faster than a row is sorted across others."""

SHORT_ROWS = 256
"""Elements of a row up to which vectors across many rows are faster than vectors along each of them."""

FEWEST = 8
"""So many first elements are selected one by one faster than by vectors."""

RARE = 512
"""Of so many elements of a row, one is selected faster than by vectors: most comparisons are with the last one kept."""

WORD_BITS = 64

INDEX_KIND = "p32"
"""Of indices by which elements are taken."""


def sort_by_keys(operands: Values, dimension: int, keys: Sequence[Key], counted: Set[int], used: Set[int], kept: int, lowering: Lowering) -> Values | None:  # fmt: skip
    """The sorted operands: of those in `used` the first `kept` elements of each row; None where no routine is the
    fastest. `counted`: those whose elements are their indices."""
    first, *others = _groups(keys)
    every, length = set(range(len(operands))), shape(operands[0])[dimension]
    sorts = [KeySort(operands, dimension, group, set(), every, length, lowering) for group in reversed(others)]
    sorts.append(KeySort(operands, dimension, first, set() if others else counted, used, kept, lowering))
    if any(sort.way is None for sort in sorts):
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
    dimension: int
    keys: Sequence[Key]
    counted: Set[int]
    used: Set[int]
    kept: int
    lowering: Lowering

    @property
    def _extents(self) -> list[int]:
        return shape(self.operands[0])

    @property
    def _length(self) -> int:
        return self._extents[self.dimension]

    @property
    def _is_last(self) -> bool:
        return self.dimension == len(self._extents) - 1

    @property
    def _bits(self) -> int:
        return sum(k.bits for k in self.keys)

    @property
    def _named(self) -> StandardKey | None:
        return self.keys[0].standard if len(self.keys) == 1 else None

    @property
    def _is_plain(self) -> bool:
        """Whether elements are sorted without indices: keys tell which they are, at least in whole rows (`equal_keys.py`)."""
        key, is_whole = self.keys[0], self._named is not None and self.kept == self._length
        is_one = len(self.operands) == len(self.keys) == 1 and key.element is not None
        return is_one and (key.is_exact or is_whole) and not self._is_selected

    @property
    def _is_selected(self) -> bool:
        is_possible = self.lowering.compresses and self._is_last
        return bool(is_possible) and Selection(self._length, self.kept).is_profitable(self._bits)

    @property
    def _kinds(self) -> dict[int, str]:
        """By the operands that are used, what they are made from if their elements are not taken."""
        if self._is_plain:
            return {}
        made = {n: f"p{element(self.operands[n]).width}" for n in self.used & self.counted}
        key = self.keys[0]
        is_element = self._named is not None and key.is_exact and key.operand in self.used - self.counted
        return dict(sorted({**made, **({key.operand: "e"} if is_element else {})}.items()))

    @property
    def way(self) -> str | None:
        """The method of `RowSort`."""
        if self._length >= 1 << 31:
            return None
        if self._is_selected:
            return "by_selection"
        if 2 * self.kept > self._length and self._is_counted:
            return "by_counting"
        words = self._words
        is_along = self._is_along
        is_quicker = words.bits >= 32 and self._length > SHORT_ROWS and (words.count == 1 or 2 * self.kept <= self._length)  # fmt: skip
        fills_half = 2 * prod(self._extents) >= self._length * words.vectors.lanes
        is_across = fills_half and self._length <= LONGEST and SELECTED * self.kept > self._length
        if is_across and not (is_along and is_quicker):
            return "across"
        return "along" if is_along else None

    @property
    def _is_counted(self) -> bool:
        """Whether all that is used are indices that sort rows by a key that counting sorts."""
        is_index = self._is_last and len(self.used) == 1 and self.used <= self.counted
        return is_index and self._named is not None and CountKeys.is_profitable(self._named, self._length)

    @property
    def _is_along(self) -> bool:
        few = self.kept <= min(FEWEST, self._length // 4)
        is_rare = self.kept <= MOST_SELECTED and RARE * self.kept <= self._length
        is_digit = self._bits <= 8 and (2 * self.kept > self._length or self._is_plain)
        is_row = prod(self._extents[self.dimension + 1 :]) == 1
        is_long = self.lowering.compresses and self._length >= LEAST
        return bool(is_long) and not few and not is_rare and not (is_digit and is_row)  # radix is a count and a move

    @property
    def _words(self) -> KeyWords:
        """Across rows."""
        key = self._named or StandardKey(f"i{whole_bits(self._bits)}", "u", False)
        return KeyWords(key, key.stored.width) if self._is_plain else KeyWords.with_indices(key, self._length, 8)

    def sorted(self) -> Values:
        assert self.way is not None
        sort, is_moved = self._row_sort()
        made = getattr(sort, self.way)()
        if not sort.kinds:
            return [elements_of(made[0], self.operands[0], self.dimension, self.keys[0])] if is_moved else made
        found, results = dict(zip(sort.kinds, made, strict=True)), list(self.operands)
        kinds = {} if is_moved else self._kinds
        for n in sorted(self.used):
            value, is_counted = self.operands[n], n in self.counted
            if n in kinds:
                first = found[kinds[n]]
            else:
                first = taken(value, found[INDEX_KIND], self.dimension, is_moved, is_counted)
            results[n] = with_any_rest(first, value.type)
        return results

    def _row_sort(self) -> tuple[RowSort, bool]:
        """What a routine sorts, and whether that are numbers in contiguous rows."""
        operand, key, made = self.operands[self.keys[0].operand], self._named, self._kinds
        takes = not self._is_plain and len(made) < len(self.used)
        kinds = tuple(dict.fromkeys([*made.values(), *[INDEX_KIND] * takes]))
        if key is not None:
            sort = RowSort(operand, key, self.dimension, kinds, self.kept, self.lowering)
            if self._is_last or (self.way == "across" and sort.is_beside):
                return sort, False
        numbers, key = numbers_of(self.operands, self.dimension, self.keys)
        kinds = () if self._is_plain and self.keys[0].is_exact else (INDEX_KIND,)
        return RowSort(numbers, key, len(self._extents) - 1, kinds, self.kept, self.lowering), True
