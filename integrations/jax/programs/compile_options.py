"""What matters of JAX's compile options, a protocol buffer (CompileOptionsProto).

Read here: executable_build_options (3) with num_replicas (4), num_partitions (5) and device_assignment (9); env_option_overrides (7), XLA's
own options by name. Written: DeviceAssignmentProto, with replica_count (1), computation_count (2) and for each computation (3) the
devices of its replicas (1)."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hlo.dialect.process_grid import Grid

_FIXED_SIZES = {1: 8, 5: 4}
_VARINT, _BYTES = 0, 2


@dataclass(frozen=True)
class Assignment:
    """The processes of a program, and the number of the device of each (none: nothing is said of them)."""

    grid: Grid
    devices: tuple[int, ...]

    def encoded(self) -> bytes:
        """As a DeviceAssignmentProto."""
        replicas, partitions = self.grid.num_replicas, self.grid.num_partitions
        columns = (b"".join(map(encoded, self.devices[p::partitions])) for p in range(partitions))
        lists = (b"\x0a" + encoded(len(one)) + one for one in columns)
        computations = b"".join(b"\x1a" + encoded(len(one)) + one for one in lists)
        return b"\x08" + encoded(replicas) + b"\x10" + encoded(partitions) + computations


def read_assignment(options: bytes) -> Assignment:
    """Which devices a program is compiled for; none without an assignment."""
    build = dict(_read(_bytes(dict(_read(options)).get(3))))
    grid = Grid(_number(build.get(4)), _number(build.get(5)))
    columns = [_devices(_bytes(value)) for field, value in _read(_bytes(build.get(9))) if field == 3]
    devices = tuple(column[r] for r in range(grid.num_replicas) for column in columns)
    return Assignment(grid, devices)


def _devices(computation: bytes) -> list[int]:
    """The devices of a computation's replicas, packed or one by one."""
    found: list[int] = []
    for field, value in _read(computation):
        if field == 1 and isinstance(value, int):
            found.append(value)
        elif field == 1:
            found += _varints(_bytes(value))
    return found


def _bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else b""


def _number(value: object) -> int:
    return value if isinstance(value, int) else 1


def _varints(data: bytes) -> Iterator[int]:
    at = 0
    while at < len(data):
        value, at = _varint(data, at)
        yield value


def encoded(value: int) -> bytes:
    """A number as protocol buffers have it: 7 bits a byte, the lowest first."""
    low, rest = value & 127, value >> 7
    return bytes((low | 128,)) + encoded(rest) if rest else bytes((low,))


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
