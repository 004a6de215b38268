"""Long elementwise functions: lgamma and the like are one linalg.generic each, and one function of a kernel however often they are computed."""

import ml_dtypes
import numpy as np
import pytest
import scipy.special

import hlo


def sum_of_lgammas(count: int, size: int, element: str = "f32", mnemonic: str = "lgamma") -> str:
    """lgamma(x) + lgamma(x + 1) + ..."""
    t = f"tensor<{size}x{element}>"
    lines = [f"%s0 = chlo.{mnemonic} %x : {t} -> {t}"]
    for n in range(1, count):
        lines += [
            f"%c{n} = stablehlo.constant dense<{n}.0> : {t}",
            f"%x{n} = stablehlo.add %x, %c{n} : {t}",
            f"%l{n} = chlo.{mnemonic} %x{n} : {t} -> {t}",
            f"%s{n} = stablehlo.add %s{n - 1}, %l{n} : {t}",
        ]
    return f"func.func @main(%x: {t}) -> {t} {{\n" + "\n".join(lines) + f"\nreturn %s{count - 1} : {t} }}"


def count_of_ops(text: str, phase: str) -> int:
    return hlo.compile(text, keep_phases=True).phases[phase].count("\n")


def test_eight_lgammas_are_not_eight_times_the_code():
    one, eight = (count_of_ops(sum_of_lgammas(n, 1_000_000), "llvm") for n in (1, 8))
    assert eight < 1.5 * one


@pytest.mark.parametrize("mnemonic", ["lgamma", "digamma", "bessel_i1e"])
def test_passes_on_stablehlo_see_one_op(mnemonic):
    phases = hlo.compile(sum_of_lgammas(1, 64, mnemonic=mnemonic), keep_phases=True).phases
    assert f"chlo.{mnemonic}" in phases["stablehlo"]
    assert phases["linalg"].count("linalg.generic") == 1


@pytest.mark.parametrize("cpu", ["host", "avx2", "baseline"])
@pytest.mark.parametrize("element", ["f32", "f64", "f16", "bf16"])
def test_sizes_with_rests(element, cpu):
    """Whole steps, single vectors and lanes of a vector are functions of different vectors, which give the same numbers."""
    dtype = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": ml_dtypes.bfloat16}[element]
    x = np.random.default_rng(0).uniform(0.5, 9, 1000).astype(dtype)
    wide = [scipy.special.gammaln(x.astype(np.float64) + n) for n in range(3)]
    for size in (1, 3, 37, 1000):
        exe = hlo.compile(sum_of_lgammas(3, size, element), cpu=cpu)
        (found,) = exe(x[:size])
        if element in ("f32", "f64"):
            rtol = 1e-6 if element == "f32" else 1e-13
            np.testing.assert_allclose(found, sum(wide)[:size], rtol=rtol, atol=rtol)
        else:
            np.testing.assert_allclose(found.astype(np.float64), sum(wide)[:size], rtol=0.05, atol=0.05)


def test_a_function_of_a_scalar_and_of_an_array():
    t = "tensor<1000xf32>"
    text = f"""func.func @main(%x: {t}, %y: tensor<f32>) -> {t} {{
      %b = stablehlo.broadcast_in_dim %y, dims = [] : (tensor<f32>) -> {t}
      %0 = chlo.lgamma %x : {t} -> {t}
      %1 = chlo.lgamma %b : {t} -> {t}
      %2 = stablehlo.subtract %0, %1 : {t}
      return %2 : {t} }}"""
    x = np.linspace(0.5, 30, 1000, dtype=np.float32)
    (found,) = hlo.compile(text)(x, np.float32(4.5))
    expected = scipy.special.gammaln(x.astype(np.float64)) - scipy.special.gammaln(4.5)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def test_bodies_that_differ_are_functions_of_their_own():
    t = "tensor<1000xf64>"
    lines = [f"%{m}{n} = chlo.{m} %{a} : {t} -> {t}" for n, a in enumerate("xy") for m in ("lgamma", "digamma")]
    results = [f"%{m}{n}" for n in range(2) for m in ("lgamma", "digamma")]
    text = (
        f"func.func @main(%x: {t}, %y: {t}) -> ({', '.join([t] * 4)}) {{\n"
        + "\n".join(lines)
        + f"\nreturn {', '.join(results)} : {', '.join([t] * 4)} }}"
    )
    x, y = np.random.default_rng(1).uniform(2.5, 40, (2, 1000))
    found = hlo.compile(text)(x, y)
    expected = [f(v) for v in (x, y) for f in (scipy.special.gammaln, scipy.special.digamma)]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13)


@pytest.mark.parametrize("element", ["f32", "f64"])
@pytest.mark.parametrize("order", [0.0, 1.0, 2.0, 3.0, 22.0, 23.0, -1.0, 1.5])
def test_a_constant_order_gives_what_an_argument_gives(order, element):
    dtype = np.float32 if element == "f32" else np.float64
    t = f"tensor<100x{element}>"
    body = f"%r = chlo.polygamma %n, %x : {t}, {t} -> {t}\n return %r : {t} }}"
    constant = f"func.func @main(%x: {t}) -> {t} {{ %n = stablehlo.constant dense<{order}> : {t}\n {body}"
    x = np.linspace(-3.1, 30, 100).astype(dtype)
    expected = hlo.compile(f"func.func @main(%n: {t}, %x: {t}) -> {t} {{ {body}")(np.full(100, order, dtype), x)[0]
    np.testing.assert_array_equal(hlo.compile(constant)(x)[0], expected)
