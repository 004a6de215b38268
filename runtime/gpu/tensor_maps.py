"""Tensor maps as kernels for sm_90 take them: 128 bytes that the driver makes."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import numpy as np

from hlo.runtime.gpu.plan import TensorMap

if TYPE_CHECKING:
    from hlo.runtime.gpu.cuda_driver import CudaDriver

BYTES, ALIGNMENT = 128, 64
"""Of a map. Objects of cuda.bindings are not aligned."""

KINDS = {"bf16": "BFLOAT16", "f16": "FLOAT16", "i8": "UINT8", "tf32": "TFLOAT32"}


def encode(driver: CudaDriver, one: TensorMap, address: int) -> np.ndarray:
    """The map of an array that begins at an address, aligned. Raises HloError where the driver refuses it."""
    api, rank = driver.api, len(one.sizes)

    def name(kind: str, value: str) -> object:
        return getattr(getattr(api, f"CUtensorMap{kind}"), f"CU_TENSOR_MAP_{value}")

    made = driver.call(
        "cuTensorMapEncodeTiled",
        name("DataType", f"DATA_TYPE_{KINDS[one.kind]}"),
        rank,
        address,
        [api.cuuint64_t(size) for size in one.sizes],
        [api.cuuint64_t(stride) for stride in one.strides],
        [api.cuuint32_t(size) for size in one.box],
        [api.cuuint32_t(1)] * rank,
        name("Interleave", "INTERLEAVE_NONE"),
        name("Swizzle", "SWIZZLE_128B"),
        name("L2promotion", "L2_PROMOTION_L2_128B"),
        name("FloatOOBfill", "FLOAT_OOB_FILL_NONE"),
        what=f"a tensor map of {one}",
    )
    return aligned(ctypes.string_at(made.getPtr(), BYTES))


def aligned(data: bytes) -> np.ndarray:
    """A copy of bytes at an address that is a multiple of ALIGNMENT."""
    room = np.empty(len(data) + ALIGNMENT, np.uint8)
    first = -room.ctypes.data % ALIGNMENT
    found = room[first : first + len(data)]
    found[:] = np.frombuffer(data, np.uint8)
    return found
