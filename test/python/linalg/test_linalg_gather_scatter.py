"""gather and scatter: dimension numbers, batching dimensions, indices out of bounds; against JAX."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from linalg_checks import check_jax, check_op

import hlo

RANDOM = np.random.default_rng(0)


def normal(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def indices(*shape, low=-3, high=10, dtype=np.int32):
    return RANDOM.integers(low, high, shape).astype(dtype)


def test_numpy_indexing():
    check_jax(lambda a, i: a[i], normal(8, 4), indices(5, 2, low=0, high=8))
    check_jax(lambda a, i, j: a[i, :, j], normal(8, 4, 6), indices(5, low=0, high=8), indices(5, low=-6, high=6))
    check_jax(lambda a, i: jnp.take_along_axis(a, i, 1), normal(5, 9), indices(5, 3, low=0, high=9))


def gather_text(numbers, sizes):
    return f"""%result = "stablehlo.gather"(%0, %1) {{dimension_numbers = #stablehlo.gather<{numbers}>,
      slice_sizes = array<i64: {sizes}>, indices_are_sorted = false}} : %T"""


def test_start_indices_are_clamped():
    a, i = normal(8, 4), indices(9, 1)
    numbers = "offset_dims = [1], start_index_map = [0], index_vector_dim = 1"
    expected = np.stack([a[s : s + 3].reshape(-1) for s in np.clip(i[:, 0], 0, 5)]).reshape(9, 3, 4)
    check_op(gather_text(numbers.replace("[1]", "[1, 2]", 1), "3, 4"), [a, i], [expected])


def test_large_unsigned_indices_are_clamped():
    a, i = normal(8), np.array([[3], [2**63 + 5], [2**64 - 1]], np.uint64)
    numbers = "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1"
    check_op(gather_text(numbers, "1"), [a, i], [a[[3, 7, 7]]])


def test_index_vector_in_the_middle():
    a, i = normal(6, 5, 7), indices(5, 2, 3)
    numbers = "offset_dims = [1], collapsed_slice_dims = [0, 2], start_index_map = [2, 0], index_vector_dim = 1"
    columns, rows = np.clip(i[:, 0], 0, 6), np.clip(i[:, 1], 0, 5)
    expected = np.moveaxis(a[rows, :3, columns], 2, 1)
    check_op(gather_text(numbers, "1, 3, 1"), [a, i], [expected])


def test_gather_batching_dims():
    numbers = lax.GatherDimensionNumbers(
        offset_dims=(2, 3),
        collapsed_slice_dims=(),
        start_index_map=(1,),
        operand_batching_dims=(0,),
        start_indices_batching_dims=(1,),
    )
    check_jax(
        lambda a, i: lax.gather(a, i, numbers, (1, 2, 5), mode="promise_in_bounds"),
        normal(3, 6, 5),
        indices(4, 3, 1, low=0, high=4),
    )


@pytest.mark.parametrize("method", ["set", "add", "multiply", "max", "min"])
def test_updates_by_rows(method):
    i = RANDOM.permutation(12)[:8].astype(np.int32) if method == "set" else indices(9, low=0, high=12)
    check_jax(lambda a, i, u: getattr(a.at[i], method)(u), normal(10, 4), i, normal(len(i), 4))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("columns", [2, 7, 15, 20, 47])
@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "int32", "float16", "bfloat16", "float32", "complex64"])
def test_repeated_rows_of_few_columns(kind, columns):
    """Updates of one row in their order, rows outside left out; whole numbers, so that sums are exact."""
    dtype, rows = jnp.dtype(kind), 5
    old, new = (RANDOM.integers(0, 4, (n, columns)).astype(dtype) for n in (rows, 40))
    where = RANDOM.integers(0, rows + 2, 40).astype(np.int32)
    for update, in_numpy in (("add", np.add), ("set", None), *((("max", np.maximum),) if kind != "complex64" else ())):
        expected = old.copy()
        for row, values in zip(where, new):
            if row < rows:
                expected[row] = in_numpy(expected[row], values) if in_numpy else values
        program = jax.jit(lambda t, u, i, update=update: getattr(t.at[i], update)(u, mode="drop")).lower(
            old, new, where
        )
        (found,) = hlo.compile(program.as_text(), cache=False)(old, new, where)
        np.testing.assert_array_equal(found, expected)


def scatter(method, **numbers):
    numbers = lax.ScatterDimensionNumbers(**numbers)
    return lambda a, i, u: method(a, i, u, numbers)


SCATTERS = {
    "rows": (
        (8, 4),
        (9, 1),
        (9, 4),
        dict(update_window_dims=(1,), inserted_window_dims=(0,), scatter_dims_to_operand_dims=(0,)),
    ),
    "windows": (
        (8, 4),
        (9, 2),
        (3, 9, 2),
        dict(update_window_dims=(0, 2), inserted_window_dims=(), scatter_dims_to_operand_dims=(1, 0)),
    ),
    "batching": (
        (3, 6, 5),
        (4, 3, 1),
        (4, 3, 2, 5),
        dict(
            update_window_dims=(2, 3),
            inserted_window_dims=(),
            scatter_dims_to_operand_dims=(1,),
            operand_batching_dims=(0,),
            scatter_indices_batching_dims=(1,),
        ),
    ),
}


@pytest.mark.parametrize("name", SCATTERS)
def test_scatter_dimension_numbers(name):
    """Indices out of bounds are among them: the whole window is skipped, as XLA does."""
    operand, index, update, numbers = SCATTERS[name]
    check_jax(scatter(lax.scatter_add, **numbers), normal(*operand), indices(*index), normal(*update))


def test_scatter_several_operands():
    body = """%result:2 = "stablehlo.scatter"(%0, %1, %2, %3, %4) ({
    ^bb0(%a: tensor<f32>, %n: tensor<i32>, %b: tensor<f32>, %m: tensor<i32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      %t = stablehlo.maximum %n, %m : tensor<i32>
      stablehlo.return %s, %t : tensor<f32>, tensor<i32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
        index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false} : %T"""
    a, n, i, b, m = normal(6), indices(6), indices(9, 1), normal(9), indices(9)
    sums, largest = a.copy(), n.copy()
    for k, (place,) in enumerate(i):
        if 0 <= place < 6:
            sums[place] += b[k]
            largest[place] = max(largest[place], m[k])
    check_op(body, [a, n, i, b, m], [sums, largest])


def test_gradient_of_gather():
    import jax

    check_jax(jax.grad(lambda a, i: (a[i] ** 2).sum()), normal(8, 4), indices(20, low=0, high=8))


@pytest.mark.parametrize("columns", [1, 3, 9, 64])
@pytest.mark.parametrize("name", ["maximum", "minimum"])
@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_extremes_of_special_values(kind, name, columns):
    """Each pair of zeros of both signs, infinities, NaNs, numbers and subnormal ones: a NaN stays one, -0 is less than 0."""
    dtype = {"f32": np.float32, "f64": np.float64}[kind]
    values = [0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1, -1, np.finfo(dtype).smallest_subnormal, -1e-310, 1e-40]
    values = np.array(values, dtype)
    count = len(values) ** 2
    old, new = (
        np.repeat(v[:, None], columns, 1) for v in (np.repeat(values, len(values)), np.tile(values, len(values)))
    )
    rows = np.arange(count, dtype=np.int32)[:, None]
    text = f"""func.func @main(%x: tensor<{count}x{columns}x{kind}>, %i: tensor<{count}x1xi32>, %u: tensor<{count}x{columns}x{kind}>) -> tensor<{count}x{columns}x{kind}> {{
      %0 = "stablehlo.scatter"(%x, %i, %u) ({{
      ^bb0(%a: tensor<{kind}>, %b: tensor<{kind}>):
        %1 = stablehlo.{name} %a, %b : tensor<{kind}>
        stablehlo.return %1 : tensor<{kind}>
      }}) {{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}
        : (tensor<{count}x{columns}x{kind}>, tensor<{count}x1xi32>, tensor<{count}x{columns}x{kind}>) -> tensor<{count}x{columns}x{kind}>
      return %0 : tensor<{count}x{columns}x{kind}>
    }}"""
    (found,) = hlo.compile(text, cache=False)(old, rows, new)
    is_nan, are_zeros = np.isnan(old) | np.isnan(new), (old == 0) & (new == 0)
    signs = np.signbit(old), np.signbit(new)
    signs = np.logical_and(*signs) if name == "maximum" else np.logical_or(*signs)
    expected = np.where(are_zeros, np.where(signs, dtype(-0.0), dtype(0.0)), getattr(np, name)(old, new))
    np.testing.assert_array_equal(np.isnan(found), is_nan)
    number = {"f32": np.int32, "f64": np.int64}[kind]
    np.testing.assert_array_equal(found[~is_nan].view(number), expected[~is_nan].view(number))
