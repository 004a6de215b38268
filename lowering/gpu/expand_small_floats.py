"""The pass `expand-small-floats`: f8 becomes f32 by integer arithmetic, where no matrix instruction takes it.

Before:  %1 = arith.bitcast %0 : i8 to f8E5M2     %2 = arith.extf %1 : f8E5M2 to f32
After:   %2 = bitcast((extui %0 & 127) << 21) * 2^112, or an infinity or NaN, with the sign

As storage/small_floats.py decodes them."""

from __future__ import annotations

from mlir import ir

from hlo.lowering.finding import ops_within
from hlo.lowering.numbers import Number, select
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.stablehlo.storage.small_floats import FORMATS, Format

INFINITY, NAN = 0x7F800000, 0x7FC00000
"""Bits of f32."""


@register_pass
class ExpandSmallFloats(Pass):
    """Rewrites conversions from f8 to f32."""

    def run(self, module: ir.Module) -> None:
        found = ops_within(module, lambda op: op.name == "arith.extf" and str(op.operands[0].type) in FORMATS)
        for op in found:
            with ir.InsertionPoint(op), op.location:
                op.results[0].replace_all_uses_with(_decoded(op.operands[0]))
            op.erase()


def _decoded(value: ir.Value) -> ir.Value:
    f = FORMATS[str(value.type)]
    bits = Number(value).bits().resized(32, signed=False)
    magnitude = bits & (f.sign_code - 1)
    shifted = magnitude << (23 - f.mantissa)
    scaled = shifted.bits_as(ir.F32Type.get()) * 2.0 ** (127 - f.bias)
    found = _special(f, magnitude, shifted, scaled.bits())
    sign = bits.arith("shrui", f.sign_shift) << 31
    return (found | sign).bits_as(ir.F32Type.get()).value


def _special(f: Format, magnitude: Number, shifted: Number, value: Number) -> Number:
    """The bits of infinities and NaNs: all codes of the last exponent, or the last code."""
    if f.special == "ieee":
        return select(magnitude.compare("ult", f.infinity), value, shifted | INFINITY)
    return select(magnitude.equals(f.nan), NAN, value)
