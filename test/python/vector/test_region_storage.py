"""Region kernels that write parts of arrays, read at computed positions, or run on several threads."""

import ml_dtypes
import numpy as np
import pytest
from kernel_runner import Kernel

import hlo

TARGETS = ["avx512", "avx2", "baseline"]
rng = np.random.default_rng(1)


def normal(*shape):
    return rng.normal(size=shape).astype(np.float32)


CONCATENATE = """
func.func private @k(%a: tensor<5x7xf32>, %b: tensor<5x20xf32>) -> tensor<5x27xf32> attributes {hlo.kernel = "region"} {
  %e = tensor.empty() : tensor<5x27xf32>
  %n = tensor.empty() : tensor<5x7xf32>
  %neg = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i,j)>],
      iterator_types = ["parallel", "parallel"]} ins(%a : tensor<5x7xf32>) outs(%n : tensor<5x7xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.negf %x : f32
    linalg.yield %y : f32
  } -> tensor<5x7xf32>
  %0 = tensor.insert_slice %neg into %e[0, 0] [5, 7] [1, 1] : tensor<5x7xf32> into tensor<5x27xf32>
  %1 = tensor.insert_slice %b into %0[0, 7] [5, 20] [1, 1] : tensor<5x20xf32> into tensor<5x27xf32>
  return %1 : tensor<5x27xf32>
}"""


@pytest.mark.parametrize("target", TARGETS)
def test_concatenate(target):
    a, b = normal(5, 7), normal(5, 20)
    np.testing.assert_array_equal(Kernel(CONCATENATE, target)(a, b)[0], np.concatenate([-a, b], 1))


PAD = """
func.func private @k(%a: tensor<9x6xi32>) -> tensor<12x20xi32> attributes {hlo.kernel = "region"} {
  %c = arith.constant 7 : i32
  %e = tensor.empty() : tensor<12x20xi32>
  %f = linalg.fill ins(%c : i32) outs(%e : tensor<12x20xi32>) -> tensor<12x20xi32>
  %0 = tensor.insert_slice %a into %f[2, 1] [9, 6] [1, 3] : tensor<9x6xi32> into tensor<12x20xi32>
  return %0 : tensor<12x20xi32>
}"""


@pytest.mark.parametrize("target", TARGETS)
def test_pad_with_interior(target):
    a = np.arange(54, dtype=np.int32).reshape(9, 6)
    expected = np.full((12, 20), 7, np.int32)
    expected[2:11, 1:19:3] = a
    np.testing.assert_array_equal(Kernel(PAD, target)(a)[0], expected)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("element", ["i8", "bf16", "f32", "f64", "complex<f32>"])
def test_pads_of_short_rows(element, target):
    """Up to 16 elements of four bytes or more, 8 of narrower ones, padded rows are written by the nest that reads them; longer ones into a fill."""
    dtype = {
        "i8": np.int8,
        "bf16": ml_dtypes.bfloat16,
        "f32": np.float32,
        "f64": np.float64,
        "complex<f32>": np.complex64,
    }[element]
    for rows, length, low, high in (
        (67, 2, 3, 3),
        (40, 3, 3, 3),
        (19, 10, 3, 3),
        (33, 7, 0, 9),
        (50, 7, 9, 0),
        (21, 11, 3, 3),
    ):
        x = rng.integers(-100, 100, (rows, length)).astype(dtype)
        t, padded = f"tensor<{rows}x{length}x{element}>", f"tensor<{rows + 3}x{length + low + high}x{element}>"
        zero = "(0.0, 0.0)" if element.startswith("c") else "0" if element == "i8" else "0.0"
        text = f"""func.func @main(%x: {t}) -> {padded} {{
          %c = stablehlo.constant dense<{zero}> : tensor<{element}>
          %0 = stablehlo.pad %x, %c, low = [1, {low}], high = [2, {high}], interior = [0, 0] : ({t}, tensor<{element}>) -> {padded}
          return %0 : {padded}
        }}"""
        exe = hlo.compile(text, cpu=target, keep_phases=True)
        np.testing.assert_array_equal(exe(x)[0], np.pad(x, [(1, 2), (low, high)]))
        is_short = length + low + high <= (16 if x.itemsize >= 4 else 8)
        assert (exe.phases["kernels"].count("vectorize") == 1) == is_short


