"""Ops that move elements, constants and iota, against numpy."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from jax import lax
from linalg_programs import ELEMENTS, run_op, run_text, tensor_type, type_of

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def dims(values: list[int]) -> str:
    return f"array<i64: {', '.join(map(str, values))}>" if values else "array<i64>"


@pytest.mark.parametrize(
    "source, target, dimensions",
    [((), (2, 3), []), ((3,), (2, 3), [1]), ((3,), (3, 2), [0]), ((1, 3), (2, 3), [0, 1]), ((2, 3), (3, 2), [1, 0]),
     ((1,), (1, 4), [0]), ((3,), (0, 3), [1])],
)  # fmt: skip
def test_broadcast_in_dim(source, target, dimensions) -> None:
    x = np.arange(np.prod(source), dtype=np.float32).reshape(source)
    actual = run_op("broadcast_in_dim", [x], [tensor_type(target, "f32")], f"broadcast_dimensions = {dims(dimensions)}")
    np.testing.assert_array_equal(actual[0], np.asarray(lax.broadcast_in_dim(x, target, dimensions)))


@pytest.mark.parametrize(
    "source, target",
    [((2, 3, 4), (24,)), ((24,), (2, 3, 4)), ((2, 3, 4), (6, 4)), ((2, 3, 4), (4, 6)), ((2, 3, 4), (3, 2, 4)),
     ((1, 1), ()), ((), (1, 1, 1)), ((2, 3), (1, 2, 1, 3, 1)), ((1, 2, 1, 3, 1), (2, 3)), ((6, 1, 4), (2, 3, 4)),
     ((0, 3), (3, 0)), ((2, 3), (2, 3)), ((4, 6, 5), (3, 8, 5)), ((1, 4), (4, 1))],
)  # fmt: skip
def test_reshape(source, target) -> None:
    x = np.arange(np.prod(source), dtype=np.int32).reshape(source)
    actual = run_op("reshape", [x], [tensor_type(target, "i32")])[0]
    np.testing.assert_array_equal(actual, x.reshape(target))


@pytest.mark.parametrize("permutation", [[0, 1, 2], [2, 0, 1], [1, 2, 0], [2, 1, 0]])
def test_transpose(permutation) -> None:
    expected = X.transpose(permutation)
    actual = run_op("transpose", [X], [tensor_type(expected.shape, "f32")], f"permutation = {dims(permutation)}")
    np.testing.assert_array_equal(actual[0], expected)


def test_reverse() -> None:
    actual = run_op("reverse", [X], [type_of(X)], f"dimensions = {dims([0, 2])}")[0]
    np.testing.assert_array_equal(actual, X[::-1, :, ::-1])


def test_slice() -> None:
    attributes = f"start_indices = {dims([0, 1, 0])}, limit_indices = {dims([2, 3, 4])}, strides = {dims([1, 1, 3])}"
    actual = run_op("slice", [X], [tensor_type((2, 2, 2), "f32")], attributes)[0]
    np.testing.assert_array_equal(actual, X[:, 1:3, ::3])


@pytest.mark.parametrize("element", [e for e in ELEMENTS if e != "i1"])
def test_iota(element: str) -> None:
    attributes = "iota_dimension = 1 : i64"
    expected = np.broadcast_to(np.arange(5).astype(ELEMENTS[element]), (2, 5))
    np.testing.assert_array_equal(run_op("iota", [], [tensor_type((2, 5), element)], attributes)[0], expected)


def test_concatenate() -> None:
    empty, y = np.zeros((2, 0, 4), np.float32), X[:, :1] * 10
    attributes = "dimension = 1 : i64"
    actual = run_op("concatenate", [X, empty, y], [tensor_type((2, 4, 4), "f32")], attributes)[0]
    np.testing.assert_array_equal(actual, np.concatenate([X, empty, y], 1))


@pytest.mark.parametrize(
    "config",
    [[(1, 2, 0), (0, 1, 0)], [(-1, 0, 0), (0, -2, 0)], [(1, 1, 2), (0, 0, 1)], [(-1, -1, 1), (-3, 2, 2)], [(-3, 1, 0), (0, 0, 0)],
     [(-5, 0, 1), (0, 0, 0)]],
)  # fmt: skip
def test_pad(config) -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    expected = np.asarray(lax.pad(x, np.float32(-1), config))
    low, high, interior = (dims([c[i] for c in config]) for i in range(3))
    attributes = f"edge_padding_low = {low}, edge_padding_high = {high}, interior_padding = {interior}"
    actual = run_op("pad", [x, np.array(-1, np.float32)], [type_of(expected)], attributes)[0]
    np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize("element, start", [("i32", (1, 1)), ("i32", (-4, 9)), ("i8", (2, -128)), ("ui8", (255, 1)),
                                            ("ui64", (2**64 - 1, 0)), ("i64", (-(2**63), 2**62))])  # fmt: skip
def test_dynamic_slices_clamp(element: str, start) -> None:
    x = np.arange(20, dtype=np.float32).reshape(4, 5)
    starts = [np.array(s, ELEMENTS[element]) for s in start]
    i, j = min(max(start[0], 0), 2), min(max(start[1], 0), 2)
    attributes = f"slice_sizes = {dims([2, 3])}"
    actual = run_op("dynamic_slice", [x, *starts], [tensor_type((2, 3), "f32")], attributes)[0]
    np.testing.assert_array_equal(actual, x[i : i + 2, j : j + 3])
    update, expected = -np.ones((2, 3), np.float32), x.copy()
    expected[i : i + 2, j : j + 3] = -1
    actual = run_op("dynamic_update_slice", [x, update, *starts], [type_of(x)])[0]
    np.testing.assert_array_equal(actual, expected)


CONSTANTS = [
    ("i1", "dense<[true, false, true]>", [True, False, True]),
    ("i1", "dense<true>", [True] * 3),
    ("ui8", "dense<[1, 200, 255]>", [1, 200, 255]),
    ("ui16", "dense<65535>", [65535] * 3),
    ("ui64", "dense<18446744073709551615>", [2**64 - 1] * 3),
    ("ui64", "dense<[0, 18446744073709551615, 1]>", [0, 2**64 - 1, 1]),
    ("i64", "dense<[-1, 2, 3]>", [-1, 2, 3]),
    ("bf16", "dense<[1.5, -2.0, 0x7F80]>", [1.5, -2, np.inf]),
    ("f16", "dense<0.5>", [0.5] * 3),
    ("f64", "dense<[0.1, 0.2, 0.3]>", [0.1, 0.2, 0.3]),
    ("complex<f32>", "dense<[(1.0, 2.0), (0.0, -1.0), (3.5, 0.0)]>", [1 + 2j, -1j, 3.5]),
    ("complex<f64>", "dense<(1.0, 2.0)>", [1 + 2j] * 3),
]


@pytest.mark.parametrize("element, value, expected", CONSTANTS)
def test_constant(element: str, value: str, expected) -> None:
    kind = tensor_type((3,), element)
    actual = run_op("constant", [], [kind], f"value = {value} : {kind}")[0]
    np.testing.assert_array_equal(actual, np.array(expected, ELEMENTS[element]))


def test_ops_read_each_other() -> None:
    """A transposed, reversed, padded chain in one program."""
    lines = [
        '%0 = "stablehlo.transpose"(%a) {permutation = array<i64: 1, 0>} : (tensor<2x3xbf16>) -> tensor<3x2xbf16>',
        '%1 = "stablehlo.reverse"(%0) {dimensions = array<i64: 0>} : (tensor<3x2xbf16>) -> tensor<3x2xbf16>',
        '%2 = "stablehlo.reshape"(%1) : (tensor<3x2xbf16>) -> tensor<6xbf16>',
    ]
    x = np.arange(6).reshape(2, 3).astype(ml_dtypes.bfloat16)
    actual = run_text("%a: tensor<2x3xbf16>", lines, ["%2"], ["tensor<6xbf16>"], [x])[0]
    np.testing.assert_array_equal(actual, x.T[::-1].reshape(6))
