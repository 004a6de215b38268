"""The routines that there are, by their names (`routine_calls.py`)."""

from __future__ import annotations

import re
from collections.abc import Callable

from hlo.errors import CompileError
from hlo.lowering.linalg.routine_calls import PREFIX, Routine
from hlo.lowering.linalg.sorting.counting import CountKeys
from hlo.lowering.linalg.sorting.equal_keys import EqualKeys
from hlo.lowering.linalg.sorting.keys import StandardKey
from hlo.lowering.linalg.sorting.pairs import SortPairs
from hlo.lowering.linalg.sorting.routines import KeyWords, Outcome, SortColumns, SortWords
from hlo.lowering.linalg.sorting.row_parts import SplitRow
from hlo.lowering.linalg.sorting.row_routines import SelectKeys, SortKeys, SortPartOfKeys, SortPartOfRow, SortRow
from hlo.lowering.linalg.sorting.selection_parts import LimitOfSelection, SelectInHalf, SelectOnSide
from hlo.lowering.linalg.sorting.short_rows import ColumnsToRows, RowsToColumns, SortRows, SortRowsBeside
from hlo.lowering.linalg.sorting.words import VECTOR_BITS
from hlo.lowering.vector.target import Target

COMPRESSED = (16, 32)
"""Bits of the narrowest lanes that a processor compresses."""

SELECTIONS: dict[str, Callable[[SelectKeys], Routine]] = {
    "": lambda select: select,
    "limit": LimitOfSelection,
    "half": SelectInHalf,
    "side": SelectOnSide,
}

Read = Callable[[list[str]], Routine]
"""The routine of the parts of a name behind the first one."""


def _selecting(make: Callable[[SelectKeys], Routine], compresses: int, register: int) -> Read:
    return lambda parts: make(_select(parts, compresses, register))


def _routines(machine: Target) -> dict[str, Read]:
    """By the first part of their names, which the others are given to. Those that make lanes contiguous do so in
    vectors that are as long as a processor's registers."""
    register = machine.vector_bits
    return {
        "sort": lambda parts: SortWords(_word(*parts), machine.orders_narrow, register),
        "columns": lambda parts: SortColumns(*_column_words(parts)),
        "row": lambda parts: SortRow(_key_words(parts)),
        "partrow": lambda parts: SortPartOfRow(_key_words(parts)),
        "keys": lambda parts: SplitRow(_key_words(parts, register=register), False),
        "numbered": lambda parts: SplitRow(_key_words(parts, register=register), True),
        "rows": lambda parts: SortRows(_outcome_of_rows(parts)),
        "beside": lambda parts: SortRowsBeside(_outcome_of_rows(parts)),
        "across": lambda parts: RowsToColumns(*_bits_and_lanes(*parts)),
        "apart": lambda parts: ColumnsToRows(*_bits_and_lanes(*parts)),
        "words": lambda parts: SortKeys(_outcome_of_keys(parts)),
        "partwords": lambda parts: SortPartOfKeys(_outcome_of_keys(parts, most=1)),
        "pairs": lambda parts: SortPairs(),
        "equal": lambda parts: _equal(*parts),
        "count": lambda parts: _count(*parts),
        **{f"{stem}top{n}": _selecting(make, n, register) for stem, make in SELECTIONS.items() for n in COMPRESSED},
    }


def routine_named(name: str, machine: Target) -> Routine:
    """The routine of a name, whose code is for a processor. Raises CompileError where there is none; a context with the
    builtin types is the current one."""
    stem, *parts = name.removeprefix(PREFIX).split("_")
    try:
        found = _routines(machine)[stem](parts)
    except (KeyError, ValueError, TypeError):
        raise CompileError(f"no routine has the name @{name}") from None
    if found.name != name:
        raise CompileError(f"no routine has the name @{name}")
    return found


def _words(parts: list[str]) -> tuple[int, int]:
    """Bits and count, of [i64, i64]."""
    if len(parts) not in (1, 2) or not all(re.fullmatch("i(16|32|64)", p) for p in parts):
        raise ValueError(parts)
    return int(parts[0][1:]), len(parts)


def _outcome_of_keys(parts: list[str], most: int = 2) -> Outcome:
    """Words of keys of 64 bits and indices are two, of other ones are one."""
    outcome = _outcome(parts)
    count = 2 if outcome.words.key.bits == 64 else 1
    if not outcome.kinds or outcome.words.count != count or count > most:
        raise ValueError(parts)
    return outcome


def _word(part: str) -> int:
    """Bits, of i64."""
    bits, _ = _words([part])
    return bits


def _column_words(parts: list[str]) -> tuple[int, int]:
    if len(set(parts)) != 1 or not re.fullmatch("i(8|16|32|64)", parts[0]):
        raise ValueError(parts)
    return int(parts[0][1:]), len(parts)


def _bits_and_lanes(*parts: str) -> list[int]:
    """Of [i32, l16]; the lanes behind the first bits."""
    *words, lanes = parts
    if not all(re.fullmatch("i(8|16|32|64)", p) for p in words) or not re.fullmatch("l(8|16|32|64)", lanes):
        raise ValueError(parts)
    first, *others = (int(p[1:]) for p in words)
    return [first, int(lanes[1:]), *others]


def _outcome_of_rows(parts: list[str]) -> Outcome:
    """Words have room for an index where anything is made of them, and are keys otherwise."""
    outcome = _outcome(parts, _column_words)
    words = outcome.words
    if (words.bits * words.count > words.key.stored.width) != bool(outcome.kinds):
        raise ValueError(parts)
    return outcome


def _select(parts: list[str], compresses: int, register: int) -> SelectKeys:
    """Words of keys of fewer than 64 bits have room for an index."""
    found = SelectKeys(_outcome(parts, register=register), compresses)
    has_room = found.buffer.key_bits < found.outcome.words.bits or found.buffer.key_bits == 64
    if found.outcome.words.count > 1 or not found.outcome.kinds or not has_room:
        raise ValueError(parts)
    return found


def _key_words(parts: list[str], read: Callable[[list[str]], tuple[int, int]] = _words, register: int = VECTOR_BITS) -> KeyWords:  # fmt: skip
    key, *words = parts
    found = KeyWords(StandardKey.named(key), *read(words), register)
    if found.key.stored.width > found.bits:
        raise ValueError(parts)
    return found


def _count(key: str, index: str) -> CountKeys:
    found = StandardKey.named(key)
    if found.stored.width not in (8, 16) or not re.fullmatch(r"p(8|16|32|64)", index):
        raise ValueError(key, index)
    return CountKeys(found, int(index[1:]))


def _equal(key: str) -> EqualKeys:
    found = StandardKey.named(key)
    if found.is_exact:
        raise ValueError(key)
    return EqualKeys(found)


def _outcome(parts: list[str], read: Callable[[list[str]], tuple[int, int]] = _words, register: int = VECTOR_BITS) -> Outcome:  # fmt: skip
    kinds = [p for p in parts if re.fullmatch(r"e|p\d+", p)]
    return Outcome(_key_words(parts[: len(parts) - len(kinds)], read, register), tuple(kinds))
