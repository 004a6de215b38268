"""Transposes on the model of a GPU: tiles in shared memory, all sizes of elements, and what is computed on the way."""

import numpy as np
import pytest

import hlo
from hlo.dialect.numpy_types import DTYPES

KINDS = ("i1", "i8", "bf16", "f32", "f64", "complex<f32>")

TRANSPOSE = """func.func @main(%x: tensor<{shape}x{kind}>) -> tensor<{result}x{kind}> {{
  %r = stablehlo.transpose %x, dims = {order} : (tensor<{shape}x{kind}>) -> tensor<{result}x{kind}>
  return %r : tensor<{result}x{kind}> }}"""


def shape_text(shape) -> str:
    return "x".join(map(str, shape))


def program(text: str):
    return hlo.compile(text, target="gpu", device="model")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "shape, order",
    [((64, 128), (1, 0)), ((33, 70), (1, 0)), ((3, 40, 36), (0, 2, 1)), ((40, 3, 36), (2, 1, 0)), ((5, 17), (1, 0))],
)
def test_transposes(kind: str, shape, order) -> None:
    rng = np.random.default_rng(3)
    x = rng.integers(0, 100, shape).astype(DTYPES[kind])
    result = tuple(shape[d] for d in order)
    text = TRANSPOSE.format(shape=shape_text(shape), result=shape_text(result), kind=kind, order=list(order))
    exe = program(text)
    assert np.array_equal(exe(x)[0], x.transpose(order))
    is_tiled = min(shape[order[-1]], shape[-1]) >= 16
    assert ("gpu.barrier" in exe.program.code) == is_tiled


def test_what_is_computed_on_the_way() -> None:
    """Two inputs are turned, one is not, one has one dimension; two results."""
    text = """func.func @main(%x: tensor<50x40xf32>, %y: tensor<50x40xf32>, %z: tensor<40x50xf32>, %v: tensor<50xf32>)
        -> (tensor<40x50xf32>, tensor<40x50xf32>) {
      %a = stablehlo.transpose %x, dims = [1, 0] : (tensor<50x40xf32>) -> tensor<40x50xf32>
      %b = stablehlo.transpose %y, dims = [1, 0] : (tensor<50x40xf32>) -> tensor<40x50xf32>
      %c = stablehlo.multiply %a, %b : tensor<40x50xf32>
      %d = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<50xf32>) -> tensor<40x50xf32>
      %e = stablehlo.add %c, %z : tensor<40x50xf32>
      %f = stablehlo.subtract %e, %d : tensor<40x50xf32>
      return %e, %f : tensor<40x50xf32>, tensor<40x50xf32> }"""
    rng = np.random.default_rng(4)
    x, y, z, v = (rng.integers(-9, 9, shape).astype(np.float32) for shape in ((50, 40), (50, 40), (40, 50), (50,)))
    exe = program(text)
    first, second = exe(x, y, z, v)
    assert np.array_equal(first, x.T * y.T + z)
    assert np.array_equal(second, x.T * y.T + z - v)
    assert "gpu.barrier" in exe.program.code
