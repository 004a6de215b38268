"""Floats of 4, 6 and 8 bits: kept in bytes, computed in f32.

A number is decoded by putting its exponent and mantissa where f32 has them and adding the difference of the biases; a
subnormal one is read as if it had a leading 1, which is subtracted. No subnormal f32 is made, which some processors
take for zero. It is encoded from f32 or f64 by rounding the mantissa to nearest even as an integer; below the least
normal number, adding a constant of the right exponent rounds."""

from __future__ import annotations

import numpy as np
from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.stablehlo.arithmetic import Tensor, bitcast, constant_like, convert, select
from hlo.lowering.stablehlo.storage.kind import Storage


@dataclass(frozen=True)
class Format:
    """Bits of exponent and mantissa, the exponent's bias, and which codes are no numbers.

    `special`: "ieee" (infinities and NaNs in the last exponent), "fn" (one NaN: all bits set), "fnuz" (one NaN: the
    code of -0), "finite" (none; NaN becomes -0), "exponent" (no sign, no mantissa: powers of two, NaN all bits set)."""

    exponent: int
    mantissa: int
    bias: int
    special: str

    @property
    def sign_shift(self) -> int:
        return self.exponent + self.mantissa

    @property
    def infinity(self) -> int:
        """The code of the last exponent."""
        return ((1 << self.exponent) - 1) << self.mantissa

    @property
    def largest(self) -> int:
        """The code of the largest finite number."""
        everything = (1 << self.sign_shift) - 1
        return {"ieee": self.infinity - 1, "fn": everything - 1}.get(self.special, everything)

    @property
    def nan(self) -> int:
        quiet = self.infinity | (1 << max(self.mantissa - 1, 0))
        return {"ieee": quiet, "fn": self.largest + 1}.get(self.special, self.sign_code)

    @property
    def sign_code(self) -> int:
        return 1 << self.sign_shift

    @property
    def beyond(self) -> int:
        """The code of what is too large."""
        return {"ieee": self.infinity, "finite": self.largest}.get(self.special, self.nan)


FORMATS = {
    "f8E3M4": Format(3, 4, 3, "ieee"),
    "f8E4M3": Format(4, 3, 7, "ieee"),
    "f8E5M2": Format(5, 2, 15, "ieee"),
    "f8E4M3FN": Format(4, 3, 7, "fn"),
    "f8E4M3FNUZ": Format(4, 3, 8, "fnuz"),
    "f8E4M3B11FNUZ": Format(4, 3, 11, "fnuz"),
    "f8E5M2FNUZ": Format(5, 2, 16, "fnuz"),
    "f6E2M3FN": Format(2, 3, 1, "finite"),
    "f6E3M2FN": Format(3, 2, 3, "finite"),
    "f4E2M1FN": Format(2, 1, 1, "finite"),
}
EXPONENT_ONLY = "f8E8M0FNU"

_WIDE = {32: (23, 127), 64: (52, 1023)}
"""Mantissa bits and bias of the floats that are encoded."""


def _bits(x: Tensor) -> Tensor:
    return bitcast(x, ir.IntegerType.get_unsigned(ir.FloatType(x.element).width))


def _float(bits: Tensor) -> Tensor:
    width = ir.IntegerType(bits.element).width
    return bitcast(bits, ir.F32Type.get() if width == 32 else ir.F64Type.get())


def _widened(x: Tensor) -> Tensor:
    return convert(x, ir.IntegerType.get_unsigned(32))


@dataclass(frozen=True)
class _Float(Storage):
    """What all small floats have in common."""

    element: ir.Type

    @property
    def container(self) -> ir.Type:
        return ir.IntegerType.get_unsigned(8)

    @property
    def computed(self) -> ir.Type:
        return ir.F32Type.get()

    def accepts(self, element: ir.Type) -> bool:
        return isinstance(element, (ir.F32Type, ir.F64Type))

    def constant(self, array: np.ndarray) -> np.ndarray:
        return array.view(np.uint8)


