"""Factorisations and triangular systems by halves: what they are after the pass, computed by the reference, is what numpy says."""

import itertools

import numpy as np
import pytest
from mlir import ir

import hlo
from hlo.lowering.stablehlo.linear_algebra.split_factorisations import SplitFactorisations


def split(text: str) -> str:
    """The program after the pass, with orders of a test."""
    module = hlo.parse(text)
    with module.context, ir.Location.unknown():
        SplitFactorisations(order=12, leaf=5).run(module)
    assert module.operation.verify()
    return str(module)


def positive_definite(shape: tuple[int, ...], seed: int) -> np.ndarray:
    x = np.random.default_rng(seed).standard_normal(shape)
    return x @ np.swapaxes(x, -1, -2) + np.eye(shape[-1])


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("shape", [(12, 12), (23, 23), (2, 17, 17)])
def test_cholesky(shape: tuple[int, ...], lower: bool) -> None:
    kind = "x".join(map(str, shape)) + "xf64"
    module = split(
        f"func.func @main(%a: tensor<{kind}>) -> tensor<{kind}> {{\n"
        f"  %r = stablehlo.cholesky %a, lower = {str(lower).lower()} : tensor<{kind}>\n  return %r : tensor<{kind}> }}"
    )
    assert module.count("stablehlo.cholesky") > 1 and "stablehlo.dot_general" in module
    a = positive_definite(shape, 0)
    other = np.triu if lower else np.tril
    unread = np.where(other(np.ones(shape[-2:], bool), 1 if lower else -1), np.nan, a)
    (found,) = hlo.compile(module, target="reference")(unread)
    factor = np.linalg.cholesky(a)
    np.testing.assert_allclose(found, factor if lower else np.swapaxes(factor, -1, -2), rtol=0, atol=1e-12)


def numbers(generator: np.random.Generator, shape: tuple[int, ...], element: str) -> np.ndarray:
    real = generator.standard_normal(shape)
    return real if element == "f64" else real + 1j * generator.standard_normal(shape)


TRANSPOSE = {
    "NO_TRANSPOSE": lambda a: a,
    "TRANSPOSE": lambda a: np.swapaxes(a, -1, -2),
    "ADJOINT": lambda a: np.swapaxes(a, -1, -2).conj(),
}


@pytest.mark.parametrize("transpose", TRANSPOSE)
@pytest.mark.parametrize("left_side, lower, unit", list(itertools.product([True, False], repeat=3)))
def test_triangular_systems(left_side: bool, lower: bool, unit: bool, transpose: str) -> None:
    order, others, element = 23, 33, "f64"
    rows, columns = (order, others) if left_side else (others, order)
    word = {True: "true", False: "false"}
    module = split(
        f"func.func @main(%a: tensor<2x{order}x{order}x{element}>, %b: tensor<2x{rows}x{columns}x{element}>) -> tensor<2x{rows}x{columns}x{element}> {{\n"
        f'  %r = "stablehlo.triangular_solve"(%a, %b) {{left_side = {word[left_side]}, lower = {word[lower]}, unit_diagonal = '
        f"{word[unit]}, transpose_a = #stablehlo<transpose {transpose}>}} : "
        f"(tensor<2x{order}x{order}x{element}>, tensor<2x{rows}x{columns}x{element}>) -> tensor<2x{rows}x{columns}x{element}>\n"
        f"  return %r : tensor<2x{rows}x{columns}x{element}> }}"
    )
    assert module.count("stablehlo.triangular_solve") > 2 and "stablehlo.dot_general" in module
    generator = np.random.default_rng(1)
    a = numbers(generator, (2, order, order), element) / order + np.eye(order)
    b = numbers(generator, (2, rows, columns), element)
    triangle = (np.tril if lower else np.triu)(a)
    used = np.where(np.eye(order, dtype=bool), 1.0, triangle) if unit else triangle
    unread = np.where((np.triu if lower else np.tril)(np.ones((order, order), bool), 1 if lower else -1), np.nan, a)
    if unit:
        unread = np.where(np.eye(order, dtype=bool), np.nan, unread)
    applied = TRANSPOSE[transpose](used)
    (found,) = hlo.compile(module, target="reference")(unread, b)
    np.testing.assert_allclose(applied @ found if left_side else found @ applied, b, rtol=0, atol=1e-12)


@pytest.mark.parametrize("transpose", TRANSPOSE)
def test_compiled_systems_of_complex_numbers(transpose: str) -> None:
    order, others, kind = 150, 40, "complex<f64>"
    a, b = f"tensor<{order}x{order}x{kind}>", f"tensor<{order}x{others}x{kind}>"
    text = (
        f"func.func @main(%a: {a}, %b: {b}) -> {b} {{\n"
        '  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = '
        f"#stablehlo<transpose {transpose}>}} : ({a}, {b}) -> {b}\n  return %r : {b} }}"
    )
    generator = np.random.default_rng(2)
    matrix = np.tril(numbers(generator, (order, order), kind) / order + np.eye(order))
    right = numbers(generator, (order, others), kind)
    (found,) = hlo.compile(text)(matrix, right)
    np.testing.assert_allclose(TRANSPOSE[transpose](matrix) @ found, right, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", ["11x11xf64", "40x12x12xf64", "12x12xcomplex<f64>", "12x12xf16"])
def test_small_ones_and_many_stay_whole(kind: str) -> None:
    text = f"func.func @main(%a: tensor<{kind}>) -> tensor<{kind}> {{ %r = stablehlo.cholesky %a : tensor<{kind}>\n return %r : tensor<{kind}> }}"
    assert split(text).count("stablehlo.cholesky") == 1


def test_a_card_computes_products() -> None:
    text = (
        "func.func @main(%a: tensor<512x512xf32>) -> tensor<512x512xf32> {\n"
        "  %r = stablehlo.cholesky %a, lower = true : tensor<512x512xf32>\n  return %r : tensor<512x512xf32> }"
    )
    kernels = " ".join(hlo.compile(text, target="gpu", cache=False).program.plan.kernels)
    assert "mul_add_reduce" in kernels and "cholesky" in kernels and "triangular_solve" in kernels
