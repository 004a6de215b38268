"""What is done with masks that PyTorch's generator has drawn."""

from __future__ import annotations

from typing import Any

import torch

from hlo.builder.value import Value
from hlo.torch.element_types import dtype_of
from hlo.torch.registry import RULES


def scaled_by_mask(b: Any, x: Value, mask: Value, probability: float) -> tuple[Value, Value]:
    """The results of native_dropout: x where the mask holds, scaled to the same mean, and the mask."""
    scale = 0.0 if probability == 1 else 1.0 / (1.0 - probability)
    dtype = dtype_of(x)
    kept = b.multiply(x, b.cast(mask, dtype))
    return b.cast(b.multiply(b.wide(kept), b.full(x.shape, scale, dtype_of(b.wide(kept)))), dtype), b.cast(
        mask, torch.bool
    )


RULES["scaled_by_mask"] = scaled_by_mask
