"""arith and math on scalars and tensors: the StableHLO or CHLO op of the same meaning, in unsigned types where the op is."""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.dialect.types import element_type
from hlo.lowering.stablehlo.arithmetic import (
    Tensor,
    bitcast,
    build,
    compare,
    constant_like,
    convert,
    create,
    select,
)
from hlo.lowering.stablehlo.upstream.values import Rule, legalizes_upstream, operands_of, same, stored


def _unsigned(x: Tensor) -> Tensor:
    """The same bits as an unsigned integer; booleans, which have no sign, as they are."""
    width = ir.IntegerType(x.element).width
    return x if width == 1 else bitcast(x, ir.IntegerType.get_unsigned(width))


def _as_unsigned(mnemonic: str) -> Rule:
    def rule(op: Any) -> list[ir.Value]:
        operands = operands_of(op)
        return [bitcast(build(mnemonic, *map(_unsigned, operands)), operands[0].element).value]

    return rule


@legalizes_upstream("arith.constant")
def _constant(op: Any) -> list[ir.Value]:
    t, value = stored(op.results[0].type), op.attributes["value"]
    if isinstance(value, ir.DenseElementsAttr):
        text = str(value).rsplit(":", 1)[0]
        return [create("constant", [t], [], value=ir.Attribute.parse(f"{text}: {t}")).results[0]]
    element = element_type(t)
    scalar = value if str(value.type) != "index" else ir.IntegerAttr.get(element, value.value)
    return [create("constant", [t], [], value=ir.DenseElementsAttr.get_splat(t, scalar)).results[0]]


@legalizes_upstream(
    *(f"arith.{name}" for name in ["extsi", "extf", "trunci", "truncf", "sitofp", "fptosi", "index_cast"])
)
def _converted(op: Any) -> list[ir.Value]:
    """Signed integers; a boolean that is extended is 0 or -1, one that integers are cut to is their last bit."""
    (x,), element = operands_of(op), element_type(stored(op.results[0].type))
    if isinstance(x.element, ir.IntegerType) and x.element.width == 1:
        return [(-convert(x, element)).value]
    if isinstance(element, ir.IntegerType) and element.width == 1:
        return [(x & 1).differs(0).value]
    return [convert(x, element).value]


@legalizes_upstream("arith.extui", "arith.uitofp", "arith.fptoui", "arith.index_castui")
def _converted_unsigned(op: Any) -> list[ir.Value]:
    (x,), element = operands_of(op), element_type(stored(op.results[0].type))
    source = _unsigned(x) if isinstance(x.element, ir.IntegerType) else x
    if not isinstance(element, ir.IntegerType):
        return [convert(source, element).value]
    return [bitcast(convert(source, ir.IntegerType.get_unsigned(element.width)), element).value]


@legalizes_upstream("arith.bitcast")
def _bitcast(op: Any) -> list[ir.Value]:
    (x,) = operands_of(op)
    return [bitcast(x, element_type(stored(op.results[0].type))).value]


def _rounded_quotient(direction: int) -> Rule:
    """The quotient towards the higher (1) or lower (-1) integer."""

    def rule(op: Any) -> list[ir.Value]:
        a, b = operands_of(op)
        quotient, rest = a / b, build("remainder", a, b)
        positive = (rest < 0) ^ (b < 0) ^ constant_like(rest < 0, 1)
        moves = rest.differs(0) & (positive if direction > 0 else ~positive)
        return [select(moves, quotient + direction, quotient).value]

    return rule


def _number(mnemonic: str) -> Rule:
    """The larger or smaller number; one that is NaN is left out."""

    def rule(op: Any) -> list[ir.Value]:
        a, b = operands_of(op)
        return [select(a.differs(a), b, select(b.differs(b), a, build(mnemonic, a, b))).value]

    return rule


_SIGNED = ("EQ", "NE", "LT", "LE", "GT", "GE")
_UNSIGNED = ("LT", "LE", "GT", "GE")


