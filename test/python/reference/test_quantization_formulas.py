"""Quantized elements beside the formulas of the specification, step by step in numpy, for storage and expressed types of all widths:

    dequantize(q) = convert(q - zero_point) * scale
    quantize(x)   = convert(round_nearest_even(clamp(storage_min, x / scale + zero_point, storage_max)))

Each step is rounded to the expressed type; the difference of the stored integers is exact, and so are the limits. So a tie is one of the sum with the zero
point: 2.5 steps and a zero point of 3 are 5.5, which is stored as 6."""

from __future__ import annotations

from dataclasses import dataclass

import ml_dtypes
import numpy as np
import pytest

import hlo

FLOATS = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
INTEGERS = {
    "i2": ml_dtypes.int2, "i4": ml_dtypes.int4, "i8": np.int8, "i16": np.int16, "i32": np.int32,
    "u2": ml_dtypes.uint2, "u4": ml_dtypes.uint4, "u8": np.uint8, "u16": np.uint16, "u32": np.uint32,
}  # fmt: skip
TARGETS = ("cpu", "reference")
ROWS, COLUMNS = 67, 3


@dataclass(frozen=True)
class Element:
    """A quantized element type; more than one scale: one for each column."""

    storage: str
    expressed: str
    scales: tuple[float, ...]
    zeros: tuple[int, ...]
    narrow: bool = False

    @property
    def limits(self) -> tuple[int, int]:
        bits = int(self.storage[1:])
        low, high = (0, (1 << bits) - 1) if self.storage[0] == "u" else (-(1 << bits - 1), (1 << bits - 1) - 1)
        return low + self.narrow, high

    @property
    def text(self) -> str:
        bounds = f"<{self.limits[0]}:{self.limits[1]}>" if self.narrow else ""
        pairs = [f"{scale}:{zero}" for scale, zero in zip(self.scales, self.zeros, strict=True)]
        parameters = f":1, {{{', '.join(pairs)}}}" if len(pairs) > 1 else f", {pairs[0]}"
        return f"!quant.uniform<{self.storage}{bounds}:{self.expressed}{parameters}>"

    @property
    def dtype(self) -> np.dtype:
        return np.dtype(FLOATS[self.expressed])

    @property
    def scale(self) -> np.ndarray:
        return np.array(self.scales, np.float64).astype(self.dtype)


def dequantized(stored: np.ndarray, e: Element) -> np.ndarray:
    with np.errstate(over="ignore"):
        steps = (stored.astype(np.int64) - np.array(e.zeros)).astype(e.dtype)
        return (steps * e.scale).astype(e.dtype)


def quantized(x: np.ndarray, e: Element) -> np.ndarray:
    with np.errstate(all="ignore"):
        low, high = (np.array(n).astype(e.dtype) for n in e.limits)
        steps = (x / e.scale).astype(e.dtype) + np.array(e.zeros).astype(e.dtype)
        clamped = np.minimum(np.maximum(steps.astype(e.dtype), low), high)
        rounded = np.rint(clamped.astype(np.float64))
    whole = np.clip(np.where(np.isnan(rounded), 0, rounded), *e.limits)
    return whole.astype(np.int64).astype(INTEGERS[e.storage])


def elements(storage: str, expressed: str) -> list[Element]:
    """One for all elements and one for each column; zero points odd and at the ends, scales that are powers of two and others."""
    low, high = Element(storage, expressed, (1.0,), (0,)).limits
    return [
        Element(storage, expressed, (1.0,), (min(3, high),)),
        Element(storage, expressed, (0.1,), (low,)),
        Element(storage, expressed, (0.5, 0.3, 2.0), (0, high, 1)),
        Element(storage, expressed, (0.25,), (max(low + 1, 0),), narrow=True),
    ]


def stored_numbers(e: Element, generator: np.random.Generator) -> np.ndarray:
    low, high = e.limits
    numbers = generator.integers(low, high + 1, (ROWS, COLUMNS))
    near = [n for zero in e.zeros for n in range(zero - 2, zero + 3) if low <= n <= high]
    numbers.ravel()[: len(near) + 2] = [*near, low, high]
    return numbers.astype(INTEGERS[e.storage])


