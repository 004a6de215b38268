"""Tensor maps as kernels for sm_90 take them: 128 bytes that the driver makes."""

from __future__ import annotations

import ctypes
import functools
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from hlo.runtime.gpu.plan import TensorMap

if TYPE_CHECKING:
    from hlo.runtime.gpu.cuda_driver import CudaDriver

BYTES = ALIGNMENT = 128
"""Of a map: the driver wants 64 at least, its header declares 128 from CUDA 13 on."""

KINDS = {"i8": 0, "f16": 1, "bf16": 1, "tf32": 11}
"""CUtensorMapDataType of cuda.h: integers, which are copied as they are, but for tf32, to which TMA rounds."""

NO_INTERLEAVE, SWIZZLE_128B, L2_PROMOTION_128B, ZEROS_OUTSIDE = 0, 3, 2, 0
"""CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill of cuda.h."""


@functools.cache
def cuda_library() -> Any:
    """NVIDIA's driver, which the bindings have loaded before."""
    return ctypes.CDLL("nvcuda.dll" if os.name == "nt" else "libcuda.so.1")


def encode(driver: CudaDriver, one: TensorMap, address: int) -> np.ndarray:
    """The map of an array that begins at an address. Raises HloError where the driver refuses it.

    The driver wants an aligned buffer for its result, which cuda.bindings do not give it: hence ctypes."""
    rank, found = len(one.sizes), aligned(bytes(BYTES))
    steps = one.steps or (1,) * rank
    wide, narrow = ctypes.c_uint64 * rank, ctypes.c_uint32 * rank
    status = cuda_library().cuTensorMapEncodeTiled(
        ctypes.c_void_p(found.ctypes.data),
        KINDS[one.kind],
        rank,
        ctypes.c_void_p(address),
        wide(*one.sizes),
        wide(*one.strides),
        narrow(*(size * step for size, step in zip(one.box, steps))),
        narrow(*steps),
        NO_INTERLEAVE,
        SWIZZLE_128B,
        L2_PROMOTION_128B,
        ZEROS_OUTSIDE,
    )
    driver.check(driver.api.CUresult(status), f"a tensor map of {one} at address {address:#x}")
    return found


def aligned(data: bytes) -> np.ndarray:
    """A copy of bytes at an address that is a multiple of ALIGNMENT."""
    room = np.empty(len(data) + ALIGNMENT, np.uint8)
    first = -room.ctypes.data % ALIGNMENT
    found = room[first : first + len(data)]
    found[:] = np.frombuffer(data, np.uint8)
    return found
