"""Uniformly quantized elements: kept as their stored integers, computed as the floats they express.

number = (stored - zero point) * scale, both for all elements or for each index of one dimension. Formulas and the order of their steps are
the specification's: https://openxla.org/stablehlo/spec#quantization-computations"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import quant

from hlo.dialect.elements import DTYPES
from hlo.dialect.types import tensor
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.stablehlo.arithmetic import Tensor, broadcast, build, convert, maximum, minimum
from hlo.lowering.stablehlo.constants import constant_of
from hlo.lowering.stablehlo.storage.kind import Storage
from hlo.lowering.stablehlo.storage.small_integers import SmallInteger


@dataclass(frozen=True)
class Quantized(Storage):
    element: Any

    @property
    def container(self) -> ir.Type:
        return stored_type(self.element)

    @property
    def computed(self) -> ir.Type:
        return self.element.expressed_type

    def load(self, x: Tensor) -> Tensor:
        """(stored - zero point) * scale; the difference is one of integers that hold it."""
        if any(self._zero_points):
            bits = 64 if self.element.storage_type_integral_width > 16 else 32
            x = convert(x, ir.IntegerType.get_signless(bits))
            x = x - self._spread(self._zero_points, x)
        real = convert(x, self.computed)
        return real * self._spread(self._scales, real)

    def store(self, x: Tensor) -> Tensor:
        """number / scale + zero point, clamped to the range of the storage, then rounded to nearest even."""
        steps = x / self._spread(self._scales, x)
        if any(self._zero_points):
            steps = steps + self._spread(self._zero_points, x)
        least, greatest = self.element.storage_type_min, self.element.storage_type_max
        rounded = build("round_nearest_even", minimum(maximum(steps, float(least)), float(greatest)))
        whole = convert(rounded, self.container)
        return minimum(maximum(whole, least), greatest) if self._is_narrow else whole

    def constant(self, array: np.ndarray) -> np.ndarray:
        return array.astype(DTYPES[str(self.container)])

    def enter(self, x: Tensor) -> Tensor:
        return self.small.enter(x) if self.small else x

    def leave(self, x: Tensor) -> Tensor:
        return self.small.leave(x) if self.small else x

    @property
    def small(self) -> SmallInteger | None:
        """Storage of less than a byte."""
        width = self.element.storage_type_integral_width
        return SmallInteger(width, self.element.is_signed) if width < 8 else None

    @property
    def _is_narrow(self) -> bool:
        """Limits within those of the storage: floats may round them, and what converting makes of NaN may lie outside of them."""
        numbers = self.element.storage_type_max - self.element.storage_type_min + 1
        return numbers < 1 << self.element.storage_type_integral_width

    @property
    def _is_per_axis(self) -> bool:
        return isinstance(self.element, quant.UniformQuantizedPerAxisType)

    @property
    def _scales(self) -> Sequence[float]:
        return list(self.element.scales) if self._is_per_axis else [self.element.scale]

    @property
    def _zero_points(self) -> Sequence[float]:
        return list(self.element.zero_points) if self._is_per_axis else [self.element.zero_point]

    def _spread(self, numbers: Sequence[float], like: Tensor) -> Tensor:
        """One number for all of a tensor, or one for each index of the quantized dimension."""
        if not self._is_per_axis:
            return _constant(np.array(float(numbers[0])), like, [])
        return _constant(np.array(numbers, np.float64), like, [self.element.quantized_dimension])


def _constant(array: np.ndarray, like: Tensor, dimensions: Sequence[int]) -> Tensor:
    wide = tensor(array.shape, ir.F64Type.get())
    return broadcast(convert(Tensor(constant_of(array, wide)), like.element), like.shape, dimensions)


def stored_type(element: Any) -> ir.Type:
    """The integers that a quantized type is stored as, with their sign."""
    width = element.storage_type_integral_width
    make = ir.IntegerType.get_signless if element.is_signed else ir.IntegerType.get_unsigned
    return make(max(width, 8))


def quantized(element: ir.Type) -> Quantized | None:
    if isinstance(element, (quant.UniformQuantizedType, quant.UniformQuantizedPerAxisType)):
        return Quantized(element)
    return None
