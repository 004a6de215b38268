"""The reference with every inexact step moved by some units in the last place.

How far results of two correct compilers may differ depends on the program: a sum may be taken in another order, an
exponential may be 2 units off, and what follows may enlarge that, or turn it into another integer. A few runs with
random moves of that size show it, whatever the program is. Steps that are exact are not moved, so programs on small
whole numbers are compared exactly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir

from hlo.reference.executable import ReferenceExecutable
from hlo.reference.interpreter import Interpreter, Step
from hlo.reference.quantization import dequantize, quantize
from hlo.tools.differential.comparison import is_exact, units

ARITHMETIC = {f"stablehlo.{name}" for name in ("add", "subtract", "multiply", "divide")}
"""Correctly rounded: moved by a unit where they rounded at all (the compiler may fuse, reorder, or use a wider type)."""

STRUCTURED = {
    f"stablehlo.{name}"
    for name in (
        "dot", "dot_general", "einsum", "convolution", "fft", "cholesky", "triangular_solve", "batch_norm_training",
        "batch_norm_inference", "batch_norm_grad", "reduce", "reduce_window", "select_and_scatter", "scatter",
        "dynamic_conv", "unary_einsum",
    )
} | {"chlo.ragged_dot", "chlo.scan"}  # fmt: skip
"""Sums in an order of the compiler's choice: their operands are moved, which is as much as the order can do."""

FUNCTIONS = {
    "atan2", "cbrt", "cosine", "exp2", "exponential", "exponential_minus_one", "log", "log2", "log_plus_one", "logistic",
    "power", "rsqrt", "sine", "sqrt", "tan", "tanh", "remainder",
}  # fmt: skip
"""Mnemonics of StableHLO. Within 2 units, and with them all of chlo."""

NEAR_ZEROS = {"chlo.lgamma", "chlo.digamma", "chlo.polygamma"}
"""Near their zeros they are as exact as numbers around 1."""

ATAN2 = {"stablehlo.atan2", "chlo.atan2"}
"""Of complex numbers: -i log((x + iy) / sqrt(x^2 + y^2)), the logarithm of a rounded quotient. So small angles are as
exact as numbers around 1, and where x^2 + y^2 or x + iy cancels, what the larger operand lacks counts (it may decide the
side of the branch cut too)."""

SUMS_OF_PRODUCTS = {f"stablehlo.{name}" for name in ("dot", "dot_general", "einsum", "convolution", "dynamic_conv")} | {
    "chlo.ragged_dot"
}
"""Which products and partial sums overflow depends on the order, on the type that sums are kept in, and on whether
products are rounded before they are added (fused multiply-add)."""

COMPLEX_ARITHMETIC = {"stablehlo.abs", "stablehlo.sign", "stablehlo.divide", "stablehlo.multiply"}

FFT = "stablehlo.fft"
"""Each result is a sum of all numbers times roots of unity: as exact as the largest result of its transform, also where
the sum is small or (the first of a real transform) has no imaginary part; nor are results of whole numbers whole."""

POWER = {"stablehlo.power", "chlo.power"}
"""Of complex numbers: exp(y log x), as numpy's. A unit of the exponent is as many of the result as the exponent is large."""

SUM_OR_PRODUCT = {"stablehlo.add": np.add, "stablehlo.multiply": np.multiply}

BITS = {"stablehlo.bitcast_convert", "stablehlo.compare", "chlo.top_k"}
"""Ops that may see the sign and payload of a NaN, which no op promises (a sort by its comparison)."""


class MovedReference(ReferenceExecutable):
    def __init__(self, module: ir.Module, entry: str, seed: int):
        super().__init__(module, entry)
        self.interpreter = _Moved(module, np.random.default_rng(seed))


