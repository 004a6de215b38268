"""Loops whose last tile begins earlier than where the others end: against numpy."""

import ml_dtypes
import numpy as np
import pytest
from test_processors import HERE

import hlo

SIZES = [519, 2049, 3001, 4095]
SHORT = [45, 76, 125, 144]
"""Rows of a few steps, of which the last may begin earlier, too."""
TYPES = [np.float32, np.float64, np.int8, ml_dtypes.bfloat16]


def _numbers(shape, dtype):
    return np.random.default_rng(0).integers(-50, 50, shape).astype(dtype)


def _run(b, *results, inputs, **options):
    return [np.asarray(x) for x in hlo.compile(b.build(*results), **options)(*inputs)]


@pytest.mark.parametrize("cpu", HERE)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("size", SIZES)
def test_elements(size, dtype, cpu):
    x = _numbers((size,), dtype)
    b = hlo.Builder()
    (found,) = _run(b, b.negate(b.parameter((x.shape, dtype))), inputs=[x], cpu=cpu)
    np.testing.assert_array_equal(found, -x)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("donate", [(), (0,)])
def test_in_place(donate, dtype):
    """Elements that are negated twice where operands are would be wrong."""
    x = _numbers((3001,), dtype)
    b = hlo.Builder()
    operand = b.parameter((x.shape, dtype))
    (found,) = _run(b, b.negate(operand), inputs=[x.copy()], donate=donate)
    np.testing.assert_array_equal(found, -x)


@pytest.mark.parametrize("cpu", HERE)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("size", SIZES + SHORT)
def test_columns(size, dtype, cpu):
    x = _numbers((70, size), dtype)
    b = hlo.Builder()
    reduced = b.reduce([b.parameter((x.shape, dtype))], [dtype(-99)], lambda a, e: b.maximum(a, e), dimensions=[0])
    (found,) = _run(b, reduced, inputs=[x], cpu=cpu)
    np.testing.assert_array_equal(found, x.max(axis=0))


@pytest.mark.parametrize("cpu", HERE)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("size", SHORT)
def test_windows(size, dtype, cpu):
    """The padding is along another loop than the vectors."""
    x = _numbers((7, size), dtype)
    b = hlo.Builder()
    window = b.reduce_window(
        [b.parameter((x.shape, dtype))],
        [dtype(-99)],
        lambda a, e: b.maximum(a, e),
        [2, 1],
        [2, 1],
        padding=[(0, 1), (0, 0)],
    )
    (found,) = _run(b, window, inputs=[x], cpu=cpu)
    np.testing.assert_array_equal(found, np.stack([x[n : n + 2].max(axis=0) for n in range(0, 7, 2)]))


@pytest.mark.parametrize("cpu", HERE)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("size", SHORT)
def test_rows(size, dtype, cpu):
    x, y = _numbers((9, size + 1), dtype), _numbers((9,), dtype)
    b = hlo.Builder()
    rows, column = b.parameter((x.shape, dtype)), b.parameter((y.shape, dtype))
    moved = b.maximum(b.slice(rows, [0, 1], [9, size + 1], [1, 1]), b.broadcast_in_dim(column, [0], [9, size]))
    (found,) = _run(b, moved, inputs=[x, y], cpu=cpu)
    np.testing.assert_array_equal(found, np.maximum(x[:, 1:], y[:, None]))


@pytest.mark.parametrize("cpu", HERE)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(167, 255), (255, 167), (135, 2047)])
def test_transposes(shape, dtype, cpu):
    x = _numbers(shape, dtype)
    b = hlo.Builder()
    (found,) = _run(b, b.transpose(b.parameter((x.shape, dtype)), [1, 0]), inputs=[x], cpu=cpu)
    np.testing.assert_array_equal(found, x.T)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("size", [3, 5, 8])
def test_short_rows(size, dtype):
    x = _numbers((1037, size), dtype)
    b = hlo.Builder()
    operand = b.parameter((x.shape, dtype))
    reduced = b.reduce([operand], [dtype(-99)], lambda a, e: b.maximum(a, e), dimensions=[1])
    found = _run(b, reduced, b.negate(operand), inputs=[x])
    np.testing.assert_array_equal(found[0], x.max(axis=1))
    np.testing.assert_array_equal(found[1], -x)
