"""jax.experimental.buffer_callback: a Python function that writes its results into arrays that it is given.

JAX knows the platforms of this primitive by their names; for this platform the call is one of callbacks.py, whose function makes the
arrays. They lie in the host's memory: there is no stream."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hlo.errors import HloError
from hlo.jax.functions.callbacks import add_call
from hlo.jax.platform import PLATFORM


@dataclass(frozen=True)
class Buffer:
    """What the function is given for each operand, and for each result to be written: numpy and DLPack see its memory."""

    array: np.ndarray
    writeable: bool

    @property
    def dtype(self) -> np.dtype:
        return self.array.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def ndim(self) -> int:
        return self.array.ndim

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.array, dtype, copy=copy)

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


class HostContext:
    """The function's first argument."""

    @property
    def stage(self) -> Any:
        from jax._src.buffer_callback import ExecutionStage

        return ExecutionStage.EXECUTE

    @property
    def stream(self) -> int:
        raise HloError(f"a callback on the platform {PLATFORM!r} has no stream")


def register_buffer_callbacks() -> None:
    from jax._src.buffer_callback import buffer_callback_p
    from jax._src.interpreters import mlir

    mlir.register_lowering(buffer_callback_p, _lower, platform=PLATFORM)


def _lower(
    ctx: Any,
    *operands: Any,
    callback: Callable[..., Any],
    in_tree: Any,
    out_tree: Any,
    has_side_effect: bool,
    input_output_aliases: Sequence[tuple[int, int]],
    **_: Any,
) -> Any:
    starts = {result: operand for operand, result in input_output_aliases}
    kinds = [(tuple(aval.shape), np.dtype(aval.dtype)) for aval in ctx.avals_out]

    def call(*arrays: np.ndarray) -> list[np.ndarray]:
        """A result that shares the storage of an operand begins as that operand, the others with any numbers."""
        results = [np.array(arrays[starts[n]]) if n in starts else np.empty(*kind) for n, kind in enumerate(kinds)]
        arguments, options = in_tree.unflatten([Buffer(a, writeable=False) for a in arrays])
        written = out_tree.unflatten([Buffer(r, writeable=True) for r in results])
        if callback(HostContext(), written, *arguments, **options) is not None:
            raise HloError("a buffer_callback must return nothing: it writes its results")
        return results

    return add_call(ctx, call, operands, ctx.avals_out, has_side_effect=has_side_effect)[0]
