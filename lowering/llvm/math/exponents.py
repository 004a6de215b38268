"""Exponents of numbers: x 2^n, and x as 2^e m; tables by number. `Exponents` does this by arithmetic on the bits;
`ExponentInstructions` by the instructions that AVX-512 has for vectors of one register. Both have the same results."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, llvm, vector

from hlo.lowering.llvm.math.operations import float_from_bits, to_float, to_integer
from hlo.lowering.numbers import Number, select

BIAS = {32: (127, 23), 64: (1023, 52)}
ROOT_HALF = {32: 0x3F3504F3, 64: 0x3FE6A09E667F3BCD}
ROOT_TWO = {32: 1.41421353816986083984375, 64: 1.4142135623730951454746218587388284504413604736328125}
"""Twice the numbers of these bits."""
SMALLEST_NORMAL = {32: 2.0**-126, 64: 2.0**-1022}
SUBNORMAL_SCALE = {32: 24, 64: 54}


def power_of_two(n: Number) -> Number:
    """2**n for integers n whose result is a normal number."""
    bias, shift = BIAS[n.width]
    return float_from_bits((n + bias) << shift)


class Exponents:
    """By arithmetic."""

    entries = 0
    """Those of a table of f32 that an instruction looks up; 0: none does."""

    def look_up(self, table: list[float], number: Number) -> Number:
        raise NotImplementedError

    def scale(self, x: Number, n: Number) -> Number:
        """x * 2**n for a whole-numbered float n: two factors, so that subnormal results round once."""
        whole = to_integer(n)
        half = whole >> 1
        return x * power_of_two(half) * power_of_two(whole - half)

    def split(self, x: Number) -> tuple[Number, Number]:
        """e (as a float) and m in [sqrt(1/2), sqrt(2)) of a positive finite x, subnormal ones too."""
        mantissa_bits, shift = BIAS[x.width][1], SUBNORMAL_SCALE[x.width]
        tiny = x < SMALLEST_NORMAL[x.width]
        bits = select(tiny, x * 2.0**shift, x).bits()
        e = (bits - ROOT_HALF[x.width]) >> mantissa_bits
        m = float_from_bits(bits - (e << mantissa_bits))
        return to_float(e) - select(tiny, x.of(float(shift)), 0.0), m

    def logarithm(self, x: Number, result: Number) -> Number:
        """The logarithm of any x, from what it is for positive finite ones: that of e and m."""
        result = select(x.equals(0.0), float("-inf"), result)
        result = select(x.equals(float("inf")), float("inf"), result)
        return select(x < 0.0, float("nan"), select(x.is_nan(), x, result))


class TableInstructions(Exponents):
    """Exponents by arithmetic; AVX2 looks up the entries of a register."""

    entries = 8
    permutation = "llvm.x86.avx2.permps"

    def look_up(self, table: list[float], number: Number) -> Number:
        """The entry whose number is in the lowest bits of an integer, of as many numbers of f32 as a register has."""
        if not isinstance(number.type, ir.VectorType):
            numbers = vector.broadcast(self._lanes(number.element), number.value)
            return Number(vector.extract(self._entries(table, numbers), [], [0]))
        lanes = ir.VectorType(number.type).shape[0]
        if lanes == self.entries:
            return Number(self._entries(table, number.value))
        found = number.retype(ir.F32Type.get())
        result = arith.constant(found, ir.DenseElementsAttr.get_splat(found, ir.FloatAttr.get(ir.F32Type.get(), 0.0)))
        for first in range(0, lanes, self.entries):
            size = min(self.entries, lanes - first)
            part = vector.shuffle(number.value, number.value, [first + min(i, size - 1) for i in range(self.entries)])
            entries = vector.extract_strided_slice(
                ir.VectorType.get([size], ir.F32Type.get()), self._entries(table, part), [0], [size], [1]
            )
            result = vector.insert_strided_slice(entries, result, [first], [1])
        return Number(result)

    def _entries(self, table: list[float], numbers: ir.Value) -> ir.Value:
        kind = self._lanes(ir.F32Type.get())
        values = ir.DenseElementsAttr.get([ir.FloatAttr.get(ir.F32Type.get(), v) for v in table], kind)
        return llvm.call_intrinsic(kind, self.permutation, [arith.constant(kind, values), numbers], [], [])

    def _lanes(self, element: ir.Type) -> ir.VectorType:
        return ir.VectorType.get([self.entries], element)


class ExponentInstructions(TableInstructions):
    """What fills no register takes arithmetic."""

    entries = 16
    permutation = "llvm.x86.avx512.permvar.sf.512"

    def scale(self, x: Number, n: Number) -> Number:
        return _instruction("scalef", x, n) if _fills_register(x) else super().scale(x, n)

    def split(self, x: Number) -> tuple[Number, Number]:
        """e is infinite where x is, or is 0, and m then 1; m is NaN where x is, or is below 0."""
        if not _fills_register(x):
            return super().split(x)
        e, m = _instruction("getexp", x), _instruction("getmant", x, _number(FROM_ONE_TO_TWO))
        above = m >= ROOT_TWO[x.width]
        return select(above, e + 1.0, e), select(above, m * 0.5, m)

    def logarithm(self, x: Number, result: Number) -> Number:
        """Infinite exponents and the NaN have gone through."""
        return result if _fills_register(x) else super().logarithm(x, result)


ARITHMETIC = Exponents()
FROM_ONE_TO_TWO = 0b1100
"""Of getmant: a mantissa in [1, 2), NaN for negative numbers."""
NEAREST = 4
"""Rounding as the processor is set."""


def _fills_register(x: Number) -> bool:
    return isinstance(x.type, ir.VectorType) and ir.VectorType(x.type).shape[0] * x.width == 512


def _instruction(name: str, x: Number, *operands: Number) -> Number:
    """In all lanes."""
    lanes = ir.VectorType(x.type).shape[0]
    mask = arith.constant(ir.IntegerType.get_signless(lanes), -1)
    values = [v.value for v in (x, *operands, x)] + [mask, _number(NEAREST).value]
    kind = "ps" if x.width == 32 else "pd"
    return Number(llvm.call_intrinsic(x.type, f"llvm.x86.avx512.mask.{name}.{kind}.512", values, [], []))


def _number(value: int) -> Number:
    return Number(arith.constant(ir.IntegerType.get_signless(32), value))
