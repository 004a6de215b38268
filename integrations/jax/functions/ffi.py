"""Users' functions of machine code, by XLA's FFI: `jax.ffi.register_ffi_target(name, function, platform="hlo")`.

The interface is that of jaxlib's header xla/ffi/api/c_api.h. Compiled programs call a function without Python
(hlo.jax.code.ffi_code); of what a function may ask in turn there are errors: it gets no streams, states, memory or
threads."""

from __future__ import annotations

import ctypes
import functools
import itertools
import threading
from collections.abc import Mapping
from typing import Any

import numpy as np

from hlo.errors import ArgumentError, CompileError
from hlo.jax.code.process_memory import WORD, keep_forever
from hlo.jax.functions.ffi_frame import EXECUTE, FRAME_SIZE, FRAME_WORDS, VERSION, Frame
from hlo.jax.objects.records import CODE
from hlo.jax.platform import PLATFORM
from hlo.runtime.custom_calls import standard_targets  # noqa: F401 (registers hlo's own)
from hlo.runtime.custom_calls.registry import LIBRARIES, TARGETS, CustomCall, MachineCode, add_target

OLDEST_MINOR = 1
"""The first minor version whose call frames are those of hlo.jax.functions.ffi_frame."""

API_FUNCTIONS = (
    "Error_Create", "Error_GetMessage", "Error_Destroy", "Handler_Register", "Stream_Get", "Type_Register", "ExecutionContext_Get",
    "State_Set", "State_Get", "DeviceMemory_Allocate", "DeviceMemory_Free", "ThreadPool_Schedule", "ThreadPool_NumThreads",
    "Future_Create", "Future_SetAvailable", "Future_SetError", "RunId_Get", "DeviceOrdinal_Get", "InvokeContext_FindExtension", "CustomOptions_Get",
)  # fmt: skip
"""The functions of XLA_FFI_Api, in its order, by their first names: 0.4 and 0.5 added the last two and gave others new names."""

METADATA = 1
"""The number of the extension that asks a function for its version."""

_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64)
_name = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(("PyCapsule_GetName", ctypes.pythonapi))
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)

_numbers = itertools.count(1)
_errors: dict[int, tuple[int, str]] = {}
"""Codes and messages of errors that functions have made, by the words that they get for them."""

_last: dict[int, int] = {}
"""The last error of each thread."""


def accept_handlers() -> None:
    """From now on JAX's registrations for the platform, and those that were made before, come here."""
    from jaxlib import xla_client

    xla_client.register_custom_call_handler(PLATFORM, register_target)


def register_target(name: Any, function: Any, platform: str, api_version: int = 1, traits: Any = None) -> None:
    """What JAX calls for a registration. Raises ArgumentError, in one line, for what is no function of this interface, or of another
    version of it. Names that hlo knows itself (LAPACK's) stay what they are where hlo replaces JAX's CPU backend."""
    text = name.decode() if isinstance(name, bytes) else str(name)
    if PLATFORM == "cpu" and (text in TARGETS or text.startswith(tuple(LIBRARIES))):
        return
    if api_version != 1:
        raise ArgumentError(f"FFI target {text!r}: hlo takes api_version 1, found {api_version}")
    if isinstance(function, Mapping):
        others = sorted(stage for stage, one in function.items() if one is not None and stage != "execute")
        if others or "execute" not in function:
            raise ArgumentError(f"FFI target {text!r}: hlo calls the stage 'execute' only, found {sorted(function)}")
        function = function["execute"]
    if type(function).__name__ != "PyCapsule":
        raise ArgumentError(f"FFI target {text!r} must be a PyCapsule with a function's address, found {function!r}")
    address = _address(function)
    _check_version(text, address)
    add_target(text, Handler(address, function), borrows=True)


def _address(capsule: Any) -> int:
    return _pointer(capsule, _name(capsule)) or 0


