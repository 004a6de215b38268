"""Vectors of a sort's words: unsigned numbers of 16, 32 or 64 bits, contiguous in the last dimension of an array. Where
an element has several words, each is in an array of its own, and the first ones that differ decide."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from mlir import ir
from mlir.dialects import arith, llvm, math, scf, vector

from hlo.errors import CompileError
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.loops import Index, add, element, extract, for_loop, index, maximum, scalar, shape, sub
from hlo.lowering.linalg.parts import Array, Number, chosen
from hlo.lowering.numbers import integer

Values = list[ir.Value]

VECTOR_BITS = 512

PERMUTED_LANES = 8
"""Lanes that an instruction permutes by numbers from a table, which has those for each mask: there are so few of 64
bits in 512, or of 32 bits in 256."""

PERMUTATIONS = {64: "vpermq", 32: "vpermd"}
"""Those instructions, by the bits of a lane."""

WHOLE = 4
"""Vectors without a mask that an iteration of a loop along a row takes."""

At = Callable[[Index], list[Index]]
"""Where element k of a row is in its array."""


@dataclass(frozen=True)
class WordVectors:
    """Vectors of `lanes` words of type `kind`."""

    kind: ir.Type
    lanes: int

    @staticmethod
    def of(bits: int, register: int = VECTOR_BITS) -> WordVectors:
        """Whole ones, of a register's bits."""
        return WordVectors(integer(bits), register // bits)

    @property
    def type(self) -> ir.VectorType:
        return ir.VectorType.get([self.lanes], self.kind)

    @property
    def bits(self) -> int:
        return self.lanes * self.kind.width

    @property
    def most(self) -> ir.Value:
        """The largest word."""
        return scalar(self.kind, -1)

    def splat(self, word: ir.Value) -> ir.Value:
        return self._lanes_of(word)

    def splat_mask(self, bit: ir.Value) -> ir.Value:
        """All lanes, or none."""
        return vector.broadcast(self.mask, bit)

    def first(self, count: Index) -> ir.Value:
        """The mask of the first `count` lanes."""
        return vector.create_mask(self.mask, [index(count)])

    @property
    def mask(self) -> ir.VectorType:
        return ir.VectorType.get([self.lanes], integer(1))

    def load(self, array: Array, position: Sequence[Index], mask: ir.Value | None = None) -> Number:
        """Lanes outside of the mask are the largest word."""
        return tuple(self.load_word(t, position, mask) for t in array.tensors)

    def load_word(self, words: ir.Value, position: Sequence[Index], mask: ir.Value | None = None) -> ir.Value:
        places, kind = [index(i) for i in position], element(words)
        outside = self.most if kind == self.kind else scalar(kind, 0)
        lanes = ir.VectorType.get([self.lanes], kind)
        return vector.transfer_read(lanes, words, places, _last(words), outside, [True], mask=mask)

    def numbered(self, row: ir.Value, begin: Index = 0) -> Callable[[Index, ir.Value | None], Values]:
        """Elements of a row, which begins at an index, and their numbers in it: those of the lanes of a mask from an
        element on."""
        return lambda k, inside: [self.load_word(row, [add(begin, k)], inside), self.indices(k)]

    def store(self, value: Number, array: Array, position: Sequence[Index], mask: ir.Value | None = None) -> Array:
        places = [index(i) for i in position]
        pairs = zip(value, array.tensors, strict=True)
        return Array(tuple(vector.transfer_write(t.type, v, t, places, _last(t), [True], mask=mask) for v, t in pairs))

    def along(self, count: ir.Value, iteration: Callable[..., Values], carried: Sequence[ir.Value], whole: int = WHOLE, last: int = 0) -> Values:  # fmt: skip
        """`iteration(k, mask, *carried)` for the first of each vector's lanes of `count`, with a mask (else None) where
        lanes are behind the end, and for the `last` lanes. `whole`: vectors without a mask that an iteration of the
        loop takes."""

        def several(k: Index, *carried: ir.Value) -> Values:
            for n in range(whole):
                carried = tuple(iteration(add(k, n * self.lanes), None, *carried))
            return list(carried)

        step = whole * self.lanes
        end = arith.andi(maximum(sub(count, last), 0) if last else count, index(-step))
        carried = for_loop(0, end, several, carried, step)
        return for_loop(
            end, count, lambda k, *rest: iteration(k, self.first(sub(count, k)), *rest), carried, self.lanes
        )

    def written(self, arrays: Sequence[ir.Value], start: Index, count: ir.Value, elements: Callable[[Index, ir.Value | None], Values], body: Callable[[Values], Values]) -> Values:  # fmt: skip
        """The arrays, from `start` on with what a body of scalars computes `count` times: of the vectors `elements(k,
        mask)` in the lanes from k on."""

        def put(k: Index, inside: ir.Value | None, *arrays: ir.Value) -> Values:
            return list(self.store(self.computed(body, elements(k, inside)), Array(arrays), [add(start, k)], inside).tensors)  # fmt: skip

        return self.along(count, put, arrays)

    def computed(self, body: Callable[[Values], Values], elements: Values) -> Number:
        """What a body of arith and math ops on scalars computes in the lanes of vectors."""
        region = scf.ExecuteRegionOp([])
        block = region.regions[0].blocks.append(*(v.type.element_type for v in elements))
        with ir.InsertionPoint(block):
            results = body(list(block.arguments))
        known = dict(zip(block.arguments, elements, strict=True))
        for op in block.operations:
            known.update(zip(op.results, self._in_lanes(op.operation, known), strict=True))
        vectors = tuple(self._lanes_of(known.get(v, v)) for v in results)
        region.operation.erase()
        return vectors

    def _in_lanes(self, op: ir.Operation, known: dict[ir.Value, ir.Value]) -> Values:
        """The op's results: vectors where an operand is one."""
        operands = [known.get(v, v) for v in op.operands]
        if not any(isinstance(v.type, ir.VectorType) for v in operands):
            new = op.clone()
            for number, v in enumerate(operands):
                new.operands[number] = v
            return list(new.results)
        attributes = {a.name: a.attr for a in (op.attributes[n] for n in range(len(op.attributes)))}
        kinds = [ir.VectorType.get([self.lanes], r.type) for r in op.results]
        return list(ir.Operation.create(op.name, kinds, list(map(self._lanes_of, operands)), attributes).results)

    def _lanes_of(self, value: ir.Value) -> ir.Value:
        is_vector = isinstance(value.type, ir.VectorType)
        return value if is_vector else vector.broadcast(ir.VectorType.get([self.lanes], value.type), value)

    def indices(self, first: Index) -> ir.Value:
        """Neighbours, from the first on."""
        kind = ir.VectorType.get([self.lanes], ir.IndexType.get())
        return arith.addi(self._lanes_of(index(first)), vector.step(kind))

    def counted(self, first: ir.Value) -> ir.Value:
        """Words one after the other, from the first on."""
        numbers = [ir.IntegerAttr.get(self.kind, n) for n in range(self.lanes)]
        steps = arith.constant(self.type, ir.DenseElementsAttr.get(numbers, self.type))
        return arith.addi(self.splat(first), steps)

    def compressed(self, value: Number, mask: ir.Value) -> Number:
        """The lanes of the mask, contiguous from lane 0 on; others hold anything."""
        assert self.kind.context.dialects["x86vector"]  # looking it up loads it: MLIR has no Python class of its ops
        return tuple(self._compressed(v, mask) for v in value)

    def _compressed(self, value: ir.Value, mask: ir.Value) -> ir.Value:
        """MLIR's op has no lanes of 8 or 16 bits, and its calls of intrinsics count as writing to memory. Processors
        whose registers are shorter only permute."""
        if self.bits < VECTOR_BITS:
            return self._permuted(value, self._bits(mask))
        if self.kind.width >= 32:
            return ir.Operation.create("x86vector.avx512.mask.compress", [self.type], [mask, value]).results[0]
        name = {8: "vpcompressb", 16: "vpcompressw"}[self.kind.width]
        return llvm.inline_asm(self.type, [value, mask], f"{name} $1, $0 {{$2}} {{z}}", "=v,v,^Yk")

    def parted(self, value: ir.Value, mask: ir.Value) -> tuple[ir.Value, ir.Value]:
        """A vector that begins with the lanes of the mask, and one that ends with the others, in any order."""
        if self.lanes <= PERMUTED_LANES:
            both = self._permuted(value, self._bits(mask))
            return both, both
        # LLVM compares once more for the inverse, which takes the port of the compressions
        name = {16: "knotw", 32: "knotd"}[self.lanes]
        others = llvm.inline_asm(mask.type, [mask], f"{name} $1, $0", "=^Yk,^Yk")
        (front,), (back,) = self.compressed((value,), mask), self.compressed((value,), others)
        return front, self.reversed((back,))[0]

    def _permuted(self, value: ir.Value, mask: ir.Value) -> ir.Value:
        """The lanes of the bits of a mask, then the others: one permutation instead of two compressions. (MLIR's call
        of an intrinsic counts as writing to memory.)"""
        if self.lanes > PERMUTED_LANES or self.bits // PERMUTED_LANES not in PERMUTATIONS:
            found = f"{self.lanes} lanes of {self.kind.width} bits"
            raise CompileError(f"the processor makes no vectors of {found} contiguous, which a routine of sorting does")
        number, permuted = map(ir.IntegerType.get_signless, (64, self.bits // PERMUTED_LANES))
        table = _table(number, _orders(self.lanes))
        row = extract(table, [arith.index_castui(ir.IndexType.get(), mask)])
        packed = vector.broadcast(ir.VectorType.get([1], number), row)
        narrow = vector.bitcast(ir.VectorType.get([PERMUTED_LANES], integer(8)), packed)
        kind, name = ir.VectorType.get([PERMUTED_LANES], permuted), PERMUTATIONS[permuted.width]
        lanes = value if kind == self.type else vector.bitcast(kind, value)
        found = llvm.inline_asm(kind, [lanes, arith.extui(kind, narrow)], f"{name} $1, $2, $0", "=v,v,v")
        return found if kind == self.type else vector.bitcast(self.type, found)

    def _bits(self, mask: ir.Value) -> ir.Value:
        """A mask as a number."""
        bits = vector.bitcast(ir.VectorType.get([1], integer(self.lanes)), mask)
        return vector.extract(bits, [], [0])

    def count(self, mask: ir.Value) -> ir.Value:
        """How many lanes a mask has."""
        return arith.index_castui(ir.IndexType.get(), math.ctpop(self._bits(mask)))

    def inverted(self, mask: ir.Value) -> ir.Value:
        ones = ir.DenseElementsAttr.get_splat(mask.type, ir.BoolAttr.get(True))
        return arith.xori(mask, arith.constant(mask.type, ones))

    def counted_along(self, count: ir.Value, mask: Callable[[Index, ir.Value | None], ir.Value]) -> ir.Value:
        """How many of `count` lanes the masks `mask(k, inside)` of vectors have."""

        def iteration(k: Index, inside: ir.Value | None, total: ir.Value) -> Values:
            lanes = mask(k, inside)
            return [arith.addi(total, self.count(lanes if inside is None else arith.andi(lanes, inside)))]

        return self.along(count, iteration, [index(0)])[0]

    def is_upto(self, value: Number, limits: ir.Value) -> ir.Value:
        """Of the first words."""
        return arith.cmpi(arith.CmpIPredicate.ule, value[0], limits)

    def shuffled(self, a: Number, b: Number, order: Sequence[int]) -> Number:
        return tuple(vector.shuffle(x, y, order) for x, y in zip(a, b, strict=True))

    def reversed(self, value: Number) -> Number:
        return self.shuffled(value, value, range(self.lanes)[::-1])

    def exchanged(self, a: Number, b: Number, distance: int) -> tuple[Number, Number]:
        """Lanes of `a` whose number has the bit `distance` change places with lanes of `b` without it: the number of
        the vector and this bit of the lane are exchanged."""
        lanes = range(self.lanes)
        low = [n if not n & distance else self.lanes + n - distance for n in lanes]
        high = [n + distance if not n & distance else self.lanes + n for n in lanes]
        return self.shuffled(a, b, low), self.shuffled(a, b, high)

    def rotated(self, value: ir.Value, by: int) -> ir.Value:
        return vector.shuffle(value, value, [(n + by) % self.lanes for n in range(self.lanes)])


def _table(kind: ir.Type, numbers: Sequence[int]) -> ir.Value:
    type = ir.RankedTensorType.get([len(numbers)], kind)
    return arith.constant(type, ir.DenseElementsAttr.get([ir.IntegerAttr.get(kind, n) for n in numbers], type))


@cache
def _orders(lanes: int) -> tuple[int, ...]:
    """By mask: numbers of its lanes, then those of the others, a byte each, the first one lowest. Of fewer lanes than
    are permuted, each is several of these."""
    size, numbers = PERMUTED_LANES // lanes, range(lanes)
    orders = (sorted(numbers, key=lambda n: not mask >> n & 1) for mask in range(1 << lanes))
    parts = ([n * size + part for n in order for part in range(size)] for order in orders)
    return tuple(int.from_bytes(bytes(order), "little") for order in parts)


def ordered(a: Number, b: Number) -> tuple[Number, Number]:
    """The smaller and the larger one; of several words the first that differ decide."""
    if len(a) == 1:
        return (arith.minui(a[0], b[0]),), (arith.maxui(a[0], b[0]),)
    is_larger = compared(arith.CmpIPredicate.ugt, a, b)
    return chosen(is_larger, b, a), chosen(is_larger, a, b)


def compared(predicate: arith.CmpIPredicate, a: Number, b: Number) -> ir.Value:
    """By the first words that differ."""
    strict = {arith.CmpIPredicate.ule: arith.CmpIPredicate.ult}.get(predicate, predicate)
    result = arith.cmpi(predicate, a[-1], b[-1])
    for x, y in reversed(list(zip(a[:-1], b[:-1]))):
        is_equal = arith.cmpi(arith.CmpIPredicate.eq, x, y)
        result = arith.ori(arith.cmpi(strict, x, y), arith.andi(is_equal, result))
    return result


def at_once(values: Sequence[ir.Value]) -> Values:
    """The values, of vectors in registers, of which none is used before all are computed: no instruction."""
    kinds, places = [v.type for v in values], range(len(values))
    constraints = ",".join(["=v"] * len(values) + [str(n) for n in places])
    both = llvm.inline_asm(llvm.StructType.get_literal(kinds), values, "", constraints)
    return [llvm.extractvalue(kind, both, [n]) for n, kind in enumerate(kinds)]


def median(a: ir.Value, b: ir.Value, c: ir.Value) -> ir.Value:
    return arith.maxui(arith.minui(a, b), arith.minui(arith.maxui(a, b), c))


def _last(array: ir.Value) -> ir.AffineMap:
    rank = len(shape(array))
    return ir.AffineMap.get(rank, 0, [ir.AffineDimExpr.get(rank - 1)])
