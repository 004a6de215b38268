"""Element types: convert, bitcast_convert, complex, quantized values, and those that no processor computes with."""

from __future__ import annotations

import ml_dtypes
import numpy as np
from cases import (
    DTYPES,
    INF,
    NAN,
    SMALL_FLOATS,
    SMALL_INTEGERS,
    Case,
    file,
    simple,
    suffix,
    tensor,
    type_name,
    values,
)


@file
def convert() -> list[Case]:
    out = []
    for source in ("i1", "i8", "ui8", "i32", "ui32", "i64", "bf16", "f16", "f32", "f64"):
        for target in ("i1", "i8", "ui16", "i32", "ui64", "bf16", "f16", "f32", "f64", "complex<f32>"):
            if source == target:
                continue
            x = values(source)
            if np.dtype(DTYPES[source]).kind not in "biu":
                x = np.array([0.0, 1.0, 0.5, 3.25, 100.0, 120.75], np.float64).astype(DTYPES[source])
            want = (x != 0) if target == "i1" else x.astype(DTYPES[target])
            body = f"%r = stablehlo.convert %0 : ({tensor(x)}) -> {tensor(want)}"
            out.append(Case(f"{suffix(source)}_to_{suffix(target)}", [x], body, [want]))
    return out


@file
def bitcast_convert() -> list[Case]:
    x = np.array([1.5, -0.0, INF], np.float32)
    bytes_ = np.arange(8, dtype=np.uint8).reshape(2, 4)
    wide = np.array([1.5 - 2.25j, complex(-0.0, INF), 1e300 + 3j])
    narrow = np.array([[1 + 2j, -3.5 + 0.25j], [complex(-0.0, INF), 1e30 - 1e-30j]], np.complex64)
    return [
        _bitcast("same_width", x, x.view(np.uint32)),
        _bitcast("to_narrower", x, x.view(np.int16).reshape(3, 2)),
        _bitcast("to_wider", bytes_, bytes_.view(np.int32).reshape(2)),
        _bitcast("to_eighths", x.astype(np.float64), x.astype(np.float64).view(np.uint8).reshape(3, 8)),
        _bitcast("complex_to_narrower", wide, wide.view(np.complex64).reshape(3, 2)),
        _bitcast("complex_to_wider", narrow, narrow.view(np.complex128).reshape(2)),
        *_bitcasts_of_booleans(),
    ]


def _bitcasts_of_booleans() -> list[Case]:
    """Small elements as their bits, the lowest first, and bits as small elements."""
    out = []
    for dtype in (np.uint8, ml_dtypes.float8_e4m3fn, ml_dtypes.uint4, ml_dtypes.int2):
        width = {"uint8": 8, "float8_e4m3fn": 8, "uint4": 4, "int2": 2}[np.dtype(dtype).name]
        numbers = np.array([1, 2, 0], np.uint8)
        x = numbers.view(dtype) if width == 8 else numbers.astype(dtype)
        bits = (numbers[:, None] >> np.arange(width) & 1).astype(bool)
        name = np.dtype(dtype).name
        out += [_bitcast(f"{name}_to_booleans", x, bits), _bitcast(f"booleans_to_{name}", bits, x)]
    return out


def _bitcast(name: str, x: np.ndarray, want: np.ndarray) -> Case:
    return Case(name, [x], f"%r = stablehlo.bitcast_convert %0 : ({tensor(x)}) -> {tensor(want)}", [want])


@file
def complex_() -> list[Case]:
    x, y = np.array([1, -2.5], np.float32), np.array([0, 7], np.float32)
    body = "%r = stablehlo.complex %0, %1 : tensor<2xcomplex<f32>>"
    return [Case("f32", [x, y], body, [(x + 1j * y).astype(np.complex64)])]


def _wrapped(numbers: np.ndarray, kind: str) -> np.ndarray:
    width = int(kind[-1])
    low = numbers & (2**width - 1)
    signed = np.where(low >> (width - 1), low - 2**width, low)
    return (low if kind[0] == "u" else signed).astype(DTYPES[kind])


