"""NVIDIA cards, through the driver API as cuda.bindings gives it. No CUDA toolkit is needed: the driver compiles the PTX."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from hlo.errors import HloError

OLDEST = (8, 0)
"""The oldest compute capability that the code is written for (A100)."""


def _bindings() -> Any:
    try:
        from cuda.bindings import driver
    except ImportError:
        raise HloError(
            "running on a GPU needs NVIDIA's bindings: pip install 'hlo[gpu]' (device='model' needs no GPU)"
        ) from None
    return driver


class CudaDriver:
    """Implements `hlo.runtime.gpu.driver.Driver` on one card: its primary context and one stream of its own."""

    name = "cuda"

    def __init__(self, number: int = 0):
        self.api = _bindings()
        self._start(number)
        self.stream = self.call("cuStreamCreate", self.api.CUstream_flags.CU_STREAM_NON_BLOCKING)

    def _start(self, number: int) -> None:
        try:
            self.call("cuInit", 0)
        except RuntimeError as error:  # cuda.bindings raises this when libcuda.so.1 is not there
            raise HloError(f"no NVIDIA driver was found ({error}); device='model' runs programs without one") from None
        count = self.call("cuDeviceGetCount")
        if number >= count:
            raise HloError(f"no card {number}: the driver knows {count}; device='model' runs programs without one")
        self.device = self.call("cuDeviceGet", number)
        self._check_capability()
        self.context = self.call("cuDevicePrimaryCtxRetain", self.device)
        self.call("cuCtxSetCurrent", self.context)

    def _check_capability(self) -> None:
        attribute = self.api.CUdevice_attribute
        names = ("CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR", "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR")
        self.capability = tuple(
            self.call("cuDeviceGetAttribute", getattr(attribute, name), self.device) for name in names
        )
        if self.capability < OLDEST:
            found, oldest = (".".join(map(str, c)) for c in (self.capability, OLDEST))
            raise HloError(f"the card has compute capability {found}; at least {oldest} (A100) is needed")

    def call(self, name: str, *arguments: Any, what: str = "") -> Any:
        """Calls a function of the driver; its error code becomes HloError with the driver's own text."""
        status, *results = getattr(self.api, name)(*arguments)
        if status != self.api.CUresult.CUDA_SUCCESS:
            _, text = self.api.cuGetErrorString(status)
            reason = text.decode() if isinstance(text, bytes) else str(status)
            raise HloError(f"{what or name} failed: {reason} ({status.name})")
        return results[0] if results else None

    def load(self, code: str) -> Any:
        """`code`: PTX. The driver compiles it here."""
        self.call("cuCtxSetCurrent", self.context)
        module = self.call("cuModuleLoadData", code.encode() + b"\0", what="compiling the PTX")
        return _Module(self, module)

    def allocate(self, size: int) -> int:
        self.call("cuCtxSetCurrent", self.context)
        what = f"allocating {size} bytes of device memory"
        return int(self.call("cuMemAllocAsync", max(size, 1), self.stream, what=what))

    def free(self, address: int) -> None:
        self.call("cuMemFreeAsync", address, self.stream)

    def upload(self, address: int, array: np.ndarray) -> None:
        if array.nbytes:
            self.call("cuMemcpyHtoDAsync", address, array.ctypes.data, array.nbytes, self.stream)

    def download(self, array: np.ndarray, address: int) -> None:
        if array.nbytes:
            self.call("cuMemcpyDtoHAsync", array.ctypes.data, address, array.nbytes, self.stream)
        self.synchronize()

    def copy(self, target: int, source: int, size: int) -> None:
        self.call("cuMemcpyDtoDAsync", target, source, size, self.stream)

    def launch(
        self, loaded: Any, kernel: str, blocks: int, threads: int, shared_bytes: int, arguments: Sequence[int]
    ) -> None:
        values = np.array(arguments, np.uint64)
        pointers = np.array([values[n : n + 1].ctypes.data for n in range(len(values))], np.uint64)
        what = f"launching kernel {kernel}"
        self.call(
            "cuLaunchKernel", loaded.function(kernel), blocks, 1, 1, threads, 1, 1, shared_bytes, self.stream,
            pointers.ctypes.data, 0, what=what,
        )  # fmt: skip

    def synchronize(self) -> None:
        self.call("cuStreamSynchronize", self.stream, what="waiting for the device")


class _Module:
    """Loaded code; unloaded with the executable."""

    def __init__(self, driver: CudaDriver, module: Any):
        self.driver, self.module = driver, module
        self.function = functools.cache(self._function)

    def _function(self, kernel: str) -> Any:
        return self.driver.call("cuModuleGetFunction", self.module, kernel.encode(), what=f"kernel {kernel}")