def _check_version(name: str, address: int) -> None:
    """Asks the function, as XLA does: a call with an extension that it fills in instead of doing anything."""
    metadata = (ctypes.c_uint64 * 6)(8 * 4 + 4, 24, 0, 0, 0, 0)
    extension = (ctypes.c_uint64 * 4)(8 * 4, METADATA, 0, ctypes.addressof(metadata))
    frame = (ctypes.c_uint64 * FRAME_WORDS)(FRAME_SIZE, ctypes.addressof(extension), api(), 0, EXECUTE)
    error = _FUNCTION(address)(ctypes.addressof(frame))
    if error:
        raise ArgumentError(f"FFI target {name!r}: {_take_error()}")
    major, minor = metadata[3] & 0xFFFFFFFF, metadata[3] >> 32
    if major != VERSION[0] or not OLDEST_MINOR <= minor <= VERSION[1]:
        raise ArgumentError(
            f"FFI target {name!r} was compiled for version {major}.{minor} of XLA's FFI; hlo has "
            f"{VERSION[0]}.{OLDEST_MINOR} to {VERSION[0]}.{VERSION[1]}: compile it with the headers of jax.ffi.include_dir()"
        )


class FfiError(Exception):
    """What a function has made an error of; the runtime adds where in the program it was called."""


class Handler:
    """A function as the target of custom calls; `capsule`: what its address belongs to."""

    def __init__(self, address: int, capsule: Any):
        self.address = address
        self._capsule = capsule

    def machine_code(self, call: CustomCall) -> MachineCode:
        """Raises CompileError for a call that asks for what functions do not get."""
        if call.description.demands:
            wanted = " and ".join(call.description.demands)
            raise CompileError(call.finding(f"hlo gives functions row-major arrays of their own, found {wanted}"))
        frame = Frame(self.address, api(), call)
        return MachineCode(CODE["CallHandler"], frame.address, keep=(frame, self))

    def __call__(self, *arrays: np.ndarray) -> list[np.ndarray]:
        """What follows a call that has failed: raises the function's error."""
        raise FfiError(_take_error())


@functools.cache
def api() -> int:
    """The address of the XLA_FFI_Api that functions get."""
    functions = [_callback(name) for name in API_FUNCTIONS]
    version = [24, 0, VERSION[0] | VERSION[1] << 32]
    words = [8 * (6 + len(functions)), 0, *version, 0, *functions]
    return ctypes.addressof(keep_forever((ctypes.c_uint64 * len(words))(*words)))


def _callback(name: str) -> int:
    function = {"Error_Create": _create, "Error_GetMessage": _get_message, "Error_Destroy": _destroy}.get(name)
    made = keep_forever(_FUNCTION(function or functools.partial(_refuse, name)))
    return ctypes.cast(made, ctypes.c_void_p).value or 0


def _create(arguments: int) -> int:
    message, code = WORD[(arguments >> 3) + 2 : (arguments >> 3) + 4]
    text = ctypes.string_at(message).decode(errors="replace")
    return _new_error(code & 0xFFFFFFFF, text)


_CODES = dict(
    enumerate(
        [
            "OK",
            "CANCELLED",
            "UNKNOWN",
            "INVALID_ARGUMENT",
            "DEADLINE_EXCEEDED",
            "NOT_FOUND",
            "ALREADY_EXISTS",
            "PERMISSION_DENIED",
            "RESOURCE_EXHAUSTED",
            "FAILED_PRECONDITION",
            "ABORTED",
            "OUT_OF_RANGE",
            "UNIMPLEMENTED",
            "INTERNAL",
            "UNAVAILABLE",
            "DATA_LOSS",
            "UNAUTHENTICATED",
        ]
    )
)


def _new_error(code: int, text: str) -> int:
    number = next(_numbers)
    _errors[number] = code, f"{_CODES.get(code, 'UNKNOWN')}: {text}"
    _last[threading.get_native_id()] = number
    return number


def _get_message(arguments: int) -> int:
    """XLA_FFI_Error_GetMessage, from version 0.5 GetDetails: its structure ends with the code."""
    word = arguments >> 3
    code, message = _errors[WORD[word + 2]]
    WORD[word + 3] = ctypes.addressof(keep_forever(ctypes.create_string_buffer(message.encode())))
    if WORD[word] >= _SIZE_WITH_CODE:
        WORD[word + 4] = code
    return 0


_SIZE_WITH_CODE = 8 * 4 + 4


def _destroy(arguments: int) -> int:
    _errors.pop(WORD[(arguments >> 3) + 2], None)
    return 0


_UNIMPLEMENTED = 12


def _refuse(name: str, _: int) -> int:
    return _new_error(_UNIMPLEMENTED, f"XLA_FFI_{name} is not supported by hlo")


def _take_error() -> str:
    """The message of the last error that a function has made in this thread."""
    number = _last.pop(threading.get_native_id(), 0)
    return _errors.pop(number, (0, "the function has failed without a message"))[1]
