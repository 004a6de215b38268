"""The drivers of this process. Nothing of MLIR is needed for them."""

from __future__ import annotations

import functools

from hlo.errors import ArgumentError
from hlo.runtime.gpu.driver import Driver


def _cuda() -> Driver:
    from hlo.runtime.gpu.cuda_driver import CudaDriver

    return CudaDriver()


def _model() -> Driver:
    from hlo.runtime.gpu.model.driver import ModelDriver

    return ModelDriver()


DEVICES = {"cuda": _cuda, "model": _model}


@functools.cache
def driver_named(device: str) -> Driver:
    """One driver a device and process. Raises HloError where there is no such device."""
    if device not in DEVICES:
        raise ArgumentError(f"unknown device {device!r}; devices: {', '.join(DEVICES)}")
    return DEVICES[device]()