def real_numbers(e: Element, generator: np.random.Generator) -> np.ndarray:
    """Ties, numbers in and beyond the range, special values."""
    low, high = e.limits
    steps = generator.uniform(1.5 * low - 2, 1.5 * high + 2, (ROWS, COLUMNS)) - np.array(e.zeros)
    steps[::3] = generator.integers(-9, 10, steps[::3].shape) + 0.5
    special = [0.0, -0.0, np.nan, np.inf, -np.inf, 1e-40, -1e-40, 1e30, -1e30]
    with np.errstate(over="ignore"):
        x = (steps * e.scale.astype(np.float64)).astype(e.dtype)
        x.ravel()[1 : 1 + len(special)] = np.array(special).astype(e.dtype)
    return x


def run(op: str, operands: list[str], result: str, target: str, *arrays: np.ndarray) -> np.ndarray:
    types = [f"tensor<{ROWS}x{COLUMNS}x{t}>" for t in (*operands, result)]
    arguments = ", ".join(f"%a{i}: {t}" for i, t in enumerate(types[:-1]))
    values = ", ".join(f"%a{i}" for i in range(len(operands)))
    text = f"""func.func @main({arguments}) -> {types[-1]} {{
      %r = "stablehlo.{op}"({values}) : ({", ".join(types[:-1])}) -> {types[-1]}
      return %r : {types[-1]}
    }}"""
    return hlo.compile(text, target=target)(*arrays)[0]


def same(found: np.ndarray, wanted: np.ndarray) -> None:
    differing = np.argwhere(found.astype(np.float64) != wanted.astype(np.float64))
    assert not len(differing), [(tuple(i), found[tuple(i)], wanted[tuple(i)]) for i in differing[:5]]


@pytest.mark.parametrize("target", TARGETS)
def test_a_tie_is_one_of_the_sum_with_the_zero_point(target):
    """As upstream's passes and the specification have it: round_nearest_even(2.5 + 3), not round_nearest_even(2.5) + 3."""
    e = Element("i8", "f32", (1.0,), (3,))
    x = np.resize(np.float32([2.5, 1.5, 0.5, -0.5, -1.5, -2.5]), (ROWS, COLUMNS))
    same(run("uniform_quantize", ["f32"], e.text, target, x), np.resize([6, 4, 4, 2, 2, 0], (ROWS, COLUMNS)))


@pytest.mark.parametrize("target", TARGETS)
def test_the_difference_of_large_integers_is_exact(target):
    e = Element("i32", "f32", (0.5,), (1 << 24,))
    x = np.full((ROWS, COLUMNS), (1 << 24) + 1, np.int32)
    same(run("uniform_dequantize", [e.text], "f32", target, x), np.full((ROWS, COLUMNS), 0.5))


CASES = [(s, f) for s in INTEGERS for f in FLOATS if f in ("f32", "f64") or int(s[1:]) <= 16]
"""32 bits and 16-bit floats: an integer is rounded twice on its way, by numpy too."""


@pytest.mark.sampled(5)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("storage, expressed", CASES)
def test_quantize_and_dequantize(storage, expressed, target):
    generator = np.random.default_rng(1)
    for e in elements(storage, expressed):
        x, q = real_numbers(e, generator), stored_numbers(e, generator)
        same(run("uniform_quantize", [expressed], e.text, target, x), quantized(x, e))
        same(run("uniform_dequantize", [e.text], expressed, target, q), dequantized(q, e))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("expressed", FLOATS)
def test_requantize(expressed, target):
    generator = np.random.default_rng(2)
    pairs = zip(elements("i8", expressed), elements("u4", expressed)[::-1], strict=True)
    for before, after in pairs:
        q = stored_numbers(before, generator)
        wanted = quantized(dequantized(q, before), after)
        same(run("uniform_quantize", [before.text], after.text, target, q), wanted)


BINARY = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum}
UNARY = {"abs": np.abs, "negate": np.negative, "floor": np.floor, "ceil": np.ceil, "sign": np.sign, "sqrt": np.sqrt}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("op", (*BINARY, *UNARY))
def test_an_op_sees_the_numbers_and_its_result_is_quantized(op, target):
    """Ops whose float result is exact to the last bit."""
    generator = np.random.default_rng(3)
    function = BINARY.get(op) or UNARY[op]
    a, b, c = *elements("i8", "f32")[:2], Element("i8", "f32", (0.25,), (1,))
    for x, y, result in ((a, b, c), (b, c, a), (c, a, b)):
        operands = [x, y] if op in BINARY else [x]
        stored = [stored_numbers(e, generator) for e in operands]
        with np.errstate(invalid="ignore"):
            real = function(*(dequantized(q, e) for q, e in zip(stored, operands, strict=True)))
        found = run(op, [e.text for e in operands], result.text, target, *stored)
        same(found, quantized(real, result))
