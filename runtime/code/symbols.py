"""Custom calls of machine code: a program calls a function of the process by its name, without Python.

    hlo.register_custom_call_symbol("scale", address)        # of a `void scale(void* out, const void** in)`

`in` is an array of the addresses of the operands, `out` the address of the result; where there are several results (or none),
that of an array of their addresses. Arrays are contiguous, row-major, an element in a whole number of bytes. Compiled code
for the CPU calls the function itself; the reference and the GPU target call it through ctypes on arrays of the host."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from hlo.errors import ArgumentError
from hlo.runtime.calls.signature import ArrayType
from hlo.runtime.custom_calls.registry import CustomCall, MachineCode, add_target, checked_name

_PROTOTYPE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


class Symbol:
    """A function of the process; `keep` is what its address belongs to."""

    def __init__(self, address: int, keep: Any = None):
        self.address = address
        self._keep = keep
        self._function = _PROTOTYPE(address)

    def machine_code(self, call: CustomCall) -> MachineCode:
        return MachineCode(self.address, keep=self._keep)

    def __call__(self, *inputs: np.ndarray, result_types: tuple[ArrayType, ...]) -> list[np.ndarray]:
        results = [np.empty(t.shape, t.dtype) for t in result_types]
        operands = [np.ascontiguousarray(a) for a in inputs]
        sources = (ctypes.c_void_p * len(operands))(*(a.ctypes.data for a in operands))
        targets = (ctypes.c_void_p * len(results))(*(a.ctypes.data for a in results))
        out = results[0].ctypes.data if len(results) == 1 else ctypes.addressof(targets)
        self._function(out, ctypes.addressof(sources))
        return results


def register_custom_call_symbol(name: str, address: Any = None) -> None:
    """Makes a function of the process the custom call target `name`: its address, a ctypes function, or None for the symbol
    of that name in the libraries that the process has loaded (`ctypes.CDLL(path, ctypes.RTLD_GLOBAL)` loads one). Raises
    ArgumentError where there is none."""
    checked_name(name)
    if address is None:
        try:
            address = ctypes.CDLL(None)[name]
        except (AttributeError, UnicodeEncodeError):
            raise ArgumentError(f"no library of this process has a symbol {name!r}") from None
    if isinstance(address, (str, bytes)):
        raise ArgumentError(f"expected an address or a ctypes function, found {address!r}")
    number = address if isinstance(address, int) else _address_of(address)
    if not 0 < number < 1 << 8 * ctypes.sizeof(ctypes.c_void_p):
        raise ArgumentError(f"the address of custom call target {name!r} must be one of this process, found {number}")
    add_target(name, Symbol(number, address), borrows=True)


def _address_of(function: Any) -> int:
    try:
        return ctypes.cast(function, ctypes.c_void_p).value or 0
    except ctypes.ArgumentError:
        raise ArgumentError(f"expected an address or a ctypes function, found {function!r}") from None
