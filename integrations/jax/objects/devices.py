"""The client, its devices, their memories, and the topology that describes them.

How many devices there are is decided when JAX makes its client: HLO_DEVICES, else `jax_num_cpu_devices`, else one;
under mpirun so many in each rank, which are all numbered rank by rank."""

from __future__ import annotations

import ctypes
import os

import hlo
from hlo.environment import DEVICES
from hlo.jax.code.header import SLOTS
from hlo.jax.code.process_memory import WORD, interned_text, interned_words, keep_forever, named_values, put
from hlo.jax.objects.buffers import borrowed_bytes
from hlo.jax.objects.device_memories import (
    ALL_DEVICES,
    default_devices,
    device_memory,
    devices_numbered,
    kind_number,
    own_devices,
)
from hlo.jax.objects.native import statistics
from hlo.jax.objects.records import CODE, permanent
from hlo.jax.platform import PLATFORM
from hlo.jax.programs.ranks import connect
from hlo.jax.table import slot

CLIENT = permanent("client")
TOPOLOGY = permanent("topology")

_LOW_HALF = 0xFFFFFFFF


def _texts() -> dict[str, str]:
    version = f"hlo {hlo.__version__}"
    return {
        "Client_PlatformName": PLATFORM,
        "Client_PlatformVersion": version,
        "TopologyDescription_PlatformName": PLATFORM,
        "TopologyDescription_PlatformVersion": version,
        "DeviceDescription_Kind": PLATFORM,
    }


CONSTANT_ANSWERS: dict[str, tuple[int, ...]] = {
    **{name: interned_text(text) for name, text in _texts().items()},
    "Client_TopologyDescription": (TOPOLOGY,),
    "DeviceDescription_Attributes": (0, 0),
    "Device_GetAttributes": (0, 0, 0, CODE["Nothing"]),
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
    """JAX asks which version of StableHLO programs may have: what the installed jaxlib can read."""
    from jaxlib.mlir.dialects import stablehlo

    current = [int(part) for part in stablehlo.get_current_version().split(".")]
    oldest = [int(part) for part in stablehlo.get_minimum_version().split(".")]
    pairs = [("xla_version", 2), ("stablehlo_current_version", current), ("stablehlo_minimum_version", oldest)]
    array, count = named_values(pairs)
    put(fields, ctypes.addressof(keep_forever(array)), count)


@slot()
def Client_Create(fields: int) -> None:
    rank, counts = connect(_number_of_devices(), WORD[fields], WORD[fields + 1])
    owners = [(process, own) for process, count in enumerate(counts) for own in range(count)]
    ALL_DEVICES[:] = [
        device_memory(number, process, own if process == rank else -1) for number, (process, own) in enumerate(owners)
    ]
    WORD[fields + 6] = CLIENT


@slot()
def Client_ProcessIndex(fields: int) -> None:
    WORD[fields + 1] = own_devices()[0].process


def _number_of_devices() -> int:
    from jax._src import xla_bridge

    return int(DEVICES.value() or max(1, xla_bridge.num_cpu_devices.value))


@slot()
def Client_Devices(fields: int) -> None:
    put(fields + 1, interned_words(p.device for p in ALL_DEVICES), len(ALL_DEVICES))


@slot()
def Client_AddressableDevices(fields: int) -> None:
    own = own_devices()
    put(fields + 1, interned_words(p.device for p in own), len(own))


@slot()
def Client_AddressableMemories(fields: int) -> None:
    own = own_devices()
    found = [memory for device_memory in own for memory in device_memory.memories]
    put(fields + 1, interned_words(found), len(found))


@slot()
def Memory_Kind_Id(fields: int) -> None:
    WORD[fields + 1] = kind_number(WORD[fields])


@slot()
def TopologyDescription_GetDeviceDescriptions(fields: int) -> None:
    put(fields + 1, interned_words(p.description for p in ALL_DEVICES), len(ALL_DEVICES))


@slot()
def Client_LookupDevice(fields: int) -> None:
    number = WORD[fields + 1] & _LOW_HALF
    WORD[fields + 2] = devices_numbered([number])[0].device


@slot()
def Client_LookupAddressableDevice(fields: int) -> None:
    """By its number in this process."""
    number, own = WORD[fields + 1] & _LOW_HALF, own_devices()
    if number >= len(own):
        raise ValueError(f"this process has {len(own)} devices, numbered from 0; found number {number}")
    WORD[fields + 2] = own[number].device


@slot()
def Client_DefaultDeviceAssignment(fields: int) -> None:
    """Devices in their order, for processes in theirs."""
    count = (WORD[fields + 1] & _LOW_HALF) * (WORD[fields + 1] >> 32)
    (ctypes.c_int32 * count).from_address(WORD[fields + 3])[:] = [p.number for p in default_devices(count)]


@slot()
def Device_CreateAsyncTrackingEvent(fields: int) -> None:
    """jaxlib ends the process where this fails; it takes null for nothing to track."""
    WORD[fields + 3] = 0


@slot()
def Device_MemoryStats(fields: int) -> None:
    """Fields from 1 on: bytes in use; pairs of a number and whether it is known: the peak, allocations, the largest allocation, the limit,
    and others. The peak is that of memory of hlo's own, if there was never more in use with the arrays of others that hlo borrows."""
    used, peak, allocations, largest, borrowed = statistics()
    borrowed += borrowed_bytes()
    limit = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    known = [number for value in (max(peak, used + borrowed), allocations, largest, limit) for number in (value, 1)]
    put(fields + 1, used + borrowed, *known, *[0] * 12)
