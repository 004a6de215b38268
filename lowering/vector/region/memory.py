"""Loads and stores of tiles in flat row-major buffers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from math import prod
from typing import Any, TypeVar

from mlir import ir
from mlir.dialects import memref, vector

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.iteration import Affine, Dim
from hlo.lowering.vector.contraction.function_text import transposed
from hlo.lowering.vector.region import complex_lanes
from hlo.lowering.vector.region.code import Code, least_factor
from hlo.lowering.vector.region.number import Number
from hlo.lowering.vector.region.padding import Bound
from hlo.lowering.vector.region.runs import Run

T = TypeVar("T")

MOST_INTERLEAVED = 8
"""Rows up to which a block is loaded as one wide vector."""
MOST_SHUFFLES = 4
"""Of a vector up to which rows that fill memory without gaps are interleaved, rather than transposed in squares."""
MOST_STRIDE = 16
"""Elements from one lane to the next up to which all elements between are loaded, and those in lanes are picked."""


def shuffles(count: int) -> int:
    """Those that a vector takes of so many that are interleaved."""
    factor = least_factor(count)
    return factor - 1 + (shuffles(count // factor) if factor < count else 0)


Base = dict[Dim, Number]
"""The positions of loops."""


@dataclass(eq=False)
class Tile:
    """Where an evaluation is: a position for each Dim, the Dim of the lanes (None: scalars) and their number, the Dim
    that is stepped (the lanes' own: consecutive vectors; another: consecutive rows) and the number of steps.
    `tail`: how many lanes of the last vector count (0: all)."""

    base: Base
    lanes: Dim | None = None
    width: int = 0
    stepped: Dim | None = None
    steps: int = 1
    tail: int = 0
    memo: dict[Any, list[Number]] = field(default_factory=dict)
    inside: list[Number | None] | None = None
    """By step: the lanes in which memory may be read; None: all that count."""

    def moved(self, dim: Dim, at: Number, **changes: Any) -> Tile:
        """The tile at an iteration of a loop, along which it goes from there on if `changes` say so."""
        return replace(self, base={**self.base, dim: at}, memo={}, **changes)

    def values(self, dim: Dim) -> range:
        """Those of a loop in this tile."""
        return self._spanned(dim, 0, self.steps)

    def values_at(self, step: int) -> Callable[[Dim], range]:
        """Those of a loop in one step."""
        return lambda dim: self._spanned(dim, step, 1)

    def _spanned(self, dim: Dim, step: int, steps: int) -> range:
        if dim.value is not None:
            return dim.values
        if dim not in self.base:
            return range(1)
        known = self.base[dim].values or range(dim.size)
        unit = self.width if dim is self.lanes else 1
        first, count = (unit * step, steps) if dim is self.stepped else (0, 1)
        return range(known[0] + first, max(known[0] + first + 1, min(known[-1] + first + unit * count, dim.size)))

    def fixed(self, bound: Bound) -> Bound:
        """The bound with loops of one value as numbers."""
        spans = {dim: self.values(dim) for dim, _ in bound.position.terms}
        known = {dim: Affine((), span[0]) for dim, span in spans.items() if len(span) == 1}
        return replace(bound, position=bound.position.substituted(known)) if known else bound

    @property
    def run(self) -> Run | None:
        """The lanes' loops, where lanes go through several."""
        return self.lanes if isinstance(self.lanes, Run) else None

    def stride(self, affine: Affine) -> int:
        """How far it is from one lane to the next, or, in a run, from one of some loop to the next."""
        return self.run.coefficient(affine) if self.run else affine.coefficient(self.lanes)

    def step_range(self, affine: Affine) -> range:
        moves = self.stride(affine) if self.run else affine.coefficient(self.stepped)
        return range(self.steps if moves else 1)

    def at_step(self, affine: Affine, step: int) -> Affine:
        """The position of lane 0 in a step."""
        stride = self.width if self.stepped is self.lanes and self.width else 1
        return affine + affine.coefficient(self.stepped) * step * stride

    def masked(self, step: int) -> bool:
        """Whether the vector of a step has lanes that do not count."""
        return bool(self.tail) and (self.stepped is not self.lanes or step == self.steps - 1)

    def count(self, step: int) -> int:
        """How many lanes of the vector of a step count."""
        return self.tail if self.masked(step) else self.width


def number_at(numbers: Sequence[T], step: int) -> T:
    """What belongs to a step of a tile: one number may stand for all of them."""
    return numbers[step if len(numbers) > 1 else 0]


@dataclass(eq=False)
class Buffer:
    """Memory of a whole array: a one-dimensional memref (rank 0 for a scalar). `element` is the type in registers,
    i1 where memory holds i8. `floor`: the loop level at which it is written; reads stay inside."""

    memref: ir.Value
    shape: tuple[int, ...]
    element: ir.Type
    stored: ir.Type
    floor: int = 0
    parts: ir.Value | None = None
    """An array of complex numbers as one of their parts, which vectors are loaded from."""

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def flat(self) -> ir.Value:
        """What vectors are loaded from and stored to."""
        return self.memref if self.parts is None else self.parts


def flat(memory: ir.Value) -> ir.Value:
    """A row-major array as a one-dimensional one; a scalar, and what has no elements, stays as it is."""
    kind = ir.MemRefType(memory.type)
    size = prod(kind.shape)
    if len(kind.shape) < 2 or not size:
        return memory
    one_dimensional = ir.MemRefType.get([size], kind.element_type)
    return memref.reinterpret_cast(one_dimensional, memory, [], [], [], [0], [size], [1])


class Memory:
    """Access to buffers through the code being written."""

    def __init__(self, code: Code, masks: bool, permutes: bool = False, halves_tails: bool = False):
        """`permutes`: Target.permutes. `halves_tails`: a part of a vector is stored as halves, quarters ... of one, without a mask: a load
        of what lies behind it waits for a store that covers it with lanes that are left out."""
        self.code = code
        self.masks = masks
        self.permutes = permutes
        self.halves_tails = halves_tails

    # ---- loads

    def load(self, buffer: Buffer, affine: Affine, tile: Tile) -> list[Number]:
        """A value for each step (one if all are equal): vectors, or scalars where lanes do not matter."""
        stride = tile.stride(affine)
        if tile.inside and buffer.shape:
            loaded = [self._inside(buffer, affine, tile, r, one) for r, one in enumerate(tile.inside)]
        elif not stride:
            loaded = [self._scalar(buffer, tile.at_step(affine, r), tile) for r in tile.step_range(affine)]
        elif tile.run:
            loaded = self._in_run(buffer, affine, tile, tile.run)
        elif stride == 1:
            loaded = [self._contiguous(buffer, affine, tile, r) for r in tile.step_range(affine)]
        elif self._transposable(affine, tile):
            loaded = self._transposed(buffer, affine, tile)
        elif stride == -1:
            loaded = [self._reversed(buffer, affine, tile, r) for r in tile.step_range(affine)]
        else:
            loaded = [self._strided(buffer, affine, tile, r) for r in tile.step_range(affine)]
        return [self.from_memory(buffer, x) for x in loaded]

    def from_memory(self, buffer: Buffer, x: Number) -> Number:
        if buffer.stored == buffer.element:
            return x
        zero = self.code.zero(buffer.stored, x.width)
        return self.code.compared("ne", x, zero)

    def _position(self, affine: Affine, tile: Tile) -> Number:
        return self.code.position(affine, tile.base)

    def _scalar(self, buffer: Buffer, affine: Affine, tile: Tile) -> Number:
        return self._element(buffer, self._position(affine, tile) if buffer.shape else None)

    def _element(self, buffer: Buffer, at: Number | None) -> Number:
        level = max(at.level, buffer.floor) if at else 0
        with self.code.at(level):
            return Number(memref.load(buffer.memref, [at.value] if at else []), level)

    def _vector(self, buffer: Buffer, affine: Affine, tile: Tile, width: int, count: int) -> Number:
        """`count` of `width` consecutive elements, zeros after them."""
        return self.run(buffer, self._position(affine, tile), width, count)

    def run(self, buffer: Buffer, at: Number, width: int, count: int) -> Number:
        """The same from a computed position on."""
        return self._lanes(buffer, at, width, None if count == width else self.code.mask(width, count))

    def _lanes(
        self, buffer: Buffer, at: Number, width: int, mask: Number | None, offsets: Number | None = None
    ) -> Number:
        """Consecutive elements, or those at a vector of offsets, from a position on; zeros in lanes that a mask leaves out."""
        code, at = self.code, self._flat_position(buffer, at)
        type, level = code.vector_type(buffer.stored, width), max(at.level, buffer.floor)
        if mask is None:
            with code.at(level):
                return Number(vector.load(type, buffer.flat, [at.value]), level, width)
        mask, zero = self._mask(buffer, mask), code.zero(buffer.stored, width)
        offsets = offsets and self._offsets(buffer, offsets)
        level = max(level, mask.level, offsets.level if offsets else 0)
        with code.at(level):
            if offsets is None:
                value = vector.maskedload(type, buffer.flat, [at.value], mask.value, zero.value)
            else:
                value = vector.gather(type, buffer.flat, [at.value], offsets.value, mask.value, zero.value)
        return Number(value, level, width)

    def _flat_position(self, buffer: Buffer, at: Number) -> Number:
        """The index of an element in what vectors are loaded from."""
        return at if buffer.parts is None else self.code.arith("muli", at, 2)

    def _mask(self, buffer: Buffer, mask: Number) -> Number:
        return mask if buffer.parts is None else complex_lanes.interleaved(self.code, mask, mask)

    def _offsets(self, buffer: Buffer, offsets: Number) -> Number:
        """From the first element to those in lanes."""
        if buffer.parts is None:
            return offsets
        first = self._flat_position(buffer, offsets)
        second = self.code.arith("addi", first, 1)
        return complex_lanes.interleaved(self.code, first, second)

    def _contiguous(self, buffer: Buffer, affine: Affine, tile: Tile, step: int) -> Number:
        return self._vector(buffer, tile.at_step(affine, step), tile, tile.width, tile.count(step))

    def _reversed(self, buffer: Buffer, affine: Affine, tile: Tile, step: int) -> Number:
        count = tile.count(step)
        x = self._vector(buffer, tile.at_step(affine, step) + (1 - count), tile, tile.width, count)
        return self.code.shuffle(x, x, [max(count - 1 - lane, 0) for lane in range(tile.width)])

    def _inside(self, buffer: Buffer, affine: Affine, tile: Tile, step: int, inside: Number | None) -> Number:
        """The elements of lanes that may be read, zeros in the others."""
        code, stride, width = self.code, affine.coefficient(tile.lanes), tile.width
        if inside is None and stride == 1:
            return self._contiguous(buffer, affine, tile, step)
        if inside is None and stride:
            return self._strided(buffer, affine, tile, step)
        mask = code.mask(width, tile.count(step))
        mask = mask if inside is None else code.arith("andi", mask, inside)
        at = self._position(tile.at_step(affine, step), tile)
        return self._lanes(buffer, at, width, mask, None if stride == 1 else code.ramp(width, stride))

    def _strided(self, buffer: Buffer, affine: Affine, tile: Tile, step: int) -> Number:
        if 1 < abs(affine.coefficient(tile.lanes)) <= MOST_STRIDE:
            return self._picked(buffer, affine, tile, step)
        at = self._position(tile.at_step(affine, step), tile)
        offsets = self.code.ramp(tile.width, affine.coefficient(tile.lanes))
        return self.gather(buffer, at, offsets, tile, step, is_stored=False)

    def _picked(self, buffer: Buffer, affine: Affine, tile: Tile, step: int) -> Number:
        """Vectors from the first to the last element in memory that is wanted, and those in lanes picked from them."""
        stride, width, first = affine.coefficient(tile.lanes), tile.width, tile.at_step(affine, step)
        lanes = tile.count(step)
        count = (lanes - 1) * abs(stride) + 1
        begin = count - 1 if stride < 0 else 0
        first += -begin
        starts = list(range(0, count, width))
        if lanes == width:
            starts[-1] = count - width
        vectors = [self._vector(buffer, first + start, tile, width, min(width, count - start)) for start in starts]
        wanted = [begin + min(lane, lanes - 1) * stride for lane in range(width)]
        of = [min(one // width, len(starts) - 1) for one in wanted]
        return self.code.picked(vectors, [n * width + one - starts[n] for n, one in zip(of, wanted)])

    def _in_run(self, buffer: Buffer, affine: Affine, tile: Tile, run: Run) -> list[Number]:
        """A vector for each step, picked from those that the tile's rows fill."""
        origin, shift = self._without_known(affine, tile, run)
        width, row = tile.width, affine.coefficient(run.outer)
        wanted = [[shift + o for o in run.offsets(affine, r * width, tile.count(r))] for r in range(tile.steps)]
        least, end = min(map(min, wanted)), max(map(max, wanted)) + 1
        if row > 0 and self._has_whole_rows(buffer, origin, run) and 0 <= shift < row:
            least, end = 0, -(-end // row) * row

        def filled(start: int) -> Number:
            return self._vector(buffer, origin + start, tile, width, min(width, end - start))

        found = []
        for offsets in wanted:
            starts = sorted({least + (offset - least) // width * width for offset in offsets})
            places = [starts.index(start := least + (o - least) // width * width) * width + o - start for o in offsets]
            places += places[-1:] * (width - len(places))
            vectors = [filled(start) for start in starts]
            found.append(vectors[0] if places == list(range(width)) else self.code.picked(vectors, places))
        return found

    @staticmethod
    def _without_known(affine: Affine, tile: Tile, run: Run) -> tuple[Affine, int]:
        """A position without what is known of it, which is apart: all iterations of a loop that is written out count from the same one."""
        values = {d: tile.base[d].values for d, _ in affine.terms if d in tile.base and d is not run.outer}
        known = {d: Affine((), one[0]) for d, one in values.items() if one is not None and len(one) == 1}
        origin = affine.substituted(known)
        return Affine(origin.terms), origin.const

    @staticmethod
    def _has_whole_rows(buffer: Buffer, origin: Affine, run: Run) -> bool:
        """Whether memory has all of each row that a run goes through."""
        row = origin.coefficient(run.outer)
        others = [c for d, c in origin.terms if d not in run.inner]
        return buffer.size % row == 0 and all(c % row == 0 for c in others)

    def gather(
        self, buffer: Buffer, at: Number, offsets: Number, tile: Tile, step: int, is_stored: bool = True
    ) -> Number:
        """Elements at `at` plus a vector of offsets; lanes that do not count are not read."""
        count = tile.tail if tile.masked(step) else offsets.width
        gathered = self._lanes(buffer, at, offsets.width, self.code.mask(offsets.width, count), offsets)
        return self.from_memory(buffer, gathered) if is_stored else gathered

    def consecutive(self, buffer: Buffer, at: Number, tile: Tile, step: int) -> Number:
        """Elements from a computed position on, one a lane."""
        return self.from_memory(buffer, self.run(buffer, at, tile.width, tile.count(step)))

    def element(self, buffer: Buffer, at: Number | None) -> Number:
        """One element at a computed position (None: of a scalar)."""
        return self.from_memory(buffer, self._element(buffer, at))

    # ---- lanes along one dimension, contiguous along the stepped one

    def _transposable(self, affine: Affine, tile: Tile) -> bool:
        if tile.stepped is tile.lanes or affine.coefficient(tile.stepped) != 1 or tile.steps == 1:
            return False
        if self._interleaved(affine, tile):
            return True
        return tile.steps <= tile.width and (tile.steps == tile.width or self.masks)

    def _interleaved(self, affine: Affine, tile: Tile) -> bool:
        """Few rows of `steps` elements that follow each other: one block of memory, split by shuffles."""
        if tile.steps > MOST_INTERLEAVED or tile.steps >= tile.width:
            return False
        return affine.coefficient(tile.lanes) == tile.steps and (self.masks or not tile.tail)

    def _transposed(self, buffer: Buffer, affine: Affine, tile: Tile) -> list[Number]:
        width, steps = tile.width, tile.steps
        lanes = tile.tail or width
        if self._interleaved(affine, tile):
            block = self._vector(buffer, affine, tile, width * steps, lanes * steps)
            picks = [[lane * steps + step for lane in range(width)] for step in range(steps)]
            return [self.code.shuffle(block, block, pick) for pick in picks]
        stride = affine.coefficient(tile.lanes)
        rows = [self._vector(buffer, affine + stride * lane, tile, width, steps) for lane in range(lanes)]
        rows += [rows[0]] * (width - lanes)
        return self._transpose(rows, steps)[:steps]

    def _transpose(self, rows: list[Number], wanted: int) -> list[Number]:
        """n vectors of n lanes as their columns. What is not wanted must stay dead code."""
        shuffle = self.code.shuffle
        fenced = lambda a, b, order: self.code.fenced(shuffle(a, b, order))
        return transposed(rows, shuffle if wanted < len(rows) else fenced)

    # ---- stores

    def store(self, buffer: Buffer, affine: Affine, tile: Tile, *values: list[Number]) -> None:
        """Writes a value for each step at its position; of several, which are vectors, one behind the other in each lane."""
        if tile.run and tile.stride(affine):
            for step in range(tile.steps):
                vector = self.code.splat(self._to_memory(buffer, number_at(values[0], step)), tile.width)
                self._store_run(buffer, self._position(affine + step * tile.width, tile), vector, tile.count(step))
            return
        if len(values) == 1 and tile.width and self._transposable(affine, tile):
            self._store_transposed(buffer, affine, tile, [self._to_memory(buffer, one) for one in values[0]])
            return
        for step in tile.step_range(affine):
            numbers = [self._to_memory(buffer, number_at(one, step)) for one in values]
            at = tile.at_step(affine, step)
            if tile.width and affine.coefficient(tile.lanes):
                self._store_vectors(buffer, at, tile, step, [self.code.splat(x, tile.width) for x in numbers])
            elif buffer.shape:
                memref.store(numbers[0].value, buffer.memref, [self._position(at, tile).value])
            else:
                memref.store(numbers[0].value, buffer.memref, [])

    def _store_transposed(self, buffer: Buffer, affine: Affine, tile: Tile, values: list[Number]) -> None:
        """Rows of `steps` elements, one a lane."""
        columns = [self.code.splat(x, tile.width) for x in values]
        columns = columns * tile.steps if len(columns) == 1 else columns
        lanes, stride = tile.tail or tile.width, affine.coefficient(tile.lanes)
        if stride == tile.steps and shuffles(tile.steps) <= MOST_SHUFFLES:
            for start, run in zip(range(0, lanes * stride, tile.width), self.code.interleaved(columns)):
                count = min(tile.width, lanes * stride - start)
                self._store_run(buffer, self._position(affine + start, tile), run, count)
            return
        rows = self._transpose(columns + [columns[0]] * (tile.width - len(columns)), lanes)[:lanes]
        for lane, row in enumerate(rows):
            self._store_run(buffer, self._position(affine + stride * lane, tile), row, tile.steps)

    def _to_memory(self, buffer: Buffer, x: Number) -> Number:
        if buffer.stored == buffer.element:
            return x
        return self.code.op("arith.extui", [buffer.stored], [x])[0]

    def _store_vectors(self, buffer: Buffer, at: Affine, tile: Tile, step: int, vectors: list[Number]) -> None:
        lanes, stride = tile.count(step), at.coefficient(tile.lanes)
        if stride != len(vectors):
            self._scatter(buffer, at, tile, lanes, vectors[0])
            return
        for start, values in zip(range(0, lanes * stride, tile.width), self.code.interleaved(vectors)):
            self._store_run(buffer, self._position(at + start, tile), values, min(tile.width, lanes * stride - start))

    def _scatter(self, buffer: Buffer, at: Affine, tile: Tile, lanes: int, value: Number) -> None:
        if lanes == 1:
            self._store_run(buffer, self._position(at, tile), value, lanes)
            return
        mask = self._mask(buffer, self.code.mask(tile.width, lanes)).value
        offsets = self._offsets(buffer, self.code.ramp(tile.width, at.coefficient(tile.lanes))).value
        position = self._flat_position(buffer, self._position(at, tile)).value
        vector.scatter(None, buffer.flat, [position], offsets, mask, value.value)

    def _store_run(self, buffer: Buffer, at: Number, value: Number, count: int) -> None:
        """The first `count` lanes, one behind the other. One lane takes a plain store: LLVM 22 makes of a masked store of one lane,
        when its value is a truncation, a store as wide as what was truncated, which writes behind the element."""
        if count == 1 < value.width:
            memref.store(self.code.extract_lane(value, 0).value, buffer.memref, [at.value])
            return
        if self.halves_tails and count < value.width and buffer.parts is None:
            part = 1 << (count.bit_length() - 1)
            self._store_run(buffer, at, self.code.shuffle(value, value, list(range(part))), part)
            if count > part:
                rest = self.code.shuffle(value, value, list(range(part, 2 * part)))
                self._store_run(buffer, self.code.arith("addi", at, part), rest, count - part)
            return
        position = self._flat_position(buffer, at).value
        if count == value.width:
            vector.store(value.value, buffer.flat, [position])
        else:
            mask = self._mask(buffer, self.code.mask(value.width, count)).value
            vector.maskedstore(buffer.flat, [position], mask, value.value)
