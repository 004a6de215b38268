"""The few numbers that matter of JAX's compile options, a protocol buffer (CompileOptionsProto).

Read here: executable_build_options (3) with num_replicas (4) and num_partitions (5); env_option_overrides (7), XLA's own options by
name. Written: DeviceAssignmentProto for one device."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

ONE_DEVICE = bytes((0x08, 1, 0x10, 1, 0x1A, 3, 0x0A, 1, 0))
"""DeviceAssignmentProto: 1 replica, 1 computation, whose one device has the number 0."""

_FIXED_SIZES = {1: 8, 5: 4}
_VARINT, _BYTES = 0, 2


def device_count(options: bytes) -> int:
    """The number of devices that a program is compiled for."""
    build = next((value for field, value in _read(options) if field == 3), b"")
    assert isinstance(build, bytes)
    numbers = dict(_read(build))
    return int(numbers.get(4, 1)) * int(numbers.get(5, 1))  # type: ignore[arg-type]


def check_overrides(options: bytes) -> None:
    """Raises ValueError for a compiler option that XLA does not have, or of a wrong type. Those that it has are about its own
    passes and change nothing here."""
    if not any(field == 7 for field, _ in _read(options)):
        return
    from jaxlib import xla_client

    trial = xla_client.CompileOptions()
    given = xla_client.CompileOptions.ParseFromString(options).env_option_overrides
    trial.env_option_overrides = [(name, value) for name, value in given if not _writes_files(name, value)]
    client = _xla()
    devices = xla_client.DeviceList(tuple(client.local_devices()[:1]))
    try:
        client.compile_and_load("module @m { func.func public @main() { return } }", devices, trial)
    except RuntimeError as error:
        raise ValueError(str(error).removeprefix("INVALID_ARGUMENT: ")) from None


def _writes_files(name: str, value: object) -> bool:
    """A folder for dumps is a right option, but the trial is not to leave files there."""
    return name == "xla_dump_to" and isinstance(value, str)


@functools.cache
def _xla() -> Any:
    """jaxlib's own CPU client, which knows all options and their types."""
    from jaxlib import xla_client

    return xla_client.make_cpu_client()


def _read(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Fields of a message, in order: number and value."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        kind = key & 7
        if kind == _VARINT:
            value, at = _varint(data, at)
            yield key >> 3, value
            continue
        if kind == _BYTES:
            size, at = _varint(data, at)
        elif kind in _FIXED_SIZES:
            size = _FIXED_SIZES[kind]
        else:
            raise ValueError(f"compile options cannot be read: field of kind {kind}")
        yield key >> 3, data[at : at + size]
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at
