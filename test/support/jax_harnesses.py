"""JAX's own table of cases of each primitive, on hlo and on JAX's CPU backend: `python test/support/jax_harnesses.py FIRST STEP` runs
the entries FIRST, FIRST + STEP, ... and prints a line for each that fails on hlo alone or gives other results, then how many ran."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

TOLERANCES = {
    "bfloat16": 6e-2,
    "float16": 8e-3,
    "float32": 1e-4,
    "complex64": 1e-4,
    "float64": 1e-11,
    "complex128": 1e-11,
}
"""Relative to a number, or to 1 where it is smaller; all other types are compared exactly. XLA adds up sums
of narrow floats in their own type, hlo in f32."""


def entries() -> list[Any]:
    """Those that JAX itself has for its CPU backend, but what leaves the order of equal elements open."""
    from jax._src.internal_test_util import test_harnesses

    known = [entry for entry in test_harnesses.all_harnesses if entry.filter("cpu")]
    return [entry for entry in known if entry.params.get("is_stable", entry.group_name != "approx_top_k")]


def results(entry: Any, platform: str) -> list[np.ndarray] | Exception:
    """What an entry's function gives for its arguments, always the same ones; or its exception."""
    import jax

    arguments = entry.dyn_args_maker(np.random.RandomState(0))
    try:
        with jax.default_device(jax.devices(platform)[0]):
            return [_array(leaf) for leaf in jax.tree.leaves(jax.jit(entry.dyn_fun)(*arguments))]
    except Exception as error:
        return error


def _array(leaf: Any) -> np.ndarray:
    import jax

    is_key = jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    return np.asarray(jax.random.key_data(leaf) if is_key else leaf)


def differences(entry: Any) -> Iterator[str]:
    found, expected = results(entry, "hlo"), results(entry, "cpu")
    if isinstance(expected, Exception):
        return
    if isinstance(found, Exception):
        yield f"{entry.fullname}: {type(found).__name__}: {str(found)[:500]}"
        return
    for number, (ours, theirs) in enumerate(zip(found, expected, strict=True)):
        if (ours.dtype, ours.shape) != (theirs.dtype, theirs.shape):
            yield f"{entry.fullname}: result {number} is {ours.dtype}{ours.shape}, expected {theirs.dtype}{theirs.shape}"
        elif (wrong := _wrong(ours, theirs)).any():
            where = tuple(np.argwhere(wrong)[0])
            yield f"{entry.fullname}: result {number} has {ours[where]} at {where}, expected {theirs[where]}"


def _wrong(found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    tolerance = TOLERANCES.get(expected.dtype.name)
    if tolerance is None:
        return np.asarray(found != expected)
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    found, expected = found.astype(wide), expected.astype(wide)
    with np.errstate(all="ignore"):
        near = np.abs(found - expected) <= tolerance * np.maximum(np.abs(expected), 1)
        return np.asarray(~(near | (found == expected) | (np.isnan(found) & np.isnan(expected))))


def main(first: int, step: int) -> None:
    chosen = entries()[first::step]
    for entry in chosen:
        for line in differences(entry):
            print(line, flush=True)
    print(f"{len(chosen)} entries")


if __name__ == "__main__":
    os.environ |= {"JAX_PLATFORMS": "cpu,hlo", "JAX_ENABLE_X64": "1"}
    warnings.simplefilter("ignore")
    main(*map(int, sys.argv[1:]))
