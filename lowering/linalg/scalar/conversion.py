"""convert and bitcast_convert of one element, between all pairs of types; float conversions round once.

To integers: towards zero, out of range to the nearest end, NaN to 0 (as XLA on the CPU). To booleans: not zero."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.types import is_bool, is_complex, is_float, is_unsigned
from hlo.lowering.numbers import Complex, Number, rounded_to_odd, select


def convert(value: ir.Value, source: ir.Type, target: ir.Type) -> ir.Value:
    """`source` and `target` are the program's element types (with signedness), `value` is signless."""
    if source == target:
        return value
    if is_complex(target):
        return _to_complex(value, source, target).value
    if is_complex(source):
        return _from_complex(Complex.of(value), target)
    if is_float(source):
        return _from_float(Number(value), target)
    return _from_int(Number(value), not is_unsigned(source), target)


def _to_complex(value: ir.Value, source: ir.Type, target: ir.Type) -> Complex:
    part = ir.ComplexType(target).element_type
    if is_complex(source):
        number = Complex.of(value)
        return Complex(convert_float(number.re, part), convert_float(number.im, part))
    re = Number(convert(value, source, part))
    return Complex(re, re.of(0.0))


def _from_complex(number: Complex, target: ir.Type) -> ir.Value:
    """The imaginary part is dropped, for booleans too (as in the interpreter of the specification)."""
    return convert(number.re.value, number.re.type, target)


def _from_float(x: Number, target: ir.Type) -> ir.Value:
    if is_bool(target):
        return x.differs(0.0).value
    if is_float(target):
        return convert_float(x, target).value
    return _saturated(widened(x), target.width, not is_unsigned(target)).value


def _from_int(x: Number, signed: bool, target: ir.Type) -> ir.Value:
    if is_bool(target):
        return x.compare("ne", 0).value
    if is_float(target):
        return int_to_float(x, target, signed).value
    return x.resized(target.width, signed=signed).value


def widened(x: Number) -> Number:
    """At least f32: what floats are computed in."""
    return x.extended(ir.F32Type.get()) if x.type.width < 32 else x


def convert_float(x: Number, target: ir.Type) -> Number:
    """From any float type to any other, rounded to nearest even once."""
    if x.type == target:
        return x
    x = widened(x)
    if x.type.width < target.width:
        return x.extended(target)
    if x.type.width == 64 and target.width < 32:
        x = rounded_to_odd(x)
    return x.truncated(target)


def int_to_float(x: Number, target: ir.Type, signed: bool) -> Number:
    """Rounded to nearest even once."""
    if target.width >= 32:
        return x.to_float(target, signed=signed)
    if x.width <= 16:
        return x.to_float(ir.F32Type.get(), signed=signed).truncated(target)
    if x.width == 64:
        x = _fitting_f64(x, signed)
    return convert_float(x.to_float(ir.F64Type.get(), signed=signed), target)


def _fitting_f64(x: Number, signed: bool) -> Number:
    """A 64-bit integer that f64 holds exactly, with what is cut off gathered in its last bit (rounded to odd)."""
    is_exact = (x + (1 << 53)).compare("ult", 1 << 54) if signed else x.compare("ult", 1 << 53)
    sticky = select((x & 0xFFF).compare("ne", 0), x.of(0x1000), 0)
    return select(is_exact, x, (x & -0x1000) | sticky)


def _saturated(x: Number, width: int, signed: bool) -> Number:
    low = -(2 ** (width - 1)) if signed else 0
    high = 2 ** (width - 1) if signed else 2**width
    fits = (x >= low) & (x < high)
    result = select(fits, x, 0.0).to_int(width, signed=signed)
    result = select(x >= high, high - 1, result)
    return select(x < low, low, result)


def bitcast(value: ir.Value, target: ir.Type) -> ir.Value:
    """The same bits as another signless type of the same width."""
    if value.type == target:
        return value
    return Number(value).bits_as(target).value
