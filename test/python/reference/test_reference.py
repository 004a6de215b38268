"""The reference: against JAX for ops that test/e2e lacks, and as the other side of hlo-run --compare."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import hlo
from hlo.dialect.definition import OPS
from hlo.reference.evaluators import load_all
from hlo.reference.table import evaluates
from hlo.tools.run import compare

GENERATOR = np.random.default_rng(7)
SQUARE = GENERATOR.standard_normal((2, 4, 4)).astype(np.float32)
POSITIVE = SQUARE @ SQUARE.swapaxes(1, 2) + 4 * np.eye(4, dtype=np.float32)
SMALL = np.array([-3.5, -0.5, 0.25, 0.9, 1.5, 7.25], np.float32)
IMAGE = GENERATOR.standard_normal((1, 6, 6, 2)).astype(np.float32)


def grad_of_max_pool(x):
    pool = lambda y: lax.reduce_window(y, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME").sum()
    return jax.grad(pool)(x)


PROGRAMS = {
    "cholesky": (lambda x: lax.linalg.cholesky(x, symmetrize_input=False), [POSITIVE]),
    "triangular_solve": (lambda a, b: lax.linalg.triangular_solve(a, b, lower=True), [POSITIVE, SQUARE]),
    "solve_transposed": (
        lambda a, b: lax.linalg.triangular_solve(a, b, left_side=True, transpose_a=True, unit_diagonal=True),
        [POSITIVE, SQUARE],
    ),
    "fft": (jnp.fft.fft, [SQUARE]),
    "irfft": (jnp.fft.irfft, [SQUARE.astype(np.complex64)]),
    "reduce_precision": (lambda x: lax.reduce_precision(x, 4, 3), [SMALL * 40]),
    "select_and_scatter": (grad_of_max_pool, [IMAGE]),
    "erf_inv": (lax.erf_inv, [SMALL / 8]),
    "lgamma": (lax.lgamma, [SMALL]),
    "digamma": (lax.digamma, [SMALL]),
    "zeta": (lax.zeta, [np.abs(SMALL) + 1.5, np.abs(SMALL) + 0.5]),
    "bessel_i1e": (lax.bessel_i1e, [SMALL]),
    "top_k": (lambda x: lax.top_k(x, 3), [SQUARE]),
    "cumsum": (lambda x: jnp.cumsum(x, axis=1), [SQUARE]),
    "argsort": (lambda x: jnp.argsort(x, axis=-1), [SQUARE]),
    "segment_sum": (lambda x: jax.ops.segment_sum(x, jnp.array([0, 2, 0, 1]), 3), [SQUARE[0]]),
    "fori_loop": (lambda x: lax.fori_loop(0, 5, lambda i, y: y * 0.5 + i, x), [SMALL]),
    "threefry": (lambda k: jax.random.bits(jax.random.wrap_key_data(k), (5,)), [np.array([1, 2], np.uint32)]),
    "bfloat16": (lambda x: jnp.tanh(x) @ x, [jnp.asarray(SQUARE, jnp.bfloat16)]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_agrees_with_jax(name):
    function, arrays = PROGRAMS[name]
    jitted = jax.jit(function)
    expected = jax.tree.leaves(jitted(*arrays))
    results = hlo.compile(jitted.lower(*arrays).as_text(), target="reference")(*map(np.asarray, arrays))
    assert len(results) == len(expected)
    for found, wanted in zip(results, expected):
        wanted = np.asarray(wanted)
        assert found.dtype == wanted.dtype and found.shape == wanted.shape
        assert compare.difference(found, wanted) is None


def test_state_of_rng_bit_generator():
    state = np.array([3, 5, 7, 9], np.uint32)
    function = jax.jit(lambda s: lax.rng_bit_generator(s, (3, 5), algorithm=lax.RandomAlgorithm.RNG_THREE_FRY))
    results = hlo.compile(function.lower(state).as_text(), target="reference")(state)
    for found, wanted in zip(results, function(state)):
        np.testing.assert_array_equal(found, wanted)


MISSING = {"stablehlo.cstr_reshapable", "stablehlo.return"}


def test_every_op_has_a_meaning():
    load_all()
    assert {name for name in OPS if name not in evaluates} == MISSING


def test_the_first_difference_is_named(monkeypatch):
    text = """func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %a = stablehlo.negate %x : tensor<3xf32>
  %b = stablehlo.sine %a : tensor<3xf32>
  %c = stablehlo.add %b, %x : tensor<3xf32>
  return %c : tensor<3xf32>
}"""
    module, x = hlo.parse(text, "program.mlir"), np.array([1, 2, 3], np.float32)
    results = hlo.compile(module)(x)
    assert compare.compare(module, "main", [x], results) == ""
    load_all()
    monkeypatch.setitem(evaluates, "stablehlo.sine", lambda call, a: np.cos(a))
    told = compare.compare(module, "main", [x], results)
    assert "first differing op: stablehlo.sine" in told and '"program.mlir":3:8' in told


AMPLIFIED = """func.func @main(%x: tensor<5000xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<5000xf32>, tensor<f32>) -> tensor<f32>
  %r = func.call @wave(%s) : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
