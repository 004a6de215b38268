"""Scalars and vectors with Python's operators, so that formulas read as formulas: each operation creates an op at the insertion point.

    length = (x * x + y * y).math("sqrt")
    sign = select(x < 0.0, -1.0, x.of(1.0))

A Python number that is combined with a value is a constant of its type."""

from __future__ import annotations

from operator import add, and_, invert, mul, neg, or_, sub, xor
from typing import Any

from mlir import ir

from hlo.lowering.operators import ComplexOperators, Operators

FLOAT_PREDICATES = {"oeq": 1, "ogt": 2, "oge": 3, "olt": 4, "ole": 5, "une": 13, "uno": 14}
INTEGER_PREDICATES = {"eq": 0, "ne": 1, "slt": 2, "sle": 3, "sgt": 4, "sge": 5, "ult": 6, "ule": 7, "ugt": 8, "uge": 9}
"""Numbers of arith's comparison predicates."""


def predicate_of(name: str, is_float: bool) -> tuple[str, ir.Attribute]:
    """The op that compares by a predicate of arith, and its attribute."""
    op, numbers = ("arith.cmpf", FLOAT_PREDICATES) if is_float else ("arith.cmpi", INTEGER_PREDICATES)
    return op, ir.IntegerAttr.get(integer(64), numbers[name])


def emit(
    name: str, result: ir.Type, *operands: ir.Value, attributes: dict[str, ir.Attribute] | None = None
) -> ir.Value:
    return ir.Operation.create(name, results=[result], operands=list(operands), attributes=attributes).result


def constant(kind: ir.Type, value: float) -> ir.Value:
    """A real constant of a signless integer or float type, in all lanes of a vector; an integer is taken modulo its width."""
    element = element_type(kind)
    if isinstance(element, ir.IntegerType):
        wrapped = int(value) % (1 << element.width)
        signed = wrapped - (1 << element.width) if wrapped >> (element.width - 1) else wrapped
        attribute: ir.Attribute = ir.IntegerAttr.get(element, signed)
    else:
        attribute = ir.FloatAttr.get(element, float(value))
    if isinstance(kind, ir.VectorType):
        attribute = ir.DenseElementsAttr.get_splat(kind, attribute)
    return emit("arith.constant", kind, attributes={"value": attribute})


def element_type(kind: ir.Type) -> Any:
    """A vector's element type; any other type is its own."""
    return ir.VectorType(kind).element_type if isinstance(kind, ir.VectorType) else kind


def integer(width: int) -> ir.Type:
    return ir.IntegerType.get_signless(width)


def i32(value: int) -> ir.Value:
    return constant(integer(32), value)


def i64(value: int) -> ir.Value:
    return constant(integer(64), value)


def integer_like(kind: ir.Type) -> ir.Type:
    """The integers of as many bits."""
    return kind if isinstance(kind, ir.IntegerType) else integer(ir.FloatType(kind).width)


def bits_as(value: ir.Value, kind: ir.Type) -> ir.Value:
    """The same bits."""
    return value if value.type == kind else emit("arith.bitcast", kind, value)


def resized(value: ir.Value, kind: ir.Type) -> ir.Value:
    """An unsigned integer with as many bits as those of a type have."""
    old, new = value.type.width, kind.width
    return value if old == new else emit("arith.trunci" if old > new else "arith.extui", kind, value)


