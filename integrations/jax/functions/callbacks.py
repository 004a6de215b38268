"""jax.pure_callback, io_callback and debug.print: JAX's Python function becomes a custom call that hlo's runtime makes.

JAX emits such calls through one function, `emit_python_callback`, which refuses platforms that it does not know; programs for
this platform are led to the one below, all others to JAX's own. The call's configuration is the name of the function in
`_FUNCTIONS`, where it stays as long as JAX keeps the program's lowering or executable. No other process has the name: JAX's compilation
cache must not give it this process's program."""

from __future__ import annotations

import inspect
import itertools
import uuid
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hlo.errors import HloError
from hlo.jax.platform import PLATFORM
from hlo.runtime.custom_calls.registry import register

TARGET = "hlo_python_callback"

_process = uuid.uuid4().hex
_numbers = itertools.count(1)
_FUNCTIONS: weakref.WeakValueDictionary[str, Callback] = weakref.WeakValueDictionary()


class Callback:
    """A Python function of a program, with the shapes and types that its results must have."""

    def __init__(self, function: Callable[..., Any], results: Sequence[Any]):
        self.function = function
        self.results = tuple((tuple(r.shape), np.dtype(r.dtype)) for r in results)
        self.name = f"{_process}:{next(_numbers)}"
        _FUNCTIONS[self.name] = self

    def __call__(self, *arrays: np.ndarray) -> list[np.ndarray]:
        found = self.function(*arrays)
        if len(found) != len(self.results):
            raise HloError(f"a callback must give {len(self.results)} results, found {len(found)}")
        return [_checked(n, value, *kind) for n, (value, kind) in enumerate(zip(found, self.results))]


def _checked(number: int, result: Any, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """A result as an array. Its type must be the one that the program says: JAX narrows 64-bit results where they are switched
    off (`jax_enable_x64`), and converts no others."""
    from jax._src import dtypes

    value = np.asarray(dtypes.canonicalize_value(np.asarray(result)))
    if value.shape != shape:
        raise HloError(f"result {number} of a callback must have the shape {shape}, found {value.shape}")
    if value.dtype != dtype:
        raise HloError(f"result {number} of a callback must have the type {dtype}, found {value.dtype}")
    return value


@register(TARGET)
def _call(*operands: np.ndarray, backend_config: Any) -> list[np.ndarray]:
    callback = _FUNCTIONS.get(backend_config)
    if callback is None:
        raise HloError("the Python function that this program calls is gone: such programs cannot be saved and loaded")
    return callback(*operands)


def redirect_callbacks() -> None:
    from jax._src import callback
    from jax.interpreters import mlir as public

    original = callback.emit_python_callback

    def emit_python_callback(ctx: Any, *arguments: Any, **options: Any) -> Any:
        chosen = _emit if PLATFORM in ctx.module_context.platforms else original
        return chosen(ctx, *arguments, **options)

    for module in (callback, public):
        module.emit_python_callback = emit_python_callback


def _emit(
    ctx: Any,
    callback: Any,
    token: Any,
    operands: Sequence[Any],
    operand_avals: Sequence[Any],
    result_avals: Sequence[Any],
    *,
    has_side_effect: bool,
    sharding: Any = None,
    **_: Any,
) -> tuple[Any, Any, Any]:
    """The custom call; the arguments and what is given back are those of JAX's function."""
    tokens = [token] if token else []
    results, called = add_call(
        ctx,
        callback,
        [*tokens, *operands],
        result_avals,
        has_side_effect=has_side_effect,
        tokens=tokens,
        sharding=sharding,
    )
    return results[len(tokens) :], results[0] if tokens else None, called


def add_call(
    ctx: Any,
    function: Callable[..., Any],
    operands: Sequence[Any],
    result_avals: Sequence[Any],
    *,
    has_side_effect: bool,
    tokens: Sequence[Any] = (),
    sharding: Any = None,
) -> tuple[list[Any], Callback]:
    """Adds the custom call that calls a Python function. Its results are as many tokens as there are `tokens`, then those of the function."""
    from jax._src.interpreters import mlir

    if len(ctx.module_context.platforms) > 1:
        raise NotImplementedError("a program with Python callbacks can be lowered for one platform only")
    called = Callback(function, result_avals)
    ctx.module_context.add_keepalive(called)
    types = [*(t.type for t in tokens), *(_type(ctx, aval) for aval in result_avals)]
    call = mlir.custom_call(
        TARGET,
        result_types=types,
        operands=list(operands),
        backend_config=called.name,
        has_side_effect=has_side_effect,
        api_version=2,
    )
    if _runs_on_one_device(sharding):
        several = type(sharding)((sharding.shardings[0],) * max(1, len(types)))
        _called(mlir.set_sharding, ctx, call, several)
    return list(call.results), called


def _runs_on_one_device(sharding: Any) -> bool:
    """Whether a callback is called once with whole arrays, in a program that is partitioned (a maximal sharding of Shardy's)."""
    shardings: Any = getattr(sharding, "shardings", ())
    return bool(shardings) and bool(shardings[0].logical_device_ids)


def _type(ctx: Any, aval: Any) -> Any:
    from jax._src.interpreters import mlir

    return _called(mlir.aval_to_ir_type, ctx, aval)


def _called(function: Callable[..., Any], ctx: Any, *arguments: Any) -> Any:
    """Calls a function of JAX, which newer versions want to be told the context."""
    takes_context = len(inspect.signature(function).parameters) > len(arguments)
    return function(ctx.module_context, *arguments) if takes_context else function(*arguments)
