"""Integers of 2 and 4 bits: kept in bytes, sign- or zero-extended, computed as bytes and wrapped after each op."""

from __future__ import annotations

import numpy as np
from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.stablehlo.arithmetic import Tensor, build
from hlo.lowering.stablehlo.storage.kind import Storage


@dataclass(frozen=True)
class SmallInteger(Storage):
    width: int
    signed: bool

    @property
    def element(self) -> ir.Type:  # type: ignore[override]
        return _integer(self.width, self.signed)

    @property
    def container(self) -> ir.Type:
        return _integer(8, self.signed)

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


def _integer(width: int, signed: bool) -> ir.Type:
    return (ir.IntegerType.get_signless if signed else ir.IntegerType.get_unsigned)(width)


def small_integer(element: ir.Type) -> SmallInteger | None:
    if isinstance(element, ir.IntegerType) and element.width in (2, 4):
        return SmallInteger(element.width, not element.is_unsigned)
    return None
