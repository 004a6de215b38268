"""Sorting of contiguous rows by one key that has a name: a kernel only calls a routine for each row (`row_routines.py`).

Before:  sort of f32 with their indices as i32
After:   func.func private @sort_0(%x: tensor<8x1000xf32>, %p: tensor<8x1000xi32> {hlo.tied = 0}) attributes {hlo.kernel = "loops"} {
           scf.for %row { linalg.generic {library_call = "hlo_routine_words_f32ca_i64_p32"} ... } }"""

from __future__ import annotations

from collections.abc import Callable, Collection
from math import prod

from mlir import ir

from hlo.lowering.linalg.loops import element, shape
from hlo.lowering.linalg.rules import Lowering
from hlo.lowering.linalg.sorting.counting import CountKeys
from hlo.lowering.linalg.sorting.keys import Key, StandardKey
from hlo.lowering.linalg.sorting.networks import Words, elements_of, with_any_rest, words_of
from hlo.lowering.linalg.sorting.routines import KeyWords, Outcome
from hlo.lowering.linalg.sorting.row_parts import RowLoops, SplitRow
from hlo.lowering.linalg.sorting.row_routines import SelectKeys, SortKeys, SortRow
from hlo.lowering.linalg.sorting.selection import Selection
from hlo.lowering.linalg.sorting.selection_parts import SelectOnSide
from hlo.lowering.linalg.sorting.short_rows import Calls, SortRows, SortRowsBeside
from hlo.lowering.linalg.structured import empty

Values = list[ir.Value]


def has_routine(words: Words) -> bool:
    """Whether there is one for words of a key."""
    return len(words.keys) == 1 and words.keys[0].standard is not None


def sort_by_routine(operands: Values, words: Words, used: Collection[int], lowering: Lowering) -> Values:
    """Sorts each row of the operands along the last dimension. `used`: numbers of the results that anything uses."""
    key, extents = words.keys[0], shape(operands[0])
    operand = operands[key.operand]
    is_numbered, key_words = words.index_bits > 0, _key_words(words)
    divides = words.count == 1 and (is_numbered or words.bits == element(operand).width)
    rows = RowLoops.of(operand, lowering, divides)
    outcome = Outcome(key_words, _kinds(operands, key, words, used) if is_numbered else ())
    sizes = [*extents[:-1], words.kept if outcome.kinds else extents[-1]]
    results = [empty(ir.RankedTensorType.get(sizes, t)) for t in (outcome.types if is_numbered else [element(operand)])]
    slots, count = [], len(results)
    if rows.parts > 1:
        split = SplitRow(key_words, is_numbered)
        arrays = [outcome.words.sorter.buffers(extents[-1])[0] if outcome.kinds else results.pop(), *split.slots()]
        make = lambda operand, arrays: split.run(operand, words.index_bits, arrays)
        made, *slots = _outlined("split", [operand], arrays, make, 1, lowering)
        results.append(made)
    if is_numbered:
        sort = SortKeys(rows.parts > 1, outcome)
        run = lambda operand, *others: sort.run(
            operand, list(others[:-1]), words.kept, words.index_bits, rows, others[-1]
        )
    else:
        row = SortRow(rows.parts > 1, key_words)
        run = lambda operand, *others: row.run(operand, list(others[:-1]), words.kept, rows, others[-1][0])
    made = _outlined("sort", [operand, *slots], results, run, rows.independent, lowering)[:count]
    return _in_order(made, operands, outcome, words, used, lowering) if is_numbered else made


def sort_short_rows(
    operands: Values, dimension: int, words: Words, used: Collection[int], lowering: Lowering
) -> Values | None:
    """Sorts each row of the operands along a dimension, several in a vector; None where no routine does, or code for the length is faster."""
    extents, is_beside = shape(operands[0]), prod(shape(operands[0])[dimension + 1 :]) > 1
    if not has_routine(words) or not (is_beside or extents[dimension] >= _shortest(words)):
        return None
    key, length = words.keys[0], extents[dimension]
    outcome = Outcome(_key_words(words), _kinds(operands, key, words, used) if words.index_bits else ())
    kept, lanes = words.kept if outcome.kinds else length, outcome.words.vectors.lanes
    rows = [*extents[:dimension], length]
    calls = Calls.beside(extents, dimension, lanes) if is_beside else Calls.of(rows, kept, lanes)
    if calls is None or (words.index_bits and not outcome.kinds):
        return None
    through, independent = lowering.outer_loops([prod(extents[:dimension]) if is_beside else 1, calls.count])

    def run(operand: ir.Value, results: Values) -> Values:
        if is_beside:
            return SortRowsBeside(outcome).run(operand, dimension, kept, words.index_bits, results, calls, through)
        return SortRows(outcome).run(operand, kept, words.index_bits, results, calls, through)

    sizes = [*extents[:dimension], kept, *extents[dimension + 1 :]]
    results = [empty(ir.RankedTensorType.get(sizes, t)) for t in SortRows(outcome).results]
    made = _outlined("sort", [operands[key.operand]], results, run, independent, lowering)
    return _in_order(made, operands, outcome, words, used, lowering) if outcome.kinds else made