func.func private @wave(%x: tensor<f32>) -> tensor<f32> {
  %r = stablehlo.sine %x : tensor<f32>
  return %r : tensor<f32>
}"""


def amplified():
    """A sum in another order is another number, whose sine is any number."""
    module, x = hlo.parse(AMPLIFIED, "program.mlir"), np.random.default_rng(0).standard_normal(5000)
    x = (x * 1e5).astype(np.float32)
    reference = float(hlo.compile(module, target="reference")(x)[0])
    (result,) = hlo.compile(module)(x)
    assert abs(result - reference) > 1e-4, "this test needs an input that shows the difference"
    return module, x, [result]


def test_rounding_that_later_ops_enlarge_is_no_difference():
    module, x, results = amplified()
    assert compare.compare(module, "main", [x], results) == ""


def test_an_error_behind_such_rounding_is_named(monkeypatch):
    module, x, results = amplified()
    monkeypatch.setitem(evaluates, "stablehlo.sine", lambda call, a: np.sin(a) * np.float32(1.001))
    told = compare.compare(module, "main", [x], results)
    assert "first differing op: stablehlo.sine" in told and '"program.mlir":8:8' in told


def test_a_result_that_no_op_explains_is_a_difference():
    module, x, _ = amplified()
    told = compare.compare(module, "main", [x], [np.float32(7)])
    assert "no single op differs" in told


@pytest.mark.parametrize("name", ["transformer", "transformer_gradient"])
def test_examples_agree_with_the_reference(name):
    folder = Path(__file__).parents[3] / "examples"
    module = hlo.parse((folder / f"{name}.mlir").read_text())
    with np.load(folder / f"{name}.inputs.npz") as loaded:
        arrays = [loaded[key] for key in loaded.files]
    assert compare.compare(module, "main", arrays, hlo.compile(module)(*arrays)) == ""


@pytest.mark.parametrize("target", ["reference", "cpu"])
@pytest.mark.parametrize("element", ["bf16", "f16", "f32", "f64", "complex<f64>"])
@pytest.mark.parametrize(
    "left, right", [((5, 1), (1,)), ((1,), (1, 5)), ((1,), (1,)), ((5, 1), (1, 5)), ((5, 2), (2,)), ((1, 1), (1, 1))]
)
def test_infinity_times_zero_is_no_number(left, right, element, target):
    """In each element of a product, whichever side has the zeros."""
    result = (*left[:-1], *right[1:])
    texts = ["x".join([*map(str, sizes), element]) for sizes in (left, right, result)]
    a, b, c = (f"tensor<{text}>" for text in texts)
    exe = hlo.compile(
        f"func.func @main(%a: {a}, %b: {b}) -> {c} {{ %0 = stablehlo.dot %a, %b : ({a}, {b}) -> {c} return %0 : {c} }}",
        target=target,
    )
    types = [argument.dtype for argument in exe.signature.arguments]
    for values in ((np.inf, 0), (0, np.inf)):
        (found,) = exe(*(np.full(sizes, value, t) for sizes, value, t in zip((left, right), values, types)))
        assert found.shape == result and np.isnan(found.astype(complex)).all(), found


CALL = """func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %r = {0}
  return %r : tensor<f32>
}
{1}"""
CALLS = {
    "func.call": '"func.call"(%a) {callee = @g} : (tensor<f32>) -> tensor<f32>',
    "stablehlo.composite": '"stablehlo.composite"(%a) {name = "a.b", decomposition = @g} : (tensor<f32>) -> tensor<f32>',
}


@pytest.mark.parametrize("target", ["cpu", "reference"])
@pytest.mark.parametrize("name", CALLS)
def test_calls_that_have_no_end_are_refused(name, target):
    declared = "func.func private @g(tensor<f32>) -> tensor<f32>"
    recursive = (
        f"func.func private @g(%a: tensor<f32>) -> tensor<f32> {{\n  %r = {CALLS[name]}\n  return %r : tensor<f32>\n}}"
    )
    for function, words in (
        (declared, f"2:8: error: '{name}' calls @g, which has no body"),
        (recursive, "6:8: error: recursive calls cannot be compiled: @g -> @g"),
    ):
        with pytest.raises(hlo.CompileError, match=words):
            hlo.compile(CALL.replace("{0}", CALLS[name]).replace("{1}", function), target=target)
