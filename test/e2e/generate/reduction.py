"""Reductions and contractions."""

from __future__ import annotations

import numpy as np
from cases import DTYPES, INF, NAN, Case, file, function_type, ramp, simple, suffix


@file
def reduce() -> list[Case]:
    out = []
    x = ramp(3, 4, 5)
    for name, dims in {
        "inner": (2,),
        "outer": (0,),
        "middle": (1,),
        "two": (0, 2),
        "all": (0, 1, 2),
        "none": (),
    }.items():
        want = x.sum(dims) if dims else x
        body = f"%r = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = {list(dims)} : {function_type([x, np.float32(0)], np.asarray(want))}"
        out.append(Case(f"sum_{name}", [x, np.array(0, np.float32)], body, [np.asarray(want)], 1e-6))
    for kind, op, function, start in (
        ("i32", "maximum", np.max, -(2**31)),
        ("ui8", "minimum", np.min, 255),
        ("f64", "maximum", np.max, -INF),
        ("i1", "or", np.any, False),
        ("i1", "and", np.all, True),
        ("complex<f32>", "add", np.sum, 0),
        ("bf16", "maximum", np.max, -INF),
        ("i64", "multiply", np.prod, 1),
    ):
        y = (ramp(3, 21) % 5 + 1).astype(DTYPES[kind])
        init = np.array(start).astype(y.dtype)
        want = np.asarray(function(y, 1)).astype(y.dtype)
        body = f"%r = stablehlo.reduce(%0 init: %1) applies stablehlo.{op} across dimensions = [1] : {function_type([y, init], want)}"
        out.append(Case(f"{op}_{suffix(kind)}", [y, init], body, [want]))
    return [*out, _argmax(), _empty_reduction(), _cut_off_reduction()]


def _argmax() -> Case:
    x = np.array([[1, 7, 7, 3], [NAN, 2, 9, NAN]], np.float32)
    i = np.broadcast_to(np.arange(4, dtype=np.int32), (2, 4)).copy()
    body = """
%r0, %r1 = stablehlo.reduce(%0 init: %2), (%1 init: %3) across dimensions = [1] : (tensor<2x4xf32>, tensor<2x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
 reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
  %gt = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %nan = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %first = stablehlo.or %gt, %nan : tensor<i1>
  %eq = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %lt = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %tie = stablehlo.and %eq, %lt : tensor<i1>
  %pick = stablehlo.or %first, %tie : tensor<i1>
  %v = stablehlo.select %first, %a, %b : tensor<i1>, tensor<f32>
  %w = stablehlo.select %pick, %i, %j : tensor<i1>, tensor<i32>
  stablehlo.return %v, %w : tensor<f32>, tensor<i32>
 }"""
    inputs = [x, i, np.array(-INF, np.float32), np.array(0, np.int32)]
    return Case("argmax", inputs, body, [np.array([7, NAN], np.float32), np.array([1, 0], np.int32)])


def _empty_reduction() -> Case:
    x, init = ramp(3, 0), np.array(4, np.float32)
    want = np.full(3, 4, np.float32)
    body = f"%r = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [1] : {function_type([x, init], want)}"
    return Case("over_nothing", [x, init], body, [want])


def _cut_off_reduction() -> Case:
    """The low bits of a sum."""
    x = np.repeat(np.array([[100], [-100]], np.int8), 8, axis=1)
    body = """
%zero = stablehlo.constant dense<0> : tensor<i32>
%1 = stablehlo.convert %0 : (tensor<2x8xi8>) -> tensor<2x8xi32>
%2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x8xi32>, tensor<i32>) -> tensor<2xi32>
%r = stablehlo.convert %2 : (tensor<2xi32>) -> tensor<2xui8>"""
    return Case("cut_off", [x], body, [np.array([32, 224], np.uint8)])


@file
def dot_general() -> list[Case]:
    out = []
    a, b = ramp(3, 4, 5) % 7, ramp(3, 5, 2) % 5
    for kind in ("i32", "ui8", "bf16", "f16", "f32", "f64", "complex<f32>"):
        x, y = a.astype(DTYPES[kind]), b.astype(DTYPES[kind])
        want = np.matmul(a.astype(np.int64), b.astype(np.int64)).astype(
            np.complex64 if "complex" in kind else np.float64
        )
        want = want.astype(np.int64).astype(x.dtype) if x.dtype.kind in "iu" else want.astype(x.dtype)
        rest = ", batching_dims = [0] x [0], contracting_dims = [2] x [1]"
        out.append(simple(suffix(kind), "dot_general", [x, y], want, rest, 1e-6))
    x, y = ramp(4, 6), ramp(6, 4)
    out.append(
        simple(
            "two_contracted",
            "dot_general",
            [x, y],
            np.asarray((x * y.T).sum(), np.float32),
            ", contracting_dims = [0, 1] x [1, 0]",
            1e-6,
        )
    )
    out.append(
        simple("outer", "dot_general", [ramp(2), ramp(3)], np.outer(ramp(2), ramp(3)), ", contracting_dims = [] x []")
    )
    i, j = (ramp(2, 40) % 100 - 50).astype(np.int8), (ramp(40, 3) % 90 - 45).astype(np.int8)
    out.append(
        simple(
            "wider_result",
            "dot_general",
            [i, j],
            i.astype(np.int32) @ j.astype(np.int32),
            ", contracting_dims = [1] x [0]",
        )
    )
    out.append(
        simple(
            "over_nothing",
            "dot_general",
            [ramp(2, 0), ramp(0, 3)],
            np.zeros((2, 3), np.float32),
            ", contracting_dims = [1] x [0]",
        )
    )
    return [*out, *_results_of_another_kind()]


def _results_of_another_kind() -> list[Case]:
    """Products are summed as the operands' kind of numbers, then converted: real parts, whole numbers, complex numbers."""
    cases = (("complex<f32>", "f32"), ("complex<f32>", "complex<f64>"), ("f32", "complex<f32>"), ("i8", "complex<f32>"), ("f32", "i32"),
             ("f64", "ui8"), ("complex<f64>", "i16"), ("bf16", "i32"), ("f16", "complex<f64>"), ("f32", "i1"))  # fmt: skip
    out = []
    for source, target in cases:
        a, b = (ramp(5, 7) % 9 - 3) / 2, (ramp(7, 3) % 5 - 1) * 1.5
        if source == "i8":
            a, b = a * 26, b * 20
        if "complex" in source:
            a, b = a + 1j * (ramp(5, 7) % 4), b - 0.5j * (ramp(7, 3) % 3)
        a, b = a.astype(DTYPES[source]), b.astype(DTYPES[source])
        exact = a.astype(np.complex128) @ b.astype(np.complex128)
        exact = (
            exact
            if "complex" in target
            else np.clip(exact.real, 0 if target == "ui8" else None, 255 if target == "ui8" else None)
        )
        want = (np.trunc(exact) if "i" in target and target != "i1" else exact).astype(DTYPES[target])
        name = f"{suffix(source)}_to_{suffix(target)}"
        out.append(
            simple(
                name,
                "dot_general",
                [a, b],
                want,
                ", contracting_dims = [1] x [0]",
                1e-6 if want.dtype.kind in "fc" else 0.0,
            )
        )
    return out
