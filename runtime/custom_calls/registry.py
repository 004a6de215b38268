"""Custom calls: programs call Python functions by name.

    @hlo.runtime.custom_calls.registry.register("scale")
    def scale(x, *, backend_config):
        return x * float(backend_config)

A function gets its operands as numpy arrays of its own, and those of these keywords that it names:
  backend_config        a string, or a dictionary
  result_types          shape and dtype of each result
  called_computations   the functions of the program that the call names, as callables: numpy arrays in, a list of them out
  has_side_effect, api_version   as the program has them
It returns an array, a sequence of arrays, or None. It holds the GIL while it runs; what it raises reaches the caller of the
program as HloError. A function that keeps no operand (nor a view of it) when it returns can be registered with `borrows=True`: it gets
the program's memory itself, read-only, and nothing is copied."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from hlo.errors import ArgumentError, CompileError, Diagnostic, HloError
from hlo.lazy_dataclasses import dataclass
from hlo.runtime.calls.arguments import canonical
from hlo.runtime.calls.escaped_exceptions import Watched
from hlo.runtime.calls.signature import ArrayType
from hlo.runtime.custom_calls.called_computations import CalledComputation
from hlo.runtime.threads.pool import connect

Function = Callable[..., Any]

TARGETS: dict[str, Function] = {}

BORROWING: set[str] = set()
"""The targets whose functions keep no operand when they return."""

LIBRARIES: dict[str, Callable[[], None]] = {}
"""By the prefix of their names: targets that are registered when a program first needs one."""

CALLBACK = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_uint64)

FAILED = 0
"""What no cycle counter shows twice."""


def register(name: str, *, borrows: bool = False) -> Callable[[Function], Function]:
    """Registers a Python function as the target `name`; a later registration replaces an earlier one. `borrows`: the function keeps
    no operand when it returns, so that it needs no copies. Raises ArgumentError for what is no name."""
    checked_name(name)

    def add(function: Function) -> Function:
        add_target(name, function, borrows=borrows)
        return function

    return add


def checked_name(name: Any) -> str:
    if not isinstance(name, str) or not name:
        raise ArgumentError(f"the name of a custom call target expected (a str that is not empty), found {name!r}")
    return name


def add_target(name: str, function: Function, *, borrows: bool) -> None:
    TARGETS[name] = function
    (BORROWING.add if borrows else BORROWING.discard)(name)


@dataclass(frozen=True)
class MachineCode:
    """What compiled code calls without Python: `void f(void* out, const void** in, const void* context, int64_t*
    failed)` (runtime/code/symbols.py says what it is given; where it writes another number to `failed` than the 0 that is
    there, the Python function is called after it). A function that is registered may have `machine_code(call:
    CustomCall) -> MachineCode | None`. `keep`: what both addresses belong to."""

    address: int
    context: int = 0
    keep: Any = None
    is_shared: bool = False
    """Whether it uses the words of `CustomCall.pool`."""


@dataclass(frozen=True)
class Description:
    """What a program says of a custom call in addition to its operands and results. `called`: the name and the text of
    the program of each computation. `location`: file:line:column. `config_types`: of the numbers in a configuration
    that is a dictionary, by their names, the element types ("f32"; "i1" for booleans), a dictionary for one inside.
    `unread`: the numbers of results that the program does not use, which need not be written."""

    config: Any = ""
    api_version: int = 1
    has_side_effect: bool = False
    called: tuple[tuple[str, str], ...] = ()
    location: str = ""
    config_types: dict[str, Any] = field(default_factory=dict)
    demands: tuple[str, ...] = ()
    unread: tuple[int, ...] = ()

    def keywords(self) -> dict[str, Any]:
        return {
            "backend_config": self.config,
            "called_computations": tuple(CalledComputation(name, program) for name, program in self.called),
            "has_side_effect": self.has_side_effect,
            "api_version": self.api_version,
        }


@dataclass(frozen=True)
class CustomCall:
    """One custom call of a program: its function, the types of its arrays, its description."""

    target: str
    function: Function
    operands: tuple[ArrayType, ...]
    results: tuple[ArrayType, ...]
    keywords: dict[str, Any]
    order: tuple[int, ...]
    """For each result the position of its address among those passed."""
    description: Description = Description()
    borrows: bool = False
    """Whether the function is given the program's memory; else copies, since that is used again, and given back, after the call."""
    pool: int = 0
    """The address of the words that say which threads run parts (threads/pool.py: connect); 0: the caller alone."""

    def finding(self, message: str) -> Diagnostic:
        return _finding(self.description.location, f"custom call @{self.target}: {message}")

    def run(self, addresses: Sequence[int]) -> None:
        arrays = [_view(address, t, writable=False) for address, t in zip(addresses, self.operands)]
        for position, kind, array in zip(self.order, self.results, self.call(arrays)):
            _view(addresses[position], kind, writable=True)[...] = array

    def call(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """What the function gives, which has the types of the results. Raises HloError where it has others."""
        operands = arrays if self.borrows else [a.copy() for a in arrays]
        returned = self.function(*operands, **self.keywords)
        if returned is None:
            returned = ()
        elif isinstance(returned, np.ndarray | np.generic) or not isinstance(returned, Sequence):
            returned = (returned,)
        return self._checked(returned)

    def _checked(self, returned: Sequence[Any]) -> list[np.ndarray]:
        if len(returned) != len(self.results):
            raise HloError(self.finding(f"{len(self.results)} results expected, found {len(returned)}"))
        arrays = [canonical(np.asarray(value)) for value in returned]
        for number, (array, expected) in enumerate(zip(arrays, self.results)):
            if array.shape != expected.shape or array.dtype != expected.dtype:
                found = ArrayType(array.shape, array.dtype)
                raise HloError(self.finding(f"result {number} must be {expected}, found {found}"))
        return arrays

    def failure(self, error: BaseException) -> BaseException:
        """What a user is told of an exception in the call."""
        if isinstance(error, HloError) or not isinstance(error, Exception):
            return error
        told = HloError(self.finding(_described(error)))
        told.__cause__ = error
        return told


def _described(error: Exception) -> str:
    name = type(error).__name__
    try:
        return f"{name}: {error}"
    except Exception:  # the function's own class, whose text cannot be had
        return name


def _view(address: int, kind: ArrayType, *, writable: bool) -> np.ndarray:
    if not kind.nbytes:
        return np.zeros(kind.shape, kind.dtype)
    memory = (ctypes.c_char * kind.nbytes).from_address(address)
    array = np.frombuffer(memoryview(memory), np.uint8).view(kind.dtype).reshape(kind.shape)
    array.flags.writeable = writable
    return array


def bind(attributes: Any, operands: tuple[ArrayType, ...], results: tuple[ArrayType, ...]) -> CustomCall:
    """The custom call that a declaration's attributes (hlo.custom_call, hlo.backend_config, ...) describe. Raises
    CompileError for a target that is not registered."""
    from hlo.runtime.custom_calls.attributes import (
        number_types,
        python_value,
    )  # here, since programs that were compiled before are loaded without MLIR

    def given(name: str, default: Any) -> Any:
        return python_value(attributes[name]) if name in attributes else default

    called = tuple((name, program) for name, program in given("hlo.called_programs", ()))
    config, location = given("hlo.backend_config", ""), given("hlo.location", "")
    version, effect = given("hlo.api_version", 1), bool(given("hlo.has_side_effect", False))
    types = number_types(attributes["hlo.backend_config"]) if isinstance(config, dict) else {}
    demands, unread = (tuple(given(name, ())) for name in ("hlo.demands", "hlo.unread_results"))
    description = Description(config, version, effect, called, location, types, demands, unread)
    return bind_target(given("hlo.custom_call", ""), description, operands, results)


def bind_target(
    target: str,
    description: Description,
    operands: tuple[ArrayType, ...],
    results: tuple[ArrayType, ...],
    **replaced: Any,
) -> CustomCall:
    """The custom call of a target as described; `replaced`: keywords that the function is given instead of those of the
    description. Raises CompileError for a target that is not registered."""
    _load_library(target)
    if target not in TARGETS:
        known = ", ".join(sorted(TARGETS)) or "none"
        message = f"custom call target {target!r} is not registered; registered: {known}"
        raise CompileError(_finding(description.location, message))
    offered = {**description.keywords(), "result_types": results, **replaced}
    order = tuple(range(len(operands), len(operands) + len(results)))
    function = TARGETS[target]
    keywords = _accepted(function, offered)
    return CustomCall(target, function, operands, results, keywords, order, description, target in BORROWING)


def _finding(location: str, message: str) -> Diagnostic:
    if not location:
        return Diagnostic(message)
    file, line, column = location.rsplit(":", 2)
    return Diagnostic(message, file, int(line), int(column))


def _load_library(target: str) -> None:
    if target in TARGETS:
        return
    for prefix, register_all in LIBRARIES.items():
        if target.startswith(prefix):
            register_all()


def _accepted(function: Function, offered: dict[str, Any]) -> dict[str, Any]:
    import inspect  # here: few programs need it

    parameters = inspect.signature(function).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return offered
    names = {p.name for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)}
    return {name: value for name, value in offered.items() if name in names}