@dataclass(frozen=True)
class SmallFloat(_Float):
    """A float with a sign."""

    format: Format

    def load(self, x: Tensor) -> Tensor:
        f = self.format
        bits = _widened(x)
        magnitude = bits & (f.sign_code - 1)
        sign = (bits >> f.sign_shift) << 31
        number = magnitude << (23 - f.mantissa)
        normal = number + ((127 - f.bias) << 23)
        subnormal = _float(number + ((128 - f.bias) << 23)) - 2.0 ** (1 - f.bias)
        value = select(magnitude < (1 << f.mantissa), _bits(subnormal), normal)
        return _float(self._special(bits, magnitude, value) | sign)

    def _special(self, bits: Tensor, magnitude: Tensor, value: Tensor) -> Tensor:
        """The bits of infinities and NaNs in f32."""
        f = self.format
        if f.special == "ieee":
            exact = (magnitude << (23 - f.mantissa)) | 0x7F800000
            return select(magnitude < f.infinity, value, exact)
        if f.special == "finite":
            return value
        code = bits & (2 * f.sign_code - 1)
        is_nan = magnitude.equals(f.nan) if f.special == "fn" else code.equals(f.nan)
        return select(is_nan, 0x7FC00000, value)

    def store(self, x: Tensor) -> Tensor:
        f = self.format
        width = ir.FloatType(x.element).width
        bits = _bits(x)
        magnitude = bits & ((1 << (width - 1)) - 1)
        code = select(magnitude < self._least_normal(width), self._subnormal(magnitude), self._normal(magnitude))
        is_nan = magnitude > self._infinity(width)
        if f.beyond == f.nan:
            is_nan = is_nan | (code > f.largest)
        code = select(code > f.largest, f.beyond, code)
        if f.special == "fnuz":
            code = code | select(code.equals(0), 0, self._sign(bits))
            return convert(select(is_nan, f.nan, code), self.container)
        return convert(select(is_nan, f.nan, code) ^ self._sign(bits), self.container)

    def _sign(self, bits: Tensor) -> Tensor:
        width = ir.IntegerType(bits.element).width
        return (bits >> (width - 1)) << self.format.sign_shift

    def _normal(self, magnitude: Tensor) -> Tensor:
        """Half a unit (less one for even numbers) is added, the rest of the mantissa cut off, the bias changed."""
        mantissa, bias = _WIDE[ir.IntegerType(magnitude.element).width]
        dropped = mantissa - self.format.mantissa
        odd = (magnitude >> dropped) & 1
        rounded = (magnitude + odd + ((1 << (dropped - 1)) - 1)) >> dropped
        return rounded - ((bias - self.format.bias) << self.format.mantissa)

    def _subnormal(self, magnitude: Tensor) -> Tensor:
        """A number whose last bit is the format's least number is added: the sum is rounded to multiples of it."""
        width = ir.IntegerType(magnitude.element).width
        mantissa, _ = _WIDE[width]
        anchor = constant_like(_float(magnitude), 2.0 ** (mantissa + 1 - self.format.bias - self.format.mantissa))
        return _bits(_float(magnitude) + anchor) - _bits(anchor)

    def _least_normal(self, width: int) -> int:
        mantissa, bias = _WIDE[width]
        return (bias + 1 - self.format.bias) << mantissa

    def _infinity(self, width: int) -> int:
        mantissa, bias = _WIDE[width]
        return (2 * bias + 1) << mantissa


@dataclass(frozen=True)
class PowerOfTwo(_Float):
    """f8E8M0FNU: the exponent of f32, without sign and mantissa."""

    def load(self, x: Tensor) -> Tensor:
        code = _widened(x)
        value = select(code.equals(0), 0x00400000, code << 23)
        return _float(select(code.equals(255), 0x7FC00000, value))

    def store(self, x: Tensor) -> Tensor:
        """Rounded to the nearer power; halfway up. Zero, negative numbers and NaN give NaN."""
        narrow = convert(x, ir.F32Type.get())
        bits = _bits(narrow)
        code = select(bits < 0x00600000, 0, (bits + (1 << 22)) >> 23)
        is_number = (narrow > 0.0) & (code < 255)
        return convert(select(is_number, code, 255), self.container)


def small_float(element: ir.Type) -> SmallFloat | PowerOfTwo | None:
    """The storage of a float of at most 8 bits."""
    name = str(element)
    if name == EXPONENT_ONLY:
        return PowerOfTwo(element)
    return SmallFloat(element, FORMATS[name]) if name in FORMATS else None
