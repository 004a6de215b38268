"""Scalars with operators, so that formulas read as formulas: each operation creates an op at the insertion point.

    length = (x * x + y * y).math("sqrt")
    sign = where(x < 0.0, -1.0, x.of(1.0))

A Python number beside an expression is a constant of its type."""

from __future__ import annotations

from operator import add, and_, invert, mul, neg, or_, sub, xor
from typing import Any

from mlir import ir

from hlo.lowering.operators import Operators

# Numbers of arith's comparison predicates.
_ORDERED = {"eq": 1, "gt": 2, "ge": 3, "lt": 4, "le": 5}
_UNORDERED_NE = 13
_UNORDERED = 14
_INTEGER = {"eq": 0, "ne": 1, "slt": 2, "sle": 3, "sgt": 4, "sge": 5, "ult": 6, "ule": 7, "ugt": 8, "uge": 9}


def emit(
    name: str, result: ir.Type, *operands: ir.Value, attributes: dict[str, ir.Attribute] | None = None
) -> ir.Value:
    return ir.Operation.create(name, results=[result], operands=list(operands), attributes=attributes).result


def constant(element: ir.Type, value: float) -> ir.Value:
    """A real constant of a signless integer or float type; an integer is taken modulo its width."""
    if isinstance(element, ir.IntegerType):
        wrapped = int(value) % (1 << element.width)
        signed = wrapped - (1 << element.width) if wrapped >> (element.width - 1) else wrapped
        attribute: ir.Attribute = ir.IntegerAttr.get(element, signed)
    else:
        attribute = ir.FloatAttr.get(element, float(value))
    return emit("arith.constant", element, attributes={"value": attribute})


def _predicate(number: int) -> dict[str, ir.Attribute]:
    return {"predicate": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)}


class Expression(Operators):
    """A scalar value of a program being made."""

    __slots__ = ("value",)
    suffix = ""
    """Of arith's ops on values of the class."""

    def __init__(self, value: ir.Value):
        self.value = value

    @property
    def type(self) -> Any:
        return self.value.type

    def of(self, number: Any) -> Any:
        """The expression, or the constant of this one's type."""
        return number if isinstance(number, Expression) else type(self)(constant(self.type, number))

    def combined(self, name: str, other: Any) -> Any:
        return self.arith(name + self.suffix, other)

    def arith(self, name: str, other: Any) -> Any:
        """A binary arith op by name: divsi, remui, shli, maximumf, ..."""
        return type(self)(emit(f"arith.{name}", self.type, self.value, self.of(other).value))

    def _to(self, name: str, target: ir.Type) -> ir.Value:
        return self.value if self.type == target else emit(name, target, self.value)

    __hash__ = None  # type: ignore[assignment]


class Int(Expression):
    """A signless integer: what depends on signedness has it in its name."""

    __slots__ = ()
    suffix = "i"

    @property
    def width(self) -> int:
        return self.type.width

    def __invert__(self) -> Int:
        return self ^ -1

    def compare(self, predicate: str, other: Any) -> Int:
        boolean = ir.IntegerType.get_signless(1)
        operands = (self.value, self.of(other).value)
        return Int(emit("arith.cmpi", boolean, *operands, attributes=_predicate(_INTEGER[predicate])))

    def math(self, name: str) -> Int:
        return Int(emit(f"math.{name}", self.type, self.value))

    def resized(self, width: int, *, signed: bool) -> Int:
        """Cut or extended to a width."""
        target = ir.IntegerType.get_signless(width)
        extension = "arith.extsi" if signed else "arith.extui"
        return Int(self._to("arith.trunci" if width < self.width else extension, target))

    def to_float(self, target: ir.Type, *, signed: bool) -> Float:
        return Float(self._to("arith.sitofp" if signed else "arith.uitofp", target))

    def bits_as(self, target: ir.Type) -> Float:
        return Float(self._to("arith.bitcast", target))


class Float(Expression):
    __slots__ = ()
    suffix = "f"

    def __neg__(self) -> Float:
        return Float(emit("arith.negf", self.type, self.value))

    def __abs__(self) -> Float:
        return self.math("absf")

    def __lt__(self, other: Any) -> Int:
        return self.compare(_ORDERED["lt"], other)

    def __le__(self, other: Any) -> Int:
        return self.compare(_ORDERED["le"], other)

    def __gt__(self, other: Any) -> Int:
        return self.compare(_ORDERED["gt"], other)

    def __ge__(self, other: Any) -> Int:
        return self.compare(_ORDERED["ge"], other)

    def equals(self, other: Any) -> Int:
        return self.compare(_ORDERED["eq"], other)

    def differs(self, other: Any) -> Int:
        """True for NaN too, as IEEE-754 says."""
        return self.compare(_UNORDERED_NE, other)

    def is_nan(self) -> Int:
        return self.compare(_UNORDERED, self)

    def compare(self, predicate: int, other: Any) -> Int:
        boolean = ir.IntegerType.get_signless(1)
        operands = (self.value, self.of(other).value)
        return Int(emit("arith.cmpf", boolean, *operands, attributes=_predicate(predicate)))

    def math(self, name: str, *others: Any) -> Float:
        """A math op by name: exp, log1p, atan2, fma, ..."""
        operands = (self.value, *(self.of(other).value for other in others))
        return Float(emit(f"math.{name}", self.type, *operands))

    def bits(self) -> Int:
        return Int(self._to("arith.bitcast", ir.IntegerType.get_signless(self.type.width)))

    def extended(self, target: ir.Type) -> Float:
        return Float(self._to("arith.extf", target))

    def truncated(self, target: ir.Type) -> Float:
        return Float(self._to("arith.truncf", target))

    def to_int(self, width: int, *, signed: bool) -> Int:
        """Cut towards zero; the value must fit."""
        return Int(emit("arith.fptosi" if signed else "arith.fptoui", ir.IntegerType.get_signless(width), self.value))


class Complex:
    """Two floats; the IR sees only complex.create, complex.re and complex.im."""

    __slots__ = ("im", "re")

    def __init__(self, re: Float, im: Float):
        self.re, self.im = re, im

    @staticmethod
    def of(value: ir.Value) -> Complex:
        part = value.type.element_type
        return Complex(Float(emit("complex.re", part, value)), Float(emit("complex.im", part, value)))

    @property
    def value(self) -> ir.Value:
        return emit("complex.create", ir.ComplexType.get(self.re.type), self.re.value, self.im.value)

    def __add__(self, other: Complex) -> Complex:
        return Complex(self.re + other.re, self.im + other.im)

    def __sub__(self, other: Complex) -> Complex:
        return Complex(self.re - other.re, self.im - other.im)

    def __mul__(self, other: Complex) -> Complex:
        return Complex(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)

    def __neg__(self) -> Complex:
        return Complex(-self.re, -self.im)

    def scaled(self, factor: Any) -> Complex:
        return Complex(self.re * factor, self.im * factor)


def where(condition: Int, on_true: Any, on_false: Any) -> Any:
    """arith.select; of two arguments at most one is a Python number."""
    if isinstance(on_true, Complex):
        return Complex(where(condition, on_true.re, on_false.re), where(condition, on_true.im, on_false.im))
    if isinstance(on_true, Expression):
        on_false = on_true.of(on_false)
    else:
        on_true = on_false.of(on_true)
    return type(on_true)(emit("arith.select", on_true.type, condition.value, on_true.value, on_false.value))


ARITHMETIC = {"add": add, "subtract": sub, "multiply": mul, "negate": neg}
LOGIC = {"and": and_, "or": or_, "xor": xor, "not": invert}
"""Ops by their names that are operators of the classes here."""
