"""Pads, concatenations and updates on the numpy model of a GPU: one launch, 16 bytes of neighbours where they fit."""

import ml_dtypes
import numpy as np
import pytest

import hlo
from hlo.dialect.numpy_types import DTYPES

KINDS = ("i1", "i8", "bf16", "f32", "complex<f32>")


def shape_text(shape) -> str:
    return "x".join(map(str, shape))


def values(shape, kind: str):
    return np.random.default_rng(sum(shape)).integers(0, 100, shape).astype(DTYPES[kind])


def on_model(text: str):
    return hlo.compile(text, target="gpu", device="model", cache=False)


ONES = {"i1": "true", "i8": "1", "complex<f32>": "(1.0, 0.0)"}

PAD = """func.func @main(%x: tensor<{shape}x{kind}>) -> tensor<{result}x{kind}> {{
  %z = stablehlo.constant dense<{one}> : tensor<{kind}>
  %r = stablehlo.pad %x, %z, low = {low}, high = {high}, interior = {interior} : (tensor<{shape}x{kind}>, tensor<{kind}>) -> tensor<{result}x{kind}>
  return %r : tensor<{result}x{kind}> }}"""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "shape, low, high",
    [
        ((6, 32), (0, 32), (0, 32)),
        ((6, 32), (1, 0), (2, 0)),
        ((5, 7), (1, 1), (1, 2)),
        ((4, 3, 8), (0, 1, 0), (0, 1, 8)),
        ((4, 24), (0, 8), (0, 0)),
        ((6, 16), (-1, 8), (2, -4)),
    ],
)
def test_pads(kind: str, shape, low, high) -> None:
    x, z = values(shape, kind), np.ones((), DTYPES[kind])
    result = [n + a + b for n, a, b in zip(shape, low, high)]
    zeros = [0] * len(shape)
    words = {"low": list(low), "high": list(high), "interior": zeros, "kind": kind, "one": ONES.get(kind, "1.0")}
    exe = on_model(PAD.format(shape=shape_text(shape), result=shape_text(result), **words))
    cut = x[tuple(slice(max(0, -a), n - max(0, -b)) for n, a, b in zip(shape, low, high))]
    wanted = np.pad(cut, [(max(0, a), max(0, b)) for a, b in zip(low, high)], constant_values=z)
    assert np.array_equal(exe(x)[0], wanted)


def test_pads_between_elements() -> None:
    x = values((5, 9), "f32")
    words = {"low": [0, 1], "high": [2, 0], "interior": [1, 0], "kind": "f32", "one": "7.0"}
    wanted = np.full((11, 10), 7, np.float32)
    wanted[0:9:2, 1:] = x
    assert np.array_equal(on_model(PAD.format(shape="5x9", result="11x10", **words))(x)[0], wanted)


@pytest.mark.parametrize("kind", ["bf16", "f32", "i1"])
@pytest.mark.parametrize("sizes, dimension", [((16, 8, 24), 1), ((3, 5, 2), 1), ((4, 1, 7), 0)])
def test_concatenations(kind: str, sizes, dimension: int) -> None:
    shapes = [(6, n) if dimension else (n, 24) for n in sizes]
    parts = [values(shape, kind) for shape in shapes]
    wanted = np.concatenate(parts, dimension)
    types = [f"tensor<{shape_text(shape)}x{kind}>" for shape in shapes]
    result = f"tensor<{shape_text(wanted.shape)}x{kind}>"
    exe = on_model(f"""func.func @main(%a: {types[0]}, %b: {types[1]}, %c: {types[2]}) -> {result} {{
      %r = stablehlo.concatenate %a, %b, %c, dim = {dimension} : ({", ".join(types)}) -> {result}
      return %r : {result} }}""")
    assert np.array_equal(exe(*parts)[0], wanted)


def test_what_is_computed_on_the_way_and_overlaps() -> None:
    """Two slices of one array are updated; the second lies partly over the first."""
    text = """func.func @main(%x: tensor<8x64xf32>, %a: tensor<8x32xf32>, %b: tensor<8x16xf32>) -> tensor<8x64xf32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %first = stablehlo.constant dense<8> : tensor<i32>
      %second = stablehlo.constant dense<32> : tensor<i32>
      %n = stablehlo.negate %x : tensor<8x64xf32>
      %e = stablehlo.multiply %a, %a : tensor<8x32xf32>
      %0 = stablehlo.dynamic_update_slice %n, %e, %zero, %first : (tensor<8x64xf32>, tensor<8x32xf32>, tensor<i32>, tensor<i32>) -> tensor<8x64xf32>
      %1 = stablehlo.dynamic_update_slice %0, %b, %zero, %second : (tensor<8x64xf32>, tensor<8x16xf32>, tensor<i32>, tensor<i32>) -> tensor<8x64xf32>
      return %1 : tensor<8x64xf32> }"""
    x, a, b = (values(shape, "f32") for shape in ((8, 64), (8, 32), (8, 16)))
    wanted = -x
    wanted[:, 8:40] = a * a
    wanted[:, 32:48] = b
    assert np.array_equal(on_model(text)(x, a, b)[0], wanted)


def test_transposed_parts_go_through_shared_memory() -> None:
    text = """func.func @main(%x: tensor<4x64x40xbf16>) -> tensor<4x40x3x64xbf16> {
      %z = stablehlo.constant dense<1.0> : tensor<bf16>
      %t = stablehlo.transpose %x, dims = [0, 2, 1] : (tensor<4x64x40xbf16>) -> tensor<4x40x64xbf16>
      %r = stablehlo.reshape %t : (tensor<4x40x64xbf16>) -> tensor<4x40x1x64xbf16>
      %p = stablehlo.pad %r, %z, low = [0, 0, 2, 0], high = [0, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<4x40x1x64xbf16>, tensor<bf16>) -> tensor<4x40x3x64xbf16>
      return %p : tensor<4x40x3x64xbf16> }"""
    x = values((4, 64, 40), "bf16")
    wanted = np.ones((4, 40, 3, 64), ml_dtypes.bfloat16)
    wanted[:, :, 2] = x.transpose(0, 2, 1)
    exe = on_model(text)
    assert np.array_equal(exe(x)[0], wanted)
    assert "gpu.barrier" in exe.program.code


def test_a_row_of_columns_of_one_element() -> None:
    """Neighbours in memory, but along the last dimension but one: no vector."""
    program = """
    func.func @main(%x: tensor<1x2x1xi32>, %y: tensor<70x2x1xi32>) -> tensor<71x2x1xi32> {
      %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<1x2x1xi32>, tensor<70x2x1xi32>) -> tensor<71x2x1xi32>
      return %0 : tensor<71x2x1xi32>
    }"""
    x, y = np.arange(2, dtype=np.int32).reshape(1, 2, 1), np.arange(140, dtype=np.int32).reshape(70, 2, 1)
    (found,) = hlo.compile(program, target="gpu", device="model")(x, y)
    np.testing.assert_array_equal(found, np.concatenate([x, y]))
