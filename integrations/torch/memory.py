"""Memory of tensors: tensors as numpy arrays and back, on the same memory (numpy's own exchange knows no bf16 and no f8: their bits are passed
on), and new ones for results."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from hlo.builder.type_syntax import DTYPES as NUMPY_TYPES
from hlo.runtime.calls.allocator import POOL
from hlo.torch.element_types import ELEMENTS

_BITS = {1: torch.uint8, 2: torch.int16}

LEAST_POOLED = 1 << 18
"""Bytes from which a result lies in the pool's memory. PyTorch's allocator gives blocks of that size back to the system, and takes fresh pages for the
next ones: a training step of a transformer block spent a tenth of its time on them. The pool costs two microseconds for a tensor."""


def new_tensor(sizes: Sequence[int], strides: Sequence[int], dtype: torch.dtype, size: int) -> torch.Tensor:
    """A dense tensor of `size` bytes, which hold anything."""
    if size < LEAST_POOLED:
        return torch.empty_strided(sizes, strides, dtype=dtype)
    memory, offset = POOL.memory(size)
    storage = torch.frombuffer(memory, dtype=torch.uint8, count=size, offset=offset).untyped_storage()
    return torch.empty(0, dtype=dtype).set_(storage, 0, sizes, strides)


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
