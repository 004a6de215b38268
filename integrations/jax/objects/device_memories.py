"""Handles that buffers and executables refer to: devices, the memory of each, and the event that has always happened.

Devices of this process compute on its processors; each has its own buffers, as JAX's CPU devices do. Others are those of other ranks of MPI
(hlo.jax.programs.ranks)."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterable
from dataclasses import dataclass, replace

from hlo.jax.code.process_memory import interned_text, interned_words
from hlo.jax.code.record_words import MEMORY_DEVICES
from hlo.jax.objects.records import CODE, permanent, set_word
from hlo.jax.platform import PLATFORM

MEMORY_KINDS = ("device", "pinned_host", "unpinned_host")
"""Of each device, those of JAX's CPU backend; the first is the default. All are the memory of the host: programs read and write each."""

READY = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(CODE["Happened"])(None) or 0
"""An event that has happened: all work is done when a function returns, so that one event serves for everything."""


@dataclass(frozen=True)
class DeviceMemory:
    """A device and one of its memories: a number, that of its process, whether this is that one, and handles; `memories`: all, by kind."""

    number: int
    process: int
    is_own: bool
    device: int
    memory: int
    description: int
    memories: tuple[int, ...]

    def with_memory(self, kind: str) -> DeviceMemory:
        """The same device and its memory of a kind. Raises ValueError for a kind that there is not."""
        if kind not in MEMORY_KINDS:
            raise ValueError(f"hlo's devices have memory of the kinds {', '.join(MEMORY_KINDS)}; found {kind!r}")
        return _BY_HANDLE[self.memories[MEMORY_KINDS.index(kind)]]


ALL_DEVICES: list[DeviceMemory] = []
"""The devices of JAX's client."""

_BY_HANDLE: dict[int, DeviceMemory] = {}


@functools.cache
def device_memory(number: int, process: int = 0, own_number: int = -1) -> DeviceMemory:
    """The device of a number, which lives as long as the process. `process`: JAX's number of the process that it
    belongs to; `own_number`: its number among the devices of this process, or -1."""
    is_own = own_number >= 0
    described = interned_text(f"{PLATFORM}:{number}")
    description = permanent(
        f"description of device {number}", number, *described, *interned_text(f"HloDevice(id={number})"), process
    )
    first = number * len(MEMORY_KINDS)
    memories = tuple(_memory(kind, first + position) for position, kind in enumerate(MEMORY_KINDS))
    words = interned_words(memories), len(memories), memories[0]
    device = permanent(f"device {number}", description, own_number, *words, int(is_own))
    made = DeviceMemory(number, process, is_own, device, memories[0], description, memories)
    for memory in memories:
        set_word(memory, MEMORY_DEVICES, interned_words([device]))
        _BY_HANDLE[memory] = replace(made, memory=memory)
    _BY_HANDLE[device] = made
    return made


def _memory(kind: str, number: int) -> int:
    """The handle of a memory."""
    name = interned_text(f"{PLATFORM} memory {number}: {kind}")
    return permanent(f"memory {number}", *interned_text(kind), number, *name, 0, 1)


def kind_number(memory: int) -> int:
    """Of a memory: the position of its kind."""
    return device_memory_of(memory).memories.index(memory)


def device_memory_of(handle: int) -> DeviceMemory:
    """The memory, or the device with its first memory, that a handle stands for."""
    return _BY_HANDLE[handle]


def own_devices() -> list[DeviceMemory]:
    """The devices of this process."""
    return [device_memory for device_memory in ALL_DEVICES if device_memory.is_own]


def default_devices(count: int) -> list[DeviceMemory]:
    """The first devices: of this process, if it has so many."""
    own = own_devices()
    return own[:count] if count <= len(own) else devices_numbered(range(count))


def devices_numbered(numbers: Iterable[int]) -> list[DeviceMemory]:
    """Raises ValueError for a number that no device has."""
    found = list(numbers)
    for number in found:
        if not 0 <= number < len(ALL_DEVICES):
            raise ValueError(
                f"hlo has {len(ALL_DEVICES)} device{'s' * (len(ALL_DEVICES) > 1)}, numbered from 0 (HLO_DEVICES says how many); found number {number}"
            )
    return [ALL_DEVICES[number] for number in found]
