"""The pass `expand-small-floats`: f8 becomes f32 by integer arithmetic, where no matrix instruction takes it.

Before:  %1 = arith.bitcast %0 : i8 to f8E5M2     %2 = arith.extf %1 : f8E5M2 to f32
After:   %2 = bitcast((extui %0 & 127) << 21) * 2^112, or an infinity or NaN, with the sign

As storage/small_floats.py decodes them."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith

from hlo.lowering.finding import ops_within
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.stablehlo.storage.small_floats import FORMATS, Format

INFINITY, NAN = 0x7F800000, 0x7FC00000
"""Bits of f32."""


@register_pass
class ExpandSmallFloats(Pass):
    """Rewrites conversions from f8 to f32."""

    def run(self, module: ir.Module) -> None:
        found = ops_within(module, lambda op: op.name == "arith.extf" and str(op.operands[0].type) in FORMATS)
        with module.context:
            for op in found:
                with ir.InsertionPoint(op), op.location:
                    op.results[0].replace_all_uses_with(_decoded(op.operands[0]))
                op.erase()


def _decoded(value: ir.Value) -> ir.Value:
    f = FORMATS[str(value.type)]
    bits = arith.extui(_i32(), arith.bitcast(ir.IntegerType.get_signless(8), value))
    magnitude = arith.andi(bits, _number(f.sign_code - 1))
    places = arith.shli(magnitude, _number(23 - f.mantissa))
    scaled = arith.mulf(arith.bitcast(ir.F32Type.get(), places), _scale(f))
    found = _special(f, magnitude, places, arith.bitcast(_i32(), scaled))
    sign = arith.shli(arith.shrui(bits, _number(f.sign_shift)), _number(31))
    return arith.bitcast(ir.F32Type.get(), arith.ori(found, sign))


def _special(f: Format, magnitude: ir.Value, places: ir.Value, value: ir.Value) -> ir.Value:
    """The bits of infinities and NaNs: all codes of the last exponent, or the last code."""
    if f.special == "ieee":
        is_number = arith.cmpi(arith.CmpIPredicate.ult, magnitude, _number(f.infinity))
        return arith.select(is_number, value, arith.ori(places, _number(INFINITY)))
    is_nan = arith.cmpi(arith.CmpIPredicate.eq, magnitude, _number(f.nan))
    return arith.select(is_nan, _number(NAN), value)


def _scale(f: Format) -> ir.Value:
    return arith.constant(ir.F32Type.get(), 2.0 ** (127 - f.bias))


def _i32() -> ir.Type:
    return ir.IntegerType.get_signless(32)


def _number(value: int) -> ir.Value:
    return arith.constant(_i32(), value)
