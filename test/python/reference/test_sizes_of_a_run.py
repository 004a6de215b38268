"""Sizes that a program leaves open, and that do not fit in a run: the reference says so, where numpy would go on with another
shape."""

import numpy as np
import pytest

import hlo


def program(op: str, arguments: str, result: str) -> str:
    return f"func.func @main({arguments}) -> {result} {{\n  %r = stablehlo.{op}\n  return %r : {result}\n}}"


def vectors(*names: str) -> str:
    return ", ".join(f"%{name}: tensor<1xi32>" for name in names)


X, XS = np.arange(9, dtype=np.float32), "%x: tensor<?xf32>"
SLICE = program(
    "real_dynamic_slice %x, %a, %b, %c : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>",
    f"{XS}, {vectors(*'abc')}",
    "tensor<?xf32>",
)
PAD = program(
    "dynamic_pad %x, %z, %a, %b, %c : (tensor<?xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>",
    f"{XS}, %z: tensor<f32>, {vectors(*'abc')}",
    "tensor<?xf32>",
)
RESHAPE = program(
    "dynamic_reshape %x, %s : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>",
    f"{XS}, %s: tensor<2xi32>",
    "tensor<?x?xf32>",
)
SHORTER = program(
    "set_dimension_size %x, %n, dim = 0 : (tensor<9xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<9>>",
    "%x: tensor<9xf32>, %n: tensor<i32>",
    "tensor<?xf32, #stablehlo.bounds<9>>",
)
ADD = program("add %x, %y : tensor<?xf32>", f"{XS}, %y: tensor<?xf32>", "tensor<?xf32>")
FIRST = program("slice %x [0:3] : (tensor<?xf32>) -> tensor<3xf32>", XS, "tensor<3xf32>")
BOUNDED = "tensor<?xf32, #stablehlo.bounds<4>>"
NEGATE = program(f"negate %x : {BOUNDED}", f"%x: {BOUNDED}", BOUNDED)


def numbers(*values: int) -> list[np.ndarray]:
    return [np.array([n], np.int32) for n in values]


@pytest.mark.parametrize(
    "text, arguments, message",
    [
        (ADD, [X, X[:1]], "-:2:.*operands 9xf32, 1xf32: operands must have one shape"),
        (FIRST, [X[:2]], r"-:2:.*result 0 would be \[2\] of tensor<3xf32>"),
        (NEGATE, [X], "argument 0: a shape that fits tensor<.*4.*> expected, found .9,"),
        (SLICE, [X, *numbers(1, 10, 1)], "-:2:.*limit <= 9 and a stride above 0 expected, found 1, 10 and 1"),
        (SLICE, [X, *numbers(5, 2, 1)], "found 5, 2 and 1"),
        (SLICE, [X, *numbers(-1, 2, 1)], "found -1, 2 and 1"),
        (SLICE, [X, *numbers(0, 2, 0)], "found 0, 2 and 0"),
        (PAD, [X, X[0], *numbers(0, 0, -1)], r"interior_padding must not be negative, found \[-1\]"),
        (RESHAPE, [X, np.int32([3, -1])], r"output_shape must not be negative, found \[3, -1\]"),
        (SHORTER, [X, np.int32(10)], "a size from 0 to 9 expected, found 10"),
        (SHORTER, [X, np.int32(-1)], "a size from 0 to 9 expected, found -1"),
    ],
)
def test_sizes_that_do_not_fit(text, arguments, message):
    with pytest.raises(hlo.HloError, match=message):
        hlo.compile(text, target="reference")(*arguments)


@pytest.mark.parametrize(
    "text, arguments, expected",
    [
        (ADD, [X, X], X + X),
        (ADD, [X[:0], X[:0]], X[:0]),
        (FIRST, [X], X[:3]),
        (NEGATE, [X[:4]], -X[:4]),
        (SLICE, [X, *numbers(1, 9, 3)], X[1:9:3]),
        (SLICE, [X, *numbers(9, 9, 1)], X[:0]),
        (PAD, [X[:2], np.float32(7), *numbers(1, -1, 2)], np.float32([7, 0, 7, 7])),
        (RESHAPE, [X, np.int32([3, 3])], X.reshape(3, 3)),
        (SHORTER, [X, np.int32(4)], X[:4]),
    ],
)
def test_sizes_that_fit(text, arguments, expected):
    (found,) = hlo.compile(text, target="reference")(*arguments)
    np.testing.assert_array_equal(found, expected)
    assert found.shape == expected.shape
