"""The routines that there are, by their names (`routine_calls.py`)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from hlo.errors import CompileError
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.routine_calls import PREFIX, Routine
from hlo.lowering.linalg.sorting.counting import CountKeys
from hlo.lowering.linalg.sorting.keys import StandardKey
from hlo.lowering.linalg.sorting.rows.equal_keys import EqualKeys
from hlo.lowering.linalg.sorting.rows.long_rows import SortKeys, SortPartOfKeys, SortPartOfRow, SortRow
from hlo.lowering.linalg.sorting.rows.parts import SplitRow
from hlo.lowering.linalg.sorting.rows.short_rows import SortRows, SortRowsBeside, Transposition
from hlo.lowering.linalg.sorting.selection.parts import LimitOfSelection, SelectInHalf, SelectOnSide
from hlo.lowering.linalg.sorting.selection.walk import SelectKeys
from hlo.lowering.linalg.sorting.words.key_words import KeyWords, Outcome
from hlo.lowering.linalg.sorting.words.pairs import SortPairs
from hlo.lowering.linalg.sorting.words.routines import SortColumns, SortWords
from hlo.lowering.linalg.sorting.words.vectors import VECTOR_BITS
from hlo.lowering.target import Target

NAME = re.compile(
    rf"{PREFIX}(?P<stem>[a-z]+)(?P<compresses>16|32)?(?:_(?P<key>b?[fi]\d+[a-z][ad]))?"
    r"(?P<bits>(?:_i(?:8|16|32|64))*)(?:_l(?P<lanes>8|16|32|64))?(?P<kinds>(?:_(?:e|p\d+))*)"
)
"""What is done, bits of the narrowest lanes that the processor compresses, a key, bits of words, lanes, what becomes of words."""


T = TypeVar("T")


def _such(found: T, is_possible: bool) -> T:
    """Raises ValueError where there is no such thing."""
    if not is_possible:
        raise ValueError(found)
    return found


@dataclass(frozen=True)
class Parts:
    """Those of a name."""

    compresses: int
    key: StandardKey
    bits: list[int]
    lanes: int
    kinds: tuple[str, ...]

    def words(self, register: int = VECTOR_BITS) -> KeyWords:
        words = KeyWords(self.key, self.bits[0], len(self.bits), register)
        return _such(words, words.bits >= self.key.stored.width)

    def outcome(self, register: int = VECTOR_BITS) -> Outcome:
        return Outcome(self.words(register), self.kinds)

    def indexed(self) -> Outcome:
        """Of words that have indices, too, just where anything is made of them; keys of 64 bits have these beside."""
        outcome, is_beside = self.outcome(), len(self.bits) > 1
        return _such(outcome, bool(self.kinds) == outcome.words.has_indices and (self.key.bits == 64 or not is_beside))

    def sorter(self, target: Target) -> SortWords:
        return _such(SortWords(self.bits[0], target.orders_narrow, target.vector_bits), self.bits[0] > 8)

    def selection(self, register: int) -> SelectKeys:
        """Its words, which are one number each, have indices if keys are not of 64 bits."""
        select = SelectKeys(self.outcome(register), self.compresses)
        has_room = select.buffer.key_bits < select.outcome.words.bits or select.buffer.key_bits == 64
        return _such(select, bool(self.kinds) and len(self.bits) == 1 and has_room)


ROUTINES: dict[str, Callable[[Parts, Target], Routine]] = {
    "sort": lambda parts, target: parts.sorter(target),
    "columns": lambda parts, _: SortColumns(parts.bits[0], len(parts.bits)),
    "row": lambda parts, _: _such(SortRow(parts.words()), len(parts.bits) == 1),
    "partrow": lambda parts, _: _such(SortPartOfRow(parts.words()), len(parts.bits) == 1),
    "split": lambda parts, target: SplitRow(parts.words(target.vector_bits)),
    "rows": lambda parts, _: SortRows(parts.indexed()),
    "beside": lambda parts, _: SortRowsBeside(parts.indexed()),
    "across": lambda parts, _: Transposition(parts.bits[0], parts.lanes),
    "apart": lambda parts, _: Transposition(parts.bits[0], parts.lanes, parts.bits[1]),
    "words": lambda parts, _: _such(SortKeys(parts.indexed()), bool(parts.kinds)),
    "partwords": lambda parts, _: _such(SortPartOfKeys(parts.indexed()), bool(parts.kinds) and len(parts.bits) == 1),
    "pairs": lambda parts, _: SortPairs(),
    "equal": lambda parts, _: _such(EqualKeys(parts.key), not parts.key.is_exact),
    "count": lambda parts, _: _such(CountKeys(parts.key, int(parts.kinds[0][1:])), parts.key.bits <= 16),
    "top": lambda parts, target: parts.selection(target.vector_bits),
    "limittop": lambda parts, target: LimitOfSelection(parts.selection(target.vector_bits)),
    "halftop": lambda parts, target: SelectInHalf(parts.selection(target.vector_bits)),
    "sidetop": lambda parts, target: SelectOnSide(parts.selection(target.vector_bits)),
}
"""By the first part of their names. Those that make lanes contiguous do so in vectors that are as long as a processor's
registers."""


def routine_named(name: str, machine: Target) -> Routine:
    """The routine of a name, whose code is for a processor. Raises CompileError where there is none; a context with the
    builtin types is the current one."""
    parts = NAME.fullmatch(name)
    try:
        found = ROUTINES[parts["stem"]](_parts(parts), machine) if parts is not None else None
    except (LookupError, ValueError, TypeError):
        found = None
    if found is None or found.name != name:
        raise CompileError(f"no routine has the name @{name}")
    return found


def _parts(found: re.Match[str]) -> Parts:
    key = StandardKey.named(found["key"]) if found["key"] else None
    bits = [int(part[1:]) for part in found["bits"].split("_")[1:]]
    kinds = tuple(found["kinds"].split("_")[1:])
    return Parts(int(found["compresses"] or 0), key, bits, int(found["lanes"] or 0), kinds)  # type: ignore[arg-type]
