"""hlo.Builder: values, operators, regions, functions, errors; results against numpy through hlo.compile."""

from __future__ import annotations

import inspect
import re
import runpy
from pathlib import Path

import numpy as np
import pytest

import hlo

ROOT = Path(__file__).parents[3]
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def run(function, *arrays):
    """The results of a Python function of builder and parameters."""
    b = hlo.Builder()
    results = function(b, *(b.parameter(a) for a in arrays))
    return b.compile(*(results if isinstance(results, tuple) else (results,)))(*arrays)


OPERATORS = {
    "add": lambda x: x + 1.5,
    "radd": lambda x: 1.5 + x,
    "rsub": lambda x: 1 - x,
    "array": lambda x: np.float32([[1, 2, 3]]) * x,
    "divide": lambda x: x / (x + 1),
    "power": lambda x: x**2,
    "negate": lambda x: -x,
    "abs": lambda x: abs(x - 3),
    "compare": lambda x: x > 2,
    "equal": lambda x: x == 2,
    "logic": lambda x: (x > 1) & ~(x > 3),
    "matmul": lambda x: x @ x.T,
    "row": lambda x: x[1],
    "last": lambda x: x[-1, -2],
    "slice": lambda x: x[:, 1:],
    "steps": lambda x: x[:, ::2],
    "backwards": lambda x: x[::-1, 2:0:-1],
    "ellipsis": lambda x: x[..., 0],
    "new_dimension": lambda x: x[:, None],
    "empty": lambda x: x[:, 2:1],
}


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_are_those_of_numpy(name: str) -> None:
    function = OPERATORS[name]
    (found,) = run(lambda b, x: function(x), X)
    expected = np.asarray(function(X))
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_integer_operators() -> None:
    x = np.array([-7, 8, 9], np.int32)
    found = run(lambda b, x: (x >> 1, x << 2, x ^ 5, x | 1), x)
    for result, expected in zip(found, (x >> 1, x << 2, x ^ 5, x | 1)):
        np.testing.assert_array_equal(result, expected)
    (logical,) = run(lambda b, x: x >> 1, x.astype(np.uint32))
    np.testing.assert_array_equal(logical, x.astype(np.uint32) >> 1)


def test_values_know_their_types() -> None:
    b = hlo.Builder()
    x = b.parameter("2x?xbf16")
    assert (x.shape, x.rank, x.dtype.name) == ((2, None), 2, "bfloat16")
    with pytest.raises(TypeError, match="no truth"):
        bool(x)


def test_regions() -> None:
    found = run(
        lambda b, x: (
            b.reduce(x, 0.0, lambda a, c: a + c, dimensions=[1]),
            b.reduce_all(x, 0.0, lambda a, c: b.maximum(a, c)),
            b.sort(-x, dimension=0),
            b.sort(x, lambda a, c: a > c),
            b.map(x, lambda a: a * a + 1.0),
            b.if_(x[0, 1] > 0.0, lambda: x, lambda: -x),
            b.case(7, lambda: x, lambda: x + 1.0),
            b.while_(lambda i, v: i < 3, lambda i, v: (i + 1, v + x), 0, x)[1],
        ),
        X,
    )
    expected = (X.sum(1), X.max(), np.sort(-X, 0), -np.sort(-X, 1), X * X + 1, X, X + 1, 4 * X)
    for result, wanted in zip(found, expected):
        np.testing.assert_allclose(result, wanted)


def test_several_inputs_in_one_reduction() -> None:
    def body(a, i, c, j):
        b = a.builder
        keep = a >= c
        return b.select(keep, a, c), b.select(keep, i, j)

    values, indices = run(
        lambda b, x: b.reduce([x, b.iota(1, x.shape)], [-np.float32(np.inf), 0], body, [1]), X[:, ::-1].copy()
    )
    np.testing.assert_array_equal(values, [2, 5])
    np.testing.assert_array_equal(indices, [0, 0])


def test_functions_are_called() -> None:
    b = hlo.Builder()
    x = b.parameter(X)
    double = b.function(lambda v: v + v, X, name="double")
    both = b.function(lambda v: (b.call(double, v), v * 3.0), X)
    twice, thrice = b.call(both, x)
    composed = b.composite("my.double", x, decomposition=double)
    for result, expected in zip(b.compile(twice, thrice, composed)(X), (2 * X, 3 * X, 2 * X)):
        np.testing.assert_array_equal(result, expected)
    with pytest.raises(hlo.VerifyError, match="@double takes"):
        b.call(double, 1.0)


def test_values_stay_in_their_region() -> None:
    b = hlo.Builder()
    x, leaked = b.parameter("f32"), []
    b.reduce_all(b.parameter("4xf32"), 0.0, lambda a, c: leaked.append(a) or a + c)
    with pytest.raises(hlo.ArgumentError, match="used outside"):
        x + leaked[0]
    with pytest.raises(hlo.ArgumentError, match="used outside"):
        hlo.Builder().negate(x)


def test_errors_name_clause_and_line() -> None:
    b = hlo.Builder()
    x = b.parameter("2x3xf32")
    line = inspect.currentframe().f_lineno + 2
    with pytest.raises(hlo.VerifyError, match="C4: dimension must be in") as caught:
        b.concatenate(x, dimension=2)
    assert (caught.value.diagnostics[0].file, caught.value.diagnostics[0].line) == (__file__, line)
    assert "concatenate" not in str(b.build(x)), "a failed op leaves nothing"


