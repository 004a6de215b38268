"""Vectors of 64 bytes, permuted in every way that kernels do: LLVM compiled some of them for ever."""

import subprocess
import sys

import numpy as np
import pytest

import hlo
from hlo.lowering.target import host_name, names_of

ORDER = names_of("x86_64")[::-1]
CPUS = ["host", *ORDER[: ORDER.index(host_name()) + 1]]

COMPILE = """
import sys, hlo
for text in sys.stdin.read().split("// ----"):
    hlo.compile(text, cpu=sys.argv[1], cache=False)
"""

REPEATED = """func.func @main(%x: tensor<{n}x{type}>, %y: tensor<{n}x{type}>) -> tensor<{n}x{times}x{type}> {{
  %s = stablehlo.xor %x, %y : tensor<{n}x{type}>
  %r = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<{n}x{type}>) -> tensor<{n}x{times}x{type}>
  return %r : tensor<{n}x{times}x{type}>
}}
"""
COLUMNS = """func.func @main(%d: tensor<3x{n}x{times}x{type}>, %a: tensor<3x{n}x{times}x{type}>, %b: tensor<{times}x{type}>) -> (tensor<3x{n}x{times}x{type}>, tensor<3x{n}x{times}x{type}>) {{
  %0 = stablehlo.or %d, %a : tensor<3x{n}x{times}x{type}>
  %s = stablehlo.broadcast_in_dim %b, dims = [2] : (tensor<{times}x{type}>) -> tensor<3x{n}x{times}x{type}>
  %1 = stablehlo.and %a, %s : tensor<3x{n}x{times}x{type}>
  return %0, %1 : tensor<3x{n}x{times}x{type}>, tensor<3x{n}x{times}x{type}>
}}
"""
STRIDED = """func.func @main(%x: tensor<{n}x{times}x{type}>, %y: tensor<{n}x{times}x{type}>) -> tensor<{n}x{type}> {{
  %s = stablehlo.xor %x, %y : tensor<{n}x{times}x{type}>
  %r = stablehlo.reverse %s, dims = [0] : tensor<{n}x{times}x{type}>
  %e = stablehlo.slice %r [0:{n}, 1:2] : (tensor<{n}x{times}x{type}>) -> tensor<{n}x1x{type}>
  %t = stablehlo.reshape %e : (tensor<{n}x1x{type}>) -> tensor<{n}x{type}>
  %f = stablehlo.slice %x [0:{n}, 0:1] : (tensor<{n}x{times}x{type}>) -> tensor<{n}x1x{type}>
  %u = stablehlo.reshape %f : (tensor<{n}x1x{type}>) -> tensor<{n}x{type}>
  %v = stablehlo.and %t, %u : tensor<{n}x{type}>
  return %v : tensor<{n}x{type}>
}}
"""


@pytest.mark.sampled(5)
@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("type", ["ui8", "i1"])
@pytest.mark.parametrize("program", [REPEATED, COLUMNS, STRIDED], ids=["repeated", "columns", "strided"])
def test_they_compile(program: str, type: str, cpu: str) -> None:
    sizes = [(n, times) for times in (2, 3, 4) for n in (33, 65, 69, 70, 71, 97, 200)]
    texts = "// ----".join(program.format(n=n, times=times, type=type) for n, times in sizes)
    subprocess.run([sys.executable, "-c", COMPILE, cpu], input=texts, text=True, check=True, timeout=120)


@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("times", [2, 3, 4, 5, 8])
@pytest.mark.parametrize("type, dtype", [("ui8", np.uint8), ("i1", np.bool_)])
def test_each_byte_repeated(type: str, dtype: type, times: int, cpu: str) -> None:
    rng = np.random.default_rng(times)
    x, y = (rng.integers(0, 2 if dtype is np.bool_ else 256, 261).astype(dtype) for _ in range(2))
    (found,) = hlo.compile(REPEATED.format(n=261, times=times, type=type), cpu=cpu)(x, y)
    np.testing.assert_array_equal(found, np.repeat((x ^ y)[:, None], times, axis=1))