UPDATE = """
func.func private @k(%a: tensor<4x50xf32> {hlo.tied = 0 : i64}, %u: tensor<50xf32>, %at: tensor<i32>)
    -> tensor<4x50xf32> attributes {hlo.kernel = "region"} {
  %i = tensor.extract %at[] : tensor<i32>
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %low = arith.maxsi %i, %zero : i32
  %high = arith.minsi %low, %three : i32
  %n = arith.index_cast %high : i32 to index
  %0 = tensor.insert_slice %u into %a[%n, 0] [1, 50] [1, 1] : tensor<50xf32> into tensor<4x50xf32>
  return %0 : tensor<4x50xf32>
}"""


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("row", [-4, 0, 2, 9])
@pytest.mark.parametrize("tied", [True, False])
def test_dynamic_update(row, tied, target):
    text = UPDATE if tied else UPDATE.replace("{hlo.tied = 0 : i64}", "")
    a, u = normal(4, 50), normal(50)
    expected = a.copy()
    expected[np.clip(row, 0, 3)] = u
    np.testing.assert_array_equal(Kernel(text, target)(a, u, np.array(row, np.int32))[0], expected)


ADD_IN_PLACE = """
func.func private @k(%a: tensor<9x53xf32> {hlo.tied = 0 : i64}, %u: tensor<7x51xf32>) -> tensor<9x53xf32> attributes {hlo.kernel = "region"} {
  %s = tensor.extract_slice %a[1, 1] [7, 51] [1, 1] : tensor<9x53xf32> to tensor<7x51xf32>
  %e = tensor.empty() : tensor<7x51xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i,j)>],
      iterator_types = ["parallel", "parallel"]} ins(%s, %u : tensor<7x51xf32>, tensor<7x51xf32>) outs(%e : tensor<7x51xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<7x51xf32>
  %0 = tensor.insert_slice %sum into %a[1, 1] [7, 51] [1, 1] : tensor<7x51xf32> into tensor<9x53xf32>
  return %0 : tensor<9x53xf32>
}"""


@pytest.mark.parametrize("target", TARGETS)
def test_elements_that_are_read_are_replaced_in_place(target):
    a, u = normal(9, 53), normal(7, 51)
    expected = a.copy()
    expected[1:-1, 1:-1] += u
    np.testing.assert_array_equal(Kernel(ADD_IN_PLACE, target)(a, u)[0], expected)


SLICE = """
func.func private @k(%a: tensor<8x40xf32>, %at: tensor<i64>) -> tensor<3x40xf32> attributes {hlo.kernel = "region"} {
  %i = tensor.extract %at[] : tensor<i64>
  %n = arith.index_cast %i : i64 to index
  %s = tensor.extract_slice %a[%n, 0] [3, 40] [1, 1] : tensor<8x40xf32> to tensor<3x40xf32>
  %e = tensor.empty() : tensor<3x40xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i,j)>],
      iterator_types = ["parallel", "parallel"]} ins(%s : tensor<3x40xf32>) outs(%e : tensor<3x40xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.mulf %x, %x : f32
    linalg.yield %y : f32
  } -> tensor<3x40xf32>
  return %r : tensor<3x40xf32>
}"""


@pytest.mark.parametrize("target", TARGETS)
def test_dynamic_slice(target):
    a = normal(8, 40)
    np.testing.assert_array_equal(Kernel(SLICE, target)(a, np.array(4))[0], a[4:7] ** 2)


GATHER = """
func.func private @k(%a: tensor<30x9xf32>, %at: tensor<21xi32>) -> tensor<21x9xf32> attributes {hlo.kernel = "region"} {
  %e = tensor.empty() : tensor<21x9xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i,j)->(i)>, affine_map<(i,j)->(i,j)>],
      iterator_types = ["parallel", "parallel"]} ins(%at : tensor<21xi32>) outs(%e : tensor<21x9xf32>) {
  ^bb0(%p: i32, %o: f32):
    %n = arith.index_cast %p : i32 to index
    %j = linalg.index 1 : index
    %y = tensor.extract %a[%n, %j] : tensor<30x9xf32>
    linalg.yield %y : f32
  } -> tensor<21x9xf32>
  return %r : tensor<21x9xf32>
}"""


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("element", ["f32", "f64", "i8", "i1", "bf16"])
def test_gather(element, target):
    from kernel_runner import numpy_type

    a = (normal(30, 9) * 3).astype(numpy_type(element))
    at = rng.integers(0, 30, 21).astype(np.int32)
    text = GATHER.replace("f32", element)
    np.testing.assert_array_equal(Kernel(text, target)(a, at)[0], a[at])


