"""The function being written: values with the loop level they belong to, loops, constants.

Every value knows the level (number of loops around it) it was computed at. An op is placed at the deepest level of its
operands, in front of the loop being filled there: what does not change inside a loop is never computed in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

from mlir import ir
from mlir.dialects import arith, llvm, scf, vector

from hlo.lowering.finding import made_by
from hlo.lowering.linalg.iteration import Affine, Dim
from hlo.lowering.numbers import element_type, predicate_of
from hlo.lowering.vector.contraction.function_text import FENCED
from hlo.lowering.vector.region import complex_lanes
from hlo.lowering.vector.region.number import Number

RANGE, ROUNDING = {"arith.maximumf": 5, "arith.minimumf": 4}, 4
"""What the range instruction is told: which of both, with its own sign; the current rounding."""
RANGES = {
    ("f32", 16): ("llvm.x86.avx512.mask.range.ps.512", 16),
    ("f64", 8): ("llvm.x86.avx512.mask.range.pd.512", 8),
}
"""By element and lanes: the intrinsic, and the bits of its mask."""


def least_factor(n: int) -> int:
    """The least number above 1 that divides n; 1 of 1."""
    return next((m for m in range(2, n) if n % m == 0), n)


class Level:
    """A loop body that is open: the loop in it that is being filled, and the index sums known there."""

    def __init__(self) -> None:
        self.loop: Any = None
        self.sums: dict[Any, Number] = {}


class Code:
    """Writes into the block of one function, in front of its terminator."""

    def __init__(self, block: ir.Block, has_range: bool = False):
        """`has_range`: Target.has_range."""
        self.block = block
        self.has_range = has_range
        self.levels = [Level()]
        self.index_type = ir.IndexType.get()
        self.bool_type = ir.IntegerType.get_signless(1)
        self._bits = ir.IntegerType.get_signless(16)
        self._constants: dict[Any, Number] = {}
        self._types: dict[Any, ir.Type] = {}

    # ---- positions

    @property
    def depth(self) -> int:
        return len(self.levels) - 1

    def at(self, level: int) -> Any:
        """Where ops of a level go."""
        if level >= len(self.levels) - 1:
            return nullcontext()
        return ir.InsertionPoint(self.levels[level].loop)

    # ---- types and constants

    def vector_type(self, element: ir.Type, width: int) -> ir.Type:
        """The vector, or for width 0 the scalar."""
        if not width:
            return element
        key = (element, width)
        if key not in self._types:
            parts, part = complex_lanes.parts_of(element)
            self._types[key] = ir.VectorType.get([parts * width], part)
        return self._types[key]

    def _once(self, key: Any, make: Callable[[], ir.Value], width: int = 0) -> Number:
        """A value that is made at the function's beginning when it is first asked for."""
        if key not in self._constants:
            with ir.InsertionPoint.at_block_begin(self.block):
                self._constants[key] = Number(make(), 0, width)
        return self._constants[key]

    def constant(self, attribute: ir.Attribute, width: int = 0) -> Number:
        """A constant from a typed attribute, in all lanes."""

        def make() -> ir.Value:
            value = attribute
            if width:
                value = ir.DenseElementsAttr.get_splat(self.vector_type(attribute.type, width), attribute)
            return arith.ConstantOp(value.type, value).result

        return self._once((attribute, width), make, width)

    def index_constant(self, number: int) -> Number:
        make = lambda: arith.ConstantOp(self.index_type, ir.IntegerAttr.get(self.index_type, number)).result
        constant = self._once(("index", number), make)
        constant.values = range(number, number + 1)
        return constant

    def integer(self, kind: ir.Type, number: int) -> Number:
        """A constant of an integer type or of type index."""
        if kind == self.index_type:
            return self.index_constant(number)
        return self.constant(ir.IntegerAttr.get(kind, number))

    def zero(self, element: ir.Type, width: int) -> Number:
        """In all lanes."""
        parts, part = complex_lanes.parts_of(element)
        make = ir.FloatAttr.get if isinstance(part, ir.FloatType) else ir.IntegerAttr.get
        return Number(self.constant(make(part, 0), parts * width).value, 0, width)

    def ramp(self, width: int, step: int, element: ir.Type | None = None) -> Number:
        """0, step, 2 step, ... as a vector of indices (or of an integer type)."""
        kind = element or self.index_type

        def make() -> ir.Value:
            numbers = [ir.IntegerAttr.get(kind, lane * step) for lane in range(width)]
            value = ir.DenseElementsAttr.get(numbers, self.vector_type(kind, width))
            return arith.ConstantOp(value.type, value).result

        return self._once(("ramp", width, step, kind), make, width)

    def mask(self, width: int, lanes: int) -> Number:
        """The first `lanes` lanes."""
        make = lambda: vector.constant_mask(self.vector_type(self.bool_type, width), [lanes])
        return self._once(("mask", width, lanes), make, width)

    # ---- ops

    def op(
        self,
        name: str,
        result_types: Sequence[ir.Type],
        operands: Sequence[Number],
        attributes: dict[str, ir.Attribute] | None = None,
        location: ir.Location | None = None,
    ) -> list[Number]:
        """An elementwise op on operands of one width, or some of them scalars to be put in all lanes. The result
        types are those of one element."""
        width = max((o.width for o in operands), default=0)
        if width and complex_lanes.takes(name, result_types):
            return [complex_lanes.IN_LANES[name](self, *(self.splat(o, width) for o in operands))]
        if name in RANGE and self._takes_range(name, result_types[0], width, operands):
            return [self._extreme(name, *(self.splat(o, width) for o in operands))]
        level = max((o.level for o in operands), default=0)
        values = [(o if o.width == width else self.splat(o, width)).value for o in operands]
        types = [self.vector_type(t, width) for t in result_types]
        with self.at(level):
            created = ir.Operation.create(name, types, values, attributes, loc=location)
        return [Number(r, level, width) for r in created.results]

    def has_extreme(self, name: str, element: ir.Type, width: int) -> bool:
        """Whether the range instruction takes this maximum or minimum of vectors."""
        return self.has_range and name in RANGE and (str(element), width) in RANGES

    def _takes_range(self, name: str, element: ir.Type, width: int, operands: Sequence[Number]) -> bool:
        """LLVM does better where it knows one of both."""
        return self.has_extreme(name, element, width) and not any(made_by(o.value, "arith.constant") for o in operands)

    def _extreme(self, name: str, a: Number, b: Number) -> Number:
        """The larger or the smaller of two, NaN where one is NaN: three instructions, where LLVM 22 takes seven to distinguish zeros."""
        element, level = element_type(a.value.type), max(a.level, b.level)
        intrinsic, lanes = RANGES[str(element), a.width]
        number = lambda value, bits: (
            llvm.ConstantOp(
                ir.IntegerType.get_signless(bits), ir.IntegerAttr.get(ir.IntegerType.get_signless(bits), value)
            ).result
        )
        with self.at(level):
            arguments = [a.value, b.value, number(RANGE[name], 32), a.value, number(-1, lanes), number(ROUNDING, 32)]
            call = llvm.CallIntrinsicOp(a.value.type, ir.StringAttr.get(intrinsic), arguments, [], [])
            ordered = Number(call.operation.results[0], level, a.width)
        return self.select(self.compared("uno", a, b), self.arith("addf", a, b), ordered)

    def arith(self, name: str, a: Number, b: Number | int) -> Number:
        """A binary op of `arith` whose result has its operands' type."""
        return self.op(f"arith.{name}", [a.element], [a, self._like(a, b)])[0]

    def _like(self, a: Number, b: Number | int) -> Number:
        """A number, or the constant of the other one's type."""
        return self.integer(a.element, b) if isinstance(b, int) else b

    def splat(self, number: Number, width: int) -> Number:
        """The scalar in all lanes."""
        if number.width == width:
            return number
        if number.splatted is None or number.splatted.width != width:
            number.splatted = self._broadcast(number, width)
        return number.splatted

    def _broadcast(self, number: Number, width: int) -> Number:
        if number.is_complex:
            return complex_lanes.broadcast(self, number, width)
        with self.at(number.level):
            return Number(
                vector.broadcast(self.vector_type(number.value.type, width), number.value), number.level, width
            )

    def compared(self, predicate: str, a: Number, b: Number | int) -> Number:
        """Two numbers, by the name of an arith predicate."""
        name, kind = predicate_of(predicate, isinstance(a.element, ir.FloatType))
        return self.op(name, [self.bool_type], [a, self._like(a, b)], {"predicate": kind})[0]

    def select(self, condition: Number, yes: Number, no: Number) -> Number:
        return self.op("arith.select", [yes.element], [condition, yes, no])[0]

    def shuffle(self, a: Number, b: Number, lanes: Sequence[int]) -> Number:
        """Lanes of two vectors. Of bf16 their bits: LLVM 22 puts vectors of bf16 together element by element."""
        level = max(a.level, b.level)
        with self.at(level):
            positions = complex_lanes.positions(lanes) if a.is_complex else lanes
            if not isinstance(a.element, ir.BF16Type):
                return Number(vector.shuffle(a.value, b.value, positions), level, len(lanes))
            bits = vector.shuffle(*(self._cast(x.value, self._bits) for x in (a, b)), positions)
            return Number(self._cast(bits, a.element), level, len(lanes))

    def _cast(self, value: ir.Value, element: ir.Type) -> ir.Value:
        return arith.bitcast(ir.VectorType.get(value.type.shape, element), value)

    def picked(self, vectors: Sequence[Number], positions: Sequence[int]) -> Number:
        """The elements at these positions of vectors that follow each other: the first two that are needed are shuffled, then
        each further one is shuffled into the result."""
        width = vectors[0].width
        sources = [(vectors[position // width], position % width) for position in positions]
        found, *others = dict.fromkeys(vector for vector, _ in sources)
        order = [lane if vector is found else -1 for vector, lane in sources]
        for other in others or [found]:
            order = [width + lane if vector is other else kept for (vector, lane), kept in zip(sources, order)]
            found = self.shuffle(found, other, order)
            order = [n if kept >= 0 else -1 for n, kept in enumerate(order)]
        return found

    def interleaved(self, vectors: Sequence[Number]) -> list[Number]:
        """Lane 0 of each vector, then lane 1 of each, and so on, as vectors that follow each other."""
        count, width, factor = len(vectors), vectors[0].width, least_factor(len(vectors))
        if factor < count:
            parts = [self.interleaved(vectors[n::factor]) for n in range(factor)]
            return [vector for together in zip(*parts) for vector in self.interleaved(together)]
        if count == 1:
            return list(vectors)
        positions = [n % count * width + n // count for n in range(count * width)]
        return [self.picked(vectors, positions[n : n + width]) for n in range(0, count * width, width)]

    def fenced(self, a: Number) -> Number:
        """The same value, through which LLVM does not look (FunctionText.fenced says why)."""
        type = ir.VectorType(a.value.type)
        if str(type.element_type) not in FENCED:
            return a
        name = ir.StringAttr.get(f"llvm.arithmetic.fence.v{type.shape[0]}{type.element_type}")
        with self.at(a.level):
            return Number(
                llvm.CallIntrinsicOp(a.value.type, name, [a.value], [], []).operation.results[0], a.level, a.width
            )

    def extract_lane(self, a: Number, lane: int) -> Number:
        if a.is_complex:
            return complex_lanes.extract_lane(self, a, lane)
        with self.at(a.level):
            return Number(vector.extract(a.value, [], [lane]), a.level)

    # ---- positions

    def position(self, affine: Affine, base: dict[Dim, Number]) -> Number:
        """The index value of an affine position, each partial sum at the level where it is known. A Dim without a base
        has size 1, or is joined with another: 0."""
        terms = [(base[d], c) for d, c in affine.terms if d in base]
        total = self._sum(tuple(sorted(terms, key=lambda t: t[0].level)))
        if total is None:
            return self.index_constant(affine.const)
        if not affine.const:
            return total
        return self._cached(("+", total.value, affine.const), total.level, "addi", total, affine.const)

    def _sum(self, terms: tuple[tuple[Number, int], ...]) -> Number | None:
        if not terms:
            return None
        *before, (number, coefficient) = terms
        product = number
        if coefficient != 1:
            key = ("*", number.value, coefficient)
            product = self._cached(key, number.level, "muli", number, coefficient)
        rest = self._sum(tuple(before))
        if rest is None:
            return product
        return self._cached(("sum", rest.value, product.value), number.level, "addi", rest, product)

    def _cached(self, key: Any, level: int, name: str, a: Number, b: Number | int) -> Number:
        sums = self.levels[level].sums
        if key not in sums:
            sums[key] = self.arith(name, a, b)
        return sums[key]

    # ---- loops

    def loop(
        self,
        lower: int | Number,
        upper: int | Number,
        step: int,
        body: Callable[[Number, list[Number]], Sequence[Number]],
        carry: Sequence[Number] = (),
        values: range | None = None,
    ) -> list[Number]:
        """A loop over [lower, upper); `body(position, carried) -> carried`. One iteration needs no loop. `values`: those that the position
        may have, for bounds that are computed."""
        if isinstance(lower, int) and isinstance(upper, int):
            values = range(lower, upper, step)
            if lower >= upper:
                return list(carry)
            if upper - lower <= step:
                return list(body(self.index_constant(lower), list(carry)))
        bounds = [self.index_constant(b) if isinstance(b, int) else b for b in (lower, upper, step)]
        loop = scf.ForOp(*(b.value for b in bounds), [c.value for c in carry])
        self.levels[-1].loop = loop.operation
        self.levels.append(Level())
        with ir.InsertionPoint(loop.body):
            carried = [Number(a, self.depth, c.width) for a, c in zip(loop.inner_iter_args, carry)]
            position = Number(loop.induction_variable, self.depth)
            position.values = values
            results = body(position, carried)
            scf.YieldOp([r.value for r in results or ()])
        self.levels.pop()
        return [Number(r, self.depth, c.width) for r, c in zip(loop.results, carry)]
