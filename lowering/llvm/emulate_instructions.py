"""The pass `emulate-instructions`: fused multiplications, roundings and maxima on f32 and f64, and divisions of vectors
of integers, become arithmetic for processors that have no such instruction, where LLVM would call libm or divide for
each lane, or fail. Maxima of f16 are those of integers, where LLVM would convert to f32, compare and choose. Where few
units compare vectors of 64-bit words, the larger of two is what an exclusive or leaves of both and the smaller one.

Before:  %1 = math.fma %a, %b, %c : vector<4xf32>
After:   %2 = arith.mulf ... : vector<4xf64>, of %a and %b in f64, where their product is exact; then arith.addf, arith.truncf

A fused multiplication that may be rounded twice (fastmath<contract>) is arith.mulf and arith.addf."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mlir import ir
from mlir.dialects import arith

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.finding import made_by, ops_named
from hlo.lowering.llvm.math.operations import float_from_bits, narrow, widen
from hlo.lowering.numbers import Number, select
from hlo.lowering.pair import Pair, two_sum
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.replacing import rewrite
from hlo.lowering.target import target

WHOLE = {32: 2.0**23, 64: 2.0**52}
"""From here on all numbers are whole."""

SPLITTER = 2.0**27 + 1.0
"""Parts an f64 into halves of 26 bits, whose products are exact (Dekker)."""


def fused(a: Number, b: Number, c: Number) -> Number:
    """a * b + c: in f32 by way of f64, in f64 with what the product's rounding loses. (Both round a second time where the first falls
    on the middle between two results.)"""
    if a.width == 32:
        return narrow(widen(a) * widen(b) + widen(c))
    product = _product(a, b)
    total = two_sum(product.high, c)
    result = total.high + (total.low + product.low)
    return select(result.is_nan(), product.high + c, result)  # too large to be split, or no number anyway


def _product(a: Number, b: Number) -> Pair:
    (a1, a2), (b1, b2) = _halves(a), _halves(b)
    product = a * b
    return Pair(product, a2 * b2 - (((product - a1 * b1) - a2 * b1) - a1 * b2))


def _halves(x: Number) -> tuple[Number, Number]:
    scaled = x * SPLITTER
    high = scaled - (scaled - x)
    return high, x - high


def round_even(x: Number) -> Number:
    """Adding a number from which on all are whole rounds."""
    size, whole = abs(x), WHOLE[x.width]
    return select(size < whole, ((size + whole) - whole).math("copysign", x), x)


def floor(x: Number) -> Number:
    near = round_even(x)
    return select(near > x, near - 1.0, near).math("copysign", x)


def ceil(x: Number) -> Number:
    near = round_even(x)
    return select(near < x, near + 1.0, near).math("copysign", x)


def truncate(x: Number) -> Number:
    return floor(abs(x)).math("copysign", x)


def round_away(x: Number) -> Number:
    """To the nearest whole number, halves away from zero."""
    size = abs(x)
    below = floor(size)
    return select(size - below >= 0.5, below + 1.0, below).math("copysign", x)


ROUNDINGS: dict[str, Callable[[Number], Number]] = {
    "math.roundeven": round_even,
    "math.floor": floor,
    "math.ceil": ceil,
    "math.trunc": truncate,
    "math.round": round_away,
}


def maximum(a: Number, b: Number) -> Number:
    """NaN where one is, and 0 of -0 and 0: of equal numbers the bits that both have."""
    equal = float_from_bits(a.bits() & b.bits())
    return _ordered(a, b, select(a > b, a, select(a < b, b, equal)))


def minimum(a: Number, b: Number) -> Number:
    equal = float_from_bits(a.bits() | b.bits())
    return _ordered(a, b, select(a < b, a, select(a > b, b, equal)))


def _ordered(a: Number, b: Number, result: Number) -> Number:
    """A NaN where one of two numbers is."""
    return select(a.compare("uno", b), a + b, result)


MAXIMA: dict[str, Callable[[Number, Number], Number]] = {"arith.maximumf": maximum, "arith.minimumf": minimum}
"""LLVM 22 asserts on those of f64 for 32-bit ARM (expandFMINIMUM_FMAXIMUM makes integers of 64 bits when types are legal already)."""


HALF_SIGN, HALF_INFINITY, HALF_NAN = 15, 0x7C00, 0x7E00
"""Of f16: which bit is the sign, bits of numbers."""


def half_extreme(name: str, a: Number, b: Number) -> Number:
    """The maximum or minimum of f16 by that of integers; a NaN where one is."""
    extreme = _ordered_bits(_ordered_bits(a.bits()).arith(name, _ordered_bits(b.bits())))
    magnitude = (1 << HALF_SIGN) - 1
    size = (a.bits() & magnitude).arith("maxsi", b.bits() & magnitude)
    return select(size > HALF_INFINITY, HALF_NAN, extreme).bits_as(a.element)


def _ordered_bits(bits: Number) -> Number:
    """Integers in the order of the numbers that have these bits, -0 below 0; and back."""
    return bits ^ ((bits >> HALF_SIGN) & ((1 << HALF_SIGN) - 1))


HALF_EXTREMES = {"arith.maximumf": "maxsi", "arith.minimumf": "minsi"}


def _half_operands(op: ir.Operation) -> list[Number] | None:
    """What an `arith.truncf` to f16 rounds the maximum or minimum of, as f16: numbers that were extended, or constants, whose
    rounding keeps their order."""
    extreme = made_by(op.operands[0], *HALF_EXTREMES)
    if extreme is None or not isinstance(Number(op.results[0]).element, ir.F16Type):
        return None
    kind, found = op.results[0].type, []
    for value in extreme.operands:
        extended = made_by(value, "arith.extf")
        if extended is not None and extended.operands[0].type == kind:
            found.append(Number(extended.operands[0]))
        elif made_by(value, "arith.constant") is not None:
            found.append(Number(arith.truncf(kind, value)))
        else:
            return None
    return found


def _half_extreme(op: ir.Operation) -> ir.Value | None:
    operands = _half_operands(op)
    name = op.operands[0].owner.name if operands else ""
    return half_extreme(HALF_EXTREMES[name], *operands).value if operands else None


def larger(smaller: Number, a: Number, b: Number) -> Number:
    """Of two numbers: the bits that are not the smaller one's."""
    return (a ^ b) ^ smaller


