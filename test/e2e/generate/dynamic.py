"""Ops whose sizes the program computes."""

from __future__ import annotations

import numpy as np
from cases import DTYPES, Case, dense, file, function_type, ramp, suffix, tensor


@file
def dynamic_pad() -> list[Case]:
    """Amounts that the program computes, for a result of a static shape."""
    x, value = ramp(2, 3), np.array(-1, np.float32)
    low, high, interior = (np.array(v, np.int64) for v in ((1, -1), (0, 2), (1, 0)))
    want = np.full((4, 4), -1, np.float32)
    want[1::2, :2] = x[:, 1:]
    types = f"({', '.join(map(tensor, (x, value, low, high, interior)))}) -> {tensor(want)}"
    return [
        Case(
            "run_time_amounts",
            [x, value, low, high, interior],
            f"%r = stablehlo.dynamic_pad %0, %1, %2, %3, %4 : {types}",
            [want],
        )
    ]


@file
def real_dynamic_slice() -> list[Case]:
    x = ramp(4, 6)
    start, limit, stride = (np.array(v, np.int64) for v in ((1, 0), (3, 6), (1, 2)))
    want = x[1:3, 0:6:2].copy()
    types = f"({', '.join(map(tensor, (x, start, limit, stride)))}) -> {tensor(want)}"
    return [
        Case(
            "run_time_amounts",
            [x, start, limit, stride],
            f"%r = stablehlo.real_dynamic_slice %0, %1, %2, %3 : {types}",
            [want],
        )
    ]


def sizes(*numbers: int, dtype=np.int64) -> np.ndarray:
    return np.array(numbers, dtype)


def unknown(array: np.ndarray) -> str:
    """The type of the array, its shape not known."""
    return tensor(array).replace("x".join(map(str, array.shape)), "x".join("?" * array.ndim), 1)


def both_ways(op: str, inputs: list[np.ndarray], want: np.ndarray, rest: str = "", name: str = "") -> list[Case]:
    """The sizes given at run time for a result of static shape; and by constants for a result of any shape."""
    operands, static = ", ".join(f"%{i}" for i in range(len(inputs))), function_type(inputs, want)
    run_time = f'%r = "stablehlo.{op}"({operands}){rest} : {static}'
    constants = operands.rpartition("%")[0] + "%sizes"
    given = f"%sizes = stablehlo.constant {dense(inputs[-1])}\n"
    dynamic = static.replace(f"-> {tensor(want)}", f"-> {unknown(want)}")
    known = f'{given}%d = "stablehlo.{op}"({constants}){rest} : {dynamic}\n%r = stablehlo.reshape %d : ({unknown(want)}) -> {tensor(want)}'
    name = f"{name}_" if name else ""
    return [Case(f"{name}run_time", inputs, run_time, [want]), Case(f"{name}any_shape", inputs, known, [want])]


@file
def dynamic_broadcast_in_dim() -> list[Case]:
    x, one = ramp(3), ramp(2, 1)
    return [
        *both_ways(
            "dynamic_broadcast_in_dim",
            [x, sizes(2, 3)],
            np.broadcast_to(x, (2, 3)).copy(),
            " <{broadcast_dimensions = array<i64: 1>}>",
        ),
        *both_ways(
            "dynamic_broadcast_in_dim",
            [one, sizes(2, 4, dtype=np.int32)],
            np.broadcast_to(one, (2, 4)).copy(),
            " <{broadcast_dimensions = array<i64: 0, 1>, known_expanding_dimensions = array<i64: 1>, known_nonexpanding_dimensions = array<i64: 0>}>",
            "degenerate",
        ),
        *both_ways(
            "dynamic_broadcast_in_dim",
            [np.array(7, np.int8), sizes(2, 2)],
            np.full((2, 2), 7, np.int8),
            " <{broadcast_dimensions = array<i64>}>",
            "scalar",
        ),
    ]


