"""reduce_window, its linear-time scans, and select_and_scatter, against JAX and numpy."""

import time

import jax
import numpy as np
import pytest
from jax import lax
from linalg_checks import check_jax, check_text, lower

RANDOM = np.random.default_rng(0)


def normal(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


ZERO = np.float32(0)


def test_max_pool():
    check_jax(lambda a: lax.reduce_window(a, -np.inf, lax.max, (1, 3, 2, 1), (1, 2, 2, 1), "SAME"), normal(2, 8, 9, 3))


def test_start_values_that_a_call_gives():
    """What is around the operand is one number, whether the program knows it or not. (Of numbers that change sums XLA takes fewer than the
    specification.)"""

    def both(a, first):
        padded = lax.pad(a, first, [(1, 0, 0), (1, 1, 0)])
        sums = lax.reduce_window(a, first, lambda x, y: x + y + x * y, (2, 2), (1, 1), ((1, 0), (0, 1)))
        return sums, lax.exp(padded) + padded, padded

    check_jax(both, normal(3, 40), ZERO)


def test_all_attributes():
    check_jax(
        lambda a: lax.reduce_window(a, ZERO, lax.add, (3, 2), (2, 1), [(1, 2), (0, 3)], (2, 3), (1, 2)), normal(8, 9)
    )


def test_windows_of_one_element():
    check_jax(lambda a: lax.reduce_window(a, ZERO, lax.add, (1, 1), (2, 1), "VALID"), normal(8, 9))


def test_several_operands():
    """The largest element of each window and where it was."""

    def larger(a, b):
        keep = a[0] >= b[0]
        return lax.select(keep, a[0], b[0]), lax.select(keep, a[1], b[1])

    def pool(a, i):
        return lax.reduce_window((a, i), (np.float32(-np.inf), np.int32(-1)), larger, (3, 3), (2, 2), "VALID")

    check_jax(pool, normal(7, 9), np.arange(63, dtype=np.int32).reshape(7, 9))


@pytest.mark.parametrize("padding", [(8, 0), (0, 8)])
@pytest.mark.parametrize(("combine", "start"), [(lax.add, 0), (lax.max, 1), (lax.mul, 1)])
def test_scans(combine, start, padding):
    check_jax(
        lambda a: lax.reduce_window(a, np.float32(start), combine, (1, 9, 1), (1, 1, 1), [(0, 0), padding, (0, 0)]),
        normal(3, 9, 5),
    )


@pytest.mark.parametrize("padding", [(8, 0), (0, 8)])
@pytest.mark.parametrize(("combine", "name"), [(np.add, "add"), (np.multiply, "multiply")])
def test_scans_with_a_start_in_the_padding(combine, name, padding):
    """Padding has the initial value, as the specification says; XLA leaves padding out."""
    low, high = padding
    text = f"""
    func.func @main(%a: tensor<9xf32>, %start: tensor<f32>) -> tensor<9xf32> {{
      %0 = "stablehlo.reduce_window"(%a, %start) ({{
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %1 = stablehlo.{name} %x, %y : tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }}) {{window_dimensions = array<i64: 9>, padding = dense<[[{low}, {high}]]> : tensor<1x2xi64>}} : (tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
      return %0 : tensor<9xf32>
    }}"""
    a, start = normal(9), np.float32(1.5)
    padded = np.pad(a, padding, constant_values=start)
    expected = [combine.reduce(padded[i : i + 9], initial=start) for i in range(9)]
    check_text(text, [a, start], [np.array(expected, np.float32)])


def test_scans_are_loops_over_one_dimension():
    """A window of the whole line becomes a kernel of its own; any other window does not."""
    text = """
    func.func @main(%a: tensor<9xf32>) -> tensor<Nxf32> {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = "stablehlo.reduce_window"(%a, %zero) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %1 = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }) {window_dimensions = array<i64: SIZE>, padding = dense<[[8, 0]]> : tensor<1x2xi64>,
          window_strides = array<i64: 1>} : (tensor<9xf32>, tensor<f32>) -> tensor<Nxf32>
      return %0 : tensor<Nxf32>
    }"""
    assert "call @scan_0" in str(lower(text.replace("SIZE", "9").replace("Nx", "9x")))
    assert "call @scan_0" not in str(lower(text.replace("SIZE", "8").replace("Nx", "10x")))


@pytest.mark.parametrize("is_reverse", [False, True])
@pytest.mark.parametrize("shape, along", [((50,), 0), ((1, 50), 1), ((7, 50), 1), ((2, 50, 3), 1), ((50, 5), 0)])
def test_scans_of_positions(shape, along, is_reverse):
    """The greatest element up to each one and where it was; the positions are counted, not read."""
    size = shape[along]
    window = tuple(size if d == along else 1 for d in range(len(shape)))
    ends = (0, size - 1) if is_reverse else (size - 1, 0)

    def later(a, b):
        takes = b[0] >= a[0]
        return lax.select(takes, b[0], a[0]), lax.select(takes, b[1], a[1])

    def extremes(x):
        positions = lax.broadcasted_iota(np.int32, shape, along)
        padding = [ends if d == along else (0, 0) for d in range(len(shape))]
        start = np.float32(-np.inf), np.int32(-1)
        return lax.reduce_window((x, positions), start, later, window, (1,) * len(shape), padding)

    x, step = normal(*shape), -1 if is_reverse else 1
    rows = np.moveaxis(x, along, 0)[::step]
    greatest = np.maximum.accumulate(rows)
    number = np.arange(size).reshape(-1, *[1] * (len(shape) - 1))
    found = np.arange(size)[::step][np.maximum.accumulate(np.where(rows == greatest, number, 0))]
    expected = [np.moveaxis(v[::step], 0, along) for v in (greatest, found.astype(np.int32))]
    text = jax.jit(extremes).lower(x).as_text()
    assert "call @scan_0" in str(lower(text))
    check_text(text, [x], expected)


def test_long_scan_is_linear():
    n = 1 << 17
    start = time.process_time()  # however busy the machine is
    check_jax(lambda a: lax.reduce_window(a, -np.inf, lax.max, (n,), (1,), [(n - 1, 0)]), normal(n))
    assert time.process_time() - start < 20


def test_select_and_scatter():
    def pool(a):
        return lax.reduce_window(a, -np.inf, lax.max, (1, 3, 2, 1), (1, 2, 2, 1), "SAME")

    cotangent = normal(2, 4, 5, 3)
    check_jax(lambda a: jax.vjp(pool, a)[1](cotangent)[0], normal(2, 8, 9, 3))


def test_select_and_scatter_overlapping_windows():
    pool = lambda a: lax.reduce_window(a, -np.inf, lax.max, (3, 3), (1, 1), "VALID")
    cotangent = normal(5, 6)
    check_jax(lambda a: jax.vjp(pool, a)[1](cotangent)[0], normal(7, 8))