def test_errors_in_regions_name_the_inner_line_and_leave_nothing() -> None:
    b = hlo.Builder()
    x = b.parameter("2xf32")
    line = inspect.currentframe().f_lineno + 2
    with pytest.raises(hlo.VerifyError) as caught:
        b.reduce(x, 0.0, lambda a, c: b.transpose(a, [0]))
    assert caught.value.diagnostics[0].line == line
    assert "functions" not in str(b.build(x))


def test_deferred_errors_are_raised_by_build_in_order() -> None:
    b = hlo.Builder(errors="deferred")
    x = b.parameter("2x3xf32")
    failed = b.concatenate(x, dimension=2)
    dependent = failed + x
    b.transpose(x, [0, 0])
    with pytest.raises(hlo.VerifyError) as caught:
        b.build(dependent)
    first, second = caught.value.diagnostics
    assert "concatenate" in first.message and "transpose" in second.message and first.line < second.line
    with pytest.raises(hlo.VerifyError, match="concatenate"):
        failed.shape  # noqa: B018
    with pytest.raises(hlo.VerifyError, match="concatenate"):
        _, _ = failed


def test_the_writer_chooses_what_cannot_be_inferred() -> None:
    b = hlo.Builder()
    with pytest.raises(hlo.ArgumentError, match="give dtype="):
        b.convert(b.parameter("2xf32"))
    with pytest.raises(hlo.ArgumentError, match="no argument 'axis'"):
        b.op("reverse", b.parameter("2xf32"), axis=0)
    with pytest.raises(hlo.ArgumentError, match="is no type"):
        b.parameter("2xf33")


@pytest.mark.parametrize("value", ["i8", [[1, 2], [3]], object()])
def test_what_is_no_constant(value: object) -> None:
    b = hlo.Builder()
    with pytest.raises(
        hlo.ArgumentError, match=r"test_builder.py.* is no constant of element type i32|no element type"
    ):
        b.clamp(value, b.parameter("4xi32"), 3)


MISUSES = {
    "no list": lambda b, x: b.transpose(x, 1),
    "no integers": lambda b, x: b.op("reshape", x, sizes="ab"),
    "no sizes": lambda b, x: b.op("iota", 0, sizes=-1, dtype="f32"),
    "negative size": lambda b, x: b.broadcast_in_dim(x, [0], [-1]),
    "no element type": lambda b, x: b.convert(x, "tensor<2xf32>"),
    "no list of types": lambda b, x: b.custom_call("f", x, result_types="?"),
    "no such part": lambda b, x: b.get_tuple_element(b.tuple(x), -1),
    "a function of too few": lambda b, x: b.reduce(x, 0.0, lambda p: p),
    "nothing to reduce": lambda b, x: b.reduce([], [], lambda p, q: p),
    "stride 0": lambda b, x: b.real_dynamic_slice(x, [0], [4], [0]),
    "no future": lambda b, x: b.async_done(x),
    "no function": lambda b, x: b.while_(1, 2, x),
}


@pytest.mark.parametrize("case", MISUSES)
def test_misuse_is_an_error_with_its_line(case: str) -> None:
    for errors in ("raise", "deferred"):
        b = hlo.Builder(errors=errors)
        with pytest.raises(hlo.HloError, match=r"test_builder\.py:\d+:1: error"):
            b.build(MISUSES[case](b, b.parameter("4xf32")))


def test_errors_of_the_users_functions_are_theirs() -> None:
    b = hlo.Builder()
    with pytest.raises(ZeroDivisionError):
        b.reduce(b.parameter("4xf32"), 0.0, lambda p, q: 1 / 0)


def test_compute_constant() -> None:
    b = hlo.Builder()
    x = b.parameter("f32")
    n = b.constant([1, 2, 3]) * 2
    x + 1.0
    np.testing.assert_array_equal(b.compute_constant(n), [2, 4, 6])
    with pytest.raises(hlo.ArgumentError, match="depends on parameter 0"):
        b.compute_constant(x + 1.0)
    np.testing.assert_array_equal(b.compile(n, x)(np.float32(5))[0], [2, 4, 6])


def test_trace_names_a_value() -> None:
    b = hlo.Builder()
    line = inspect.currentframe().f_lineno + 1
    y = b.trace("sum", b.parameter("f32") + 1.0)
    text = b.build(y).operation.get_asm(enable_debug_info=True, pretty_debug_info=True)
    place = re.search(rf"(#loc\d*) = \S*test_builder.py:{line}:1", text)
    assert place is not None
    assert f'"sum"({place[1]})' in text


def test_axpy_example() -> None:
    example = runpy.run_path(str(ROOT / "examples" / "axpy.py"))
    x, y = np.arange(10, dtype=np.float32), np.ones(10, np.float32)
    np.testing.assert_array_equal(example["axpy_parameters"](np.float32(2), x, y), 2 * x + y)
    np.testing.assert_array_equal(example["axpy_constants"](2.0, x, y), 2 * x + y)
