"""Schedules as text: what is printed after the phase `kernels` is read again as the same code, edits change the code and not the
results, and schedules that do not fit are refused."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import hlo
from bench.object_hashes import EXAMPLES, object_hash
from hlo.dialect.numpy_types import DTYPES
from hlo.dialect.printer import print_module
from hlo.lowering.finding import name_of
from hlo.lowering.kernels import schedule
from hlo.lowering.linalg.routine_calls import is_routine
from hlo.lowering.target import TARGETS, host_name, target
from hlo.lowering.vector.contraction.plan import plan
from hlo.lowering.vector.contraction.routines import function_named
from hlo.pipelines.dump import phases_after, read_dump
from hlo.runtime.compile import llvm_engine

MATMUL = """func.func @main(%x: tensor<61x77xf32>, %y: tensor<77x90xf32>) -> tensor<61x90xf32> {
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<61x77xf32>, tensor<77x90xf32>) -> tensor<61x90xf32>
  return %r : tensor<61x90xf32>
}"""
COMPLEX = MATMUL.replace("xf32", "xcomplex<f32>")
LONG_COMPLEX = COMPLEX.replace("f32", "f64")
DOTS = """func.func @main(%x: tensor<3x5x701xf32>, %y: tensor<3x7x701xf32>) -> tensor<3x5x7xf32> {
  %r = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x5x701xf32>, tensor<3x7x701xf32>) -> tensor<3x5x7xf32>
  return %r : tensor<3x5x7xf32>
}"""

IMAGES = """func.func @main(%x: tensor<2x5x9x13xf32>, %y: tensor<7x5x3x2xf32>) -> tensor<2x7x9x12xf32> {
  %r = stablehlo.convolution(%x, %y) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
    window = {pad = [[1, 1], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<2x5x9x13xf32>, tensor<7x5x3x2xf32>) -> tensor<2x7x9x12xf32>
  return %r : tensor<2x7x9x12xf32>
}"""
WEIGHTS = """func.func @main(%x: tensor<3x5x9x13xf32>, %y: tensor<3x7x9x13xf32>) -> tensor<7x5x3x3xf32> {
  %r = stablehlo.convolution(%x, %y) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1],
    window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<3x5x9x13xf32>, tensor<3x7x9x13xf32>) -> tensor<7x5x3x3xf32>
  return %r : tensor<7x5x3x3xf32>
}"""

PIXELS = """func.func @main(%x: tensor<2x7x9x11xf32>, %y: tensor<3x2x20x11xf32>) -> tensor<2x5x8x20xf32> {
  %r = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {}
       {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x9x11xf32>, tensor<3x2x20x11xf32>) -> tensor<2x5x8x20xf32>
  return %r : tensor<2x5x8x20xf32>
}"""
DEPTHWISE = """func.func @main(%x: tensor<2x9x13x40xf32>, %y: tensor<3x3x1x40xf32>) -> tensor<2x7x11x40xf32> {
  %r = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
       {batch_group_count = 1 : i64, feature_group_count = 40 : i64}
       : (tensor<2x9x13x40xf32>, tensor<3x3x1x40xf32>) -> tensor<2x7x11x40xf32>
  return %r : tensor<2x7x11x40xf32>
}"""
SOFTMAX = """func.func @main(%x: tensor<9x203xf32>) -> tensor<9x203xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<9x203xf32>, tensor<f32>) -> tensor<9xf32>
  %b = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<9xf32>) -> tensor<9x203xf32>
  %d = stablehlo.subtract %x, %b : tensor<9x203xf32>
  %e = stablehlo.exponential %d : tensor<9x203xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<9x203xf32>, tensor<f32>) -> tensor<9xf32>
  %t = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<9xf32>) -> tensor<9x203xf32>
  %r = stablehlo.divide %e, %t : tensor<9x203xf32>
  return %r : tensor<9x203xf32>
}"""
COLUMNS = """func.func @main(%x: tensor<35x70xf32>) -> tensor<70xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<35x70xf32>, tensor<f32>) -> tensor<70xf32>
  return %r : tensor<70xf32>
}"""
TRANSPOSE = """func.func @main(%x: tensor<37x45xf32>) -> tensor<45x37xf32> {
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<37x45xf32>) -> tensor<45x37xf32>
  %r = stablehlo.add %t, %t : tensor<45x37xf32>
  return %r : tensor<45x37xf32>
}"""
SHORT = """func.func @main(%x: tensor<50x7xf32>) -> tensor<50xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<50x7xf32>, tensor<f32>) -> tensor<50xf32>
  return %r : tensor<50xf32>
}"""
ROWS = TRANSPOSE.replace("37x45", "3x45").replace("45x37", "45x3")
POOL = """func.func @main(%x: tensor<2x9x10x33xf32>) -> tensor<2x9x10x33xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %low) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3, 3, 1>, padding = dense<[[0, 0], [1, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>}
    : (tensor<2x9x10x33xf32>, tensor<f32>) -> tensor<2x9x10x33xf32>
  return %r : tensor<2x9x10x33xf32>
}"""
SPREAD = """func.func @main(%x: tensor<9x70xf32>) -> tensor<9x139xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %zero) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3>, base_dilations = array<i64: 1, 2>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}
    : (tensor<9x70xf32>, tensor<f32>) -> tensor<9x139xf32>
  return %r : tensor<9x139xf32>
}"""
SORT = """func.func @main(%x: tensor<70x301xf32>) -> tensor<70x301xf32> {
  %r = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %m : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<70x301xf32>) -> tensor<70x301xf32>
  return %r : tensor<70x301xf32>
}"""
PEAKS = """func.func @main(%x: tensor<8x80xf32>, %y: tensor<4x80xf32>) -> tensor<8x80xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.select_and_scatter"(%x, %y, %zero) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %m : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>}
    : (tensor<8x80xf32>, tensor<4x80xf32>, tensor<f32>) -> tensor<8x80xf32>
  return %r : tensor<8x80xf32>
}"""
SPECTRUM = """func.func @main(%x: tensor<37x1024xf32>) -> tensor<37x513xcomplex<f32>> {
  %r = stablehlo.fft %x, type = RFFT, length = [1024] : (tensor<37x1024xf32>) -> tensor<37x513xcomplex<f32>>
  return %r : tensor<37x513xcomplex<f32>>
}"""
SHORT_SPECTRUM = SPECTRUM.replace("1024", "30").replace("513", "16")
ONE_ROW = SOFTMAX.replace("9x203", "1x203").replace("tensor<9x", "tensor<1x")
SCALARS = dict(vectorize='"none"', vector=1, unroll_loop='"none"', unroll=1)


def kernels(text, cpu="avx2"):
    """The dump of the phase kernels."""
    module = hlo.parse(text)
    hlo.pipelines.run(module, hlo.pipelines.cpu(cpu), stop_after="kernels")
    return print_module(module)


def compiled(dump, cpu="avx2"):
    pipeline = phases_after(hlo.pipelines.cpu(cpu), "kernels")
    return hlo.compile(read_dump(dump, "dump.mlir"), pipeline=pipeline, cpu=cpu, threads=2)


def edited(dump, **fields):
    """The text with other values of some fields, given as they are spelled."""
    for name, value in fields.items():
        changed = re.sub(rf"\b{name} = (\"[^\"]*\"|\[[\d, ]*\]|[^,}}]*)", f"{name} = {value}", dump)
        assert changed != dump, f"{name} is {value} already, or not there"
        dump = changed
    return dump


def inputs(text):
    random = np.random.default_rng(0)
    found = re.findall(r"%\w+: tensor<([\dx]+)x(f32|complex<f\d+>)>", text)
    return [_normal(random, tuple(map(int, sizes.split("x"))), kind) for sizes, kind in found]


def _normal(random, shape, kind):
    values = random.standard_normal(shape)
    return (values + 1j * random.standard_normal(shape) if kind != "f32" else values).astype(DTYPES[kind])


@pytest.mark.parametrize("name", ["softmax", "mlp", "cnn", "jacobi"])
def test_text_is_the_code(name):
    text = (EXAMPLES / f"{name}.mlir").read_text()
    assert object_hash(text, through="kernels") == object_hash(text)


@pytest.mark.parametrize("text", [SORT, PEAKS, SPECTRUM, SHORT_SPECTRUM])
@pytest.mark.parametrize("cpu", ["avx512", "avx2", "baseline"])
def test_every_kernel_has_a_schedule_that_is_its_code(text, cpu):
    dump = kernels(text, cpu)
    assert dump.count("hlo.kernel = ") == dump.count("hlo.schedule = ") > 0
    assert object_hash(text, cpu, through="kernels") == object_hash(text, cpu)


def test_columns_in_vectors_of_other_lengths():
    """Only with masks are there any; code for AVX-512 is written everywhere."""
    dump = kernels(PEAKS, "avx512")
    found = [
        generate(read_dump(text, "dump.mlir"), "avx512")
        for text in (dump, edited(dump, vector_bytes=32), edited(dump, vector_bytes=0))
    ]
    assert len({str(objects) for objects in found}) == 3
    with pytest.raises(hlo.CompileError, match="vector_bytes: found 8, allowed: 0, 16, 32, 64"):
        generate(read_dump(edited(dump, vector_bytes=8), "dump.mlir"), "avx512")


def test_tile_registers():
    """Code for them is generated anywhere."""
    dump = kernels(MATMUL.replace("77xf32", "77xbf16").replace("77x90xf32", "77x90xbf16"), "amx")
    found = [generate(read_dump(text, "dump.mlir"), "amx") for text in (dump, edited(dump, unroll_m=16))]
    assert str(found[0]) != str(found[1])
    for fields, message in (
        (dict(prefetch_b=2), "prefetch_b: found 2, allowed: 0"),
        (dict(unroll_m=33), "unroll_m: found 33, allowed: 1 to 32"),
        (dict(unroll_n=3), "unroll_n: found 3, allowed: 1 to 2"),
        (dict(dot_product=64), "dot_product: found 64, allowed: 1, 32"),
    ):
        with pytest.raises(hlo.CompileError, match=message):
            generate(read_dump(edited(dump, **fields), "dump.mlir"), "amx")


def generate(module, cpu):
    """The objects of what the phase kernels has left."""
    hlo.pipelines.run(module, hlo.pipelines.cpu(cpu), start_from="kernels")
    return llvm_engine.generate(module, cpu)


ROWS_AND_COLUMNS = """func.func @main(%x: tensor<600xSIZExf32>) -> (tensor<SIZExf32>, tensor<600xf32>, tensor<600xSIZExf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %columns = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<600xSIZExf32>, tensor<f32>) -> tensor<SIZExf32>
  %rows = stablehlo.reduce(%x init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<600xSIZExf32>, tensor<f32>) -> tensor<600xf32>
  %y = stablehlo.tanh %x : tensor<600xSIZExf32>
  return %columns, %rows, %y : tensor<SIZExf32>, tensor<600xf32>, tensor<600xSIZExf32>
}"""


@pytest.mark.parametrize("cpu", list(TARGETS))
@pytest.mark.parametrize("size", range(17, 1500, 61))
def test_what_is_chosen_is_allowed(size, cpu):
    """For every processor: a machine of today runs the code of some only."""
    for type in ("f32", "f64"):
        module = hlo.parse(ROWS_AND_COLUMNS.replace("SIZE", str(size)).replace("f32", type))
        hlo.pipelines.run(module, hlo.pipelines.cpu(cpu), stop_after="memory")


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.mlir")), ids=lambda path: path.stem)
@pytest.mark.parametrize("cpu", ["host", "avx2", "baseline"])
def test_text_is_the_code_of_all_examples(path, cpu):
    assert object_hash(path.read_text(), cpu, "kernels") == object_hash(path.read_text(), cpu)


EDITS = [
    (MATMUL, dict(unroll_m=3)),
    (MATMUL, dict(unroll_m=1, unroll_n=1)),
    (MATMUL, dict(vector=4)),
    (MATMUL, dict(vector=2, unroll_m=2)),
    (MATMUL, dict(threads=3, parallel='"m"')),
    (MATMUL, dict(threads=5, parallel='"n"')),
    (MATMUL, dict(block_k=16)),
    (MATMUL, dict(block_k=5, unroll_m=2, pack_a='"rows"')),
    (MATMUL, dict(pack_b='"lanes"')),
    (MATMUL, dict(pack_b='"gather"', prefetch_b=3)),
    (MATMUL, dict(pack_a='"rows"', pack_b='"lanes"', unroll_m=2, block_m=8, block_n=32, block_k=24, unroll_n=2)),
    (COMPLEX, dict(unroll_m=1, unroll_n=1)),
    (COMPLEX, dict(vector=2, unroll_m=2)),
    (COMPLEX, dict(pack_a='"rows"', pack_b='"lanes"', unroll_m=2, block_m=8, block_n=8, block_k=24, unroll_n=2)),
    (COMPLEX, dict(pack_b='"gather"', block_k=7, unroll_m=1, threads=3, parallel='"n"')),
    (LONG_COMPLEX, dict(pack_a='"rows"', pack_b='"lanes"', unroll_m=2, block_k=24, unroll_n=1)),
    (LONG_COMPLEX, dict(pack_b='"gather"', prefetch_b=3)),
    (DOTS, dict(unroll_m=2)),
    (DOTS, dict(unroll_n=1, vector=4)),
    (DOTS, dict(threads=2, parallel='"outer 0"')),
    (DOTS, dict(vectorize='"n"', pack_b='"words"', unroll_n=1, unroll_m=2)),
    (IMAGES, dict(pack_b='"gather"', unroll_m=3, unroll_n=3)),
    (
        IMAGES,
        dict(pack_b='"gather"', vector=4, block_k=12, block_n=16, unroll_n=4, unroll_m=2, threads=3, parallel='"n"'),
    ),
    (IMAGES, dict(pack_b='"gather"', block_k=7, block_m=6, unroll_m=2, threads=2, parallel='"m"')),
    (IMAGES, dict(block_k=12, k_outside="true")),
    (IMAGES, dict(pack_b='"gather"', block_k=4, threads=3, parallel='"outer 0"')),
    (WEIGHTS, dict(pack_b='"gather"', vector=2)),
    (WEIGHTS, dict(pack_b='"gather"', block_k=5)),
    (WEIGHTS, dict(pack_b='"gather"', block_k=117, unroll_n=3, unroll_m=2, threads=2, parallel='"n"')),
    (WEIGHTS, dict(pack_b='"gather"', block_k=234)),
    (PIXELS, dict(unroll_m=3, threads=2, parallel='"outer 0"')),
    (PIXELS, dict(unroll_n=1, vector=4, block_k=5, block_n=8, threads=3, parallel='"outer 1"')),
    (PIXELS, dict(block_k=22, block_m=4, unroll_m=2, threads=2, parallel='"n"')),
    (SOFTMAX, dict(vector=4)),
    (SOFTMAX, dict(unroll=1)),
    (SOFTMAX, dict(unroll=7, threads=4)),
    (SOFTMAX, SCALARS),
    (ONE_ROW, dict(unroll=3)),
    (COLUMNS, dict(unroll=3)),
    (COLUMNS, dict(vector=2, threads=6)),
    (COLUMNS, dict(vectorize='"d0"', unroll_loop='"d0"')),
    (TRANSPOSE, dict(vector=4, unroll=4)),
    (TRANSPOSE, dict(unroll_loop='"d1"', unroll=2)),
    (TRANSPOSE, dict(threads=3)),
    (ROWS, dict(interleave=1)),
    (ROWS, dict(unroll=3, vector=4)),
    (POOL, dict(peel="[0, 0, 0, 0, 0, 0]")),
    (POOL, dict(peel="[0, 1, 0, 0, 0, 0]", threads=2)),
    (POOL, dict(vectorize='"d0"', unroll_loop='"d0"', unroll=1, vector=2)),
    (POOL, SCALARS),
    (SPREAD, dict(vectorize='"d0"', unroll_loop='"d0"', unroll=1, phases="[1, 1, 1]", vector=4)),
    (SPREAD, dict(peel="[0, 0, 0]")),
    (SORT, dict(threads=5)),
    (SORT, dict(threads=1)),
    (SPECTRUM, dict(vector=4)),
    (SPECTRUM, dict(factors="[2, 8]", columns="[4, 2, 4]")),
    (SPECTRUM, dict(factors="[3, 11]", columns="[5, 7]")),
    (SPECTRUM, dict(vectorize='"batch"', factors="[4, 8, 8, 4]", columns="[]", threads=3)),
    (SPECTRUM, dict(vectorize='"batch"', factors="[5, 5, 5, 5, 5]", columns="[]", vector=2)),
    (SHORT_SPECTRUM, dict(vector=2)),
    (SHORT_SPECTRUM, dict(factors="[5, 3, 2]", threads=7)),
    (SHORT, dict(vector=4)),
    (SHORT, dict(unroll_loop='"d0"', unroll=2)),
]


@pytest.mark.parametrize(("text", "fields"), EDITS)
def test_edits_change_code_and_not_results(text, fields):
    dump, arrays = kernels(text), inputs(text)
    before, after = compiled(dump), compiled(edited(dump, **fields))
    assert before.program.objects != after.program.objects
    np.testing.assert_allclose(after(*arrays)[0], before(*arrays)[0], rtol=0, atol=2e-4)


GROUPS = DEPTHWISE.replace("feature_group_count = 40", "feature_group_count = 8").replace("x1x40xf32", "x5x40xf32")


@pytest.mark.skipif(not target().masked_bits, reason="the processor has no masks")
@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (MATMUL, dict(unroll_m=3)),
        (MATMUL, dict(unroll_m=4, unroll_n=2, vector=4, threads=3, parallel='"n"')),
        (PIXELS, dict(unroll_m=2, vector=8, threads=2, parallel='"outer 0"')),
        (PIXELS, dict(unroll_m=3, threads=3, parallel='"m"')),
        (GROUPS, dict(unroll_m=2)),
    ],
)
def test_columns_may_be_packed(text, fields):
    """Where A is contiguous along k, also along a part of it (the features of a group)."""
    dump, arrays = kernels(text, host_name()), inputs(text)
    columns = edited(dump, **{"vectorize": '"k"', "pack_b": '"columns"', "unroll_n": 3, **fields})
    before, after = compiled(dump, host_name()), compiled(columns, host_name())
    assert before.program.objects != after.program.objects
    np.testing.assert_allclose(after(*arrays)[0], before(*arrays)[0], rtol=0, atol=2e-4)


@pytest.mark.parametrize(
    ("rows", "columns", "words"),
    [(16, 1, "unroll_m: found 16, allowed: 1 to 15"), (15, 2, "unroll_n: found 2, allowed: 1")],
)
def test_packed_columns_fit_in_the_registers(rows, columns, words):
    fields = dict(vectorize='"k"', pack_b='"columns"', unroll_m=rows, unroll_n=columns)
    with pytest.raises(hlo.CompileError, match=re.escape(words)):
        compiled(edited(kernels(MATMUL, "avx512"), **fields), "avx512")


WRONG = [
    (MATMUL, dict(unroll_m=99), "unroll_m: found 99, allowed: 1 to "),
    (MATMUL, dict(unroll_m=0), "unroll_m: found 0, allowed: 1 to "),
    (MATMUL, dict(unroll_n=8), "unroll_n: found 8, allowed: 1 to 7"),
    (MATMUL, dict(vector=16), "vector: found 16, allowed: 2, 4, 8"),
    (MATMUL, dict(vector='"8"'), 'vector: found "8", allowed: an integer'),
    (MATMUL, dict(vectorize='"batch"'), 'vectorize: found "batch", allowed: "n", "k"'),
    (MATMUL, dict(pack_a='"lanes"'), 'pack_a: found "lanes", allowed: "none", "rows"'),
    (MATMUL, dict(pack_b='"place"'), 'pack_b: found "place", allowed: "none", "lanes", "gather"'),
    (MATMUL, dict(block_k=78), "block_k: found 78, allowed: 0, or a multiple of 1 up to 77"),
    (MATMUL, dict(block_k=-8), "block_k: found -8, allowed: 0, or"),
    (MATMUL, dict(unroll_m=4, block_m=6), "block_m: found 6, allowed: 0, or a multiple of 4"),
    (MATMUL, dict(threads=0), "threads: found 0, allowed: 1 to 1024"),
    (MATMUL, dict(threads=2), 'parallel: found "none", allowed: "m", "n"'),
    (MATMUL, dict(parallel='"m"'), 'parallel: found "m", allowed: "none"'),
    (MATMUL, dict(threads=2, parallel='"outer 0"'), 'parallel: found "outer 0", allowed: "m", "n"'),
    (MATMUL, dict(dot_product=4), "dot_product: found 4, allowed: 1"),
    (MATMUL, dict(k_outside="true"), "k_outside: found true, allowed: false"),
    (
        WEIGHTS,
        dict(block_k=40),
        "block_k: found 40, allowed: 0, or whole iterations of one of the loops 3 x 9 x 13",
    ),
    (
        WEIGHTS,
        dict(pack_b='"gather"', block_k=118),
        "block_k: found 118, allowed: 0, or whole iterations of one of the loops 3 x 117",
    ),
    (MATMUL, dict(keep_b="true"), "keep_b: found true, allowed: false"),
    (MATMUL, dict(swap_operands="1"), "swap_operands: found 1 : i64, allowed: true or false"),
    (MATMUL, dict(swap_operands="true"), 'vectorize: found "n", allowed: nothing'),
    (DOTS, dict(pack_b='"lanes"'), 'pack_b: found "lanes", allowed: "none"'),
    (DEPTHWISE, dict(pack_b='"gather"'), 'pack_b: found "gather", allowed: "none"'),
    (SOFTMAX, dict(vectorize='"d0"'), 'stages[0].vectorize: found "d0", allowed: "none", "d1"'),
    (SOFTMAX, dict(loops="[9, 204]"), "stages[0].loops: found [9, 204], allowed: [9, 203]"),
    (SOFTMAX, dict(unroll=17), "stages[0].unroll: found 17, allowed: 1 to 16"),
    (SOFTMAX, dict(vector=3), "stages[0].vector: found 3, allowed: 2, 4, 8"),
    (SOFTMAX, dict(threads=2000), "stages[0].threads: found 2000, allowed: 1 to 1024"),
    (ONE_ROW, dict(threads=2), "stages[0].threads: found 2, allowed: 1"),
    (TRANSPOSE, dict(unroll=3), "stages[0].unroll: found 3, allowed: 8"),
    (ROWS, dict(interleave=2), "stages[0].interleave: found 2, allowed: 1, 3"),
    (TRANSPOSE, dict(interleave=37), "stages[0].interleave: found 37, allowed: 1"),
    (SHORT, dict(unroll=3), "stages[0].unroll: found 3, allowed: 7 (d1 as a whole)"),
    (POOL, dict(peel="[1, 1, 1, 0, 0, 0]"), "stages[0].peel[0]: found 1, allowed: 0"),
    (POOL, dict(peel="[1]"), "stages[0].peel: found [1], allowed: 6 numbers"),
    (
        POOL,
        dict(phases="[1, 2, 1, 1, 1, 1]"),
        "stages[0].phases: found [1, 2, 1, 1, 1, 1], allowed: [1, 1, 1, 1, 1, 1]",
    ),
    (SPREAD, dict(phases="[1, 1, 1]"), "stages[0].phases: found [1, 1, 1], allowed: [1, 2, 1]"),
    (SORT, dict(threads=0), "threads: found 0, allowed: 1 to 1024"),
    (SORT, dict(vector_bytes=64), "vector_bytes: found 64, allowed: 0"),
    (SPECTRUM, dict(length=512), "passes[0].length: found 512, allowed: 1024"),
    (SPECTRUM, dict(vector=16), "passes[0].vector: found 16, allowed: 2, 4, 8"),
    (SPECTRUM, dict(factors="[16, 2]"), "passes[0].factors[0]: found 16, allowed: 2, 4, 8, 3, 5, 7, 11, 13"),
    (SPECTRUM, dict(factors="[]"), "passes[0].factors[0]: found 0, allowed: 2, 4, 8, 3, 5, 7, 11, 13"),
    (
        SPECTRUM,
        dict(factors="[2, 8]", columns="[2]"),
        "passes[0].factors: found 32 together, allowed: 512, or at least 1023",
    ),
    (SPECTRUM, dict(vectorize='"batch"'), "passes[0].columns: found ["),
    (SPECTRUM, dict(vectorize='"n"'), 'passes[0].vectorize: found "n", allowed: "batch", "signal"'),
    (SPECTRUM, dict(prefetch="true"), "passes[0].prefetch: found true, allowed: false"),
    (SPECTRUM, dict(threads=2000), "passes[0].threads: found 2000, allowed: 1 to 1024"),
    (SHORT_SPECTRUM, dict(columns="[2]"), "passes[0].columns: found [2], allowed: []"),
    (SHORT_SPECTRUM, dict(factors="[1]"), "passes[0].factors: found 1 together, allowed: 30, or at least 59"),
    (DOTS, dict(unroll_n=6), "unroll_n: found 6, allowed: 1 to 4"),
    (DOTS, dict(block_m=4), "block_m: found 4, allowed: 0"),
]


@pytest.mark.parametrize(("text", "fields", "words"), WRONG)
def test_wrong_schedules_are_refused(text, fields, words):
    with pytest.raises(hlo.CompileError, match=re.escape(words)) as error:
        compiled(edited(kernels(text), **fields))
    (found,) = error.value.diagnostics
    assert (found.file, found.line > 0) == ("dump.mlir", True)


@pytest.mark.parametrize(
    ("text", "old", "new", "words"),
    [
        (MATMUL, "unroll_m = ", "unroll_q = 1 : i64, unroll_m = ", "unroll_q: found 1 : i64, allowed: the fields "),
        (MATMUL, "keep_b = false, ", "", "keep_b: found nothing, allowed: true or false"),
        (
            MATMUL,
            r", hlo\.schedule = {.*?}",
            "",
            "schedule: found nothing, allowed: what the pass schedule-kernels writes",
        ),
        (SOFTMAX, r"stages = \[", "stages = [{}, ", "stages: found 2 stages, allowed: 1"),
        (SOFTMAX, r"stages = \[", "stages = [7, ", "stages: found 2 stages, allowed: 1"),
        (SOFTMAX, "unroll = ", "unrolled = ", "stages[0].unrolled: found "),
        (
            SOFTMAX,
            r"stages = \[.*?\}\]",
            "stages = [7]",
            "stages[0].schedule: found 7, allowed: a dictionary of loops, ",
        ),
    ],
)
def test_wrong_fields_are_refused(text, old, new, words):
    with pytest.raises(hlo.CompileError, match=re.escape(words)):
        compiled(re.sub(old, new, kernels(text), count=1, flags=re.DOTALL))


def test_one_costly_row_has_one_thread():
    """Its sweeps read what the ones before have left on the stack."""
    costly = "%e0 = stablehlo.exponential %d : tensor<1x203xf32>\n" + "".join(
        f"%e{n} = stablehlo.{'sine' if n % 2 else 'cosine'} %e{n - 1} : tensor<1x203xf32>\n" for n in range(1, 12)
    )
    text = ONE_ROW.replace("%e = stablehlo.exponential %d : tensor<1x203xf32>", costly).replace("%e ", "%e11 ")
    text = text.replace("%e,", "%e11,").replace("203", "4096")
    (x,) = inputs(text)
    (found,) = hlo.compile(text, cache=False, threads=2)(x)
    np.testing.assert_allclose(found, hlo.compile(text, target="reference")(x)[0], rtol=1e-4)


@pytest.mark.parametrize("size, threads", [(64, 1), (1024, 8)])
def test_a_window_that_overlaps_others_is_read_from_memory_once(size, threads):
    """An iteration of a small stencil takes a microsecond, although it has 9 * 64 * 64 elements: as long as it takes to hand over to a thread."""
    text = f"""func.func @main(%a: tensor<{size}x{size}xi32>) -> tensor<{size}x{size}xi32> {{
      %z = stablehlo.constant dense<-1> : tensor<i32>
      %w = "stablehlo.reduce_window"(%a, %z) ({{
      ^bb0(%x: tensor<i32>, %y: tensor<i32>):
        %m = stablehlo.maximum %x, %y : tensor<i32>
        stablehlo.return %m : tensor<i32>
      }}) {{window_dimensions = array<i64: 3, 3>, padding = dense<1> : tensor<2x2xi64>}}
        : (tensor<{size}x{size}xi32>, tensor<i32>) -> tensor<{size}x{size}xi32>
      return %w : tensor<{size}x{size}xi32>
    }}"""
    assert f"threads = {threads} :" in kernels(text, "avx2/2")


def files_passed(text: str) -> set[str]:
    """The files of lowering/kernels and lowering/vector, and the table of targets, whose code schedules and emits the kernels of a program."""
    root, found = Path(schedule.__file__).parents[1], set()
    folders = ("kernels/", "vector/", "target.py")

    def follow(frame, event, _):
        path = Path(frame.f_code.co_filename)
        name = str(path.relative_to(root)) if path.is_relative_to(root) else ""
        if event == "call" and name.startswith(folders) and path.name != "__init__.py":
            found.add(name)

    for _ in range(2):  # modules are imported once
        module, phases = hlo.parse(text), hlo.pipelines.cpu("avx512")
        hlo.pipelines.run(module, phases, stop_after="linalg")
        found.clear()
        for item in [item for phase in phases if phase.name in ("kernels", "memory") for item in phase.passes]:
            plan.cache_clear()
            sys.setprofile(follow if str(item).startswith(("schedule-kernels", "emit-kernels")) else None)
            try:
                hlo.pipelines.run_pass(module, item)
            finally:
                sys.setprofile(None)
        called = [name_of(op) for op in module.body.operations if is_routine(op)]
        sys.setprofile(follow)
        try:
            assert all(function_named(name) is not None for name in called)
        finally:
            sys.setprofile(None)
    return found


def files_named(start: str, end: str) -> set[str]:
    """Those that docs/kernels.md names from one place to another."""
    page = (EXAMPLES.parent / "docs" / "kernels.md").read_text()
    return set(re.findall(r"`([\w/]+\.py)`", page[page.index(start) : page.index(end)]))


def test_files_that_a_matmul_passes():
    """From a kernel to code: those that the page names, at most 15."""
    found = files_passed(MATMUL.replace("61", "1024").replace("77", "1024").replace("90", "1024"))
    assert found == files_named("A matmul passes these files", "Panels from tables add") and len(found) <= 15


def test_files_that_a_softmax_passes():
    assert files_passed(SOFTMAX) == files_named("A softmax passes these files", "Other loop nests add")


def test_programs_may_not_have_schedules():
    with pytest.raises(hlo.VerifyError, match=r"'hlo\.schedule' is the compiler's own"):
        hlo.parse("func.func @main() attributes {hlo.schedule = {}} { return }")