@legalizes_upstream("arith.cmpi")
def _compared_integers(op: Any) -> list[ir.Value]:
    """Predicates: eq ne slt sle sgt sge ult ule ugt uge."""
    (a, b), number = operands_of(op), ir.IntegerAttr(op.attributes["predicate"]).value
    if number < len(_SIGNED):
        return [_compared(_SIGNED[number], a, b)]
    return [_compared(_UNSIGNED[number - len(_SIGNED)], _unsigned(a), _unsigned(b))]


def _compared(direction: str, a: Tensor, b: Tensor) -> ir.Value:
    """As signed integers true is less than false."""
    is_boolean = ir.IntegerType(a.element).width == 1
    swaps = is_boolean and direction not in ("EQ", "NE")
    return compare(direction, b, a).value if swaps else compare(direction, a, b).value


_ORDERED = {1: "EQ", 2: "GT", 3: "GE", 4: "LT", 5: "LE"}


@legalizes_upstream("arith.cmpf")
def _compared_floats(op: Any) -> list[ir.Value]:
    """Predicates: false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true."""
    (a, b), number = operands_of(op), ir.IntegerAttr(op.attributes["predicate"]).value
    if number > 7:  # the opposite of an ordered one
        return [(~_ordered(a, b, {14: 7, 15: 0}.get(number, 14 - number))).value]
    return [_ordered(a, b, number).value]


def _ordered(a: Tensor, b: Tensor, number: int) -> Tensor:
    if number in _ORDERED:
        return compare(_ORDERED[number], a, b)
    if number == 0:
        return constant_like(compare("EQ", a, b), 0)
    return (a < b) | (a > b) if number == 6 else a.equals(a) & b.equals(b)


@legalizes_upstream("arith.select")
def _selected(op: Any) -> list[ir.Value]:
    pred, on_true, on_false = operands_of(op)
    return [select(pred, on_true, on_false).value]


legalizes_upstream("arith.floordivsi")(_rounded_quotient(-1))
legalizes_upstream("arith.ceildivsi")(_rounded_quotient(1))
legalizes_upstream("arith.maxnumf")(_number("maximum"))
legalizes_upstream("arith.minnumf")(_number("minimum"))

same("arith", {
    "addi addf": "add", "subi subf": "subtract", "muli mulf": "multiply", "divsi divf": "divide",
    "remsi remf": "remainder", "andi": "and", "ori": "or", "xori": "xor", "negf": "negate",
    "maxsi maximumf": "maximum", "minsi minimumf": "minimum", "shli": "shift_left",
    "shrsi": "shift_right_arithmetic", "shrui": "shift_right_logical",
})  # fmt: skip

_AS_UNSIGNED = {"divui": "divide", "remui": "remainder", "maxui": "maximum", "minui": "minimum"}
for _name, _mnemonic in _AS_UNSIGNED.items():
    legalizes_upstream(f"arith.{_name}")(_as_unsigned(_mnemonic))


same("math", {
    "absf absi": "abs", "atan2": "atan2", "cbrt": "cbrt", "ceil": "ceil", "cos": "cosine", "exp": "exponential",
    "exp2": "exp2", "log2": "log2", "expm1": "exponential_minus_one", "floor": "floor", "ipowi": "power", "log": "log", "log1p": "log_plus_one", "powf": "power",
    "round": "round_nearest_afz", "roundeven": "round_nearest_even", "rsqrt": "rsqrt", "sin": "sine", "sqrt": "sqrt", "tan": "tan",
    "tanh": "tanh", "ctpop": "popcnt", "ctlz": "count_leading_zeros",
})  # fmt: skip

OF_CHLO = ("acos", "acosh", "asin", "asinh", "atan", "atanh", "cosh", "erf", "erfc", "sinh")
same("math", {name: name for name in OF_CHLO}, "chlo")
