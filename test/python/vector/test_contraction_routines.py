"""Micro-kernels and packed panels as routines: their names say all that their code depends on."""

from __future__ import annotations

import dataclasses

import pytest

import hlo
from hlo.errors import CompileError
from hlo.lowering.memory.routine_emitter import routine_text
from hlo.lowering.vector.contraction.matrix_kernel import Registers
from hlo.lowering.vector.contraction.micro_kernel import Tile
from hlo.lowering.vector.contraction.packing import Panel
from hlo.lowering.vector.contraction.routines import function_named, routine

TILE = Tile(6, 4, 16, "f32", "f32", "f32")
OUTER = Tile(3, 1, 8, "bf16", "bf16", "f32", a_extend="arith.extf", outer=((0, 64, -128), (3, 1, 2)), depth=5)
PANEL = Panel("words", "f32", 32, 16, source="f32")
MATRIX = Tile(32, 2, 16, "bf16", "bf16", "f32", a_row=32, a_depth=64, group=2, columns=32, b_padded=True)


@pytest.mark.parametrize("described", [("tile", TILE), ("tile", OUTER), ("panel", PANEL), ("matrix", MATRIX)])
def test_a_name_is_that_of_its_code(described):
    called = routine(*described)
    written = function_named(called.name)
    assert written is not None
    assert written.name == called.name
    assert tuple(written.arguments) == called.arguments


def test_fields_with_defaults_are_left_out():
    assert routine("tile", TILE).name == "hlo_routine_tile_rows_6_vectors_4_lanes_16_a_type_f32_b_type_f32_c_type_f32"


@pytest.mark.parametrize("field", [f.name for f in dataclasses.fields(Tile)])
def test_every_field_of_a_tile_is_in_its_name(field):
    value = getattr(TILE, field)
    changed = {
        bool: lambda: not value,
        int: lambda: value + 1,
        str: lambda: "f64" if value else "arith.extf",
        tuple: lambda: ((7, 1, 2),),
    }
    other = dataclasses.replace(TILE, **{field: changed[type(value)]()})
    assert routine("tile", other).name != routine("tile", TILE).name


def test_the_code_of_a_panel_knows_no_strides():
    one, other = (dataclasses.replace(PANEL, across=n, along=1, block=n + 3) for n in (100, 200))
    assert routine("panel", one.of_any_shape()) == routine("panel", other.of_any_shape())


@pytest.mark.parametrize(
    "name",
    [
        "tile_rows_6",
        "tile",
        "panel_kind_words",
        "matrix_rows_x_vectors_2",
        "registers_rows_1",
        "registers_rows_x_columns_2_lanes_4",
        "registers_rows_01_columns_2_lanes_4",
    ],
)
def test_other_names_are_refused(name):
    assert function_named(f"hlo_routine_{name}") is None
    with pytest.raises(CompileError, match="no routine has the name"):
        routine_text(f"hlo_routine_{name}", "host")


@pytest.mark.parametrize(("processor", "lanes", "masked"), [("avx512", 16, True), ("avx2", 8, False)])
def test_left_over_columns_are_stored_with_masks_where_these_are_free(processor, lanes, masked):
    tile = dataclasses.replace(TILE, vectors=2, lanes=lanes, masked=True)
    assert ("llvm.intr.masked.store" in routine_text(routine("tile", tile).name, processor)) == masked


def test_tile_registers_are_used():
    assert "llvm.x86.tdpbf16ps" in routine_text(routine("matrix", MATRIX).name, "amx")
    assert "llvm.x86.ldtilecfg" in routine_text(routine("registers", Registers(32, 32, 16)).name, "amx")


def _called(rows: int, depth: int, columns: int) -> set[str]:
    module = hlo.parse(
        f"func.func @main(%a: tensor<{rows}x{depth}xf32>, %b: tensor<{depth}x{columns}xf32>) -> tensor<{rows}x{columns}xf32> {{\n"
        f"  %r = stablehlo.dot %a, %b : (tensor<{rows}x{depth}xf32>, tensor<{depth}x{columns}xf32>) -> tensor<{rows}x{columns}xf32>\n"
        f"  return %r : tensor<{rows}x{columns}xf32>\n}}\n"
    )
    hlo.pipelines.run(module, hlo.pipelines.cpu("avx512"), stop_after="memory")
    names = [str(op.operation.attributes["sym_name"]).strip('"') for op in module.body.operations]
    return {name for name in names if name.startswith("hlo_routine_")}


def test_products_of_other_shapes_share_code():
    """Rows and depth differ, and so do the strides of all three."""
    assert _called(64, 80, 64) == _called(64, 500, 64) != set()
