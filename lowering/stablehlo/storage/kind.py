"""What the pass legalize-element-types knows about an element type."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir

from hlo.lowering.stablehlo.arithmetic import Tensor


class Storage:
    """Elements of one type, kept in `container` elements and computed with as `computed` elements."""

    element: Any
    """The type itself."""

    @property
    def container(self) -> ir.Type:
        raise NotImplementedError

    @property
    def computed(self) -> ir.Type:
        raise NotImplementedError

    def load(self, x: Tensor) -> Tensor:
        """Container elements to computed ones, exactly."""
        raise NotImplementedError

    def store(self, x: Tensor) -> Tensor:
        """Computed elements (or those of a wider type in `accepts`) to container ones: rounded, wrapped or clamped."""
        raise NotImplementedError

    def accepts(self, element: ir.Type) -> bool:
        """Whether `store` takes elements of this type too."""
        return False

    def enter(self, x: Tensor) -> Tensor:
        """Bytes as the host writes them to container elements, which most hold as they are."""
        return x

    def leave(self, x: Tensor) -> Tensor:
        """The reverse of `enter`."""
        return x

    def constant(self, array: np.ndarray) -> np.ndarray:
        """The elements of a constant as container elements."""
        raise NotImplementedError
