"""Sizes that are known at run time, or only after folding, against result types that say others: refused, or kept inside of the
arrays (what lies outside of an operand is clamped into it, and the result has the shape that its type says)."""

import numpy as np
import pytest

import hlo
from hlo.tools.fuzz.guarded_memory import check

OPERAND = np.arange(8, dtype=np.float64)
FAR = (-(2**62), -9, -1, 0, 1, 7, 9, 2**31, 2**62)


def program(signature, *lines):
    result = signature.rpartition("-> ")[2]
    return f"func.func @main{signature} {{\n" + "\n".join(lines) + f"\nreturn %r : {result}\n}}"


SLICE = program(
    "(%x: tensor<8xf64>, %b: tensor<1xi64>, %e: tensor<1xi64>, %s: tensor<1xi64>) -> tensor<3xf64>",
    "%r = stablehlo.real_dynamic_slice %x, %b, %e, %s : (tensor<8xf64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xf64>",
)
PAD = program(
    "(%x: tensor<8xf64>, %b: tensor<1xi64>, %e: tensor<1xi64>, %s: tensor<1xi64>) -> tensor<11xf64>",
    "%v = stablehlo.constant dense<0.5> : tensor<f64>",
    "%r = stablehlo.dynamic_pad %x, %v, %b, %e, %s : (tensor<8xf64>, tensor<f64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<11xf64>",
)
RESHAPE = program(
    "(%x: tensor<8xf64>, %s: tensor<2xi64>) -> tensor<2x4xf64>",
    "%r = stablehlo.dynamic_reshape %x, %s : (tensor<8xf64>, tensor<2xi64>) -> tensor<2x4xf64>",
)
BROADCAST = program(
    "(%x: tensor<8xf64>, %s: tensor<2xi64>) -> tensor<3x8xf64>",
    "%r = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<8xf64>, tensor<2xi64>) -> tensor<3x8xf64>",
)
IOTA = program(
    "(%x: tensor<8xf64>, %s: tensor<1xi64>) -> tensor<5xf64>",
    "%r = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi64>) -> tensor<5xf64>",
)
GATHER = program(
    "(%x: tensor<8xf64>, %i: tensor<1x1xi64>, %s: tensor<1xi64>) -> tensor<1x3xf64>",
    '%r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], '
    "index_vector_dim = 1>} : (tensor<8xf64>, tensor<1x1xi64>, tensor<1xi64>) -> tensor<1x3xf64>",
)


@pytest.mark.parametrize("text", [SLICE, PAD, RESHAPE, BROADCAST, IOTA, GATHER])
def test_sizes_of_a_call_stay_inside(text):
    executable = hlo.compile(text, cache=False)
    shapes = [a.shape for a in executable.signature.arguments[1:]]
    for value in FAR:
        check(executable, [OPERAND, *(np.full(s, value, np.int64) for s in shapes)])


@pytest.mark.parametrize(
    "op, words",
    [("add", r"result of output_shape \[6\]"), ("subtract", "must be at least 0"), ("multiply", r"output_shape \[9\]")],
)
def test_sizes_that_are_folded_later_are_refused(op, words):
    text = program(
        "(%x: tensor<8xf64>) -> tensor<8xf64>",
        "%a = stablehlo.constant dense<3> : tensor<1xi64>",
        f"%b = stablehlo.{op} %a, %a : tensor<1xi64>",
        "%s = stablehlo.subtract %b, %a : tensor<1xi64>",
        f"%t = stablehlo.{'minimum' if op == 'subtract' else 'maximum'} %b, %s : tensor<1xi64>",
        "%r = stablehlo.dynamic_iota %t, dim = 0 : (tensor<1xi64>) -> tensor<8xf64>",
    )
    with pytest.raises(hlo.HloError, match=words):
        hlo.compile(text, cache=False)


def test_a_clause_that_sizes_break_after_folding():
    text = program(
        "(%x: tensor<8xcomplex<f32>>, %a: tensor<3xf32>) -> tensor<8xcomplex<f32>>",
        "%n = stablehlo.constant dense<4> : tensor<1xi64>",
        "%s = stablehlo.add %n, %n : tensor<1xi64>",
        "%y = stablehlo.dynamic_reshape %x, %s : (tensor<8xcomplex<f32>>, tensor<1xi64>) -> tensor<?xcomplex<f32>>",
        "%z = stablehlo.fft %y, type = FFT, length = [500] : (tensor<?xcomplex<f32>>) -> tensor<?xcomplex<f32>>",
        "%r = stablehlo.dynamic_reshape %z, %s : (tensor<?xcomplex<f32>>, tensor<1xi64>) -> tensor<8xcomplex<f32>>",
    )
    with pytest.raises(hlo.HloError, match=r"last dimensions of operand must have sizes \[500\], found \[8\]"):
        hlo.compile(text, cache=False)


def test_an_integer_that_a_loop_keeps_is_known_inside():
    text = program(
        "(%x: tensor<i32>) -> tensor<i32>",
        "%n = stablehlo.constant dense<-1> : tensor<1xi64>",
        "%z = stablehlo.constant dense<0> : tensor<i32>",
        '%r, %k = "stablehlo.while"(%x, %n) ({',
        "^bb0(%i: tensor<i32>, %s: tensor<1xi64>):",
        "%c = stablehlo.compare GT, %i, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>",
        "stablehlo.return %c : tensor<i1>",
        "}, {",
        "^bb0(%i: tensor<i32>, %s: tensor<1xi64>):",
        "%j = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>",
        '%d = "stablehlo.get_dimension_size"(%j) {dimension = 0 : i64} : (tensor<?xi32>) -> tensor<i32>',
        "stablehlo.return %d, %s : tensor<i32>, tensor<1xi64>",
        "}) : (tensor<i32>, tensor<1xi64>) -> (tensor<i32>, tensor<1xi64>)",
    )
    with pytest.raises(hlo.HloError, match="output_shape must be at least 0"):
        hlo.compile(text, cache=False)


@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_a_size_that_its_type_has_no_number_for(target):
    text = program(
        "() -> tensor<i32>",
        "%x = stablehlo.constant dense<1> : tensor<2147483648xi8>",
        "%r = stablehlo.get_dimension_size %x, dim = 0 : (tensor<2147483648xi8>) -> tensor<i32>",
    )
    with pytest.raises(hlo.HloError, match=r"2147483648 elements, which the result's type .*has no number for"):
        hlo.compile(text, target=target)()
    assert hlo.compile(text.replace("648x", "647x"), target=target)()[0] == 2**31 - 1
