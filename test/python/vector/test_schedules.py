"""Schedules as text: what is printed after the phase `kernels` is read again as the same code, and edits change the code and not
the results."""

import re

import numpy as np
import pytest
from schedule_programs import (
    COLUMNS,
    COMPLEX,
    DEPTHWISE,
    DOTS,
    IMAGES,
    LONG_COMPLEX,
    MATMUL,
    ONE_ROW,
    PEAKS,
    PIXELS,
    POOL,
    ROWS,
    SCALARS,
    SHORT,
    SHORT_SPECTRUM,
    SOFTMAX,
    SORT,
    SPECTRUM,
    SPREAD,
    TRANSPOSE,
    WEIGHTS,
    compiled,
    edited,
    inputs,
    kernels,
)

import hlo
from bench.object_hashes import EXAMPLES, object_hash
from hlo.lowering.target import TARGETS, host_name, target
from hlo.pipelines.dump import read_dump
from hlo.runtime.compile import llvm_engine


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
