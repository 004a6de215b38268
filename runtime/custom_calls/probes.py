"""The interpreter dialect: `print` writes a value to standard output, `probe` keeps it under a name. In a grid, `print` says
which process it speaks for.

    hlo.runtime.custom_calls.probes.PROBES["after_layer_1"]       # the values, one for each time the op ran
    hlo.runtime.custom_calls.probes.clear()                       # before another run

`hlo.trace` logs a value under a name.

`check.expect_serialized_eq` compares with what a probe has kept in this process; values in files, as other tools write
them, are not read."""

from __future__ import annotations

from typing import Any

import numpy as np

from hlo.dialect.numpy_types import plain
from hlo.errors import HloError
from hlo.runtime.calls.signature import ArrayType
from hlo.runtime.custom_calls.check_targets import expect_eq
from hlo.runtime.custom_calls.registry import register
from hlo.runtime.grid.processes import current

PROBES: dict[str, list[np.ndarray]] = {}


def clear() -> None:
    PROBES.clear()


@register("interpreter.print", borrows=True)
def _print(value: np.ndarray) -> np.ndarray:
    process = current()
    head = "" if process.is_alone else f"{process}: "
    print(f"{head}{ArrayType(value.shape, value.dtype)}\n{np.array2string(plain(value), threshold=1000)}", flush=True)
    return value


@register("hlo.trace", borrows=True)
def _trace(value: np.ndarray, *, backend_config: str) -> None:
    """What `Builder.trace` has put into a program: a message of the logger hlo.trace, on standard error where a process
    has no logging of its own."""
    import logging  # here: few programs need it

    logger = logging.getLogger("hlo.trace")
    if not logger.hasHandlers():
        logger.addHandler(logging.StreamHandler())
        logger.setLevel(logging.INFO)
    text = np.array2string(plain(value), threshold=1000)
    logger.info("%s: %s %s", backend_config, ArrayType(value.shape, value.dtype), text)


@register("interpreter.probe", borrows=True)
def _probe(value: np.ndarray, *, backend_config: Any) -> np.ndarray:
    PROBES.setdefault(backend_config["probe_id"], []).append(value.copy())
    return value


@register("check.expect_serialized_eq", borrows=True)
def _expect_serialized_eq(expected: np.ndarray, *, backend_config: Any) -> None:
    """The n-th value of a probe, counted from 0, is equal."""
    name, number = backend_config["probe_id"], backend_config.get("iteration", 0)
    values = PROBES.get(name, [])
    if number >= len(values):
        known = ", ".join(f"{k} ({len(v)})" for k, v in PROBES.items()) or "none"
        raise HloError(f"no value {number} of probe {name!r} in this process; probes: {known}")
    found = values[number]
    if (found.shape, found.dtype) != (expected.shape, expected.dtype):
        kinds = ArrayType(expected.shape, expected.dtype), ArrayType(found.shape, found.dtype)
        raise HloError(f"probe {name!r}: {kinds[0]} expected, found {kinds[1]}")
    expect_eq(found, expected, backend_config=backend_config)