DIVISIONS = {"arith.divsi", "arith.divui", "arith.remsi", "arith.remui"}
"""No processor of the table divides vectors of integers."""


def divide_integers(name: str, a: Number, b: Number) -> Number:
    """A quotient or remainder by a division of floats that hold the integers exactly: f32 (24 digits) for up to 16 bits, f64 (53) for 32.
    A quotient a/b that is not whole differs from the next whole number by at least 1/|b|, a share of at least 1/|a| of itself: more than
    a rounding moves it. The product of the quotient and the divisor is at most |a|, so that it is exact."""
    signed, element = name.endswith("si"), ir.F64Type.get() if a.width == 32 else ir.F32Type.get()
    dividend, divisor = a.to_float(element, signed=signed), b.to_float(element, signed=signed)
    quotient = dividend.arith("divf", divisor).math("trunc")
    result = quotient if "div" in name else dividend - quotient * divisor
    return result.to_int(a.width, signed=signed)


def _is_division_of_lanes(op: ir.Operation) -> bool:
    """LLVM multiplies where the divisor is a constant; f64 has too few digits for quotients of 64 bits."""
    is_vector = isinstance(op.results[0].type, ir.VectorType)
    return (
        is_vector and Number(op.operands[0]).width in (8, 16, 32) and made_by(op.operands[1], "arith.constant") is None
    )


@register_pass
@dataclass(frozen=True)
class EmulateInstructions(Pass):
    """Writes out fused multiplications, roundings, maxima and divisions that a target has no instructions for."""

    target: str = "host"

    def run(self, module: ir.Module) -> None:
        machine = target(self.target)
        for op in filter(_is_division_of_lanes, ops_named(module, DIVISIONS)):
            _replace(op, partial(divide_integers, op.name))
        if machine.one_maximum:
            for op in ops_named(module, {"arith.maxui"}):
                if (smaller := _smaller(op)) is not None:
                    _replace(op, partial(larger, Number(smaller)))
        if machine.integer_halves:
            for op in ops_named(module, {"arith.truncf"}):
                rewrite(op, _half_extreme)
        if not machine.fuses:
            for op in ops_named(module, {"math.fma"}):
                _replace(op, _multiply_add if _may_round_twice(op) else fused)
        if not machine.rounds:
            for op in ops_named(module, set(ROUNDINGS)):
                _replace(op, ROUNDINGS[op.name])
        if not machine.maxima:
            for op in [m for m in ops_named(module, set(MAXIMA)) if Number(m.operands[0]).width == 64]:
                _replace(op, MAXIMA[op.name])


def _smaller(op: ir.Operation) -> ir.Value | None:
    """The smaller one of two vectors of 64-bit words, where it is computed before the larger one."""
    if not isinstance(op.results[0].type, ir.VectorType) or Number(op.results[0]).width != 64:
        return None
    others = (use.owner.operation for use in op.operands[0].uses)
    found = (o for o in others if o.name == "arith.minui" and list(o.operands) == list(op.operands))
    return next((o.results[0] for o in found if o.block == op.block and o.is_before_in_block(op)), None)


def _multiply_add(a: Number, b: Number, c: Number) -> Number:
    return a * b + c


def _may_round_twice(op: ir.Operation) -> bool:
    return "fastmath" in op.attributes and str(arith.FastMathFlags.contract) in str(op.attributes["fastmath"])


def _replace(op: ir.Operation, emulated: Callable[..., Number]) -> None:
    """Floats that are neither f32 nor f64 stay as they are."""
    operands = [Number(v) for v in op.operands]
    if operands[0].is_float and operands[0].width not in (32, 64):
        return
    rewrite(op, lambda _: emulated(*operands).value)
