"""Functions of the table as machine code, made by LLVM from the text below when the plugin starts.

Destructors must be: jaxlib destroys buffers while a Python exception is pending, where no Python code may run. Getters
are because it saves a call of Python each; memory (memory_code.py), buffers (buffer_code.py) and calls (call_code.py), because they need
none. They read records (record_words.py)."""

from __future__ import annotations

from typing import Any

from hlo.jax.code import (
    buffer_code,
    call_code,
    ffi_code,
    header,
    host_array_code,
    layout_code,
    memory_code,
    python_code,
    record_words,
)
from hlo.jax.code.header import LAYOUTS_SLOTS, PROFILER_SLOTS, SHARDINGS_SLOTS, SLOTS
from hlo.jax.code.shorthand import expanded

GETTERS: dict[str, tuple[tuple[int, int], ...]] = {
    "Error_Message": ((2, 1), (3, 2)),
    "Error_GetCode": ((1, 1),),
    "Event_IsReady": ((1, 1),),
    "Buffer_ElementType": ((1, 1),),
    "Buffer_Dimensions": ((2, 1), (3, 2)),
    "Buffer_UnpaddedDimensions": ((2, 1), (3, 2)),
    "Buffer_DynamicDimensionIndices": ((0, 1), (0, 2)),
    "Buffer_Device": ((4, 1),),
    "Buffer_Memory": ((5, 1),),
    "Buffer_IsDeleted": ((6, 1),),
    "Buffer_OnDeviceSizeInBytes": ((7, 1),),
    "Buffer_ReadyEvent": ((8, 1),),
    "Buffer_UnsafePointer": ((9, 1),),
    "Buffer_OpaqueDeviceMemoryDataPointer": ((9, 1),),
    "Memory_Kind": ((1, 1), (2, 2)),
    "Memory_Id": ((3, 1),),
    "Memory_DebugString": ((4, 1), (5, 2)),
    "Memory_ToString": ((4, 1), (5, 2)),
    "Memory_AddressableByDevices": ((6, 1), (7, 2)),
    "Device_GetDescription": ((1, 1),),
    "Device_LocalHardwareId": ((2, 1),),
    "Device_AddressableMemories": ((3, 1), (4, 2)),
    "Device_DefaultMemory": ((5, 1),),
    "Device_IsAddressable": ((6, 1),),
    "DeviceDescription_Id": ((1, 1),),
    "DeviceDescription_ProcessIndex": ((6, 1),),
    "DeviceDescription_DebugString": ((2, 1), (3, 2)),
    "DeviceDescription_ToString": ((4, 1), (5, 2)),
    "Executable_NumReplicas": ((1, 1),),
    "Executable_NumOutputs": ((2, 1),),
    "Executable_NumPartitions": ((4, 1),),
}
"""What a getter copies: pairs of a word of the object's record and a field of the arguments (0 is the object)."""

CONSTANTS = {"Buffer_IsOnCpu": 1}
"""Field 1 of the arguments for functions that always answer the same."""

RELEASES = (
    "Error_Destroy", "Buffer_Destroy", "Executable_Destroy", "LoadedExecutable_Destroy", "ExecuteContext_Destroy",
    "Buffer_DecreaseExternalReferenceCount",
)  # fmt: skip
"""Functions that give up one owner's reference to a record."""

NOTHING = (
    "Event_Destroy", "Event_Error", "Event_Await", "Error_ForEachPayload", "Nothing", "Client_UpdateGlobalProcessInfo",
    "AsyncTrackingEvent_Destroy", "Layouts_MemoryLayout_Destroy",
)  # fmt: skip
"""Functions that succeed at once. Events are ready when they are made, but for those of memory that hlo borrows from
JAX: nobody waits for them. What JAX tells of other processes (`Client_UpdateGlobalProcessInfo`, of `jax.distributed`)
changes nothing here; jaxlib ends the process where this fails."""

_FUNCTION = """
llvm.func @{name}(%a: !llvm.ptr) -> !llvm.ptr {{
  %null = llvm.mlir.zero : !llvm.ptr
{body}  llvm.return %null : !llvm.ptr
}}
"""

_OBJECT = """  %o = get %a[2] : !llvm.ptr
"""

_COPY = """  %v{n} = get %o[{word}] : i64
  put %v{n}, %a[{field}] : i64
"""

_CONSTANT = """  %v = arith.constant {value} : i64
  put %v, %a[3] : i64
"""

_RELEASE = """  %o = get %a[2] : !llvm.ptr
  %there = llvm.icmp "ne" %o, %null : !llvm.ptr
  scf.if %there {
    llvm.call @Release(%o) : (!llvm.ptr) -> ()
  }
"""