GUARDED = """
func.func private @k(%a: tensor<30xf32>) -> tensor<50xf32> attributes {hlo.kernel = "region"} {
  %e = tensor.empty() : tensor<50xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i)->(i)>], iterator_types = ["parallel"]} outs(%e : tensor<50xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %ten = arith.constant 10 : index
    %thirty = arith.constant 30 : index
    %zero = arith.constant 0.0 : f32
    %p = arith.subi %i, %ten : index
    %in = arith.cmpi ult, %p, %thirty : index
    %y = scf.if %in -> f32 {
      %v = tensor.extract %a[%p] : tensor<30xf32>
      scf.yield %v : f32
    } else {
      scf.yield %zero : f32
    }
    linalg.yield %y : f32
  } -> tensor<50xf32>
  return %r : tensor<50xf32>
}"""


@pytest.mark.parametrize("target", TARGETS)
def test_guarded_read(target):
    a = normal(30)
    np.testing.assert_array_equal(Kernel(GUARDED, target)(a)[0], np.pad(a, (10, 10)))


LOOP_BODY = """
func.func private @k(%a: tensor<23xi32>) -> tensor<23xi32> attributes {hlo.kernel = "region"} {
  %one = arith.constant 1 : i32
  %e = tensor.empty() : tensor<23xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<23xi32>) outs(%e : tensor<23xi32>) {
  ^bb0(%x: i32, %o: i32):
    %from = arith.constant 0 : index
    %to = arith.constant 5 : index
    %step = arith.constant 1 : index
    %y = scf.for %n = %from to %to step %step iter_args(%sum = %x) -> i32 {
      %next = arith.addi %sum, %x : i32
      %more = arith.addi %next, %one : i32
      scf.yield %more : i32
    }
    linalg.yield %y : i32
  } -> tensor<23xi32>
  return %r : tensor<23xi32>
}"""


def test_loop_in_a_body():
    a = np.arange(23, dtype=np.int32)
    np.testing.assert_array_equal(Kernel(LOOP_BODY)(a)[0], 6 * a + 5)


BIG = """
func.func private @k(%a: tensor<{s}xf32>, %b: tensor<{s}xf32>) -> tensor<{s}xf32> attributes {{hlo.kernel = "region"}} {{
  %e = tensor.empty() : tensor<{s}xf32>
  %r = linalg.generic {{indexing_maps = [{m}, {t}, {m}],
      iterator_types = ["parallel", "parallel"]}} ins(%a, %b : tensor<{s}xf32>, tensor<{s}xf32>) outs(%e : tensor<{s}xf32>) {{
  ^bb0(%x: f32, %y: f32, %o: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  }} -> tensor<{s}xf32>
  return %r : tensor<{s}xf32>
}}"""


@pytest.mark.parametrize("transposed", [False, True])
def test_threads_share_large_work(transposed):
    one, two = "affine_map<(i,j)->(i,j)>", "affine_map<(i,j)->(j,i)>"
    kernel = Kernel(BIG.format(s="1003x1003", m=one, t=two if transposed else one))
    assert "hlo.part" in kernel.code
    a, b = normal(1003, 1003), normal(1003, 1003)
    np.testing.assert_array_equal(kernel(a, b)[0], a + (b.T if transposed else b))


COLUMN_SUM = """
func.func private @k(%a: tensor<700x3000xf32>) -> tensor<3000xf32> attributes {hlo.kernel = "region"} {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3000xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<3000xf32>) -> tensor<3000xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(j)>],
      iterator_types = ["reduction", "parallel"]} ins(%a : tensor<700x3000xf32>) outs(%f : tensor<3000xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %y = arith.addf %x, %acc : f32
    linalg.yield %y : f32
  } -> tensor<3000xf32>
  return %r : tensor<3000xf32>
}"""


def test_threads_share_column_sums():
    kernel = Kernel(COLUMN_SUM)
    assert "hlo.part" in kernel.code
    a = normal(700, 3000)
    np.testing.assert_allclose(kernel(a)[0], a.sum(0), rtol=1e-4, atol=1e-4)