@file
def element_types() -> list[Case]:
    """Types that no processor computes with: small integers wrap, small floats are computed in f32 and rounded."""
    out = []
    for kind in SMALL_INTEGERS:
        everything = np.arange(2 ** int(kind[-1]), dtype=np.uint8).view(DTYPES[kind])
        x, y = np.concatenate([everything] * 3), np.concatenate([np.roll(everything, n) for n in range(3)])
        for op, function in (("add", np.add), ("multiply", np.multiply), ("maximum", np.maximum)):
            want = _wrapped(function(x.astype(int), y.astype(int)), kind)
            out.append(simple(f"{op}_{kind}", op, [x, y], want))
        out.append(conversion(everything, everything.astype(np.int32)))
        out.append(conversion(np.arange(-9, 20, dtype=np.int32), _wrapped(np.arange(-9, 20), kind)))
    for kind in SMALL_FLOATS:
        x = np.arange(0, 256, 5, dtype=np.uint8).view(DTYPES[kind])
        with np.errstate(all="ignore"):
            wide = x.astype(np.float32)
            out.append(simple(f"add_{kind}", "add", [x, x[::-1].copy()], (wide + wide[::-1]).astype(x.dtype)))
            out.append(simple(f"divide_{kind}", "divide", [x, x[::-1].copy()], (wide / wide[::-1]).astype(x.dtype)))
        out.append(conversion(x, wide))
        numbers = np.ldexp(np.linspace(-2, 2, 97), np.arange(97) % 20 - 10).astype(np.float32)
        out.append(conversion(numbers, numbers.astype(x.dtype)))
    return out


def conversion(x: np.ndarray, want: np.ndarray) -> Case:
    body = f"%r = stablehlo.convert %0 : ({tensor(x)}) -> {tensor(want)}"
    return Case(f"convert_{type_name(x)}_to_{type_name(want)}", [x], body, [want])


@file
def uniform_quantize() -> list[Case]:
    """To the nearest even stored integer, within the limits of storage; then back, or to other parameters."""
    x = np.array([[-200, -1.3, 0.0], [0.26, 0.25, 500]], np.float32)
    return [
        *(_quantized(name, x) for name in QUANTIZED),
        _requantized("axis", "i8", x),
        _requantized("i8", "i16", x),
        _requantized("ui8", "i8", x),
    ]


def _stored(numbers: np.ndarray, name: str) -> np.ndarray:
    """What a quantized type keeps of numbers, as the numbers that it means."""
    _, dtype, scale, zero = QUANTIZED[name]
    low, high = (-8, 7) if dtype is None else (np.iinfo(dtype).min + (name == "narrow_range"), np.iinfo(dtype).max)
    scales, zeros = np.array(scale, np.float32), np.array(zero, np.float32)
    return ((np.rint(np.clip(numbers / scales + zeros, low, high)) - zeros) * scales).astype(np.float32)


def _quantized(name: str, x: np.ndarray) -> Case:
    t = f"tensor<2x3x{QUANTIZED[name][0]}>"
    body = f"%q = stablehlo.uniform_quantize %0 : ({tensor(x)}) -> {t}\n%r = stablehlo.uniform_dequantize %q : ({t}) -> {tensor(x)}"
    return Case(f"per_{name}", [x], body, [_stored(x, name)])


def _requantized(first: str, second: str, x: np.ndarray) -> Case:
    before, after = (f"tensor<2x3x{QUANTIZED[name][0]}>" for name in (first, second))
    body = f"""
%q = stablehlo.uniform_quantize %0 : ({tensor(x)}) -> {before}
%p = stablehlo.uniform_quantize %q : ({before}) -> {after}
%r = stablehlo.uniform_dequantize %p : ({after}) -> {tensor(x)}"""
    return Case(f"{first}_to_{second}", [x], body, [_stored(_stored(x, first), second)])