_OTHERS = """
llvm.mlir.global internal @released(0 : i64) {alignment = 8 : i64} : i64
llvm.func @Released(%a: !llvm.ptr) -> !llvm.ptr {
  %head = llvm.mlir.addressof @released : !llvm.ptr
  llvm.return %head : !llvm.ptr
}
llvm.func @Collect(%a: !llvm.ptr) -> !llvm.ptr {
  %head = llvm.mlir.addressof @released : !llvm.ptr
  %zero = arith.constant 0 : i64
  %first = llvm.atomicrmw xchg %head, %zero acq_rel : !llvm.ptr, i64
  %p = llvm.inttoptr %first : i64 to !llvm.ptr
  llvm.return %p : !llvm.ptr
}
llvm.func @Ticks(%a: !llvm.ptr) -> i64 {
  %now = llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
  llvm.return %now : i64
}
llvm.func @Profiler_Destroy(%a: !llvm.ptr) -> !llvm.ptr {
  %null = llvm.mlir.zero : !llvm.ptr
  %o = get %a[1] : !llvm.ptr
  %there = llvm.icmp "ne" %o, %null : !llvm.ptr
  scf.if %there {
    llvm.call @Release(%o) : (!llvm.ptr) -> ()
  }
  llvm.return %null : !llvm.ptr
}
llvm.func @Buffer_IncreaseExternalReferenceCount(%a: !llvm.ptr) -> !llvm.ptr {
  %null = llvm.mlir.zero : !llvm.ptr
  %o = get %a[2] : !llvm.ptr
  %deleted = llvm.call @Borrow(%o) : (!llvm.ptr) -> i64
  llvm.return %null : !llvm.ptr
}
llvm.func @Event_OnReady(%a: !llvm.ptr) -> !llvm.ptr {
  %null = llvm.mlir.zero : !llvm.ptr
  %zero = arith.constant 0 : i64
  %e = get %a[2] : !llvm.ptr
  %f = get %a[3] : !llvm.ptr
  %u = get %a[4] : !llvm.ptr
  %r = get %e[1] : i64
  %ready = arith.cmpi ne, %r, %zero : i64
  scf.if %ready {
    llvm.call %f(%null, %u) : !llvm.ptr, (!llvm.ptr, !llvm.ptr) -> ()
  } else {
    put %f, %e[2] : !llvm.ptr
    put %u, %e[3] : !llvm.ptr
  }
  llvm.return %null : !llvm.ptr
}
"""

_OTHER_NAMES = (
    "Released", "Collect", "Ticks", "Profiler_Destroy", "Buffer_IncreaseExternalReferenceCount", "Event_OnReady",
)  # fmt: skip

_TABLE = """  %table = get %a[0] : !llvm.ptr
"""

_STORE = """  %f{n} = llvm.mlir.addressof @{name} : !llvm.ptr
  put %f{n}, %table[{n}] : !llvm.ptr
"""

_MACHINE_CODE = (
    *GETTERS, *CONSTANTS, *RELEASES, *NOTHING, *_OTHER_NAMES, *buffer_code.NAMES, *host_array_code.NAMES, *python_code.NAMES, *call_code.NAMES,
    *ffi_code.NAMES, *layout_code.NAMES,
)  # fmt: skip

PYTHON_SLOTS = [
    name for name in (*SLOTS, *SHARDINGS_SLOTS, *LAYOUTS_SLOTS, *PROFILER_SLOTS) if name not in _MACHINE_CODE
]
"""The functions of the table that Python functions are behind, in the order of their numbers."""

NAMES = (*_MACHINE_CODE, *PYTHON_SLOTS)
"""The functions that `source` defines. Its entry `Addresses` gets a pointer to a pointer to their table of addresses."""


def source() -> str:
    """The module: the LLVM dialect and `scf`."""
    parts = [_OTHERS, memory_code.MEMORY_CODE, buffer_code.BUFFER_CODE, python_code.PYTHON_CODE, call_code.CALL_CODE]
    parts += [host_array_code.HOST_ARRAY_CODE, ffi_code.FFI_CODE, layout_code.LAYOUT_CODE]
    parts.append(python_code.slots_code(PYTHON_SLOTS))
    parts += [_function(name, _OBJECT + _copies(pairs)) for name, pairs in GETTERS.items()]
    parts += [_function(name, _CONSTANT.format(value=value)) for name, value in CONSTANTS.items()]
    parts += [_function(name, "") for name in NOTHING]
    parts += [_function(name, _RELEASE) for name in RELEASES]
    stores = "".join(_STORE.format(n=n, name=name) for n, name in enumerate(NAMES))
    parts.append(_function("Addresses", _TABLE + stores))
    return expanded("".join(parts), _NUMBERS)


def _numbers(module: Any) -> dict[str, int]:
    return {name: value for name, value in vars(module).items() if name.isupper() and isinstance(value, int)}


_MODULES = (
    record_words,
    header,
    memory_code,
    buffer_code,
    host_array_code,
    python_code,
    call_code,
    ffi_code,
    layout_code,
)
_NUMBERS = {name: value for module in _MODULES for name, value in _numbers(module).items()}
"""What the names in capitals stand for."""


def _function(name: str, body: str) -> str:
    return _FUNCTION.format(name=name, body=body)


def _copies(pairs: tuple[tuple[int, int], ...]) -> str:
    return "".join(_COPY.format(n=n, word=word, field=field + 2) for n, (word, field) in enumerate(pairs))
