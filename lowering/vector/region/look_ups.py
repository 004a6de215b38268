"""Reads at computed indices (tensor.extract in a body): one element, consecutive ones, or a different one for each lane.

Lanes that read from one short row take their elements from registers:

Before:  for j by 16: gather row[index[j]]                        (a load for each lane)
After:   table = the row in up to 4 registers;  for j by 16: permute table by index[j]"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import llvm

from hlo.lowering.balanced_tree import in_pairs
from hlo.lowering.numbers import integer
from hlo.lowering.vector.region.code import Code
from hlo.lowering.vector.region.memory import Buffer, Memory, Tile
from hlo.lowering.vector.region.number import Number

PERMUTE_ONE = {32: "llvm.x86.avx512.permvar.si.512", 64: "llvm.x86.avx512.permvar.di.512"}
PERMUTE_TWO = {32: "llvm.x86.avx512.vpermi2var.d.512", 64: "llvm.x86.avx512.vpermi2var.q.512"}
"""By bits of an element: what picks lanes of one vector, and of two that follow each other."""
REGISTER_BITS, MOST_REGISTERS = 512, 4
MOST_NARROW = 1 << 30
"""Elements of an array up to which an index in lanes has 32 bits (a complex number has two parts)."""


def read_at(memory: Memory, buffer: Buffer, indices: list[Number], tile: Tile, step: int) -> Number:
    """The elements of an array at these indices, one index for each dimension."""
    code, first = memory.code, _first_lane(indices)
    if first is not None:
        return memory.consecutive(buffer, _flat(code, first, buffer.shape), tile, step)
    if not any(one.width for one in indices):
        return memory.element(buffer, _flat(code, indices, buffer.shape) if indices else None)
    if memory.permutes and _fits_registers(buffer, indices):
        return _permuted(memory, buffer, indices)
    if buffer.size <= MOST_NARROW:
        indices = [_as_integer(code, one, 32) for one in indices]
    return memory.gather(buffer, code.index_constant(0), _flat(code, indices, buffer.shape), tile, step)


def clamped(code: Code, index: Number, size: int) -> Number:
    return code.arith("minsi", code.arith("maxsi", index, 0), size - 1)


def _first_lane(indices: list[Number]) -> list[Number] | None:
    """The index of lane 0, where lanes read elements that follow each other: rows picked by an index."""
    if not indices or indices[-1].first is None or any(i.width for i in indices[:-1]):
        return None
    return [*indices[:-1], indices[-1].first]


def _flat(code: Code, indices: Sequence[Number], shape: Sequence[int]) -> Number:
    """The position in a row-major array of rank 1 or more, of the type of the indices."""
    total, *rest = indices
    for one, size in zip(rest, shape[1:]):
        total = code.arith("addi", code.arith("muli", total, size), one)
    return total


def _as_integer(code: Code, index: Number, bits: int) -> Number:
    return code.op("arith.index_cast", [integer(bits)], [index])[0]


# ---- tables in registers


def _word(stored: ir.Type) -> int:
    """Bits of the lanes in which elements are permuted; 0 for types that are not."""
    if not isinstance(stored, (ir.IntegerType, ir.F16Type, ir.BF16Type, ir.F32Type, ir.F64Type)):
        return 0
    return {8: 32, 16: 32, 32: 32, 64: 64}.get(stored.width, 0)


def _fits_registers(buffer: Buffer, indices: Sequence[Number]) -> bool:
    """Whether all lanes read from one row, which is short."""
    word, *others = _word(buffer.stored), *(one.width for one in indices[:-1])
    return bool(word) and not any(others) and buffer.shape[-1] <= MOST_REGISTERS * (REGISTER_BITS // word)


def _permuted(memory: Memory, buffer: Buffer, indices: Sequence[Number]) -> Number:
    code, word, (*row, lane) = memory.code, _word(buffer.stored), indices
    lanes, size, width = REGISTER_BITS // word, buffer.shape[-1], lane.width
    begin = _flat(code, [*row, code.index_constant(0)], buffer.shape)
    table = [_table_part(memory, buffer, begin, start, min(lanes, size - start)) for start in range(0, size, lanes)]
    numbers = _as_integer(code, lane, word)
    parts = [  # the last lanes repeat all indices: LLVM 22 makes of two lanes of 64 bits a, b, b, b, ... the lanes a, a
        _picked(code, table, code.shuffle(numbers, numbers, [n % width for n in range(start, start + lanes)]))
        for start in range(0, width, lanes)
    ]
    return memory.from_memory(buffer, _from_words(code, _joined(code, parts, width), buffer.stored))


def _table_part(memory: Memory, buffer: Buffer, begin: Number, start: int, count: int) -> Number:
    """So many elements of a row as a vector of words."""
    code, word = memory.code, _word(buffer.stored)
    at = code.arith("addi", begin, start) if start else begin
    elements = memory.run(buffer, at, REGISTER_BITS // word, count)
    kind = buffer.stored
    if not isinstance(kind, ir.IntegerType):
        kind = integer(kind.width)
        elements = code.op("arith.bitcast", [kind], [elements])[0]
    return elements if kind.width == word else code.op("arith.extui", [integer(word)], [elements])[0]


def _from_words(code: Code, words: Number, stored: ir.Type) -> Number:
    if words.element.width != stored.width:
        words = code.op("arith.trunci", [integer(stored.width)], [words])[0]
    return words if isinstance(stored, ir.IntegerType) else code.op("arith.bitcast", [stored], [words])[0]


def _picked(code: Code, table: Sequence[Number], numbers: Number) -> Number:
    """The elements with these numbers: instructions look at as many bits of a number as their vectors have lanes for."""
    word, lanes = numbers.element.width, numbers.width
    if len(table) == 1:
        return _call(code, PERMUTE_ONE[word], table[0], numbers)
    if len(table) == 2:
        return _call(code, PERMUTE_TWO[word], table[0], numbers, table[1])
    in_front = code.compared("ult", numbers, 2 * lanes)
    return code.select(in_front, _picked(code, table[:2], numbers), _picked(code, table[2:], numbers))


def _call(code: Code, intrinsic: str, *operands: Number) -> Number:
    level = max(one.level for one in operands)
    with code.at(level):
        values = [one.value for one in operands]
        call = llvm.CallIntrinsicOp(values[0].type, ir.StringAttr.get(intrinsic), values, [], [])
        return Number(call.operation.results[0], level, operands[0].width)


def _joined(code: Code, parts: list[Number], width: int) -> Number:
    """The lanes of vectors that follow each other, as one vector of so many."""
    whole = in_pairs(parts, lambda a, b: code.shuffle(a, b, range(2 * a.width)))
    return whole if whole.width == width else code.shuffle(whole, whole, range(width))
