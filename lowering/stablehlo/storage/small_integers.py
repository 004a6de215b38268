"""Integers of 2 and 4 bits: kept in bytes, sign- or zero-extended, computed as bytes and wrapped after each op."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from mlir import ir

from hlo.lowering.stablehlo.arithmetic import Tensor, build


@dataclass(frozen=True)
class SmallInteger:
    width: int
    signed: bool

    @property
    def element(self) -> ir.Type:
        return (ir.IntegerType.get_signless if self.signed else ir.IntegerType.get_unsigned)(self.width)

    @property
    def container(self) -> ir.Type:
        make = ir.IntegerType.get_signless if self.signed else ir.IntegerType.get_unsigned
        return make(8)

    @property
    def computed(self) -> ir.Type:
        return self.container

    def load(self, x: Tensor) -> Tensor:
        return x

    def store(self, x: Tensor) -> Tensor:
        """The low bits, extended."""
        if not self.signed:
            return x & self.mask
        unused = 8 - self.width
        return build("shift_right_arithmetic", x << unused, unused)

    def accepts(self, element: ir.Type) -> bool:
        return False

    def enter(self, x: Tensor) -> Tensor:
        """The host leaves the upper bits open."""
        return self.store(x)

    def leave(self, x: Tensor) -> Tensor:
        return x & self.mask if self.signed else x

    def constant(self, array: np.ndarray) -> np.ndarray:
        return array.astype(np.int8 if self.signed else np.uint8)

    @property
    def mask(self) -> int:
        return (1 << self.width) - 1

    @property
    def least(self) -> int:
        return -(1 << (self.width - 1)) if self.signed else 0

    @property
    def greatest(self) -> int:
        return self.least + self.mask


def small_integer(element: ir.Type) -> SmallInteger | None:
    if isinstance(element, ir.IntegerType) and element.width in (2, 4):
        return SmallInteger(element.width, not element.is_unsigned)
    return None
