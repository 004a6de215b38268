"""Custom calls that stand for ops: approximate top-k, and ops whose sizes jax.export leaves to the call."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export, lax

import hlo
from hlo.runtime import custom_calls

X = np.random.default_rng(0).standard_normal((6, 20)).astype(np.float32)
KEY = np.arange(4, dtype=np.uint32)
THREE = np.zeros(3, np.float32)

STATIC = {
    "max": lambda x: lax.approx_max_k(x, 4),
    "min along the first": lambda x: lax.approx_min_k(x, 3, reduction_dimension=0),
    "not aggregated": lambda x: lax.approx_max_k(x, 4, aggregate_to_topk=False),
    "bf16": lambda x: lax.approx_max_k(x.astype(jnp.bfloat16), 4)[1],
}


@pytest.mark.parametrize("target", ["cpu", "reference"])
@pytest.mark.parametrize("name", STATIC)
def test_approximate_top_k_is_exact(name, target):
    function = jax.jit(STATIC[name])
    check(function.lower(X).as_text(), function, [X], target)


def check(text, function, arrays, target):
    found, expected = hlo.compile(text, target=target)(*arrays), jax.tree.leaves(function(*arrays))
    assert len(found) == len(expected)
    for a, b in zip(found, expected):
        np.testing.assert_array_equal(a, np.asarray(b))


def rows(x):
    return lax.approx_max_k(x, 4)


def chosen(x, y):
    return lax.top_k(x, y.shape[0])


def chosen_nearly(x, y):
    return lax.approx_max_k(x, y.shape[0])


def bits(key, x):
    return lax.rng_bit_generator(key, x.shape)


def largest_before(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (3, 2), (2, 1), ((2, 0), (0, 0)), (1, 2), (1, 3))


def products_and_sums(x):
    return lax.reduce_window((x, x), (np.float32(1), np.float32(0)), lambda a, b: (a[0] * b[0], a[1] + b[1]),
                             (2, 1), (1, 1), "VALID")  # fmt: skip


MATRICES = X[:, :16].reshape(6, 4, 4)
PARTS = {"lu": lax.linalg.lu, "qr": jnp.linalg.qr, "svd": jnp.linalg.svd, "eig": jnp.linalg.eigvals,
         "eigh": lambda x: jnp.linalg.eigh(x + x.mT), "inverse": jnp.linalg.inv, "det": jnp.linalg.det,
         "lu of wide ones": lambda x: lax.linalg.lu(x[:, :3]), "schur": lambda x: lax.linalg.schur(x)}  # fmt: skip


@pytest.mark.sampled(5)
@pytest.mark.parametrize("target", ["cpu", "reference"])
@pytest.mark.parametrize("name", PARTS)
def test_factorisations_of_as_many_matrices_as_are_given(name, target):
    """jax.export gives the sizes of results to LAPACK's functions as operands."""
    function = jax.jit(PARTS[name])
    kind = jax.ShapeDtypeStruct(export.symbolic_shape("n, 4, 4"), np.float32)
    exe = hlo.compile(str(export.export(function, platforms=["cpu"])(kind).mlir_module()), target=target)
    for count in (6, 1):
        found, expected = exe(MATRICES[:count]), jax.tree.leaves(function(MATRICES[:count]))
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, np.asarray(b), rtol=1e-3, atol=1e-5)


POLYMORPHIC = {largest_before: ([X], ["n, 20"]), products_and_sums: ([X], ["n, 20"]), rows: ([X], ["n, 20"]), chosen: ([X, THREE], [None, "k"]), chosen_nearly: ([X, THREE], [None, "k"]),
               bits: ([KEY, X], [None, "n, 20"])}  # fmt: skip


@pytest.mark.parametrize("target", ["cpu", "reference"])
@pytest.mark.parametrize("function", POLYMORPHIC, ids=lambda f: f.__name__)
def test_sizes_are_those_of_the_call(function, target):
    arrays, shapes = POLYMORPHIC[function]
    scope = export.SymbolicScope(("k <= 20", "k >= 1") if "k" in shapes else ())
    kinds = [jax.ShapeDtypeStruct(a.shape if s is None else export.symbolic_shape(s, scope=scope), a.dtype)
             for a, s in zip(arrays, shapes)]  # fmt: skip
    check(str(export.export(jax.jit(function))(*kinds).mlir_module()), function, arrays, target)


SIZED = """func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {{
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.custom_call @test.doubled(%s, %x) {{indices_of_shape_operands = dense<{index}> : tensor<{count}xi64>,
      operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>],
      output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]}}
      : (tensor<1xi32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}}"""


@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_a_function_is_not_given_the_sizes_of_its_result(target):
    custom_calls.register("test.doubled")(lambda x, result_types: x * 2 + result_types[0].shape[0])
    exe = hlo.compile(SIZED.format(index=0, count=1), target=target)
    for n in (3, 1):
        np.testing.assert_array_equal(exe(THREE[:n])[0], np.full(n, n, np.float32))
    for index, count, message in [
        (1, 1, "operands that hold sizes"),
        (7, 1, "operands that hold sizes"),
        ("[0, 1]", 2, "one a result"),
    ]:
        with pytest.raises(hlo.HloError, match=message):
            hlo.compile(SIZED.format(index=index, count=count), target=target)(THREE)
