"""Long chains of elementwise ops are one linalg.generic, and long expansions that a kernel repeats are functions; the numbers are those of numpy, for each
width of vectors and for rests of vectors."""

import numpy as np
import pytest

import hlo

CPUS = ("host", "avx512", "avx2", "baseline")
SIZES = (1, 5, 37, 1000)


def chain(length: int, element: str, size: int) -> str:
    """v(n) = v(n - 1) * x - v(n - 2), as in sums of Chebyshev's polynomials."""
    t = f"tensor<{size}x{element}>"
    names = ["x", "x", *(f"v{n}" for n in range(length))]
    lines = []
    for n in range(length):
        lines.append(f"%m{n} = stablehlo.multiply %{names[n + 1]}, %x : {t}")
        lines.append(f"%v{n} = stablehlo.subtract %m{n}, %{names[n]} : {t}")
    return f"func.func @main(%x: {t}) -> {t} {{\n" + "\n".join(lines) + f"\nreturn %v{length - 1} : {t} }}"


def computed(x: np.ndarray, length: int) -> np.ndarray:
    before, value = x, x
    for _ in range(length):
        before, value = value, value * x - before
    return value


@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("element", ["f32", "f64", "i32", "i8"])
def test_chains(element, cpu):
    """40 ops, and more than one body may have."""
    dtype = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i8": np.int8}[element]
    random = np.random.default_rng(0)
    for size in SIZES:
        x = (
            random.integers(-9, 9, size).astype(dtype)
            if element[0] == "i"
            else random.uniform(-1.9, 1.9, size).astype(dtype)
        )
        for length in (20, 300):
            with np.errstate(over="ignore"):
                expected = computed(x, length)
            np.testing.assert_array_equal(hlo.compile(chain(length, element, size), cpu=cpu)(x)[0], expected)


def test_a_chain_is_one_op():
    phases = hlo.compile(chain(100, "f32", 64), keep_phases=True).phases
    assert phases["linalg"].count("linalg.generic") == 1


def test_a_chain_with_booleans_conversions_and_bits():
    t = "tensor<1000x{}>".format
    lines = ["%v0 = stablehlo.add %x, %x : " + t("f32")]
    for n in range(12):
        lines += [
            f"%p{n} = stablehlo.compare LT, %v{n}, %x : ({t('f32')}, {t('f32')}) -> {t('i1')}",
            f"%b{n} = stablehlo.bitcast_convert %v{n} : ({t('f32')}) -> {t('ui32')}",
            f"%c{n} = stablehlo.convert %b{n} : ({t('ui32')}) -> {t('f32')}",
            f"%d{n} = stablehlo.multiply %c{n}, %s : {t('f32')}",
            f"%v{n + 1} = stablehlo.select %p{n}, %d{n}, %x : {t('i1')}, {t('f32')}",
        ]
    text = f"""func.func @main(%x: {t("f32")}, %y: tensor<f32>) -> {t("f32")} {{
      %s = stablehlo.broadcast_in_dim %y, dims = [] : (tensor<f32>) -> {t("f32")}
      {chr(10).join(lines)}
      return %v12 : {t("f32")} }}"""
    exe = hlo.compile(text, keep_phases=True)
    assert exe.phases["linalg"].count("linalg.generic") == 1
    x, scale = np.linspace(-3, 3, 1000, dtype=np.float32), np.float32(2.0**-31)
    value = x + x
    for _ in range(12):
        value = np.where(value < x, value.view(np.uint32).astype(np.float32) * scale, x)
    np.testing.assert_array_equal(exe(x, scale)[0], value)


def sum_of_powers(count: int, element: str, size: int) -> str:
    """x^y + (x + 1)^y + ..."""
    t = f"tensor<{size}x{element}>"
    lines = [f"%s0 = stablehlo.power %x, %y : {t}"]
    for n in range(1, count):
        lines += [
            f"%c{n} = stablehlo.constant dense<{n}.0> : {t}",
            f"%x{n} = stablehlo.add %x, %c{n} : {t}",
            f"%p{n} = stablehlo.power %x{n}, %y : {t}",
            f"%s{n} = stablehlo.add %s{n - 1}, %p{n} : {t}",
        ]
    return f"func.func @main(%x: {t}, %y: {t}) -> {t} {{\n" + "\n".join(lines) + f"\nreturn %s{count - 1} : {t} }}"


@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("element", ["f32", "f64"])
def test_repeated_powers(element, cpu):
    dtype = np.float32 if element == "f32" else np.float64
    x, y = np.random.default_rng(1).uniform(0.1, 3, (2, 1000)).astype(dtype)
    for size in (*SIZES, 1000):
        a, b = x[:size], y[:size]
        expected = sum((a.astype(np.float64) + n) ** b.astype(np.float64) for n in range(12))
        (found,) = hlo.compile(sum_of_powers(12, element, size), cpu=cpu)(a, b)
        np.testing.assert_allclose(found, expected, rtol=1e-6 if element == "f32" else 1e-14)


def test_twelve_powers_are_not_twelve_times_the_code():
    three, twelve = (hlo.compile(sum_of_powers(n, "f64", 100_000), keep_phases=True).phases["llvm"] for n in (3, 12))
    assert twelve.count("llvm.intr.fma") == three.count("llvm.intr.fma")
