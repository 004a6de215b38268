"""The few numbers that matter of JAX's compile options, a protocol buffer (CompileOptionsProto).

Read here: executable_build_options (3) with num_replicas (4) and num_partitions (5). Written: DeviceAssignmentProto for one device."""

from __future__ import annotations

from collections.abc import Iterator

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
