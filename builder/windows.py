"""Windows (convolution, reduce_window, select_and_scatter) with the paddings SAME and VALID, reductions, random numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hlo.builder.arrays import ArrayMethods
from hlo.builder.type_syntax import type_of
from hlo.builder.value import Value
from hlo.dialect.attributes import ConvDimensionNumbers
from hlo.dialect.types import element_type, shape, tensor
from hlo.errors import ArgumentError

Padding = Any
"""SAME, VALID, or (low, high) a dimension."""


def paddings(sizes: Sequence[int | None], window: Sequence[int], strides: Sequence[int], padding: Padding) -> list[Any]:
    """(low, high) of each dimension. SAME: ceil(size / stride) windows, the odd element of padding at the high end."""
    if not isinstance(padding, str):
        return [tuple(pair) for pair in padding]
    if padding.upper() == "VALID":
        return [(0, 0)] * len(window)
    if padding.upper() != "SAME":
        raise ArgumentError(f"padding must be SAME, VALID or a list of (low, high), found {padding!r}")
    return [_same(n, w, s) for n, w, s in zip(sizes, window, strides)]


def _same(size: int | None, window: int, stride: int) -> tuple[int, int]:
    if size is None:
        raise ArgumentError("SAME padding needs static sizes")
    total = max((-(-size // stride) - 1) * stride + window - size, 0)
    return total // 2, total - total // 2


def default_dimension_numbers(spatial: int) -> ConvDimensionNumbers:
    """Batch, feature, spatial...; the kernel's output feature, input feature, spatial..."""
    positions = tuple(range(2, 2 + spatial))
    return ConvDimensionNumbers(0, 1, positions, 1, 0, positions, 0, 1, positions)


class WindowMethods(ArrayMethods):
    def conv(
        self,
        lhs: Any,
        rhs: Any,
        window_strides: Sequence[int],
        padding: Padding,
        dimension_numbers: ConvDimensionNumbers | None = None,
        feature_group_count: int = 1,
        batch_group_count: int = 1,
        **attributes: Any,
    ) -> Value:
        """XLA's Conv, ConvWithGeneralPadding (padding as pairs), ConvWithGeneralDimensions and ConvGeneral: zero padding, a
        stride a spatial dimension. Without dimension numbers, features are dimension 1 of lhs, and rhs is (output
        feature, input feature, spatial...)."""
        left, right = self.value(lhs), self.value(rhs)
        numbers = dimension_numbers or default_dimension_numbers(left.rank - 2)
        dilation = attributes.get("rhs_dilation") or [1] * (left.rank - 2)
        window = [((right.shape[d] or 1) - 1) * n + 1 for d, n in zip(numbers.kernel_spatial_dimensions, dilation)]
        sizes = [left.shape[d] for d in numbers.input_spatial_dimensions]
        return self.op(
            "convolution",
            left,
            right,
            window_strides=window_strides,
            padding=paddings(sizes, window, window_strides, padding),
            dimension_numbers=numbers,
            feature_group_count=feature_group_count,
            batch_group_count=batch_group_count,
            **attributes,
        )

    conv_with_general_padding = conv
    conv_with_general_dimensions = conv
    conv_general = conv

    def reduce(self, inputs: Any, init_values: Any, body: Callable, dimensions: Sequence[int] | None = None) -> Any:
        """Combines the elements along dimensions (all by default) by a function of two scalars (2 N for N inputs)."""
        first = self.value(inputs[0] if isinstance(inputs, (list, tuple)) else inputs)
        along = range(first.rank) if dimensions is None else dimensions
        return self.op("reduce", inputs, init_values, body, list(along))

    def reduce_all(self, inputs: Any, init_values: Any, body: Callable) -> Any:
        """Reduces over all dimensions: a scalar."""
        return self.reduce(inputs, init_values, body)

    def reduce_window(
        self,
        inputs: Any,
        init_values: Any,
        body: Callable,
        window_dimensions: Any,
        window_strides: Any = None,
        *,
        padding: Padding = None,
        **named: Any,
    ) -> Any:
        """As the op; `padding` may be SAME or VALID. By name: the XLA document (`ReduceWindow`) and the specification have
        other arguments before it."""
        first = self.value(inputs[0] if isinstance(inputs, (list, tuple)) else inputs)
        strides = window_strides or [1] * len(window_dimensions)
        if padding is not None:
            named["padding"] = paddings(first.shape, window_dimensions, strides, padding)
        return self.op("reduce_window", inputs, init_values, body, window_dimensions, strides, **named)

    def select_and_scatter(
        self,
        operand: Any,
        source: Any,
        init_value: Any,
        select: Callable,
        scatter: Callable,
        window_dimensions: Sequence[int],
        window_strides: Sequence[int] | None = None,
        padding: Padding = "VALID",
    ) -> Value:
        """Each element of source goes where `select` finds its window's element; `scatter` combines those that meet."""
        value = self.value(operand)
        strides = window_strides or [1] * value.rank
        pairs = paddings(value.shape, window_dimensions, strides, padding)
        return self.op(
            "select_and_scatter", value, source, init_value, select, scatter, window_dimensions, strides, pairs
        )

    def rng_uniform(self, a: Any, b: Any, result_type: Any) -> Value:
        """XLA's RngUniform: numbers in [a, b), scalars of the result's element type."""
        return self._rng(a, b, result_type, "UNIFORM")

    def rng_normal(self, mu: Any, sigma: Any, result_type: Any) -> Value:
        """XLA's RngNormal: mean mu, standard deviation sigma."""
        return self._rng(mu, sigma, result_type, "NORMAL")

    def _rng(self, a: Any, b: Any, result_type: Any, distribution: str) -> Value:
        with self._here():
            wanted = type_of(result_type)
            sizes = self.constant(np.array(shape(wanted), np.int64))
            element = str(element_type(wanted))
            low, high = self.value(a, element), self.value(b, element)
            return self.op("rng", low, high, sizes, distribution)

    def rng_bernoulli(self, mean: Any, result_type: Any) -> Value:
        """XLA's RngBernoulli: 1 with probability mean (an f32 scalar), else 0, as ui32 or the given type."""
        with self._here():
            wanted = type_of(result_type)
            uniform = self.rng_uniform(0.0, 1.0, tensor(shape(wanted), type_of_element("f32")))
            return self.convert(self.compare(uniform, self.value(mean, "f32"), "LT"), element_type(wanted))


def type_of_element(name: str) -> Any:
    return element_type(type_of(name))
