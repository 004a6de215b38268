"""Every elementwise op as a function on scalars: `scalar(op, *operands)`.

`op` is the StableHLO op: its operand and result types tell signedness, its attributes the rest. The operands are the
signless scalars that it works on now. Most ops are rows in the table of their element type's kind; those that need
attributes or have operands of several types are functions in `BY_OP`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from mlir import ir

from hlo.dialect.locations import diagnostic
from hlo.dialect.types import element_type, is_bool, is_complex, is_float, is_unsigned
from hlo.errors import CompileError
from hlo.lowering.linalg.rules import signless
from hlo.lowering.linalg.scalar import comparison, conversion
from hlo.lowering.linalg.scalar.complexes import BY_REAL, COMPLEX
from hlo.lowering.linalg.scalar.floats import FLOAT, reduce_precision
from hlo.lowering.linalg.scalar.integers import BOOLEAN, SIGNED, UNSIGNED
from hlo.lowering.numbers import Complex, Number, select
from hlo.lowering.stablehlo.constants import is_zero, read_constant
from hlo.lowering.stablehlo.simplify.evaluation import SAME_ELEMENT

Table = dict[str, Callable[..., Any]]

MANTISSA_BITS = {"bf16": 7, "f16": 10, "f32": 23, "f64": 52}


def scalar(op: Any, *operands: ir.Value) -> ir.Value:
    """The op's value for one element, created at the insertion point."""
    name = mnemonic(op)
    special = BY_OP.get(name)
    if special is not None:
        return special(op, *operands)
    element = element_type(op.operands[len(operands) - 1].type)
    table, wrap = kind(element)
    if name in BY_REAL and table is COMPLEX and is_real(op.operands[len(operands) - 1]):
        table = BY_REAL
    if name not in table:
        raise CompileError(diagnostic(op, f"'{op.operation.name}' of {element} is not supported"))
    result = table[name](*map(wrap, operands))
    return _narrowed(result, signless(element)).value


def kind(element: ir.Type) -> tuple[Any, Callable[[ir.Value], Any]]:
    """The table of an element type, and how its functions see a value."""
    if is_float(element):
        return FLOAT, wide
    if is_complex(element):
        return COMPLEX, Complex.of
    if is_bool(element):
        return BOOLEAN, Number
    return (UNSIGNED if is_unsigned(element) else SIGNED), Number


def wide(value: ir.Value) -> Number:
    """A float as it is computed with: bf16 and f16 in f32."""
    return conversion.widened(Number(value))


def _narrowed(result: Any, element: ir.Type) -> Any:
    """The result of a float op in the op's own type; predicates and complex parts stay."""
    if isinstance(result, Number) and result.is_float and is_float(element):
        return conversion.convert_float(result, element)
    return result


def mnemonic(op: Any) -> str:
    """`add` of `stablehlo.add`, `erf` of `chlo.erf`."""
    return op.operation.name.split(".", 1)[1]


def is_real(value: ir.Value) -> bool:
    """Whether the imaginary parts of a complex value of StableHLO are known to be 0.0."""
    op = value.owner
    if isinstance(op, ir.Block):
        return False
    name = op.name.removeprefix("stablehlo.")
    if name in SAME_ELEMENT:
        return is_real(op.operands[0])
    if name == "convert":
        return not is_complex(element_type(op.operands[0].type))
    if name == "complex":
        return is_zero(op.operands[1], negative=False)
    array = read_constant(op) if name == "constant" else None
    return array is not None and not np.any(array.imag.view(f"i{array.itemsize // 2}"))


def has_scalar(name: str) -> bool:
    """Whether an op of this mnemonic is a function on scalars, of one element type at least."""
    return name in BY_OP or any(name in table for table in (FLOAT, COMPLEX, SIGNED, BOOLEAN))


def _compare(op: Any, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    element, direction = element_type(op.operands[0].type), op.comparison_direction
    if is_complex(element):
        return comparison.compare_complex(direction, Complex.of(lhs), Complex.of(rhs)).value
    if not is_float(element):
        return comparison.compare_integers(direction, Number(lhs), Number(rhs), is_unsigned(element)).value
    if op.compare_type == "TOTALORDER":
        return comparison.compare_total_order(direction, Number(lhs), Number(rhs)).value
    compare = comparison.compare_weak_order if op.compare_type == "WEAKORDER" else comparison.compare_floats
    return compare(direction, wide(lhs), wide(rhs)).value


def _convert(op: Any, operand: ir.Value) -> ir.Value:
    source, target = element_type(op.operands[0].type), element_type(op.results[0].type)
    return conversion.convert(operand, source, target)


def _bitcast_convert(op: Any, operand: ir.Value) -> ir.Value:
    target = signless(element_type(op.results[0].type))
    if not isinstance(target, ir.ComplexType) and target.width != operand.type.width:
        raise CompileError(diagnostic(op, "bitcast_convert to another width is no elementwise op"))
    return conversion.bitcast(operand, target)


def _select(op: Any, pred: ir.Value, on_true: ir.Value, on_false: ir.Value) -> ir.Value:
    if isinstance(on_true.type, ir.ComplexType):
        return select(Number(pred), Complex.of(on_true), Complex.of(on_false)).value
    return select(Number(pred), Number(on_true), Number(on_false)).value


def _complex(op: Any, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    return Complex(Number(lhs), Number(rhs)).value


def _reduce_precision(op: Any, operand: ir.Value) -> ir.Value:
    mantissa = MANTISSA_BITS[str(operand.type)]
    exponent = operand.type.width - 1 - mantissa
    return reduce_precision(Number(operand), op.exponent_bits, op.mantissa_bits, exponent, mantissa).value


BY_OP: dict[str, Callable[..., ir.Value]] = {
    "bitcast_convert": _bitcast_convert,
    "compare": _compare,
    "complex": _complex,
    "convert": _convert,
    "reduce_precision": _reduce_precision,
    "select": _select,
}
