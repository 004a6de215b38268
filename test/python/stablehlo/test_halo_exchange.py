"""Windows along a sharded dimension: slices, paddings, pooling, convolutions on parts, against the same op whole."""

from __future__ import annotations

import random

import numpy as np
import pytest
from mlir import ir

import hlo
from bench.traffic import of_module
from hlo.lowering.stablehlo.sharding.halo import Window, halo_of
from hlo.pipelines.runner import run_pass
from hlo.tools.differential.sharded import run_sharded

CASES = 12


def slice_op(r: random.Random, n: int) -> tuple[str, int]:
    start, stride = r.randint(0, n // 4), r.choice([1, 1, 2, 3])
    limit = r.randint(max(start + 1, n - 3), n)
    size = -(-(limit - start) // stride)
    return f"stablehlo.slice %a [{start}:{limit}:{stride}, 0:2] : (tensor<{n}x2xf32>) -> tensor<{size}x2xf32>", size


def pad_op(r: random.Random, n: int) -> tuple[str, int]:
    low, high = r.randint(-2, 3), r.randint(-2, 3)
    size = max(n + low + high, 1)
    high = size - n - low
    form = f"low = [{low}, 0], high = [{high}, 0], interior = [0, 0]"
    return f"stablehlo.pad %a, %z, {form} : (tensor<{n}x2xf32>, tensor<f32>) -> tensor<{size}x2xf32>", size


def pool_op(r: random.Random, n: int) -> tuple[str, int]:
    window, stride, dilation = r.randint(1, 4), r.choice([1, 1, 2, 3]), r.choice([1, 1, 2])
    low, high = r.randint(0, 3), r.randint(0, 3)
    reach = (window - 1) * dilation + 1
    high += max(0, reach - n - low - high)
    size = (n + low + high - reach) // stride + 1
    return (
        f"""\"stablehlo.reduce_window"(%a, %z) ({{
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }}) {{window_dimensions = array<i64: {window}, 1>, window_strides = array<i64: {stride}, 1>,
         window_dilations = array<i64: {dilation}, 1>, padding = dense<[[{low}, {high}], [0, 0]]> : tensor<2x2xi64>}}
         : (tensor<{n}x2xf32>, tensor<f32>) -> tensor<{size}x2xf32>""",
        size,
    )


def conv_op(r: random.Random, n: int) -> tuple[str, int]:
    window, stride, dilation = r.randint(1, 4), r.choice([1, 1, 2]), r.choice([1, 1, 2])
    low, high = r.randint(-1, 3), r.randint(0, 3)
    reach = (window - 1) * dilation + 1
    high += max(0, reach - n - low - high)
    size = (n + low + high - reach) // stride + 1
    return (
        f"""stablehlo.convolution(%b, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
      window = {{stride = [{stride}], pad = [[{low}, {high}]], rhs_dilate = [{dilation}]}}
      {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
      : (tensor<1x{n}x2xf32>, tensor<{window}x2x2xf32>) -> tensor<1x{size}x2xf32>
    %w = stablehlo.constant dense<{[[[1.0, 2.0], [3.0, float(k)]] for k in range(window)]}> : tensor<{window}x2x2xf32>""",
        size,
    )


def concatenate_op(r: random.Random, n: int) -> tuple[str, int]:
    """Small pieces around the array; some without elements."""
    before, behind = r.choice([(1, 0), (0, 1), (1, 1), (2, 0), (0, 2)] if n >= 14 else [(1, 0), (0, 1)])
    size = before + n + behind
    sizes = [before, n, behind]
    pieces = [f"%p{k} = stablehlo.constant dense<{5.0 + k}> : tensor<{m}x2xf32>" for k, m in enumerate(sizes) if k != 1]
    types = ", ".join(f"tensor<{m}x2xf32>" for m in sizes)
    text = f"stablehlo.concatenate %p0, %a, %p2, dim = 0 : ({types}) -> tensor<{size}x2xf32>"
    return "\n  ".join([text, *pieces]), size


OPS = {
    "concatenate": concatenate_op,
    "slice": slice_op,
    "pad": pad_op,
    "reduce_window": pool_op,
    "convolution": conv_op,
}


def program(name: str, case: int) -> tuple[str, int]:
    r = random.Random(f"{name} {case}")
    parts, n = r.choice([2, 3, 4, 8]), r.randint(8, 30)
    text, size = OPS[name](r, n)
    if name == "convolution":
        text, _, weights = text.rpartition("\n    ")
        between = [
            weights,
            f"%b = stablehlo.reshape %a : (tensor<{n}x2xf32>) -> tensor<1x{n}x2xf32>",
            f"%c = {text}",
            f"%0 = stablehlo.reshape %c : (tensor<1x{size}x2xf32>) -> tensor<{size}x2xf32>",
        ]
    elif name == "concatenate":
        text, *pieces = text.split("\n  ")
        between = [*pieces, f"%0 = {text}"]
    else:
        between = ["%z = stablehlo.constant dense<5.0> : tensor<f32>", f"%0 = {text}"]
    sharding = 'sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>'
    body = "\n  ".join(between)
    return (
        f"""sdy.mesh @mesh = <["x"={parts}]>
func.func @main(%a: tensor<{n}x2xf32> {{{sharding}}}) -> (tensor<{size}x2xf32> {{{sharding}}}) {{
  {body}
  return %0 : tensor<{size}x2xf32>
}}""",
        n,
    )


@pytest.mark.parametrize("name", OPS)
def test_windows_on_parts(name: str) -> None:
    exchanged = 0
    for case in range(CASES):
        text, n = program(name, case)
        array = np.arange(2 * n, dtype=np.float32).reshape(n, 2) - n
        whole = hlo.parse(text)
        run_pass(whole, "remove-shardings")
        expected = hlo.compile(whole, target="reference")(array)
        module = hlo.parse(text)
        (found,) = run_sharded(module, [array])
        np.testing.assert_array_equal(found, expected[0], err_msg=text)
        ops: list[str] = []
        module.operation.walk(lambda op: ops.append(op.name) or ir.WalkResult.ADVANCE)  # noqa: B023
        exchanged += "stablehlo.all_gather" not in ops and "stablehlo.all_to_all" not in ops
    assert exchanged > CASES // 2, f"{exchanged} of {CASES} without gathering"


REVERSE = """sdy.mesh @mesh = <["x"=2, "y"={y}]{devices}>
func.func @main(%a: tensor<{n}x12x3xf32> {{{s}}}) -> (tensor<{n}x12x3xf32> {{{s}}}) {{
  %0 = stablehlo.reverse %a, dims = [{dims}] : tensor<{n}x12x3xf32>
  return %0 : tensor<{n}x12x3xf32>
}}"""


@pytest.mark.parametrize(
    "n, y, dims, devices, gathered",
    [
        (8, 2, "0", "", False),
        (8, 4, "0, 1", "", False),
        (8, 3, "1, 2", ", device_ids=[5, 3, 1, 0, 2, 4]", False),
        (8, 2, "2", "", None),
        (7, 1, "0", "", True),  # uneven parts have other borders from behind
    ],
)
def test_parts_of_reversed_dimensions_change_places(
    n: int, y: int, dims: str, devices: str, gathered: bool | None
) -> None:
    sharding = 'sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>'
    module = hlo.parse(REVERSE.format(n=n, y=y, dims=dims, devices=devices, s=sharding))
    array = np.arange(n * 36, dtype=np.float32).reshape(n, 12, 3)
    (found,) = run_sharded(module, [array])
    np.testing.assert_array_equal(found, np.flip(array, [int(d) for d in dims.split(",")]))
    sent = [c.kind for c in of_module(module)]
    assert "all_gather" in sent if gathered else sent == ([] if gathered is None else ["collective_permute"])


def test_windows_of_no_elements() -> None:
    text = """sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<9x0xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x0xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.slice %a [1:9:2, 0:0] : (tensor<9x0xf32>) -> tensor<4x0xf32>
  return %0 : tensor<4x0xf32>
}"""
    (found,) = run_sharded(hlo.parse(text), [np.zeros((9, 0), np.float32)])
    assert found.shape == (4, 0)


def test_what_neighbours_lend() -> None:
    """A window of three over eight parts of four: one element of each neighbour."""
    halo = halo_of(8, 32, 32, Window(1, -1, 1))
    assert (halo.left, halo.right, halo.before, halo.after, halo.length) == (1, 1, 0, 0, 6)
    assert set(halo.starts) == {0}
