"""The first elements of long rows and their indices, where they are a small part: keys whose leading bits tell them apart, or do not; beside numpy's stable argsort."""

from __future__ import annotations

import jax
import ml_dtypes
import numpy as np
import pytest
from jax import lax
from test_radix_sorting import stable_order, total_order

import hlo
from hlo.lowering.target import THREADS, target

RANDOM = np.random.default_rng(31)
INTEGERS = ["uint8", "int16", "uint16", "int32", "int64", "uint64"]


def integers(name, length):
    """By name: any, few, one number, sorted both ways, many that differ in their last bits only, ascending ones of which a few large ones hide the differences."""
    limits, index = np.iinfo(name), np.arange(length)
    drawn = RANDOM.integers(limits.min, limits.max, length, dtype=name, endpoint=True)
    return {
        "any": drawn,
        "few": RANDOM.integers(0, 3, length),
        "one": np.zeros(length),
        "largest": np.full(length, limits.max, name),
        "ascending": np.sort(drawn),
        "descending": np.sort(drawn)[::-1],
        "cluster": np.where(index % 1000 == 1, limits.max // 2, RANDOM.integers(0, 100, length)),
        "hidden": np.where(index == 5, limits.max, np.minimum(index, length - index) % min(30000, int(limits.max))),
    }


def floats(kind, length):
    """Zeros of both signs, infinities, NaNs; numbers that differ in their last bits only."""
    drawn = RANDOM.standard_normal(length)
    special = drawn.copy()
    special[::7], special[1::7], special[5::13], special[3::90] = 0.0, -0.0, np.inf, np.nan
    return {
        "any": drawn,
        "special": special,
        "ascending": np.sort(drawn),
        "descending": np.sort(drawn)[::-1],
        "near": 1000 + np.arange(length) % 5 * 1e-12 + 1e-12 * drawn,
        "cluster": np.where(np.arange(length) % 1000 == 1, 1e4, 1 + 1e-7 * drawn),
    }


def check(given, kind, length, k):
    """A row of each pattern."""
    rows = np.stack([v.astype(kind) for v in given.values()])
    with jax.enable_x64(True):
        text = jax.jit(lambda x: lax.top_k(x, k)).lower(rows).as_text()
    values, order = hlo.compile(text, cache=False)(rows)
    for row, found, where, pattern in zip(rows, values, order, given, strict=True):
        expected = stable_order(total_order(row), 0, True)[:k]
        np.testing.assert_array_equal(where, expected, err_msg=pattern)
        np.testing.assert_array_equal(found.view(np.uint8), row[expected].view(np.uint8), err_msg=pattern)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("length, k", [(999, 9), (1000, 100), (1001, 40), (4096, 409), (40000, 4000), (200000, 20000)])
@pytest.mark.parametrize("name", INTEGERS)
def test_integers(name, length, k):
    check(integers(name, length), name, length, k)


@pytest.mark.parametrize("length, k", [(1000, 9), (4096, 409), (200000, 20000)])
@pytest.mark.parametrize("kind", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
def test_floats(kind, length, k):
    check(floats(kind, length), kind, length, k)


@pytest.mark.skipif(not target("host").compresses or THREADS < 2, reason="compresses no vectors, or has one core")
@pytest.mark.parametrize("kind", ["uint8", "int16", "uint32", "int64", "float16", "float32", "float64"])
def test_one_long_row(kind):
    """Two threads walk along a half of it each, then sort a side of a pivot each; one thread does both."""
    length, k = 70001, 7000
    rows = (floats if kind.startswith("float") else integers)(kind, length)
    with jax.enable_x64(True):
        text = jax.jit(lambda x: lax.top_k(x, k)).lower(np.zeros(length, kind)).as_text()
    programs = [hlo.compile(text, threads=n, keep_phases=True, cache=False) for n in (1, 2)]
    assert "call @top_k_0.code.part_1(" in programs[1].phases["memory"]
    for pattern, row in rows.items():
        row = row.astype(kind)
        expected = stable_order(total_order(row), 0, True)[:k]
        for values, order in (program(row) for program in programs):
            np.testing.assert_array_equal(order, expected, err_msg=pattern)
            np.testing.assert_array_equal(values.view(np.uint8), row[expected].view(np.uint8), err_msg=pattern)
