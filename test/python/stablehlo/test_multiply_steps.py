"""Loops whose matmuls are made together, in front of them or behind: results are those of JAX, and the loops have no matmul left but where steps need it."""

import re

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

import hlo
from hlo import pipelines
from hlo.dialect.printer import print_module

STEPS = 7


def numbers(*sizes: int, dtype: object = np.float32) -> np.ndarray:
    made = np.random.default_rng(sum(sizes)).integers(-4, 5, (*sizes, 2)) / 4
    if np.dtype(dtype).kind == "c":
        return (made[..., 0] + 1j * made[..., 1]).astype(dtype)
    return (made[..., 0] * (4 if np.dtype(dtype).kind in "iu" else 1)).astype(dtype)


def lower(function, *arguments: np.ndarray) -> str:
    with jax.enable_x64(True):
        return str(jax.jit(function).lower(*arguments).compiler_ir("stablehlo"))


def check(function, *arguments: np.ndarray) -> None:
    """Numbers are few quarters, which sums of all types hold exactly."""
    with jax.enable_x64(True):
        expected = jax.tree.leaves(jax.jit(function)(*arguments))
    found = hlo.compile(lower(function, *arguments))(*arguments)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.asarray(a, np.complex128), np.asarray(b, np.complex128), rtol=1e-5, atol=1e-6)


def products(text: str) -> tuple[int, int]:
    """Matmuls inside of loops, and others."""
    module = hlo.parse(text)
    pipelines.run(module, pipelines.cpu(), stop_after="stablehlo")
    lines = print_module(module).splitlines()
    inside, inner, depth = 0, 0, 0
    for line in lines:
        opens = "stablehlo.while" in line
        depth += opens
        inside += depth > 0 and "dot_general" in line
        inner += "dot_general" in line
        depth -= depth > 0 and re.match(r"\s*}$", line) is not None
    return inside, inner - inside


def before(xs, w):
    return jax.lax.scan(lambda h, x: (h + x @ w, None), jnp.zeros((xs.shape[1], w.shape[1]), xs.dtype), xs)[0]


def behind(h, w):
    return jax.lax.scan(lambda h, _: (-h, h @ w), h, None, length=STEPS)[1]


DTYPES = [np.float32, np.float64, np.float16, ml_dtypes.bfloat16, np.int32, np.int8, np.complex64, np.complex128]


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda t: np.dtype(t).name)
def test_types(dtype):
    w = numbers(6, 3, dtype=dtype)
    for function, x in ((before, numbers(STEPS, 4, 6, dtype=dtype)), (behind, numbers(4, 6, dtype=dtype))):
        assert products(lower(function, x, w)) == (0, 1)
        check(function, x, w)


def columns(xs, w):
    return jax.lax.scan(lambda h, x: (h + w @ x, None), jnp.zeros((w.shape[0], xs.shape[2])), xs, reverse=True)[0]


def rows(xs, w):
    return jax.lax.scan(lambda h, x: (h + x.reshape(2, 12) @ w, None), jnp.zeros((2, 3)), xs)[0]


def converted(xs, w):
    step = lambda h, x: (h + (x.astype(jnp.float32) @ w), None)
    return jax.lax.scan(step, jnp.zeros((xs.shape[1], w.shape[1])), xs)[0]


def several_free_dimensions(h, w):
    def step(h, _):
        made = jnp.einsum("abk,kcd->abcd", h, w)
        return h + 1, made.astype(jnp.float16)

    return jax.lax.scan(step, h, None, length=STEPS, reverse=True)[1]


def two_loops(xs, w):
    outer = lambda h, x: (h + before(x, w), None)
    return jax.lax.scan(outer, jnp.zeros((xs.shape[2], w.shape[1])), xs)[0]


SHAPES = {
    columns: ((STEPS, 6, 4), (3, 6)),
    rows: ((STEPS, 4, 6), (12, 3)),
    several_free_dimensions: ((2, 3, 5), (5, 4, 12)),
    two_loops: ((3, STEPS, 4, 48), (48, 3)),
}


@pytest.mark.parametrize("function", SHAPES, ids=lambda f: f.__name__)
def test_forms(function):
    x, w = (numbers(*sizes) for sizes in SHAPES[function])
    assert products(lower(function, x, w)) == (0, 1)
    check(function, x, w)


def test_conversions():
    x, w = numbers(STEPS, 4, 6, dtype=np.float16), numbers(6, 3)
    assert products(lower(converted, x, w)) == (0, 1)
    check(converted, x, w)


def every_third(xs, w):
    """Steps that do not read all parts."""
    step = lambda i, h: h + jax.lax.dynamic_index_in_dim(xs, 3 * i, keepdims=False) @ w
    return jax.lax.fori_loop(0, 3, step, jnp.zeros((xs.shape[1], w.shape[1])))


