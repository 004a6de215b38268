"""`Number`: an SSA value (scalar or vector, float or integer) with Python's operators; every operator creates an arith op
at the current insertion point. Plain Python numbers become constants of the other side's type."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, math, vector

from hlo.lowering.operators import Operators

COMPARE_FLOAT = {"==": 1, ">": 2, ">=": 3, "<": 4, "<=": 5, "ordered": 7, "!=": 13, "unordered": 14}
COMPARE_INTEGER = {"==": 0, "!=": 1, "<": 2, "<=": 3, ">": 4, ">=": 5}


class Number(Operators):
    __slots__ = ("value",)

    def __init__(self, value: ir.Value):
        self.value = value

    @property
    def type(self) -> ir.Type:
        return self.value.type

    @property
    def element(self) -> ir.Type:
        return ir.VectorType(self.type).element_type if isinstance(self.type, ir.VectorType) else self.type

    @property
    def is_float(self) -> bool:
        return isinstance(self.element, ir.FloatType)

    @property
    def bits(self) -> int:
        """The width of an element."""
        element = self.element
        return element.width

    def retype(self, element: ir.Type) -> ir.Type:
        """This value's shape with other elements."""
        if not isinstance(self.type, ir.VectorType):
            return element
        return ir.VectorType.get(ir.VectorType(self.type).shape, element)

    def of(self, number: Number | float) -> Number:
        """A constant of this value's type."""
        if isinstance(number, Number):
            return number
        element = self.element
        attribute = (
            ir.FloatAttr.get(element, float(number)) if self.is_float else ir.IntegerAttr.get(element, int(number))
        )
        if isinstance(self.type, ir.VectorType):
            attribute = ir.DenseElementsAttr.get_splat(self.type, attribute)
        return Number(arith.constant(self.type, attribute))

    def combined(self, name: str, other: Number | float) -> Number:
        create = getattr(arith, name + ("f" if self.is_float else "i"))
        return Number(create(self.value, self.of(other).value))

    def __neg__(self) -> Number:
        return Number(arith.negf(self.value))

    def __lshift__(self, count: int) -> Number:
        return Number(arith.shli(self.value, self.of(count).value))

    def __rshift__(self, count: int) -> Number:
        """Arithmetic shift."""
        return Number(arith.shrsi(self.value, self.of(count).value))


def compare(a: Number, predicate: str, b: Number | float) -> Number:
    """Ordered float or signed integer comparison; "!=" is true for NaN."""
    b = a.of(b)
    if a.is_float:
        return Number(arith.cmpf(COMPARE_FLOAT[predicate], a.value, b.value))
    return Number(arith.cmpi(COMPARE_INTEGER[predicate], a.value, b.value))


def select(condition: Number, a: Number | float, b: Number | float) -> Number:
    """Elementwise; one of the choices may be a Python number."""
    if not isinstance(a, Number):
        assert isinstance(b, Number)
        a = b.of(a)
    return Number(arith.select(condition.value, a.value, a.of(b).value))


def fma(a: Number | float, b: Number | float, c: Number | float) -> Number:
    """a * b + c, rounded once; a processor without the instruction pays for it (emulate_instructions.py)."""
    return _fused(a, b, c, "none")


def multiply_add(a: Number | float, b: Number | float, c: Number | float) -> Number:
    """a * b + c, rounded once where that is an instruction, twice elsewhere."""
    return _fused(a, b, c, "contract")


def _fused(a: Number | float, b: Number | float, c: Number | float, flags: str) -> Number:
    like = next(x for x in (a, b, c) if isinstance(x, Number))
    operands = (like.of(x).value for x in (a, b, c))
    return Number(math.fma(*operands, fastmath=ir.Attribute.parse(f"#arith.fastmath<{flags}>")))


def horner(x: Number, coefficients: list[float]) -> Number:
    """sum(coefficients[k] * x**k)."""
    result = x.of(coefficients[-1])
    for c in coefficients[-2::-1]:
        result = multiply_add(result, x, c)
    return result


def integer_bits(x: Number) -> Number:
    return Number(arith.bitcast(x.retype(ir.IntegerType.get_signless(x.bits)), x.value))


def float_from_bits(x: Number) -> Number:
    element = ir.F32Type.get() if x.bits == 32 else ir.F64Type.get()
    return Number(arith.bitcast(x.retype(element), x.value))


LOW_BITS = {32: 1.5 * 2.0**23, 64: 1.5 * 2.0**52}
"""Added to a whole number below 2^22 (2^51), they leave the number in the sum's lowest bits."""


def to_integer(x: Number) -> Number:
    """Of whole numbers below 2^22 (f32) or 2^51 (f64); of a NaN any integer. A conversion of a NaN would have no value at all, and
    with a NaN that is known while compiling neither would what follows."""
    low = LOW_BITS[x.bits]
    return integer_bits(x + low) - integer_bits(x.of(low))


def to_float(x: Number) -> Number:
    element = ir.F32Type.get() if x.bits == 32 else ir.F64Type.get()
    return Number(arith.sitofp(x.retype(element), x.value))


def widen(x: Number) -> Number:
    return Number(arith.extf(x.retype(ir.F64Type.get()), x.value))


def narrow(x: Number) -> Number:
    return Number(arith.truncf(x.retype(ir.F32Type.get()), x.value))


def narrow_integer(x: Number) -> Number:
    return Number(arith.trunci(x.retype(ir.IntegerType.get_signless(32)), x.value))


def round_even(x: Number) -> Number:
    return Number(math.roundeven(x.value))


def absolute(x: Number) -> Number:
    return Number(math.absf(x.value))


def square_root(x: Number) -> Number:
    return Number(math.sqrt(x.value))


def copy_sign(magnitude: Number, sign: Number) -> Number:
    return Number(math.copysign(magnitude.value, sign.value))


def is_nan(x: Number) -> Number:
    return compare(x, "unordered", x)


def any_lane(condition: Number) -> ir.Value:
    """One i1: whether the condition holds anywhere."""
    if not isinstance(condition.type, ir.VectorType):
        return condition.value
    return vector.reduction(ir.IntegerType.get_signless(1), ir.Attribute.parse("#vector.kind<or>"), condition.value)