def _shortest(words: Words) -> int:
    """Elements of a row from which on a routine is no slower."""
    return 5 if words.bits == 8 else 4 if words.index_bits else 2


def is_counted(operands: Values, words: Words, used: Collection[int]) -> bool:
    """Whether all that is used are the indices that sort rows by a key that counting sorts."""
    if len(words.keys) > 1 or len(used) != 1 or not set(used) <= words.counted:
        return False
    key = words.keys[0].standard
    return key is not None and CountKeys.is_profitable(key, shape(operands[0])[-1])


def count_by_routine(operands: Values, words: Words, used: Collection[int], lowering: Lowering) -> Values:
    """Sorts each row of the operands along the last dimension, of which the indices are used."""
    (key,), (number,) = words.keys, used
    assert key.standard is not None
    routine = CountKeys(key.standard, element(operands[number]).width)
    through, independent = lowering.outer_loops(shape(operands[0])[:-1])
    run = lambda operand, results: routine.run(operand, through, results)
    results = [empty(operands[number].type)]
    made = _outlined("sort", [operands[key.operand]], results, run, independent, lowering)
    return [made[0] if n == number else v for n, v in enumerate(operands)]


def select_by_routine(operands: Values, words: Words, bits: int, used: Collection[int], lowering: Lowering) -> Values:
    """The first elements that are used of each row of the operands along the last dimension, sorted. `words`: keys and an index; `bits`: of keys that are compared.
    Keys without a name are computed first, as unsigned numbers."""
    (*rows, length), operand, key = shape(operands[0]), operands[words.keys[0].operand], words.keys[0].standard
    kinds = _kinds(operands, words.keys[0], words, used) if has_routine(words) else ()
    if not has_routine(words) or key is None:
        (operand,), bits = words_of(operands, len(rows), words.of_keys()), words.bits
        key = StandardKey(f"i{bits}", "u", False)
    select, selection = SelectKeys.of(key, kinds, lowering.compresses, length), Selection(length, words.kept)
    through, independent = lowering.outer_loops(rows)
    run = lambda operand, results: select.run(operand, selection, through, results)
    if RowLoops.of(operand, lowering).parts > 1:
        run = lambda operand, results: SelectOnSide(select).run(operand, selection, results)
    results = [empty(ir.RankedTensorType.get([*rows, words.kept], t)) for t in select.results]
    made = _outlined("top_k", [operand], results, run, independent, lowering)
    return _in_order(made, operands, select.outcome, words, used, lowering)


def _key_words(words: Words) -> KeyWords:
    (key,) = words.keys
    assert key.standard is not None
    return KeyWords(key.standard, words.bits, words.count)


def _kinds(operands: Values, key: Key, words: Words, used: Collection[int]) -> tuple[str, ...]:
    """What the results that are used are made from, if words say it of all of them."""
    kinds = [_kind(n, operands[n], key, words) for n in sorted(used)]
    return () if None in kinds else tuple(k for k in kinds if k)


def _kind(number: int, operand: ir.Value, key: Key, words: Words) -> str | None:
    if number in words.counted:
        return f"p{element(operand).width}"
    return "e" if words.have(number) else None


def _outlined(
    name: str,
    operands: Values,
    results: Values,
    run: Callable[..., Values],
    independent: int,
    lowering: Lowering,
) -> Values:
    """`run(*operands, results)` in a kernel of its own."""
    build = lambda *given: run(*given[len(results) :], list(given[: len(results)]))
    tied, kinds = {n: n for n in range(len(results))}, [v.type for v in results]
    return lowering.outline(name, [*results, *operands], kinds, build, tied=tied, independent=independent)


def _in_order(
    made: Values, operands: Values, outcome: Outcome, words: Words, used: Collection[int], lowering: Lowering
) -> Values:
    """The results of the sort: those that nothing uses are the operands."""
    if not outcome.kinds:
        return elements_of(made, operands, len(shape(operands[0])) - 1, words, lowering)
    found = dict(zip(sorted(used), made, strict=True))
    return [with_any_rest(found[n], v.type) if n in found else v for n, v in enumerate(operands)]
