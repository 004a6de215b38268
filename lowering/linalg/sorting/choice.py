"""Which algorithm sorts the rows of an array.

in_vectors      sorts by one number, which a key or several keys make: the algorithms are routines (`by_routines.py`)
one_by_one      all other sorts: loops over elements, of any operands

What each is for and where it is stands in the package (`__init__.py`). The constants here were measured."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.sorting.comparisons.threads import is_profitable
from hlo.lowering.linalg.sorting.keys import StandardKey
from hlo.lowering.linalg.sorting.selection.walk import Selection
from hlo.lowering.linalg.sorting.words.key_words import KeyWords, whole_bits

MOST_SELECTED = 64
"""Up to so many first elements are selected by insertion instead of sorting the whole row, if it is at least four times
as long."""

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

DIGITS = 64
"""Elements of a row, at least, that are sorted by digits, or in vectors along the row."""

COUNTED, PACKED = 512, 1 << 16
"""Elements of a row that are counted faster than they are compared; rows of up to so many 16-bit keys are sorted faster
as words of key and index."""

LONGEST_COUNTED = 1 << 24
"""A row of 16-bit keys that is counted is shorter (`counting.py`)."""

INDEXED = 1 << 31
"""Rows that are sorted in vectors are shorter."""


@dataclass(frozen=True)
class Rows:
    """What is sorted: rows of an array along a dimension, of which the first `kept` elements are used."""

    extents: list[int]
    dimension: int
    kept: int

    @property
    def length(self) -> int:
        return self.extents[self.dimension]

    @property
    def is_last(self) -> bool:
        return self.dimension == len(self.extents) - 1

    @property
    def is_contiguous(self) -> bool:
        return prod(self.extents[self.dimension + 1 :]) == 1

    @property
    def uses_most(self) -> bool:
        return 2 * self.kept > self.length

    @property
    def uses_few(self) -> bool:
        return self.kept <= MOST_SELECTED and 4 * self.kept <= self.length


@dataclass(frozen=True)
class Case:
    """A sort of rows by a number of `bits` bits. `key`: that of the elements that the number is made of, if it has a
    name. `tells_elements`: nothing but elements is wanted, and the number of each says which it is; `gives_indices`:
    nothing but indices is wanted. `compresses`: as a Target has it."""

    rows: Rows
    bits: int
    key: StandardKey | None
    tells_elements: bool
    gives_indices: bool
    compresses: int

    @property
    def is_plain(self) -> bool:
        """Whether numbers are sorted without indices."""
        return self.tells_elements and not self.is_selected

    @property
    def is_selected(self) -> bool:
        selection = Selection(self.rows.length, self.rows.kept)
        return self.compresses > 0 and self.rows.is_last and selection.is_profitable(self.bits)

    @property
    def is_counted(self) -> bool:
        width = self.key.stored.width if self.key is not None else 0
        lengths = {8: range(COUNTED, INDEXED), 16: range(PACKED + 1, LONGEST_COUNTED)}.get(width, ())
        is_whole = self.rows.is_last and self.rows.uses_most
        return self.gives_indices and is_whole and self.rows.length in lengths

    @property
    def is_across(self) -> bool:
        """Whether rows are short, and so many that they fill half of the lanes of vectors."""
        rows, words = self.rows, self._words
        is_short = rows.length <= LONGEST and SELECTED * rows.kept > rows.length
        fills_half = 2 * prod(rows.extents) >= rows.length * words.vectors.lanes
        is_one_word = words.count == 1 or not rows.uses_most
        is_quicker_along = self.is_along and words.bits >= 32 and rows.length > SHORT_ROWS and is_one_word
        return is_short and fills_half and not is_quicker_along

    @property
    def is_along(self) -> bool:
        """Whether rows are long, and not so few elements are used that insertion is faster. Of keys of 8 bits in rows
        that are contiguous already a radix sort is a count and a move."""
        rows = self.rows
        few = rows.kept <= min(FEWEST, rows.length // 4)
        is_rare = rows.kept <= MOST_SELECTED and RARE * rows.kept <= rows.length
        is_digit = self.bits <= 8 and (rows.uses_most or self.is_plain) and rows.is_contiguous
        return self.compresses > 0 and rows.length >= DIGITS and not few and not is_rare and not is_digit

    @property
    def _words(self) -> KeyWords:
        key = self.key or StandardKey(f"i{whole_bits(self.bits)}", "u", False)
        return KeyWords.fitting(key, None if self.is_plain else self.rows.length)


IN_VECTORS: dict[str, Callable[[Case], bool]] = {
    "selection": lambda case: case.is_selected,
    "counting": lambda case: case.is_counted,
    "columns": lambda case: case.is_across,
    "quicksort": lambda case: case.is_along,
}
"""The first one whose condition holds is taken."""


def in_vectors(case: Case) -> str | None:
    """None where another algorithm is faster."""
    fits = (name for name, applies in IN_VECTORS.items() if applies(case))
    return next(fits, None) if case.rows.length < INDEXED else None


def one_by_one(rows: Rows, by_keys: bool, many_threads: bool) -> str:
    """`many_threads`: thousands of threads share the work."""
    if many_threads and is_profitable(prod(rows.extents) // rows.length, rows.length):
        return "threads"
    if rows.uses_few:
        return "insertion"
    return "radix" if by_keys and rows.length >= DIGITS else "merging"
