"""Steps of a loop that make a part of an array from another part of it: beside numpy, without a second array."""

import re

import numpy as np
import pytest

import hlo

STEPS = """
func.func @main(%x: tensor<40x{n}xf32>) -> tensor<40x{n}xf32> {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %many = stablehlo.constant dense<30> : tensor<i32>
  %from = stablehlo.constant dense<{read}> : tensor<i32>
  %to = stablehlo.constant dense<{written}> : tensor<i32>
  %r:2 = stablehlo.while(%n = %zero, %a = %x) : tensor<i32>, tensor<40x{n}xf32>
  cond {{
    %c = stablehlo.compare LT, %n, %many : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }} do {{
    %m = stablehlo.add %n, %one : tensor<i32>
    %i = stablehlo.add %n, %from : tensor<i32>
    %j = stablehlo.add %n, %to : tensor<i32>
    %s = stablehlo.dynamic_slice %a, %i, %zero, sizes = [{rows}, {n}] : (tensor<40x{n}xf32>, tensor<i32>, tensor<i32>) -> tensor<{rows}x{n}xf32>
    %t = stablehlo.dynamic_slice %a, %j, %zero, sizes = [{rows}, {n}] : (tensor<40x{n}xf32>, tensor<i32>, tensor<i32>) -> tensor<{rows}x{n}xf32>
    %u = stablehlo.{op} %s, %{other} : tensor<{rows}x{n}xf32>
    %b = stablehlo.dynamic_update_slice %a, %u, %j, %zero : (tensor<40x{n}xf32>, tensor<{rows}x{n}xf32>, tensor<i32>, tensor<i32>) -> tensor<40x{n}xf32>
    stablehlo.return %m, %b : tensor<i32>, tensor<40x{n}xf32>
  }}
  return %r#1 : tensor<40x{n}xf32>
}}"""


@pytest.mark.sampled(5)
@pytest.mark.parametrize("cpu", ["host", "baseline"])
@pytest.mark.parametrize("other", ["s", "t"])
@pytest.mark.parametrize("rows, read, written", [(1, 0, 1), (1, 1, 0), (3, 0, 1), (3, 2, 0), (4, 0, 0), (5, 9, 5)])
@pytest.mark.parametrize("n", [1, 7, 70])
def test_parts_made_from_others(n, rows, read, written, other, cpu):
    """Parts that overlap, too; `other`: whether what is replaced is read."""
    text = STEPS.format(
        n=n, rows=rows, read=read, written=written, other=other, op="add" if other == "t" else "maximum"
    )
    program = hlo.compile(text, cpu=cpu, keep_phases=True)
    x = np.random.default_rng(n).integers(-9, 9, (40, n)).astype(np.float32)
    a = x.copy()
    for step in range(30):
        i, j = (min(step + first, 40 - rows) for first in (read, written))
        s, t = a[i : i + rows].copy(), a[j : j + rows].copy()
        a[j : j + rows] = s + t if other == "t" else s
    np.testing.assert_array_equal(program(x)[0], a)
    arena = int(re.search(r"hlo\.arena = (\d+)", program.phases["memory"])[1])
    assert n < 70 or arena < 1.5 * x.nbytes
