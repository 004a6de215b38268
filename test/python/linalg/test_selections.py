"""select_and_scatter as loop nests: windows of any size, stride and padding, against the specification's words in numpy."""

from collections.abc import Callable
from itertools import product

import ml_dtypes
import numpy as np
import pytest
from phase_texts import phase_text

import hlo

KINDS = {
    "f32": np.float32,
    "f64": np.float64,
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "i32": np.int32,
    "ui8": np.uint8,
}
PROGRAM = """func.func @main(%x: {operand}, %s: {source}, %i: {scalar}) -> {operand} {{
  %r = "stablehlo.select_and_scatter"(%x, %s, %i) <{{window_dimensions = array<i64: {sizes}>,
      window_strides = array<i64: {strides}>, padding = dense<{padding}> : tensor<{rank}x2xi64>}}> ({{
    ^bb0(%a: {scalar}, %b: {scalar}):
      %p = stablehlo.compare {direction}, %a, %b : ({scalar}, {scalar}) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
  }}, {{
    ^bb0(%a: {scalar}, %b: {scalar}):
      %p = stablehlo.{combine} %a, %b : {scalar}
      stablehlo.return %p : {scalar}
  }}) : ({operand}, {source}, {scalar}) -> {operand}
  return %r : {operand}
}}"""
SELECTS: dict[str, Callable] = {"GE": np.greater_equal, "GT": np.greater, "LE": np.less_equal}

WINDOWS = {
    "rows": ((6, 40), (1, 3), (1, 2), ((0, 0), (0, 1))),
    "planes": ((2, 9, 37), (1, 3, 3), (1, 2, 2), ((0, 0), (1, 1), (1, 1))),
    "planes without padding": ((3, 8, 33), (1, 3, 3), (1, 2, 2), ((0, 0), (0, 0), (0, 0))),
    "every element": ((2, 7, 35), (1, 5, 5), (1, 1, 1), ((0, 0), (2, 2), (2, 2))),
    "apart": ((3, 8, 34), (1, 2, 2), (1, 2, 2), ((0, 0), (0, 0), (0, 0))),
    "gaps": ((3, 8, 36), (1, 2, 2), (1, 3, 3), ((0, 0), (0, 0), (0, 0))),
    "features last": ((2, 9, 9, 19), (1, 3, 3, 1), (1, 2, 2, 1), ((0, 0), (0, 1), (0, 1), (0, 0))),
    "three features": ((2, 9, 9, 3), (1, 2, 2, 1), (1, 2, 2, 1), ((0, 0), (0, 1), (0, 1), (0, 0))),
    "one window": ((4, 5, 6), (1, 5, 6), (1, 1, 1), ((0, 0), (0, 0), (0, 0))),
    "one window of some": ((4, 5, 6), (1, 3, 4), (1, 7, 7), ((0, 0), (0, 0), (-1, 0))),
    "one row of windows": ((20, 8), (3, 8), (2, 1), ((1, 1), (0, 0))),
    "all dimensions": ((6, 5, 7, 18), (2, 2, 2, 2), (1, 2, 1, 2), ((0, 1), (1, 0), (0, 0), (1, 1))),
    "windows of padding": ((5, 20), (3, 2), (3, 3), ((4, 2), (5, 4))),
    "left out": ((4, 30), (2, 4), (1, 2), ((-1, 0), (-3, -2))),
    "long": ((300,), (9,), (4,), ((3, 5),)),
    "longer than vectors reach": ((2, 200), (1, 100), (1, 3), ((0, 0), (0, 0))),
}


def program(x, source, sizes, strides, padding, kind: str, direction="GE", combine="add") -> str:
    """`x` and `source` are arrays of the operand's and the source's shape."""
    tensor = lambda a: f"tensor<{''.join(f'{n}x' for n in a.shape)}{kind}>"
    numbers = lambda values: ", ".join(map(str, values))
    return PROGRAM.format(
        operand=tensor(x),
        source=tensor(source),
        scalar=f"tensor<{kind}>",
        sizes=numbers(sizes),
        strides=numbers(strides),
        padding=[list(ends) for ends in padding],
        rank=x.ndim,
        direction=direction,
        combine=combine,
    )