class Number(Operators):
    """A value of a program being made: floats, or signless integers (what depends on signedness has it in its name, but for the operators,
    which compare and shift signed ones)."""

    __slots__ = ("value",)

    def __init__(self, value: ir.Value):
        self.value = value

    @property
    def type(self) -> Any:
        return self.value.type

    @property
    def element(self) -> Any:
        return element_type(self.type)

    @property
    def width(self) -> int:
        """Bits of an element."""
        return self.element.width

    @property
    def is_float(self) -> bool:
        return isinstance(self.element, ir.FloatType)

    def retype(self, element: ir.Type) -> ir.Type:
        """This value's shape with other elements."""
        return ir.VectorType.get(self.type.shape, element) if isinstance(self.type, ir.VectorType) else element

    def of(self, number: Any) -> Number:
        """The value, or the constant of this one's type."""
        return number if isinstance(number, Number) else Number(constant(self.type, number))

    # Arithmetic

    def combined(self, name: str, other: Any) -> Number:
        return self.arith(name + ("f" if self.is_float else "i"), other)

    def arith(self, name: str, other: Any) -> Number:
        """A binary arith op by name: divsi, remui, shli, maximumf, ..."""
        return Number(emit(f"arith.{name}", self.type, self.value, self.of(other).value))

    def math(self, name: str, *others: Any) -> Number:
        """A math op by name: exp, log1p, atan2, fma, ..."""
        return Number(emit(f"math.{name}", self.type, self.value, *(self.of(other).value for other in others)))

    def __neg__(self) -> Number:
        return Number(emit("arith.negf", self.type, self.value))

    def __abs__(self) -> Number:
        return self.math("absf")

    def __invert__(self) -> Number:
        return self ^ -1

    def __lshift__(self, count: int) -> Number:
        return self.arith("shli", count)

    def __rshift__(self, count: int) -> Number:
        return self.arith("shrsi", count)

    # Comparisons

    def compare(self, predicate: str, other: Any) -> Number:
        """By the name of an arith predicate: olt, ule, ..."""
        name, kind = predicate_of(predicate, self.is_float)
        operands = self.value, self.of(other).value
        return Number(emit(name, self.retype(integer(1)), *operands, attributes={"predicate": kind}))

    def _ordered(self, predicate: str, other: Any) -> Number:
        return self.compare(("o" if self.is_float else "s") + predicate, other)

    def __lt__(self, other: Any) -> Number:
        return self._ordered("lt", other)

    def __le__(self, other: Any) -> Number:
        return self._ordered("le", other)

    def __gt__(self, other: Any) -> Number:
        return self._ordered("gt", other)

    def __ge__(self, other: Any) -> Number:
        return self._ordered("ge", other)

    def equals(self, other: Any) -> Number:
        return self.compare("oeq" if self.is_float else "eq", other)

    def differs(self, other: Any) -> Number:
        """True for NaN too, as IEEE-754 says."""
        return self.compare("une" if self.is_float else "ne", other)

    def is_nan(self) -> Number:
        return self.compare("uno", self)

    # Other types: a value of the type is itself

    def _to(self, name: str, element: ir.Type) -> Number:
        kind = self.retype(element)
        return self if self.type == kind else Number(emit(f"arith.{name}", kind, self.value))

    def bits(self) -> Number:
        return self._to("bitcast", integer(self.width))

    def bits_as(self, element: ir.Type) -> Number:
        return self._to("bitcast", element)

    def resized(self, width: int, *, signed: bool) -> Number:
        """An integer cut or extended to a width."""
        extension = "extsi" if signed else "extui"
        return self._to("trunci" if width < self.width else extension, integer(width))

    def extended(self, element: ir.Type) -> Number:
        return self._to("extf", element)

    def truncated(self, element: ir.Type) -> Number:
        return self._to("truncf", element)

    def to_float(self, element: ir.Type, *, signed: bool) -> Number:
        return self._to("sitofp" if signed else "uitofp", element)

    def to_int(self, width: int, *, signed: bool) -> Number:
        """Cut towards zero; the value must fit."""
        return self._to("fptosi" if signed else "fptoui", integer(width))

    __hash__ = None  # type: ignore[assignment]


class Complex(ComplexOperators):
    """Two floats; the IR sees only complex.create, complex.re and complex.im."""

    __slots__ = ()
    re: Number
    im: Number

    @staticmethod
    def of(value: ir.Value) -> Complex:
        part = value.type.element_type
        return Complex(Number(emit("complex.re", part, value)), Number(emit("complex.im", part, value)))

    @property
    def value(self) -> ir.Value:
        return emit("complex.create", ir.ComplexType.get(self.re.type), self.re.value, self.im.value)

    def __mul__(self, other: Complex) -> Complex:
        return Complex(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)


def select(condition: Number, on_true: Any, on_false: Any) -> Any:
    """arith.select; of two arguments at most one is a Python number."""
    if isinstance(on_true, Complex):
        return Complex(select(condition, on_true.re, on_false.re), select(condition, on_true.im, on_false.im))
    if isinstance(on_true, Number):
        on_false = on_true.of(on_false)
    else:
        on_true = on_false.of(on_true)
    return Number(emit("arith.select", on_true.type, condition.value, on_true.value, on_false.value))


ARITHMETIC = {"add": add, "subtract": sub, "multiply": mul, "negate": neg}
LOGIC = {"and": and_, "or": or_, "xor": xor, "not": invert}
"""Ops by their names that are operators of the classes here."""


def rounded_to_odd(x: Number) -> Number:
    """An f64 as f32 whose last bit is odd where it is inexact: rounding that to fewer bits is as rounding the f64 itself
    (Boldo and Melquiond, "When double rounding is odd")."""
    nearest = x.truncated(ir.F32Type.get())
    back, bits = nearest.extended(x.element), nearest.bits()
    is_inexact = (back < x) | (back > x)
    towards_zero = select(abs(back) > abs(x), bits - 1, bits)
    return select(is_inexact, towards_zero | 1, bits).bits_as(nearest.element)
