"""sort, gather, scatter."""

from __future__ import annotations

import numpy as np
from cases import Case, file, function_type, ramp


@file
def sort() -> list[Case]:
    body = """
%r = "stablehlo.sort"(%0) <{dimension = 1 : i64, is_stable = true}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
  %p = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %p : tensor<i1>
}) : (tensor<3x33xf32>) -> tensor<3x33xf32>"""
    x = np.random.default_rng(0).standard_normal((3, 33)).astype(np.float32)
    keys = np.array([3, 1, 2, 3, 1, 2, 0], np.int32)
    order = np.arange(7, dtype=np.int32)
    pairs = """
%r0, %r1 = "stablehlo.sort"(%0, %1) <{dimension = 0 : i64, is_stable = true}> ({
^bb0(%a: tensor<i32>, %b: tensor<i32>, %i: tensor<i32>, %j: tensor<i32>):
  %p = stablehlo.compare GT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.return %p : tensor<i1>
}) : (tensor<7xi32>, tensor<7xi32>) -> (tensor<7xi32>, tensor<7xi32>)"""
    by_key = np.argsort(-keys, kind="stable").astype(np.int32)
    return [
        Case("rows", [x], body, [np.sort(x, 1)]),
        Case("stable_pairs", [keys, order], pairs, [keys[by_key], by_key]),
    ]


@file
def gather() -> list[Case]:
    x = ramp(4, 3)
    i = np.array([[2], [0], [9], [-3]], np.int32)
    body = """
%r = "stablehlo.gather"(%0, %1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>, indices_are_sorted = false}> : (tensor<4x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>"""
    return [Case("rows_clamped", [x, i], body, [x[np.clip(i[:, 0], 0, 3)]])]


@file
def scatter() -> list[Case]:
    x = ramp(4, 3)
    i = np.array([[2], [0], [2], [9], [-1]], np.int32)
    u = -1 - ramp(5, 3)
    body = """
%r = "stablehlo.scatter"(%0, %1, %2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
  %s = stablehlo.add %a, %b : tensor<f32>
  stablehlo.return %s : tensor<f32>
}) : (tensor<4x3xf32>, tensor<5x1xi32>, tensor<5x3xf32>) -> tensor<4x3xf32>"""
    want = x.copy()
    for row, update in zip(i[:, 0], u):
        if 0 <= row < 4:
            want[row] += update
    return [Case("add_rows_skipping_outside", [x, i, u], body, [want])]


@file
def torch_index_select() -> list[Case]:
    """Slices of one dimension; with batch dimensions each batch has indices of its own."""
    x, i = ramp(3, 4), np.array([2, 0, 2], np.int32)
    deep, rows = ramp(2, 3, 4), np.array([[1, 3, 0], [2, 2, 1]], np.int64)
    in_batches = np.stack([deep[b][:, rows[b]] for b in range(2)])
    cases = (
        ("rows", x, i, 0, 0, x[i]),
        ("columns", x, i, 1, 0, x[:, i].copy()),
        ("matrix_of_indices", x, np.array([[1], [0]], np.int32), 0, 0, x[[[1], [0]]]),
        ("batched", deep, rows, 2, 1, in_batches),
        ("scalar_index", x, np.array(1, np.int32), 0, 0, x[1]),
        ("bytes", x.astype(np.uint8), i, 0, 0, x[i].astype(np.uint8)),
        ("nothing", x, i[:0], 0, 0, x[:0]),
    )
    return [_index_select(*case) for case in cases]


def _index_select(name, x, i, dim, batch_dims, want) -> Case:
    attributes = f"<{{dim = {dim} : i64, batch_dims = {batch_dims} : i64}}>"
    body = f'%r = "stablehlo.torch_index_select"(%0, %1) {attributes} : {function_type([x, i], want)}'
    return Case(name, [x, i], body, [want])