def counts(shape, sizes, strides, padding) -> list[int]:
    return [(n + low + high - w) // s + 1 for n, w, s, (low, high) in zip(shape, sizes, strides, padding)]


def expected(x, source, start, sizes, strides, padding, selects: Callable, combine: Callable = np.add) -> np.ndarray:
    """Window by window; of padding nothing is selected."""
    result = np.full(x.shape, start, source.dtype)
    for index in np.ndindex(source.shape):
        first = [i * s - low for i, s, (low, _) in zip(index, strides, padding)]
        cells = [tuple(f + o for f, o in zip(first, offset)) for offset in product(*map(range, sizes))]
        chosen = None
        for cell in cells:
            if all(0 <= i < n for i, n in zip(cell, x.shape)) and (chosen is None or not selects(x[chosen], x[cell])):
                chosen = cell
        if chosen is not None:
            result[chosen] = combine(result[chosen], source[index])
    return result


def check(windows, kind: str, cpu: str, direction="GE", combine="add", special: float | None = None) -> None:
    """Few different numbers, so that windows have equal ones; sums are exact in every type."""
    shape, sizes, strides, padding = windows
    random = np.random.default_rng(11)
    x = random.integers(0, 5, shape).astype(KINDS[kind])
    if special is not None:
        x[random.random(shape) < 0.3] = special
    source = random.integers(1, 4, counts(shape, sizes, strides, padding)).astype(KINDS[kind])
    start = np.asarray(2, KINDS[kind])
    function = {"add": np.add, "multiply": np.multiply}[combine]
    want = expected(x, source, start, sizes, strides, padding, SELECTS[direction], function)
    text = program(x, source, sizes, strides, padding, kind, direction, combine)
    (found,) = hlo.compile(text, cpu=cpu, threads=2, cache=False)(x, source, start)
    np.testing.assert_array_equal(np.asarray(found), want)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("cpu", ["host", "avx2", "baseline"])
@pytest.mark.parametrize("windows", WINDOWS.values(), ids=WINDOWS)
def test_windows(windows, cpu):
    check(windows, "f32", cpu)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("windows", ["planes", "apart", "one window", "left out"])
def test_element_types(kind, windows):
    check(WINDOWS[windows], kind, "host")


@pytest.mark.parametrize("direction", SELECTS)
@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
def test_no_number_is_taken_for_padding(special, direction):
    """A NaN is kept by no comparison, and an infinity is an element like any other."""
    check(WINDOWS["planes"], "f32", "host", direction, special=special)


def test_functions_other_than_sums():
    check(WINDOWS["planes"], "f32", "host", combine="multiply")


def test_selected_by_no_window():
    """An element keeps the sign of the start's zero."""
    x, source = np.arange(40, dtype=np.float32), -np.zeros(19, np.float32)
    executable = hlo.compile(program(x, source, (4,), (2,), ((0, 0),), "f32"), cache=False)
    for start, signs in ((0.0, False), (-0.0, True)):
        assert (np.signbit(executable(x, source, np.float32(start))[0]) == signs).all()


def test_small_floats_are_summed_in_f32():
    """256 and nine ones are 265, which bf16 rounds to 264 once; one by one they stay 256."""
    x, source = np.zeros(33, KINDS["bf16"]), np.ones(25, KINDS["bf16"])
    x[16] = 1
    text = program(x, source, (9,), (1,), ((0, 0),), "bf16")
    (found,) = hlo.compile(text, cache=False)(x, source, KINDS["bf16"](256))
    assert found[16] == np.float32(265).astype(KINDS["bf16"]) != 256


@pytest.mark.parametrize(
    ("windows", "are_nests"),
    [("planes", True), ("features last", True), ("three features", True), ("longer than vectors reach", False)],
)
def test_which_are_loop_nests(windows, are_nests):
    shape, sizes, strides, padding = WINDOWS[windows]
    source = np.empty(counts(shape, sizes, strides, padding), np.float32)
    text = phase_text(program(np.empty(shape, np.float32), source, sizes, strides, padding, "f32"), "kernels", "avx512")
    assert ('hlo.kernel = "loops"' not in text) == are_nests
