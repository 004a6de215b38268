"""How tensors lie in memory. Programs see contiguous arrays; a tensor whose dimensions lie densely in another order
(channels last, a transposed parameter) is the array of its memory, transposed where the program reads or writes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from hlo.builder.value import Value


@dataclass(frozen=True)
class Layout:
    """`sizes` of the tensor; `order`: its dimensions from the one with the greatest stride to the one with the least."""

    sizes: tuple[int, ...]
    order: tuple[int, ...]

    @property
    def is_row_major(self) -> bool:
        return self.order == tuple(range(len(self.sizes)))

    @property
    def memory_sizes(self) -> tuple[int, ...]:
        return tuple(self.sizes[d] for d in self.order)

    @property
    def strides(self) -> tuple[int, ...]:
        """In elements."""
        strides, step = [0] * len(self.sizes), 1
        for d in reversed(self.order):
            strides[d] = step
            step *= max(self.sizes[d], 1)
        return tuple(strides)

    def read(self, b: Any, memory: Value) -> Value:
        """The tensor from the array in memory."""
        if self.is_row_major:
            return memory
        return b.transpose(memory, [self.order.index(d) for d in range(len(self.order))])

    def write(self, b: Any, value: Value) -> Value:
        """The array in memory from the tensor."""
        return value if self.is_row_major else b.transpose(value, list(self.order))


def row_major(sizes: Sequence[int]) -> Layout:
    return Layout(tuple(sizes), tuple(range(len(sizes))))


def dense_layout(sizes: Sequence[int], strides: Sequence[int]) -> Layout | None:
    """The layout of a tensor without gaps and overlaps; None for any other. Sizes of 1 have no position of their own: they stay where
    they are in the row-major order as far as that is possible."""
    sizes, strides = tuple(sizes), tuple(strides)
    if 0 in sizes:
        return row_major(sizes)
    real = [d for d in range(len(sizes)) if sizes[d] != 1]
    by_stride = sorted(real, key=lambda d: -strides[d])
    expected = 1
    for d in reversed(by_stride):
        if strides[d] != expected:
            return None
        expected *= sizes[d]
    if by_stride == real:
        return row_major(sizes)
    dimensions = iter(by_stride)
    return Layout(sizes, tuple(d if sizes[d] == 1 else next(dimensions) for d in range(len(sizes))))


def memory_order(tensor: torch.Tensor) -> Layout:
    """The layout of a tensor, row-major where it has gaps or overlaps (such tensors are copied)."""
    return dense_layout(tensor.shape, tensor.stride()) or row_major(tensor.shape)