@file
def dynamic_iota() -> list[Case]:
    out = []
    for kind in ("i32", "ui8", "f32", "bf16", "complex<f32>"):
        want = np.broadcast_to(np.arange(3)[:, None], (3, 2)).astype(DTYPES[kind])
        out += both_ways("dynamic_iota", [sizes(3, 2)], want, " <{iota_dimension = 0 : i64}>", suffix(kind))
    return out


@file
def dynamic_reshape() -> list[Case]:
    x = ramp(2, 6)
    return [
        *both_ways("dynamic_reshape", [x, sizes(3, 4)], x.reshape(3, 4)),
        *both_ways("dynamic_reshape", [x > 4, sizes(12, dtype=np.int32)], (x > 4).reshape(12), name="booleans"),
        *both_ways("dynamic_reshape", [ramp(0, 3), sizes(2, 0)], ramp(2, 0), name="empty"),
    ]


@file
def dynamic_gather() -> list[Case]:
    x, i = ramp(4, 3), np.array([[2], [0], [9]], np.int32)
    rest = " <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}>"
    part = (
        " <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>}>"
    )
    windows = np.stack([x[min(n, 2) : min(n, 2) + 2, :2] for n in i[:, 0]])
    return [
        *both_ways("dynamic_gather", [x, i, sizes(1, 3, dtype=np.int32)], x[np.clip(i[:, 0], 0, 3)], rest),
        *both_ways("dynamic_gather", [x, i, sizes(2, 2, dtype=np.int32)], windows, part, "windows"),
    ]


@file
def dynamic_conv() -> list[Case]:
    """The specification's example of convolution, with its padding given at run time."""
    x = np.arange(1, 17, dtype=np.int64).reshape(1, 4, 4, 1)
    w, padding = np.ones((3, 3, 1, 1), np.int64), np.array([[1, 1], [1, 1]])
    padded = np.zeros((9, 9), np.int64)
    padded[1:8:2, 1:8:2] = x[0, :, :, 0]
    want = np.array([[padded[r : r + 3, c : c + 3].sum() for c in (0, 4)] for r in (0, 4)]).reshape(1, 2, 2, 1)
    rest = " <{window_strides = array<i64: 4, 4>, lhs_dilation = array<i64: 2, 2>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}>"
    return both_ways("dynamic_conv", [x, w, padding], want, rest)


@file
def get_dimension_size() -> list[Case]:
    x = ramp(2, 3)
    out = []
    for d in (0, 1):
        body = f"%r = stablehlo.get_dimension_size %0, dim = {d} : ({tensor(x)}) -> tensor<i32>"
        out.append(Case(f"dimension_{d}", [x], body, [np.array(x.shape[d], np.int32)]))
    none = ramp(3, 0)
    body = f"%r = stablehlo.get_dimension_size %0, dim = 1 : ({tensor(none)}) -> tensor<i32>"
    return [*out, Case("empty", [none], body, [np.array(0, np.int32)])]


@file
def set_dimension_size() -> list[Case]:
    """The whole dimension, and a part of it whose size is a constant."""
    x = ramp(2, 3)
    whole = f"%n = stablehlo.constant dense<3> : tensor<i32>\n%r = stablehlo.set_dimension_size %0, %n, dim = 1 : ({tensor(x)}, tensor<i32>) -> {tensor(x)}"
    part = f"""
%n = stablehlo.constant dense<2> : tensor<i32>
%d = stablehlo.set_dimension_size %0, %n, dim = 1 : ({tensor(x)}, tensor<i32>) -> tensor<2x?xf32, #stablehlo.bounds<?, 3>>
%r0 = stablehlo.reshape %d : (tensor<2x?xf32, #stablehlo.bounds<?, 3>>) -> tensor<2x2xf32>
%r1 = stablehlo.get_dimension_size %d, dim = 1 : (tensor<2x?xf32, #stablehlo.bounds<?, 3>>) -> tensor<i32>"""
    return [Case("whole", [x], whole, [x]), Case("part", [x], part, [x[:, :2].copy(), np.array(2, np.int32)])]
