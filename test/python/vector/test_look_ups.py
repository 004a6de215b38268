"""Elements at computed indices that differ from lane to lane: short rows are permuted in registers, all others are gathered."""

import ml_dtypes
import numpy as np
import pytest
from phase_texts import phase_text

import hlo

PROGRAM = """
func.func @main(%x: tensor<{rows}x{size}x{type}>, %i: tensor<{count}x{index}>) -> tensor<{rows}x{count}x{type}> {{
  %start = stablehlo.reshape %i : (tensor<{count}x{index}>) -> tensor<{count}x1x{index}>
  %0 = "stablehlo.gather"(%x, %start) <{{dimension_numbers = #stablehlo.gather<offset_dims = [0],
    collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>,
    slice_sizes = array<i64: {rows}, 1>, indices_are_sorted = false}}>
    : (tensor<{rows}x{size}x{type}>, tensor<{count}x1x{index}>) -> tensor<{rows}x{count}x{type}>
  return %0 : tensor<{rows}x{count}x{type}>
}}
"""

CONSECUTIVE = """
func.func @main(%x: tensor<{size}x{kind}>, %i: tensor<1xi8>) -> tensor<{count}x{kind}> {{
  %0 = "stablehlo.gather"(%x, %i) <{{dimension_numbers = #stablehlo.gather<offset_dims = [0], start_index_map = [0],
    index_vector_dim = 0>, slice_sizes = array<i64: {count}>}}> : (tensor<{size}x{kind}>, tensor<1xi8>) -> tensor<{count}x{kind}>
  return %0 : tensor<{count}x{kind}>
}}
"""

TYPES = {
    "i1": np.bool_,
    "i8": np.int8,
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f32": np.float32,
    "i32": np.int32,
    "f64": np.float64,
    "i64": np.int64,
    "complex<f32>": np.complex64,
}
INDICES = {"i32": np.int32, "i8": np.int8, "i64": np.int64, "ui8": np.uint8, "ui32": np.uint32}
RANDOM = np.random.default_rng(3)


def _check(size: int, kind: str, index: str = "i32", rows: int = 3, count: int = 77, processor: str = "host") -> None:
    """Indices out of bounds are clamped."""
    x = RANDOM.integers(-50, 50, (rows, size)).astype(np.float32).astype(TYPES[kind])
    limits = np.iinfo(INDICES[index])
    low, high = max(limits.min, -9), min(limits.max, size + 9)
    i = np.append(RANDOM.integers(low, high, count - 2), [limits.min, limits.max]).astype(INDICES[index])
    text = PROGRAM.format(rows=rows, size=size, count=count, type=kind, index=index)
    (found,) = hlo.compile(text, cpu=processor)(x, i)
    np.testing.assert_array_equal(found, x[:, [min(max(int(n), 0), size - 1) for n in i]])


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("size", [2, 8, 16, 17, 33, 64, 65])
def test_types(size: int, kind: str) -> None:
    _check(size, kind)


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("size", [40, 300])
def test_index_types(size: int, index: str) -> None:
    _check(size, "f32", index)
    _check(size, "f64", index)


@pytest.mark.parametrize("processor", ["avx2", "baseline"])
@pytest.mark.parametrize("kind", ["f32", "i8"])
def test_other_processors(kind: str, processor: str) -> None:
    _check(8, kind, processor=processor)
    _check(20, kind, processor=processor)


def test_a_table_is_permuted() -> None:
    text = PROGRAM.format(rows=1, size=64, count=160, type="f32", index="i32")
    memory = phase_text(text, "memory", "avx512")
    assert "vector.gather" not in memory
    assert "vpermi2var.d.512" in memory


def test_gathers_have_narrow_indices() -> None:
    text = PROGRAM.format(rows=3, size=65, count=160, type="f32", index="i32")
    memory = phase_text(text, "memory", "avx512")
    assert "vector<16xi32>, vector<16xi1>, vector<16xf32>" in memory
    assert "vector<16xindex>, vector<16xi1>" not in memory


@pytest.mark.parametrize("size", [3, 8, 23])
@pytest.mark.parametrize("kind", ["i8", "f32", "f64", "i64"])
def test_few_lanes(kind: str, size: int) -> None:
    """Of a row that registers hold, so many consecutive elements from a computed index on, which clamping keeps inside. (LLVM 22 compiles
    a permutation by the indices a, b, b, b, ... as if they were a, a, where two lanes of 64 bits are asked for.)"""
    x = np.arange(1, size + 1).astype(TYPES[kind])
    for count in range(1, size + 1):
        exe = hlo.compile(CONSECUTIVE.format(kind=kind, size=size, count=count))
        for start in (-3, 0, 1, 3, 100):
            first = min(max(start, 0), size - count)
            np.testing.assert_array_equal(exe(x, np.array([start], np.int8))[0], x[first : first + count])
