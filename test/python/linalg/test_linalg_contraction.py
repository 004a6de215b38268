"""dot_general for all dimension numbers and element types, against JAX and numpy."""

import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax import lax
from linalg_checks import check_jax, check_op

RANDOM = np.random.default_rng(0)


def normal(*shape, dtype=np.float32):
    values = RANDOM.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * RANDOM.standard_normal(shape)
    return values.astype(dtype)


DIMENSION_NUMBERS = [
    ((5, 7), (7, 3), (((1,), (0,)), ((), ()))),
    ((7, 5), (3, 7), (((0,), (1,)), ((), ()))),
    ((4, 3, 5, 2), (2, 5, 3, 6), (((1, 3), (2, 0)), ((2,), (1,)))),
    ((2, 3), (4, 5), (((), ()), ((), ()))),
    ((9,), (9,), (((0,), (0,)), ((), ()))),
    ((2, 3, 4), (3, 2, 4), (((2,), (2,)), ((0, 1), (1, 0)))),
    ((5, 0), (0, 3), (((1,), (0,)), ((), ()))),
    ((0, 4), (4, 3), (((1,), (0,)), ((), ()))),
]


@pytest.mark.parametrize("lhs, rhs, numbers", DIMENSION_NUMBERS)
def test_dimension_numbers(lhs, rhs, numbers):
    check_jax(lambda a, b: lax.dot_general(a, b, numbers), normal(*lhs), normal(*rhs))


def test_complex():
    check_jax(jnp.dot, normal(5, 7, dtype=np.complex64), normal(7, 3, dtype=np.complex64))


COMPLEX = [
    ((60, 4), (3, 50, 4), (((1,), (2,)), ((), ()))),  # the result is the largest
    ((4, 60), (4, 50), (((0,), (0,)), ((), ()))),
    ((3, 2, 20, 4), (4, 3, 50, 2), (((1, 3), (3, 0)), ((0,), (1,)))),
    ((8, 70), (70, 20), (((1,), (0,)), ((), ()))),  # an operand is
    ((70, 70), (70,), (((1,), (0,)), ((), ()))),
]


@pytest.mark.parametrize("dtype, tolerance", [(np.complex64, 1e-6), (np.complex128, 1e-14)])
@pytest.mark.parametrize("lhs, rhs, numbers", COMPLEX)
def test_complex_numbers_in_parts(lhs, rhs, numbers, dtype, tolerance):
    a, b = normal(*lhs, dtype=dtype), normal(*rhs, dtype=dtype)
    contracted, batch = numbers
    letters = [list(range(len(lhs))), [len(lhs) + d for d in range(len(rhs))]]
    for i, j in zip((*contracted[0], *batch[0]), (*contracted[1], *batch[1]), strict=True):
        letters[1][j] = letters[0][i]
    bound = [letters[0][d] for d in (*contracted[0], *batch[0])]
    free = [n for side in letters for n in side if n not in bound]
    wide = np.einsum(a.astype(np.complex128), letters[0], b.astype(np.complex128), letters[1], [*batch[0], *free])
    text = (
        f"%result = stablehlo.dot_general %0, %1, batching_dims = {list(batch[0])} x {list(batch[1])}, "
        f"contracting_dims = {list(contracted[0])} x {list(contracted[1])} : %T"
    )
    check_op(text, [a, b], [wide.astype(dtype)], tolerance=tolerance)


def integers(dtype, *shape):
    limits = np.iinfo(dtype)
    return RANDOM.integers(limits.min, limits.max + 1, shape).astype(dtype)


@pytest.mark.parametrize(
    "lhs, rhs", [(np.int8, np.int8), (np.uint8, np.uint8), (np.uint8, np.int8), (np.int32, np.int32)]
)
def test_integers_accumulate_in_the_result_type(lhs, rhs):
    a, b = integers(lhs, 5, 70), integers(rhs, 70, 4)
    expected = (a.astype(np.int64) @ b.astype(np.int64)).astype(np.int32)
    check_op("%result = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : %T", [a, b], [expected])


def test_booleans_are_and_or():
    a, b = RANDOM.integers(0, 2, (2, 5, 7)).astype(bool)[:, :, :6]
    check_op(
        "%result = stablehlo.dot_general %0, %1, contracting_dims = [1] x [1] : %T",
        [a, b],
        [(a[:, None] & b[None]).any(-1)],
    )


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, np.float16])
def test_half_precision_accumulates_in_f32(dtype):
    """4096 ones: a sum kept in bf16 would stop at 256, in f16 at 2048."""
    a = np.ones((1, 4096), dtype)
    check_jax(jnp.dot, a, a.T, tolerance=0)


def test_bf16_operands_with_f32_result():
    a, b = normal(3, 64, dtype=ml_dtypes.bfloat16), normal(64, 5, dtype=ml_dtypes.bfloat16)
    check_jax(lambda a, b: jnp.dot(a, b, preferred_element_type=np.float32), a, b)
