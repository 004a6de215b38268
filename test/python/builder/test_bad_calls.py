"""The Python API called wrongly: an HloError that says what was found and what is allowed."""

import re
import threading

import ml_dtypes
import numpy as np
import pytest

import hlo
from hlo.errors import ArgumentError, HloError

PROGRAM = "func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {\n  %0 = stablehlo.add %a, %a : tensor<2x3xf32>\n  return %0 : tensor<2x3xf32>\n}"


def identity(type):
    return f"func.func @main(%a: {type}) -> {type} {{\n  return %a : {type}\n}}"


@pytest.fixture(scope="module")
def double():
    return hlo.compile(PROGRAM)


@pytest.mark.parametrize("program", [None, 3, 1.5, [], {}, object(), np.zeros(2)])
def test_what_is_no_program(program):
    with pytest.raises(ArgumentError, match=f"found {type(program).__name__}"):
        hlo.compile(program)
    with pytest.raises(ArgumentError, match=f"found {type(program).__name__}"):
        hlo.parse(program)


@pytest.mark.parametrize("path", ["missing.mlir", "."])
def test_files_that_cannot_be_read(path):
    for read in (hlo.load, hlo.compile):
        with pytest.raises(ArgumentError, match="cannot read"):
            read(path)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"target": "tpu"}, "tpu"),
        ({"target": None}, "None"),
        ({"target": []}, r"\[\]"),
        ({"entry": "foo"}, "no function 'foo' to compile; functions: main"),
        ({"entry": None}, "None"),
        ({"foo": 1}, "unknown option 'foo'"),
        ({"engine": "foo"}, "foo"),
        ({"engine": None}, "None"),
        ({"cpu": "foo"}, "foo"),
        ({"cpu": 3}, "3"),
        ({"pipeline": "linalg"}, "pipeline"),
        ({"pipeline": [1]}, "pipeline"),
        ({"pipeline": 3}, "pipeline"),
    ],
)
def test_options(options, message):
    with pytest.raises(HloError, match=message):
        hlo.compile(PROGRAM, **options)


WRONG_ARGUMENTS = [
    (np.zeros((3, 2), np.float32), r"shape \(2, 3\) expected \(2x3xf32\), found \(3, 2\)"),
    (np.zeros((2, 3), np.float64), "2x3xf32 expected, found 2x3xf64"),
    (np.zeros((2, 3), np.int32), "2x3xf32 expected, found 2x3xi32"),
    (np.zeros((2, 3), np.complex64), "2x3xf32 expected, found"),
    (np.zeros((2, 3), object), "argument 0"),
    (np.zeros((2, 3), "U3"), "argument 0"),
    (np.zeros((2, 3), "M8[s]"), "argument 0"),
    (np.zeros((2, 3), [("a", "f4")]), "argument 0"),
    (np.float32(1), "argument 0"),
    (None, "argument 0"),
    ("text", "argument 0"),
    ({}, "argument 0"),
    ([[1, 2], [3]], "argument 0"),
]


@pytest.mark.parametrize("argument, message", WRONG_ARGUMENTS, ids=range(len(WRONG_ARGUMENTS)))
def test_arguments(double, argument, message):
    with pytest.raises(ArgumentError, match=message):
        double(argument)


def test_foreign_byte_order_is_read(double):
    array = np.arange(6, dtype=">f4").reshape(2, 3)
    np.testing.assert_array_equal(double(array)[0], 2 * np.arange(6.0).reshape(2, 3))


def test_number_of_arguments(double):
    array = np.zeros((2, 3), np.float32)
    for arguments in ((), (array, array)):
        with pytest.raises(ArgumentError, match=f"expected, found {len(arguments)}"):
            double(*arguments)


@pytest.mark.parametrize("type", ["memref<2xf32>", "vector<2xf32>", "i32", "!foo.bar", "tensor<*xf32>", "none"])
def test_signatures_that_are_no_stablehlo(type):
    with pytest.raises(HloError, match=r"argument 0|must be"):
        hlo.compile(identity(type))(np.zeros(2, np.float32))


def test_no_memory():
    kind = "tensor<1000000x1000000xf32>"
    text = f"func.func @main() -> {kind} {{\n  %0 = stablehlo.constant dense<1.0> : {kind}\n  return %0 : {kind}\n}}"
    with pytest.raises(HloError, match="not enough memory"):
        hlo.compile(text)()


def test_errors_in_threads_stay_in_their_thread(double):
    array, outcomes = np.ones((2, 3), np.float32), []

    def call(number):
        try:
            outcomes.append(double(*[array] * (1 + number % 2))[0].sum() == 12)
        except ArgumentError:
            outcomes.append("error")

    threads = [threading.Thread(target=call, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count("error") == 8 and outcomes.count(True) == 8


@pytest.mark.parametrize(
    "number, element",
    [
        (300, "i8"),
        (-1, "ui8"),
        (8, "i4"),
        (16, "ui4"),
        (2, "i1"),
        (2**63, "i64"),
        (-1, "ui64"),
        (2**70, "i32"),
        (1e100, "i32"),
        (1.5, "i32"),
        (float("nan"), "i32"),
        (ml_dtypes.bfloat16(1.5), "i16"),
        (1 + 2j, "f32"),
        ([[1, 2], [3, 400]], "i8"),
    ],
)
def test_constants_that_would_be_other_numbers(number, element):
    with pytest.raises(ArgumentError, match=f"is no constant of element type {element}"):
        hlo.Builder().constant(number, element)


@pytest.mark.parametrize("number", [300, 1.5, 1j])
def test_numbers_beside_arrays_that_cannot_hold_them(number):
    b = hlo.Builder()
    x = b.parameter(((2,), "i8"))
    with pytest.raises(ArgumentError, match=f"{number} is no constant of element type i8"):
        x + number


@pytest.mark.parametrize(
    "number, element",
    [
        (7, "i4"),
        (15, "ui4"),
        (1, "i1"),
        (True, "i32"),
        (2.0, "i32"),
        (2**63, "ui64"),
        (1 + 0j, "f32"),
        (0.1, "bf16"),
        (1, "complex<f32>"),
    ],
)
def test_constants_that_are_kept(number, element):
    b = hlo.Builder()
    found = np.asarray(hlo.compile(b.build(b.constant(number, element)), target="reference")()[0])
    assert found == np.asarray(np.real(number) if found.dtype.kind == "f" else number).astype(found.dtype)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda b, x: b.dot_general(x, x, (((1,), (1,)), ((), ()))), "DotDimensionNumbers(lhs_batching_dimensions, "),
        (lambda b, x: b.gather(x, np.zeros((1, 1), np.int32), {"offset_dims": (1,)}, [1, 3]), "expected, found dict"),
        (lambda b, x: b.transpose(x, 5), "transpose: a list is expected where int was given"),
        (lambda b, x: b.add(x), "add: missing 1 required positional argument: 'rhs'"),
        (lambda b, x: b.add(x, x, x), "found a third operand"),
        (lambda b, x: b.compare(x, x, 3), "must be one of EQ, NE, GE, GT, LE, LT"),
        (lambda b, x: b.parameter(((2, -3), "f32")), "sizes are integers from 0, or None, found -3"),
        (lambda b, x: b.parameter(((2.5, 3), "f32")), "sizes are integers from 0, or None, found 2.5"),
    ],
)
def test_arguments_of_ops_that_are_of_another_kind(call, message):
    b = hlo.Builder()
    with pytest.raises(HloError, match=re.escape(message)):
        call(b, b.parameter(((2, 3), "f32")))
