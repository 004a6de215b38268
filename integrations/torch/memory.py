"""Tensors as numpy arrays and back, on the same memory. numpy's own exchange knows no bf16 and no f8: their bits are passed on."""

from __future__ import annotations

import numpy as np
import torch

from hlo.builder.type_syntax import DTYPES as NUMPY_TYPES
from hlo.torch.element_types import ELEMENTS

_BITS = {1: torch.uint8, 2: torch.int16}


def as_array(tensor: torch.Tensor) -> np.ndarray:
    """A tensor of the host's memory as a numpy array, by DLPack."""
    wanted = NUMPY_TYPES[ELEMENTS[tensor.dtype]]
    if wanted.isbuiltin == 1:
        return tensor.numpy()
    return tensor.view(_BITS[tensor.element_size()]).numpy().view(wanted)


def as_tensor(array: np.ndarray, dtype: torch.dtype) -> torch.Tensor:
    """A numpy array as a tensor."""
    if array.dtype.isbuiltin == 1:
        return torch.from_numpy(array)
    bits = {1: np.uint8, 2: np.int16}[array.dtype.itemsize]
    return torch.from_numpy(array.view(bits)).view(dtype)