class _Moved(Interpreter):
    def __init__(self, module: ir.Module, generator: np.random.Generator):
        super().__init__(module)
        self.generator = generator
        self.flipped = float(generator.choice([0, 0.5, 1]))
        """How many NaNs get the other sign: often all come from one kind of step, with the same one."""

    def run_step(self, step: Step, values: dict[int, Any]) -> Sequence[Any]:
        name = step.op.operation.name.replace("chlo.broadcast_", "chlo.")
        moves = name in BITS or name in STRUCTURED or name in ATAN2
        given = {n: self._operand(name, values[n], step, values) for n in step.operands} if moves else {}
        if name == "stablehlo.reduce" and _is_sum_or_product(step) and _is_inexact(values[step.operands[0]]):
            results: Sequence[Any] = [self._in_a_tree(step, *(given[n] for n in step.operands))]
        else:
            results = self._evaluated(step, {**values, **given} if given else values)
        if name in SUMS_OF_PRODUCTS and not step.quantized:
            results = [self._flushed(self._open_if_overflowing(r, step, values)) for r in results]
        return [self._result(name, r, step, values) for r in results]

    def _evaluated(self, step: Step, values: dict[int, Any]) -> Sequence[Any]:
        """As the plain interpreter, moved before results are quantized."""
        if not step.quantized:
            return super().run_step(step, values)
        operands = [dequantize(values[n], o.type) for n, o in zip(step.operands, step.op.operation.operands)]
        from hlo.reference.interpreter import Call

        with np.errstate(all="ignore"):
            found = step.evaluate(Call(step, values, self), *operands)
        results = found if isinstance(found, list) else [found]
        moved = [self._by(r, 2) if _is_inexact(r) else r for r in results]
        return [quantize(v, r.type) for v, r in zip(moved, step.op.operation.results)]

    def _operand(self, name: str, value: Any, step: Step, values: dict[int, Any]) -> Any:
        if not _is_inexact(value):
            return value
        if name in BITS:
            return self._other_nans(value)
        if name in ATAN2:
            if value.dtype.kind != "c":
                return value
            sizes = [np.abs(values[n]) for n in step.operands]
            alike = sizes[0].shape == sizes[1].shape
            return self._by(value, 4, size=np.maximum(*sizes) if alike else max(s.max(initial=0) for s in sizes))
        if name in SUMS_OF_PRODUCTS:
            value = self._flushed(value)
        return value if name != FFT and _small_whole(value) else self._by(value, 4)

    def _in_a_tree(self, step: Step, value: np.ndarray, start: np.ndarray) -> np.ndarray:
        """A sum (or product) of pairs, of pairs of pairs and so on: which steps overflow depends on the order."""
        function: Any = SUM_OR_PRODUCT[step.op.operation.regions[0].blocks[0].operations[0].operation.name]
        reduced = sorted(step.op.dimensions)
        kept = [n for d, n in enumerate(value.shape) if d not in reduced]
        value = np.moveaxis(value, reduced, range(len(reduced))).reshape(
            [int(np.prod([value.shape[d] for d in reduced])), *kept]
        )
        value = value[self.generator.permutation(len(value))]
        with np.errstate(all="ignore"):
            while len(value) > 1:
                half = len(value) // 2
                value = np.concatenate([function(value[:half], value[half : 2 * half]), value[2 * half :]])
            return np.asarray(function(value[0], start) if len(value) else np.broadcast_to(start, kept)).astype(
                value.dtype
            )

    def _open_if_overflowing(self, value: np.ndarray, step: Step, values: dict[int, Any]) -> np.ndarray:
        """Any kind of number where the products' magnitudes, infinite operands aside, have a sum that overflows."""
        operands = [np.asarray(values[n]) for n in step.operands[:2]]
        if any(not _is_inexact(o) for o in (value, *operands)):
            return value
        magnitudes = dict(zip(step.operands, map(_magnitude, operands)))
        total = np.asarray(super().run_step(step, {**values, **magnitudes})[0])
        other = self.generator.choice([0, np.nan, np.inf, -np.inf], value.shape).astype(value.dtype)
        return np.where(_finite(total), value, other)

    def _result(self, name: str, value: Any, step: Step, values: dict[int, Any]) -> Any:
        if not _is_inexact(value) or step.quantized:
            return value
        if name in ARITHMETIC and value.dtype.kind != "c":
            return self._by(value, 1, only=self._rounded(step, values, value))
        if name in NEAR_ZEROS or (name in ATAN2 and value.dtype.kind == "c"):
            return self._by(self._near_zero(value), 4)
        if name in POWER and value.dtype.kind == "c":
            with np.errstate(all="ignore"):
                size = np.abs(value) * _exponent_size(*(values[n] for n in step.operands))
            return self._by(value, 4, size=size)
        if name == FFT:
            return self._by(value, 4, size=_largest(value, len(step.op.fft_length)))
        if (
            name in ARITHMETIC
            or name in COMPLEX_ARITHMETIC
            or name.removeprefix("stablehlo.") in FUNCTIONS
            or name.startswith("chlo.")
        ):
            return self._by(value, 4)
        return self._by(value, 2) if name in STRUCTURED and not _small_whole(value) else value

    def _rounded(self, step: Step, values: dict[int, Any], value: np.ndarray) -> np.ndarray:
        """Where an exact result would be another."""
        operands = [np.asarray(values[n]) for n in step.operands]
        wide = np.longdouble if value.dtype == np.float64 else np.float64
        with np.errstate(all="ignore"):
            function = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide}
            exact = function[step.op.operation.name.partition(".")[2]](*(o.astype(wide) for o in operands))
            return np.asarray(exact != value.astype(wide))

    def _by(self, value: np.ndarray, most: int, only: Any = True, size: Any = None) -> np.ndarray:
        """Numbers that are moved by up to `most` units in the last place of `size`, by default their own."""
        value = np.asarray(value)
        with np.errstate(all="ignore"):
            wide = value.astype(np.complex128 if value.dtype.kind == "c" else np.float64)
            unit = units(value.dtype, np.abs(wide) if size is None else size)
            offset: Any = self.generator.uniform(-most, most, value.shape)
            if value.dtype.kind == "c":
                offset = offset + 1j * self.generator.uniform(-most, most, value.shape)
            return np.where(np.isfinite(wide) & only, (wide + offset * unit).astype(value.dtype), value)

    def _near_zero(self, value: np.ndarray) -> np.ndarray:
        unit = float(units(value.dtype, np.ones(1))[0])
        offset: Any = self.generator.uniform(-8 * unit, 8 * unit, value.shape)
        if value.dtype.kind == "c":
            offset = offset + 1j * self.generator.uniform(-8 * unit, 8 * unit, value.shape)
        return np.asarray((value.astype(offset.dtype) + offset).astype(value.dtype))

    def _flushed(self, value: np.ndarray) -> np.ndarray:
        """Instructions that multiply and add bf16 (AVX512-BF16) take denormal numbers as zeros, and give none."""
        if value.dtype.name != "bfloat16":
            return value
        tiny = (np.abs(value.astype(np.float32)) < 2.0**-126) & (self.generator.integers(0, 2, value.shape) > 0)
        return np.where(tiny, value.dtype.type(0), value).astype(value.dtype)

    def _other_nans(self, value: np.ndarray) -> np.ndarray:
        if value.dtype.kind == "c":
            return value
        with np.errstate(all="ignore"):
            flips = np.isnan(value.astype(np.float64)) & (self.generator.random(value.shape) < self.flipped)
            return np.where(flips, (-value).astype(value.dtype), value).astype(value.dtype)


