"""DLPack, both ways: arrays of the platform lie in the host's memory, which JAX knows of its own CPU backend only.

Out: a numpy view of the memory is passed on. In: an array on the host becomes one of the platform where this is the default; JAX would
leave it on its own CPU backend, and compute there. Element types that numpy cannot pass on go through JAX's CPU backend, as copies."""

from __future__ import annotations

from typing import Any

import numpy as np

from hlo.jax.platform import PLATFORM

ON_HOST = (1, 0)
"""Device type and number of the host's memory (kDLCPU)."""

KINDS_OF_NUMPY = "biufc"


def redirect_dlpack() -> None:
    import jax.dlpack
    from jax._src import array
    from jax._src import dlpack as internal

    to_other, from_other, device_of_other = (
        internal.to_dlpack, internal.from_dlpack, array.ArrayImpl.__dlpack_device__,
    )  # fmt: skip

    def to_dlpack(x: Any, *rest: Any, **options: Any) -> Any:
        is_ours = _is_here(x) and (PLATFORM != "cpu" or x.dtype.kind in KINDS_OF_NUMPY)
        return (_exported if is_ours else to_other)(x, *rest, **options)

    def from_dlpack(x: Any, device: Any = None, copy: bool | None = None) -> Any:
        if device is not None or not _belongs_here(x):
            return from_other(x, device, copy)
        try:
            view = np.from_dlpack(x)
        except (BufferError, RuntimeError, ValueError):  # an element type that numpy does not have
            return from_other(x, jax.local_devices(backend=PLATFORM)[0], copy)
        return _imported(view, copy)

    def dlpack_device(x: Any) -> Any:
        return (internal.DLDeviceType.kDLCPU, 0) if _is_here(x) else device_of_other(x)

    array.ArrayImpl.__dlpack_device__ = dlpack_device  # type: ignore[method-assign]
    internal.to_dlpack = to_dlpack
    for module in (internal, jax.dlpack):
        module.from_dlpack = from_dlpack  # type: ignore[attr-defined]


def _is_here(x: Any) -> bool:
    return [device.platform for device in x.devices()] == [PLATFORM]


class _Writable:
    """The memory of a view. DLPack has known read-only memory since its version 1 only; JAX asks its users not to write."""

    def __init__(self, view: np.ndarray):
        self.__array_interface__ = {**view.__array_interface__, "data": (view.ctypes.data, False)}
        self.view = view


def _exported(
    x: Any, stream: Any = None, src_device: Any = None, dl_device: Any = None, max_version: Any = None, copy: Any = None
) -> Any:
    """The capsule for an array of the platform. Raises BufferError for another device, or a copy that must not be made."""
    import jax

    if dl_device is not None and tuple(dl_device) != ON_HOST:
        raise BufferError(f"arrays of {PLATFORM} are in the host's memory {ON_HOST}; asked for the device {dl_device}")
    view = np.asarray(x)
    if view.dtype.kind in KINDS_OF_NUMPY:
        return np.asarray(_Writable(view)).__dlpack__(max_version=max_version, copy=copy)
    if copy is False:
        raise BufferError(f"an array of {x.dtype} would be copied")
    return jax.device_put(x, jax.local_devices(backend="cpu")[0]).__dlpack__(max_version=max_version)


def _belongs_here(x: Any) -> bool:
    """Whether this is an array on the host, and the platform the default."""
    import jax

    device = jax.config.jax_default_device or jax.local_devices()[0]
    on_host = hasattr(x, "__dlpack_device__") and tuple(map(int, x.__dlpack_device__())) == ON_HOST
    return on_host and getattr(device, "platform", device) == PLATFORM


def _imported(view: np.ndarray, copy: bool | None) -> Any:
    """An array on the platform. Raises ValueError for a copy that must not be made."""
    import jax

    found = jax.device_put(view.copy() if copy else view)
    if copy is False and found.unsafe_buffer_pointer() != view.ctypes.data:
        raise ValueError(
            "hlo shares memory that begins at a multiple of 64 and has 16 KiB or more; this would be copied"
        )
    return found
