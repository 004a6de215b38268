"""Tiles of contractions: rows without a rest where that costs nothing."""

from __future__ import annotations

import re

import pytest

import hlo
from hlo import pipelines
from hlo.lowering.vector.contraction.blocking import best_tile
from hlo.lowering.vector.contraction.plan import LEFT_OVER

LANES, REGISTERS = 16, 32


@pytest.mark.parametrize(("rows", "columns", "expected"), [(27, 149, (9, 2)), (16, 241, (8, 2)), (128, 128, (8, 2))])
def test_tiles_divide_the_rows_where_that_costs_at_most_a_hundredth(rows, columns, expected):
    assert rows % best_tile(rows, columns, LANES, REGISTERS, False)[0]
    assert best_tile(rows, columns, LANES, REGISTERS, False, LEFT_OVER) == expected


@pytest.mark.parametrize("rows", [29, 37, 101])
def test_rows_of_a_prime_number_have_a_rest(rows):
    """Tiles of one row would cost more than a hundredth."""
    chosen, _ = best_tile(rows, 128, LANES, REGISTERS, False, LEFT_OVER)
    assert chosen > 8 and rows % chosen


@pytest.mark.parametrize("columns", [1024, 2048, 3072])
def test_tiles_are_wide_or_high_where_rows_collide(columns):
    """Each step along k waits for a row of B, so that it is to be of use for many sums: 8 rows of 2 vectors have too few."""
    for rows in (16, 32, 64, 96):
        height, vectors = best_tile(rows, columns, LANES, REGISTERS, False, missed=64)
        assert height * vectors >= 2 * (8 + 1.28 * vectors), (height, vectors)


def test_rows_that_are_whole_pages_apart_collide():
    assert [_tile(32, 256, columns)[1] for columns in (1000, 1280)] == [3, 2]
    assert all(height * vectors > 16 for height, vectors in (_tile(32, 256, n) for n in (1024, 2048, 4096)))


def _tile(rows: int, depth: int, columns: int) -> tuple[int, int]:
    from hlo.dialect.printer import print_module

    module = hlo.parse(
        f"func.func @main(%a: tensor<{rows}x{depth}xf32>, %b: tensor<{depth}x{columns}xf32>) -> tensor<{rows}x{columns}xf32> {{\n"
        f"  %r = stablehlo.dot %a, %b : (tensor<{rows}x{depth}xf32>, tensor<{depth}x{columns}xf32>) -> tensor<{rows}x{columns}xf32>\n"
        f"  return %r : tensor<{rows}x{columns}xf32>\n}}\n"
    )
    pipelines.run(module, pipelines.cpu("avx512"), stop_after="kernels")
    found = re.search(r"unroll_m = (\d+).*?unroll_n = (\d+)", print_module(module))
    assert found
    return int(found[1]), int(found[2])


def _micro_kernels(rows: int, depth: int) -> int:
    module = hlo.parse(
        f"func.func @main(%a: tensor<{rows}x{depth}xf32>, %b: tensor<{depth}x256xf32>) -> tensor<{rows}x256xf32> {{\n"
        f"  %r = stablehlo.dot %a, %b : (tensor<{rows}x{depth}xf32>, tensor<{depth}x256xf32>) -> tensor<{rows}x256xf32>\n"
        f"  return %r : tensor<{rows}x256xf32>\n}}\n"
    )
    pipelines.run(module, pipelines.cpu("avx512"), stop_after="memory")
    return sum("hlo_routine_tile_" in str(op.operation.attributes["sym_name"]) for op in module.body.operations)


def test_long_products_keep_the_best_tile():
    """A micro-kernel more is nothing beside their run time."""
    assert _micro_kernels(64, 64) == 1
    assert _micro_kernels(64, 4096) == 2


@pytest.mark.parametrize(("rows", "columns", "expected"), [(9, 48, (9, 3)), (5, 80, (5, 5)), (3, 112, (3, 7))])
def test_tiles_fill_the_registers(rows, columns, expected):
    """Of sums, what is read of B, and an element of A in all lanes."""
    assert best_tile(rows, columns, LANES, REGISTERS, False) == expected
    vectors = expected[1]
    assert rows * vectors + vectors + 1 <= REGISTERS
