"""The client, its one device, that device's one memory, and the topology that describes them."""

from __future__ import annotations

import ctypes
import os

import hlo
from hlo.jax import PLATFORM
from hlo.jax.buffers import bytes_in_use
from hlo.jax.header import SLOTS
from hlo.jax.places import DEVICE, MEMORY
from hlo.jax.process_memory import WORD, interned_text, interned_words, keep_forever, named_values, put
from hlo.jax.records import CODE, permanent
from hlo.jax.table import slot

CLIENT = permanent("client")
TOPOLOGY = permanent("topology")
DESCRIPTION = permanent("description of device 0")

_LOW_HALF = 0xFFFFFFFF


def _texts() -> dict[str, str]:
    version = f"hlo {hlo.__version__}"
    return {
        "Client_PlatformName": PLATFORM,
        "Client_PlatformVersion": version,
        "TopologyDescription_PlatformName": PLATFORM,
        "TopologyDescription_PlatformVersion": version,
        "DeviceDescription_Kind": PLATFORM,
        "DeviceDescription_DebugString": f"{PLATFORM}:0",
        "DeviceDescription_ToString": "HloDevice(id=0)",
        "Memory_DebugString": f"{PLATFORM} memory 0",
        "Memory_ToString": f"{PLATFORM} memory 0",
    }


_DEVICES = (interned_words([DEVICE]), 1)
_MEMORIES = (interned_words([MEMORY]), 1)

CONSTANT_ANSWERS: dict[str, tuple[int, ...]] = {
    **{name: interned_text(text) for name, text in _texts().items()},
    "Client_ProcessIndex": (0,),
    "Client_Devices": _DEVICES,
    "Client_AddressableDevices": _DEVICES,
    "Client_AddressableMemories": _MEMORIES,
    "Client_TopologyDescription": (TOPOLOGY,),
    "DeviceDescription_Id": (0,),
    "DeviceDescription_ProcessIndex": (0,),
    "DeviceDescription_Attributes": (0, 0),
    "Device_GetDescription": (DESCRIPTION,),
    "Device_IsAddressable": (1,),
    "Device_LocalHardwareId": (0,),
    "Device_AddressableMemories": _MEMORIES,
    "Device_DefaultMemory": (MEMORY,),
    "Device_GetAttributes": (0, 0, 0, CODE["Nothing"]),
    "Memory_Id": (0,),
    "Memory_Kind_Id": (0,),
    "Memory_AddressableByDevices": _DEVICES,
    "TopologyDescription_GetDeviceDescriptions": (interned_words([DESCRIPTION]), 1),
    "TopologyDescription_Attributes": (0, 0),
    "TopologyDescription_Fingerprint": (1,),
    "TopologyDescription_Destroy": (),
    "Client_Destroy": (),
    "Plugin_Initialize": (),
}
"""Functions whose answer never changes: what they store from field 1 on (field 0 is the object asked)."""

assert CONSTANT_ANSWERS.keys() <= set(SLOTS)


def _answer(name: str, words: tuple[int, ...]) -> None:
    @slot(name)
    def answer(fields: int) -> None:
        put(fields + 1, *words)


for _name, _words in CONSTANT_ANSWERS.items():
    _answer(_name, _words)


@slot()
def Plugin_Attributes(fields: int) -> None:
    """JAX asks which version of StableHLO programs may have: what the jaxlib beside us can read."""
    from jaxlib.mlir.dialects import stablehlo

    current = [int(part) for part in stablehlo.get_current_version().split(".")]
    oldest = [int(part) for part in stablehlo.get_minimum_version().split(".")]
    pairs = [("xla_version", 2), ("stablehlo_current_version", current), ("stablehlo_minimum_version", oldest)]
    array, count = named_values(pairs)
    put(fields, ctypes.addressof(keep_forever(array)), count)


@slot()
def Client_Create(fields: int) -> None:
    WORD[fields + 6] = CLIENT


@slot("Client_LookupDevice", "Client_LookupAddressableDevice")
def Client_LookupDevice(fields: int) -> None:
    number = WORD[fields + 1] & _LOW_HALF
    if number:
        raise ValueError(f"hlo has one device, number 0; found {ctypes.c_int32(number).value}")
    WORD[fields + 2] = DEVICE


@slot()
def Client_DefaultDeviceAssignment(fields: int) -> None:
    replicas, partitions = WORD[fields + 1] & _LOW_HALF, WORD[fields + 1] >> 32
    if replicas * partitions > 1:
        raise NotImplementedError(f"hlo has one device; a program for {replicas} x {partitions} devices cannot run")
    ctypes.c_int32.from_address(WORD[fields + 3]).value = 0


@slot()
def Device_MemoryStats(fields: int) -> None:
    """Fields from 1 on: bytes in use; pairs of a number and whether it is known: the peak, allocations, the largest allocation, the limit,
    and others."""
    put(fields + 1, bytes_in_use(), *[0] * 6, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"), 1, *[0] * 12)
