"""The targets `check.expect_*`: programs that check themselves. A check that fails raises CheckFailed."""

from __future__ import annotations

from typing import Any

import numpy as np

from hlo.dialect.numpy_types import is_whole
from hlo.errors import Diagnostic, HloError
from hlo.runtime.custom_calls.registry import TARGETS, add_target


class CheckFailed(HloError):
    """A check.expect_* op found other values than expected."""


def expect_eq(actual: np.ndarray, expected: np.ndarray, *, backend_config: Any = "") -> None:
    """Equal element by element; NaN equals NaN."""
    _compare(actual, expected, _equal(actual, expected), "equal", backend_config)


def expect_almost_eq(actual: np.ndarray, expected: np.ndarray, *, backend_config: Any = "") -> None:
    """Equal within a tolerance, absolute below 1 and relative above."""
    tolerance = _option(backend_config, "tolerance", 1e-4)
    a, b = _wide(actual), _wide(expected)
    with np.errstate(invalid="ignore", over="ignore"):
        near = np.abs(a - b) <= tolerance * np.maximum(1, np.abs(b))
    _compare(actual, expected, near | _equal(actual, expected), f"within {tolerance:g}", backend_config)


def eq(actual: np.ndarray, expected: np.ndarray, *, result_types: Any = ()) -> list[np.bool_]:
    """A custom call, as test data of JAX has it: integers are equal, other numbers nearly; true where it has a result."""
    (expect_eq if is_whole(actual.dtype) else expect_almost_eq)(actual, expected)
    return [np.True_] * len(result_types)


def expect_close(actual: np.ndarray, expected: np.ndarray, *, backend_config: Any = "") -> None:
    """Equal within a number of units in the last place: 1 unless the op says another. A custom call, which has no
    attributes to say one, allows 3 between floats and none between integers, as the reference of upstream does."""
    if not isinstance(backend_config, dict):
        backend_config = {"max_ulp_difference": 0 if is_whole(actual.dtype) else 3}
    largest = int(_option(backend_config, "max_ulp_difference", 1))
    smallest = int(_option(backend_config, "min_ulp_difference", 0))
    distance = _ulp_distance(actual, expected)
    good = (distance <= largest) & (distance >= smallest)
    _compare(actual, expected, good, f"within {smallest} to {largest} ulp", backend_config)


def expect_eq_const(actual: np.ndarray, *, backend_config: Any) -> None:
    """Equal to the constant `value`."""
    expect_eq(actual, np.asarray(backend_config["value"]), backend_config=backend_config)


def expect_almost_eq_const(actual: np.ndarray, *, backend_config: Any) -> None:
    """Nearly equal to the constant `value`."""
    expect_almost_eq(actual, np.asarray(backend_config["value"]), backend_config=backend_config)


def register_all() -> None:
    """Registers the targets."""
    for function in (eq, expect_eq, expect_almost_eq, expect_close, expect_eq_const, expect_almost_eq_const):
        name = f"check.{function.__name__}"
        if name not in TARGETS:
            add_target(name, function, borrows=True)


def _option(config: Any, name: str, default: Any) -> Any:
    return config.get(name, default) if isinstance(config, dict) else default


def _wide(array: np.ndarray) -> np.ndarray:
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def _equal(actual: np.ndarray, expected: np.ndarray) -> np.ndarray:
    if is_whole(actual.dtype):
        return actual == expected
    with np.errstate(invalid="ignore"):
        return (actual == expected) | ((actual != actual) & (expected != expected))


FARTHEST = (1 << 64) - 1
"""Units in the last place, as upstream counts them, from an infinity or NaN to what differs from it."""


def _ulp_distance(actual: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """How many numbers of the type lie between; 0 for equal ones and two NaNs, FARTHEST between others of which one is infinite or NaN."""
    if actual.dtype.kind == "c":
        halves = [_ulp_distance(getattr(actual, part), getattr(expected, part)) for part in ("real", "imag")]
        return np.maximum(*halves)
    if is_whole(actual.dtype):
        distance = np.abs(actual.astype(np.float64) - expected.astype(np.float64))
        return np.where(actual == expected, 0, np.maximum(distance, 1))
    distance = np.abs(_ordered(actual) - _ordered(expected))
    with np.errstate(invalid="ignore"):
        is_finite = (actual - actual == 0) & (expected - expected == 0)
    distance = np.where(is_finite, distance, np.longdouble(FARTHEST))
    return np.where(_equal(actual, expected), 0, distance)


def _ordered(array: np.ndarray) -> np.ndarray:
    """Floats as integers in the same order, as f64 (exact for what is near)."""
    bits = array.view(f"i{array.dtype.itemsize}")
    smallest = np.iinfo(bits.dtype).min
    return np.where(bits < 0, smallest - bits, bits).astype(np.longdouble)


def _compare(actual: np.ndarray, expected: np.ndarray, good: np.ndarray, rule: str, config: Any) -> None:
    if good.all():
        return
    wrong = np.argwhere(~np.atleast_1d(good))
    first = tuple(int(i) for i in wrong[0]) if good.ndim else ()
    found_at, _, column = _option(config, "location", "").rpartition(":")
    file, _, line = found_at.rpartition(":")
    message = (
        f"check failed: {len(wrong)} of {good.size} elements are not {rule}; first at {list(first)}: "
        f"expected {expected[first]}, found {actual[first]}\nexpected: {_text(expected)}\nfound:    {_text(actual)}"
    )
    raise CheckFailed(Diagnostic(message, file, int(line), int(column)) if file else message)


def _text(array: np.ndarray) -> str:
    return np.array2string(array, threshold=32, edgeitems=4, separator=", ").replace("\n", "")