def _largest(value: np.ndarray, dimensions: int) -> np.ndarray:
    """The largest size along the last dimensions, for each number."""
    size = np.abs(value)
    if not size.size:
        return size
    return np.broadcast_to(size.max(axis=tuple(range(-dimensions, 0)), keepdims=True), size.shape)


def _exponent_size(base: np.ndarray, exponent: np.ndarray) -> Any:
    """1 + |exponent log base|; the largest of all where operands are broadcast."""
    with np.errstate(all="ignore"):
        logarithm, exponent = np.log(base.astype(np.complex128)), exponent.astype(np.complex128)
        if base.shape == exponent.shape:
            return 1 + np.abs(exponent * logarithm)
        sizes = np.abs(exponent).max(initial=0) * np.abs(logarithm)
        return 1 + sizes.max(initial=0, where=np.isfinite(sizes))


def _is_sum_or_product(step: Step) -> bool:
    """Whether a reduction of one tensor has a body of one addition or multiplication."""
    names = [op.operation.name for op in step.op.operation.regions[0].blocks[0].operations]
    return len(step.operands) == 2 and len(names) == 2 and names[0] in SUM_OR_PRODUCT and not step.quantized


def _finite(value: np.ndarray) -> np.ndarray:
    return np.asarray(np.isfinite(value.astype(np.complex128 if value.dtype.kind == "c" else np.float64)))


def _magnitude(value: np.ndarray) -> np.ndarray:
    """Sizes, 0 for what is not finite; of complex numbers the sum of both parts' sizes."""
    wide = value.astype(np.complex128 if value.dtype.kind == "c" else np.float64)
    with np.errstate(all="ignore"):
        return np.where(_finite(value), np.abs(wide.real) + np.abs(wide.imag), 0).astype(value.dtype)


def _is_inexact(value: Any) -> bool:
    return isinstance(value, (np.ndarray, np.generic)) and not is_exact(value.dtype)


def _small_whole(value: np.ndarray) -> bool:
    """Multiples of 1/16 small enough that sums of many products of them are exact."""
    with np.errstate(all="ignore"):
        limit = {np.dtype(np.float64): 2.0**16, np.dtype(np.float32): 2.0**5}.get(value.dtype, 0.0)
        wide = value.astype(np.complex128 if value.dtype.kind == "c" else np.float64)
        return bool(np.all(np.isfinite(wide) & (np.abs(wide) <= limit) & (wide * 16 == np.rint(wide * 16))))
