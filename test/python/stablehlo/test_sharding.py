"""Shardings: their text, how arrays are cut, and random programs on random meshes against the same programs whole."""

from __future__ import annotations

import os

import numpy as np
import pytest

import hlo
from hlo.dialect.sharding import parse_mesh, parse_sharding, parse_shardings
from hlo.pipelines.runner import run_pass
from hlo.runtime.grid.global_arrays import Layout, cut, cut_all, join, join_all, layouts_of, parts_of
from hlo.tools.differential.sharded import check_sharded

PROGRAMS = int(os.environ.get("HLO_SHARDED_PROGRAMS", "500"))

SHARDINGS = (
    '<@mesh, [{"x"}, {"y":(1)2, ?}p1, {?}], replicated={"y":(2)2}>',
    "<@mesh, []>",
    '<@m, [{}, {"x", "y"}], unreduced={"z"}>',
)


@pytest.mark.parametrize("text", SHARDINGS)
def test_text_of_shardings(text: str) -> None:
    assert str(parse_sharding(text)) == text
    assert str(parse_sharding(f"#sdy.sharding{text}")) == text
    assert list(map(str, parse_shardings(f"#sdy.sharding_per_value<[{text}, {text}]>"))) == [text, text]


def test_text_of_meshes() -> None:
    text = '<["x"=2, "y"=3], device_ids=[5, 4, 3, 2, 1, 0]>'
    assert str(parse_mesh(f"#sdy.mesh{text}")) == text
    assert parse_mesh(text).size == 6


def test_places_follow_axes_their_parts_and_the_order_of_devices() -> None:
    mesh = parse_mesh('<["x"=2, "y"=4]>')
    counts, parts = parts_of(parse_sharding('<@mesh, [{"y"}, {"x"}]>'), mesh)
    assert counts == (4, 2)
    assert parts == tuple((p % 4, p // 4) for p in range(8))
    counts, parts = parts_of(parse_sharding('<@mesh, [{"y":(2)2, "x"}]>'), mesh)
    assert counts == (4,)
    assert parts == tuple((p % 2 * 2 + p // 4,) for p in range(8))
    turned = parse_mesh('<["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>')
    assert parts_of(parse_sharding('<@mesh, [{"x"}]>'), turned)[1] == ((1,),) * 4 + ((0,),) * 4


def test_uneven_arrays_are_cut_and_joined() -> None:
    layout = Layout((7, 3), np.dtype(np.float32), (4, 1), ((0, 0), (1, 0), (2, 0), (3, 0)))
    array = np.arange(21, dtype=np.float32).reshape(7, 3)
    parts = cut(array, layout, fill=np.nan)
    assert [p.shape for p in parts] == [(2, 3)] * 4
    np.testing.assert_array_equal(parts[1], array[2:4])
    np.testing.assert_array_equal(parts[3][0], array[6])
    assert np.isnan(parts[3][1]).all()
    np.testing.assert_array_equal(join(parts, layout), array)
    with pytest.raises(hlo.ArgumentError, match=r"shape \(7, 3\) and type float32 expected, found \(7, 4\) float64"):
        cut(np.zeros((7, 4)), layout)
    with pytest.raises(hlo.ArgumentError, match="4 processes expected, found 3"):
        join(parts[:3], layout)


PRODUCT = """
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<5x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<8x3xf32>) -> tensor<5x3xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<5x8xf32>, tensor<8x3xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}"""


def test_a_partitioned_program_says_how_its_arrays_are_cut() -> None:
    module = hlo.parse(PRODUCT)
    for name in ("propagate-shardings", "partition", "join-collectives"):
        run_pass(module, name)
    arguments, results = layouts_of(module)
    assert [a.local_shape for a in arguments] == [(3, 4), (4, 3)]
    assert [r.local_shape for r in results] == [(3, 3)]
    a, b = np.arange(40, dtype=np.float32).reshape(5, 8), np.ones((8, 3), np.float32)
    exe = hlo.compile(hlo.print_module(module), target="reference")
    (found,) = join_all(exe.run_grid(cut_all([a, b], arguments)), results)  # type: ignore[union-attr]
    np.testing.assert_array_equal(found, a @ b)


def test_a_program_that_is_not_partitioned_does_not() -> None:
    with pytest.raises(hlo.ArgumentError, match="@main is not partitioned"):
        layouts_of(hlo.parse(PRODUCT))


@pytest.mark.parametrize("first", range(0, PROGRAMS, 50))
def test_random_programs_on_random_meshes(first: int) -> None:
    found = [f for n in range(first, min(first + 50, PROGRAMS)) for f in check_sharded(1, n)]
    assert not found, "\n".join(f"{f.number} {f.kind}: {f.what}\n{f.text}" for f in found)


LOCAL = """sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<4xf32> {{hlo.global_type = {0}, hlo.sharding = {1}}}) {{
  return
}}"""
GOOD = "tensor<7xf32>", '#sdy.sharding<@mesh, [{"x"}]>'
WRONG = {
    "hlo.global_type must be a tensor of f32, found tensor<7xi32>": ("tensor<7xi32>", GOOD[1]),
    "hlo.sharding: expected '<'": (GOOD[0], "5"),
    "hlo.sharding: unknown mesh @other": (GOOD[0], '#sdy.sharding<@other, [{"x"}]>'),
    "hlo.sharding: a sharding must have a dimension for each": (GOOD[0], "#sdy.sharding<@mesh, []>"),
    r"has shape \(7,\), found tensor<4xf32>": (GOOD[0], "#sdy.sharding<@mesh, [{}]>"),
}


def test_layouts_that_are_right() -> None:
    (layout,), _ = layouts_of(hlo.parse(LOCAL.format(*GOOD)))
    assert (layout.shape, layout.counts) == ((7,), (2,))


@pytest.mark.parametrize("message", WRONG)
def test_layouts_that_are_wrong(message: str) -> None:
    with pytest.raises(hlo.ArgumentError, match=message):
        layouts_of(hlo.parse(LOCAL.format(*WRONG[message])))
    with pytest.raises(hlo.HloError, match=message):
        hlo.compile(LOCAL.format(*WRONG[message]), target="reference")
