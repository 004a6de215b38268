"""What the pass legalize-element-types knows about an element type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from mlir import ir

from hlo.lowering.stablehlo.arithmetic import Tensor


class Storage(Protocol):
    """Elements of one type, kept in `container` elements and computed with as `computed` elements."""

    @property
    def element(self) -> ir.Type:
        """The type itself."""

    @property
    def container(self) -> ir.Type: ...

    @property
    def computed(self) -> ir.Type: ...

    def load(self, x: Tensor) -> Tensor:
        """Container elements to computed ones, exactly."""

    def store(self, x: Tensor) -> Tensor:
        """Computed elements (or those of a wider type in `accepts`) to container ones: rounded, wrapped or clamped."""

    def accepts(self, element: ir.Type) -> bool:
        """Whether `store` takes elements of this type too."""

    def enter(self, x: Tensor) -> Tensor:
        """Bytes as the host writes them to container elements."""

    def leave(self, x: Tensor) -> Tensor:
        """The reverse of `enter`."""

    def constant(self, array: np.ndarray) -> np.ndarray:
        """The elements of a constant as container elements."""


@dataclass(frozen=True)
class SameBytes:
    """For types whose containers hold the bytes that the host sees."""

    def enter(self, x: Tensor) -> Tensor:
        return x

    def leave(self, x: Tensor) -> Tensor:
        return x
