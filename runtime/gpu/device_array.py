"""Arrays in device memory: results of `GpuExecutable.submit`, and what other libraries pass as arguments."""

from __future__ import annotations

import weakref
from contextlib import suppress
from typing import Any

import numpy as np

from hlo.errors import ArgumentError, HloError
from hlo.lazy_dataclasses import dataclass
from hlo.runtime.calls.signature import ArrayType
from hlo.runtime.gpu.dlpack import Description, make_capsule, read_capsule
from hlo.runtime.gpu.driver import LEGACY_STREAM, Driver, in_order
from hlo.runtime.gpu.layout import row_major


class Block:
    """Device memory of one run's results, which is freed when nobody refers to it any more."""

    def __init__(self, driver: Driver, size: int):
        self.driver, self.stream = driver, driver.stream
        self.address = driver.allocate(size)
        self.is_shared: list[bool] = []
        self.release = weakref.finalize(self, _release, driver, self.address, self.stream, self.is_shared)
        """Frees the memory, once."""


class DeviceArray:
    """A row-major array in device memory. `numpy()` waits for it and copies it to the host. `torch.from_dlpack(a)`,
    `cupy.asarray(a)` and the like take it without a copy. The results of one run are in one allocation, which is freed when nobody
    refers to any of them any more."""

    def __init__(self, block: Block, offset: int, kind: ArrayType):
        self.driver, self.stream, self.kind = block.driver, block.stream, kind
        self.address = block.address + offset
        self._block = block

    @property
    def shape(self) -> tuple[int, ...]:
        return self.kind.shape

    @property
    def dtype(self) -> np.dtype:
        return self.kind.dtype

    def numpy(self) -> np.ndarray:
        """Waits until the array is computed. Raises HloError if that failed."""
        array = np.empty(self.shape, self.dtype)
        with self.driver.using(self.stream):
            self.driver.download(array, self.address)
        return array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("an array in device memory is copied to the host")
        return self.numpy() if dtype is None else self.numpy().astype(dtype)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.driver.dlpack_device

    def __dlpack__(self, *, stream: int | None = None, **_: Any) -> Any:
        """A capsule; what is queued on `stream` from now on waits for the array (-1: nothing waits)."""
        if stream != -1:
            in_order(self.driver, self.stream, LEGACY_STREAM if stream is None else stream)
        self._block.is_shared.append(True)
        return make_capsule(Description(self.address, self.shape, None, self.dtype, self.driver.dlpack_device), self)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self.dtype.kind not in "biufc":  # AttributeError: "this object has no such interface"
            raise AttributeError(f"__cuda_array_interface__ has no element type {self.dtype}; DLPack may")
        self._block.is_shared.append(True)
        address = self.address if self.kind.nbytes else 0
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (address, False),
            "strides": None,
            "stream": self.stream or None,
            "version": 3,
        }

    def __repr__(self) -> str:
        return f"<DeviceArray {self.kind} on {self.driver.name}>"


def to_device(driver: Driver, array: np.ndarray) -> DeviceArray:
    """A copy in device memory."""
    found = DeviceArray(Block(driver, array.nbytes), 0, ArrayType(array.shape, array.dtype))
    driver.upload(found.address, array)
    return found


def _release(driver: Driver, address: int, stream: int, is_shared: list[bool]) -> None:
    """Other libraries may have queued work on an array that was shared, on streams of their own."""
    with suppress(HloError), driver.using(stream):
        if is_shared:
            driver.synchronize_all()
        driver.free(address)


@dataclass
class Borrowed:
    """An argument that is on the device. `owner` keeps it there."""

    address: int
    owner: Any


def on_device(value: Any, number: int, kind: ArrayType, driver: Driver) -> Borrowed | None:
    """An argument as it lies in the memory of the driver's device; what is queued from now on waits until it is computed.
    None for arrays elsewhere. Raises ArgumentError for arrays of another type, on another device, or with gaps.

    DLPack comes first: PyTorch's __cuda_array_interface__ says neither on which stream a tensor is computed, nor that it is bf16."""
    if isinstance(value, DeviceArray) and value.driver is driver:
        in_order(driver, value.stream, driver.stream)
        found = Description(value.address, value.shape, None, value.dtype, driver.dlpack_device)
        return _checked(found, number, kind, driver, value)
    if isinstance(value, np.ndarray):
        return None
    if not hasattr(value, "__dlpack_device__"):
        interface = getattr(value, "__cuda_array_interface__", None)
        return None if interface is None else _checked(_from_interface(interface, driver), number, kind, driver, value)
    if tuple(map(int, value.__dlpack_device__())) != driver.dlpack_device:
        return None
    try:
        capsule = value.__dlpack__(stream=driver.stream or None)
        return _checked(read_capsule(capsule), number, kind, driver, (capsule, value))
    except BufferError as error:
        raise ArgumentError(f"argument {number}: {error}") from None


def _from_interface(interface: dict[str, Any], driver: Driver) -> Description:
    """https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html: before version 3 it does not tell streams."""
    stream = interface.get("stream") if interface["version"] >= 3 else LEGACY_STREAM
    if stream:
        in_order(driver, stream, driver.stream)
    dtype, strides = np.dtype(interface["typestr"]), interface.get("strides")
    steps = None if strides is None else tuple(s // dtype.itemsize for s in strides)
    return Description(int(interface["data"][0]), tuple(interface["shape"]), steps, dtype, driver.dlpack_device)


def _checked(described: Description, number: int, kind: ArrayType, driver: Driver, owner: Any) -> Borrowed:
    if (described.shape, described.dtype) != (kind.shape, kind.dtype):
        found = ArrayType(described.shape, described.dtype)
        raise ArgumentError(f"argument {number}: {kind} expected, found {found}")
    if described.device != driver.dlpack_device:
        raise ArgumentError(f"argument {number} is on device {described.device}, the program on {driver.dlpack_device}")
    dense = row_major(described.shape)
    has_gaps = described.strides is not None and any(
        extent > 1 and stride != wanted for extent, stride, wanted in zip(described.shape, described.strides, dense)
    )
    if has_gaps and kind.nbytes:
        raise ArgumentError(f"argument {number}: a contiguous array expected, found strides {described.strides}")
    if described.address % ALIGNMENT and kind.nbytes:
        raise ArgumentError(f"argument {number}: an address that is a multiple of {ALIGNMENT} expected")
    return Borrowed(described.address, owner)


ALIGNMENT = 16
"""Kernels read and write 16 bytes at a time."""