def _machine_code(call: CustomCall) -> MachineCode | None:
    find = getattr(call.function, "machine_code", None)
    return find(call) if find is not None else None


class Dispatcher(Watched):
    """The callback of one executable, and the table of its custom calls: the callback's address, then for each call
    those of its machine code and the context of that, or zeros for a Python function. Compiled code cannot stop in the
    middle: after a failure the calls that follow in the same run are left out, and results are zeros (a loop whose
    condition is one of them ends). The caller of the executable gets the failure.

    `_run` gives its last argument back if the call went well. Compiled code takes everything else for a failure: also what it
    finds where an exception left this function before its `try` or behind it (lowering/memory/host_calls.py)."""

    def __init__(self, calls: Sequence[CustomCall]):
        super().__init__()
        self.words = (ctypes.c_uint64 * 2)()
        self.calls = [replace(c, pool=ctypes.addressof(self.words)) for c in calls]
        self._state = threading.local()
        self.some_failed = False
        """Whether a Python function has raised an exception, in any thread, since somebody set it to False."""

        self._callback = CALLBACK(self._run)
        callback = ctypes.cast(self._callback, ctypes.c_void_p).value
        self._codes = [_machine_code(c) for c in self.calls]
        words = [word for code in self._codes for word in ((code.address, code.context) if code else (0, 0))]
        self._table = (ctypes.c_void_p * (1 + len(words)))(callback, *words)
        self.address = ctypes.addressof(self._table)

    def _run(self, number: int, array: int, word: int) -> int:
        try:
            call = self.calls[number]
            call.run(list((ctypes.c_uint64 * (len(call.operands) + len(call.results))).from_address(array)))
            return word
        except BaseException as error:
            self._state.error = self.calls[number].failure(error)
            self.some_failed = True
            return FAILED

    @property
    def needs_python(self) -> bool:
        """Whether a run calls a function of Python's, or has an effect, so that one that has failed must not be repeated."""
        return any(code is None or call.description.has_side_effect for code, call in zip(self._codes, self.calls))

    def use_threads(self, threads: int) -> None:
        """Machine code that runs in parts runs them on so many threads."""
        if any(code is not None and code.is_shared for code in self._codes):
            connect(ctypes.addressof(self.words), threads)

    def forget(self) -> None:
        """Nothing is left of earlier runs whose failure was not raised (an interrupt may come before)."""
        self._state.error = None
        self.forget_escaped()

    @property
    def has_failed(self) -> bool:
        """Whether a call in this thread has raised what `failure` has not given yet."""
        return getattr(self._state, "error", None) is not None

    def failure(self) -> BaseException:
        """What a call of this thread's last run has raised, which has failed."""
        error = getattr(self._state, "error", None)
        self._state.error = None
        return error if error is not None else self.escaped()
