"""Element types: convert, bitcast_convert, complex, quantized values, and those that no processor computes with."""

from __future__ import annotations

import numpy as np
from cases import DTYPES, INF, SMALL_FLOATS, SMALL_INTEGERS, Case, file, simple, suffix, tensor, type_name, values


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
    same = Case(
        "same_width", [x], "%r = stablehlo.bitcast_convert %0 : (tensor<3xf32>) -> tensor<3xui32>", [x.view(np.uint32)]
    )
    body = "%r = stablehlo.bitcast_convert %0 : (tensor<3xf32>) -> tensor<3x2xi16>"
    narrower = Case("to_narrower", [x], body, [x.view(np.int16).reshape(3, 2)])
    y = np.arange(8, dtype=np.uint8).reshape(2, 4)
    body = "%r = stablehlo.bitcast_convert %0 : (tensor<2x4xui8>) -> tensor<2xi32>"
    return [same, narrower, Case("to_wider", [y], body, [y.view(np.int32).reshape(2)])]


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
    x = np.array([[-200, -1.3, 0.0], [0.26, 0.25, 500]], np.float32)
    out = []
    for name, kind, scales, zeros in (
        ("tensor", "!quant.uniform<i8:f32, 0.5:3>", 0.5, 3),
        ("axis", "!quant.uniform<i8:f32:1, {0.1:-3, 0.25, 2.0:7}>", [0.1, 0.25, 2], [-3, 0, 7]),
    ):
        scales, zeros = np.array(scales, np.float32), np.array(zeros, np.float32)
        stored = np.clip(np.rint(x / scales) + zeros, -128, 127)
        t = f"tensor<2x3x{kind}>"
        body = f"%q = stablehlo.uniform_quantize %0 : ({tensor(x)}) -> {t}\n%r = stablehlo.uniform_dequantize %q : ({t}) -> {tensor(x)}"
        out.append(Case(f"per_{name}", [x], body, [((stored - zeros) * scales).astype(np.float32)]))
    return out
