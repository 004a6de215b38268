"""The drivers of this process. Nothing of MLIR is needed for them."""

from __future__ import annotations

import functools

from hlo.errors import ArgumentError, HloError
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


OWN_ARCHES: dict[tuple[int, ...], str] = {(9, 0): "sm_90a"}
"""By compute capability: architectures whose code is better than that for all cards from A100 on, and runs on that card only."""


def arch_of(device: str) -> str:
    """The architecture to compile for where a program is to run on a device of this machine; "sm_80" where there is no card."""
    return _arch_of_card() if device == "cuda" else "sm_80"


@functools.cache
def _arch_of_card() -> str:
    from hlo.runtime.gpu.cuda_driver import CudaDriver

    try:
        return OWN_ARCHES.get(CudaDriver.capability_of_card(), "sm_80")
    except HloError:  # said when the program is called: it may be saved for another machine
        return "sm_80"