def clamped(xs, w):
    """Indices beyond the ends are those of the first and the last part."""
    step = lambda i, h: 2 * h + jax.lax.dynamic_slice_in_dim(xs, 2 * i - 5, 1)[0] @ w
    return jax.lax.fori_loop(0, STEPS, step, jnp.zeros((xs.shape[1], w.shape[1])))


def computed_index(xs, w):
    """Which part it is, is known when the program runs."""
    step = lambda i, h: h + jax.lax.dynamic_index_in_dim(xs, h[0, 0].astype(int) % 3, keepdims=False) @ w
    return jax.lax.fori_loop(0, STEPS, step, jnp.zeros((xs.shape[1], w.shape[1])))


@pytest.mark.parametrize("function, inside", [(every_third, 1), (clamped, 0), (computed_index, 0)])
def test_indices(function, inside):
    x, w = numbers(STEPS, 4, 6), numbers(6, 3)
    assert products(lower(function, x, w)) == (inside, 1 - inside)
    check(function, x, w)


def written_again(h, w):
    """The last part, by several steps: the last of them counts."""

    def step(i, state):
        h, rows = state
        return -h, jax.lax.dynamic_update_index_in_dim(rows, h @ w, jnp.minimum(i, 3), 0)

    return jax.lax.fori_loop(0, STEPS + 1, step, (h, jnp.ones((4, h.shape[0], w.shape[1]), h.dtype)))[1]


def not_all_written(h, w):
    def step(i, state):
        h, rows = state
        return -h, jax.lax.dynamic_update_index_in_dim(rows, h @ w, i, 0)

    return jax.lax.fori_loop(0, 3, step, (h, jnp.ones((4, h.shape[0], w.shape[1]), h.dtype)))[1]


def read_by_steps(h, w):
    def step(i, state):
        h, rows = state
        return h + rows[0, 0, 0], jax.lax.dynamic_update_index_in_dim(rows, h @ w, i, 0)

    return jax.lax.fori_loop(0, 4, step, (h, jnp.ones((4, h.shape[0], w.shape[1]), h.dtype)))[1]


@pytest.mark.parametrize("function, inside", [(written_again, 0), (not_all_written, 1), (read_by_steps, 1)])
def test_parts_that_are_written(function, inside):
    h, w = numbers(4, 6), numbers(6, 3)
    assert products(lower(function, h, w)) == (inside, 1 - inside)
    check(function, h, w)


def test_short_sums_stay():
    """Of five rows and more; what they take is less than what keeping them does."""
    x, w = numbers(STEPS, 5, 12), numbers(12, 3)
    assert products(lower(before, x, w)) == (1, 0)
    check(before, x, w)


def test_what_is_large_stays():
    """Memory would hold 9 MB of products."""
    shapes = [jax.ShapeDtypeStruct(sizes, np.float32) for sizes in ((STEPS, 512, 8), (8, 640))]
    assert products(str(jax.jit(before).lower(*shapes).compiler_ir("stablehlo"))) == (1, 0)


@pytest.mark.parametrize("doublings", [70])
def test_an_index_of_many_sums(doublings):
    """Each value is looked at once: 2 to the power of 70 ways lead to the counter."""
    text = ["func.func @main(%h: tensor<4xf32>, %w: tensor<4x3xf32>) -> tensor<2x3xf32> {"]
    text += [
        "%zero = stablehlo.constant dense<0> : tensor<i32>",
        "%room = stablehlo.constant dense<0.0> : tensor<2x3xf32>",
    ]
    text += [
        "%0:3 = stablehlo.while(%i = %zero, %x = %h, %all = %room) : tensor<i32>, tensor<4xf32>, tensor<2x3xf32> cond {"
    ]
    text += [
        "%n = stablehlo.constant dense<2> : tensor<i32>",
        "%t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>",
    ]
    text += ["stablehlo.return %t : tensor<i1>", "} do {", "%s0 = stablehlo.add %i, %i : tensor<i32>"]
    text += [f"%s{n + 1} = stablehlo.add %s{n}, %s{n} : tensor<i32>" for n in range(doublings)]
    text += [
        "%p = stablehlo.dot_general %x, %w, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4x3xf32>) -> tensor<3xf32>"
    ]
    text += ["%r = stablehlo.reshape %p : (tensor<3xf32>) -> tensor<1x3xf32>"]
    text += [
        f"%u = stablehlo.dynamic_update_slice %all, %r, %s{doublings}, %zero : (tensor<2x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>"
    ]
    text += [
        "%one = stablehlo.constant dense<1> : tensor<i32>",
        "%j = stablehlo.add %i, %one : tensor<i32>",
        "%y = stablehlo.negate %x : tensor<4xf32>",
    ]
    text += [
        "stablehlo.return %j, %y, %u : tensor<i32>, tensor<4xf32>, tensor<2x3xf32>",
        "}",
        "return %0#2 : tensor<2x3xf32> }",
    ]
    h, w = numbers(4), numbers(4, 3)
    (found,) = hlo.compile("\n".join(text))(h, w)
    np.testing.assert_allclose(found, [-h @ w, np.zeros(3)], rtol=1e-6)