def reduced(x: np.ndarray, exponent_bits: int, mantissa_bits: int) -> np.ndarray:
    """To the nearest number of so many mantissa bits, of two the one whose bits are an even number; what the exponent
    cannot hold becomes infinite or 0."""
    wide = x.astype(np.float64)
    step = np.uint64(1) << np.uint64(52 - mantissa_bits)
    whole, rest = np.divmod(wide.view(np.uint64), step)
    up = (2 * rest > step) | ((2 * rest == step) & (whole % 2 == 1))
    rounded = ((whole + up) * step).view(np.float64)
    limit = 2.0 ** (2 ** (exponent_bits - 1))
    rounded = np.where(np.abs(rounded) >= limit, np.copysign(np.inf, wide), rounded)
    rounded = np.where(np.abs(rounded) < 4 / limit, np.copysign(0.0, wide), rounded)
    return np.where(np.isfinite(wide), rounded, wide).astype(x.dtype)


@file
def reduce_precision() -> list[Case]:
    x = np.array([-INF, INF, NAN, 0.0, 1000.0, 1000000.0], np.float32)
    want = np.array([-INF, INF, NAN, 0.0, 1024.0, INF], np.float32)
    out = [_reduce_precision("example", x, want, 5, 2)]
    steps = np.array([1, 1.0625, 1.125, 1.1875, 1.5, 1.9375, 1.96875, 1.999])
    for kind, formats in {
        "f32": ((5, 10), (8, 7), (4, 3), (5, 2), (2, 1), (8, 0), (1, 3), (8, 23)),
        "f64": ((8, 23), (5, 10), (8, 3)),
        "f16": ((5, 3), (4, 10), (3, 2)),
        "bf16": ((5, 7), (8, 3), (4, 3)),
    }.items():
        exponents = np.array([-14, -15, -6, -7, -1, 0, 1, 3, 7, 8, 15, 14])
        numbers = np.concatenate([s * np.ldexp(steps, e) for e in exponents for s in (1, -1)])
        x = np.concatenate([numbers, [0.0, -0.0, INF, -INF, NAN]]).astype(DTYPES[kind])
        if kind == "f16":
            x = x[np.isfinite(x) & (np.abs(x) >= 2.0**-14)]
        for e, m in formats:
            out.append(_reduce_precision(f"{kind}_e{e}m{m}", x, reduced(x, e, m), e, m))
    return [*out, _reduce_precision("empty", x[:0], x[:0], 4, 3)]


def _reduce_precision(name: str, x: np.ndarray, want: np.ndarray, exponent_bits: int, mantissa_bits: int) -> Case:
    body = f"%r = stablehlo.reduce_precision %0, format = e{exponent_bits}m{mantissa_bits} : {tensor(x)}"
    return Case(name, [x], body, [want])


QUANTIZED = {
    "i8": ("!quant.uniform<i8:f32, 0.5:3>", np.int8, 0.5, 3),
    "ui8": ("!quant.uniform<u8:f32, 0.25:128>", np.uint8, 0.25, 128),
    "i16": ("!quant.uniform<i16:f32, 0.125>", np.int16, 0.125, 0),
    "i4": ("!quant.uniform<i4:f32, 2.0:-1>", None, 2.0, -1),
    "narrow_range": ("!quant.uniform<i8<-127:127>:f32, 0.5>", np.int8, 0.5, 0),
    "axis": ("!quant.uniform<i8:f32:1, {0.1:-3, 0.25, 2.0:7}>", np.int8, [0.1, 0.25, 2], [-3, 0, 7]),
}


@file
def uniform_dequantize() -> list[Case]:
    """Stored integers, written as bits, as the numbers that they mean."""
    out = []
    for name, (element, stored_type, scale, zero) in QUANTIZED.items():
        if stored_type is None:
            continue
        info = np.iinfo(stored_type)
        stored = np.array(
            [[info.min + (name == "narrow_range"), -7 if info.min else 7, 0], [1, 100, info.max]], stored_type
        )
        scales, zeros = np.array(scale, np.float32), np.array(zero, np.float32)
        want = ((stored.astype(np.float32) - zeros) * scales).astype(np.float32)
        t = f"tensor<2x3x{element}>"
        body = f"""
%q = stablehlo.bitcast_convert %0 : ({tensor(stored)}) -> {t}
%r = stablehlo.uniform_dequantize %q : ({t}) -> {tensor(want)}"""
        out.append(Case(name, [stored], body, [want]))
    return out
