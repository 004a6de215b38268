"""Rounding errors of long sums of f32 and of complex numbers of f32: of many equal numbers, whose roundings all go the same way. Exact results are products."""

from collections.abc import Callable

import numpy as np
import pytest

import hlo

TENTH = float(np.float32(0.1))
REDUCE = "%r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = {} : (tensor<{}xf32>, tensor<f32>) -> tensor<{}f32>"
DOT = """%r = stablehlo.dot_general %x, %x, contracting_dims = [{0}] x [{0}] : (tensor<{1}xf32>, tensor<{1}xf32>) -> tensor<{2}f32>"""
SCAN = """%r = "stablehlo.reduce_window"(%x, %z) ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }}) {{window_dimensions = array<i64: {}>, padding = dense<{}> : tensor<{}x2xi64>}} : (tensor<{}xf32>, tensor<f32>) -> tensor<{}xf32>"""


def tenths(sizes: list[int], line: str, result: str, target: str = "cpu") -> np.ndarray:
    """What a program makes of an array of tenths."""
    return made_of(np.full(sizes, 0.1, np.float32), line, result, target)


def complex_tenths(sizes: list[int], line: str, result: str) -> np.ndarray:
    """The parts of what a program makes of an array of 0.1 + 0.1i."""
    found = made_of(np.full(sizes, np.complex64(TENTH + TENTH * 1j)), line, result)
    return np.stack([found.real, found.imag])


def made_of(array: np.ndarray, line: str, result: str, target: str = "cpu") -> np.ndarray:
    """What the line of a program of f32 makes of an array, of complex numbers perhaps."""
    x, zero = "x".join(map(str, array.shape)), "(0.0, 0.0)" if array.dtype.kind == "c" else "0.0"
    text = f"""func.func @main(%x: tensor<{x}xf32>) -> tensor<{result}f32> {{
      %z = stablehlo.constant dense<{zero}> : tensor<f32>
      {line}
      return %r : tensor<{result}f32>
    }}"""
    text = text.replace("f32>", "complex<f32>>") if array.dtype.kind == "c" else text
    return hlo.compile(text, target=target, cache=False)(array)[0]


def error(found: np.ndarray, exact: np.ndarray | float) -> float:
    return float(np.abs(found.astype(np.float64) / exact - 1).max())


@pytest.mark.parametrize(
    "sizes, reduced",
    [
        ([1 << 20, 8], [0]),
        ([1 << 19, 3], [0]),
        ([2, 1 << 21], [1]),
        ([(1 << 21) + 43], [0]),
        ([1 << 21], [0]),
        ([512, 3, 1024], [0, 2]),
        ([1 << 14, 2, 64, 2], [0, 2]),
        ([3000, 400, 4], [0, 1]),
    ],
)
@pytest.mark.parametrize("made", [tenths, complex_tenths])
def test_sums(sizes: list[int], reduced: list[int], made: Callable[..., np.ndarray]) -> None:
    kept = "".join(f"{n}x" for d, n in enumerate(sizes) if d not in reduced)
    found = made(sizes, REDUCE.format(reduced, "x".join(map(str, sizes)), kept), kept)
    assert error(found, np.prod([sizes[d] for d in reduced]) * TENTH) < 6e-6


@pytest.mark.parametrize(
    "sizes, along, result", [([1 << 21], 0, ""), ([1 << 20, 3], 0, "3x3x"), ([4, 1 << 20], 1, "4x4x")]
)
def test_products(sizes: list[int], along: int, result: str) -> None:
    found = tenths(sizes, DOT.format(along, "x".join(map(str, sizes)), result), result)
    assert error(found, sizes[along] * TENTH**2) < 3e-5


@pytest.mark.parametrize(
    "sizes, along, end",
    [
        ([1 << 20], 0, 0),
        ([(1 << 20) + 7], 0, 0),
        ([1 << 18], 0, 1),
        ([5, 1 << 17], 1, 0),
        ([1 << 18, 3], 0, 0),
        ([2, (1 << 17) + 1, 2], 1, 1),
    ],
)
@pytest.mark.parametrize("made", [tenths, complex_tenths])
def test_running_sums(sizes: list[int], along: int, end: int, made: Callable[..., np.ndarray]) -> None:
    size, rank = sizes[along], len(sizes)
    ends = [0, size - 1] if end else [size - 1, 0]
    windows = ", ".join(str(size if d == along else 1) for d in range(rank))
    padding = [ends if d == along else [0, 0] for d in range(rank)]
    x = "x".join(map(str, sizes))
    found = made(sizes, SCAN.format(windows, padding, rank, x, x), f"{x}x")
    exact = np.arange(1, size + 1) * TENTH
    exact = exact[::-1] if end else exact
    assert error(found, exact.reshape([size if d == along else 1 for d in range(rank)])) < 2e-5


def test_several_sums_in_one_reduction() -> None:
    """The sum and the sum of squares, of floats and of complex numbers."""
    text = """func.func @main(%x: tensor<1048576x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      %z = stablehlo.constant dense<ZERO> : tensor<f32>
      %y = stablehlo.multiply %x, %x : tensor<1048576x4xf32>
      %r:2 = "stablehlo.reduce"(%x, %y, %z, %z) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
        %s = stablehlo.add %a, %c : tensor<f32>
        %q = stablehlo.add %b, %d : tensor<f32>
        stablehlo.return %s, %q : tensor<f32>, tensor<f32>
      }) {dimensions = array<i64: 0>} : (tensor<1048576x4xf32>, tensor<1048576x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
      return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
    }"""
    number = np.complex64(TENTH + 2 * TENTH * 1j)
    for array, program in (
        (np.full([1 << 20, 4], 0.1, np.float32), text.replace("ZERO", "0.0")),
        (np.full([1 << 20, 4], number), text.replace("ZERO", "(0.0, 0.0)").replace("f32>", "complex<f32>>")),
    ):
        one = array[0, 0].astype(np.complex128)
        total, squares = hlo.compile(program, cache=False)(array)
        assert np.abs(total / (one * (1 << 20)) - 1).max() < 6e-6
        assert np.abs(squares / (one * one * (1 << 20)) - 1).max() < 6e-6


def test_other_reductions_of_the_same_loops() -> None:
    """A sum and a maximum in one kernel: only the sum begins anew."""
    x = np.random.default_rng(7).standard_normal((100_000, 5), np.float32)
    x[77] = 9
    text = """func.func @main(%x: tensor<100000x5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<100000x5xf32>, tensor<f32>) -> tensor<5xf32>
      %m = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [0] : (tensor<100000x5xf32>, tensor<f32>) -> tensor<5xf32>
      return %s, %m : tensor<5xf32>, tensor<5xf32>
    }"""
    total, most = hlo.compile(text, cache=False)(x)
    assert np.array_equal(most, x.max(0))
    assert np.abs(total - x.sum(0, dtype=np.float64)).max() < 1e-3


def test_infinities() -> None:
    """Blocks of finite numbers around infinite ones."""
    x = np.ones(1 << 20, np.float32)
    x[1 << 18], x[1 << 19] = np.inf, -np.inf
    size = 1 << 20
    line = SCAN.format(size, [[size - 1, 0]], 1, size, size)
    text = f"""func.func @main(%x: tensor<{size}xf32>) -> tensor<{size}xf32> {{
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      {line}
      return %r : tensor<{size}xf32>
    }}"""
    with np.errstate(invalid="ignore"):
        assert np.array_equal(hlo.compile(text, cache=False)(x)[0], np.cumsum(x), equal_nan=True)
