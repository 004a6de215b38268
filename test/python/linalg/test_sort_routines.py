"""Sorts whose code is a routine, made once and kept: in objects, in text of phases, in workers and on the other engine; names and what they say."""

import os
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest
from test_radix_sorting import FLOATS, compared, mlir_type, run, sort_text, stable_order, total_order, values_of

import hlo
from hlo.errors import CompileError
from hlo.lowering.linalg.routine_calls import PREFIX
from hlo.lowering.memory.routine_emitter import routine_text
from hlo.lowering.target import target
from hlo.runtime.compile import llvm_engine

pytestmark = pytest.mark.skipif(not target("host").compresses, reason="the processor does not compress vectors")

X = np.random.default_rng(3).standard_normal(700).astype(np.float32)
PLAIN = sort_text(compared("LT", "f32", "TOTALORDER"), X.shape, ("f32",), 0)
FIRST = """
func.func @main(%x: tensor<4x2000xf32>) -> (tensor<4x9xf32>, tensor<4x9xi32>) {
  %0:2 = chlo.top_k(%x, k = 9) : tensor<4x2000xf32> -> (tensor<4x9xf32>, tensor<4x9xi32>)
  return %0#0, %0#1 : tensor<4x9xf32>, tensor<4x9xi32> }"""
ONE_NAN = """
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %nan = stablehlo.constant dense<{nan}> : tensor<f32>
    %a = stablehlo.compare EQ, %x, %zero, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %b = stablehlo.select %a, {zero}, %x : tensor<i1>, tensor<f32>
    %c = stablehlo.compare NE, %x, %x, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %d = stablehlo.select %c, %nan, %b : tensor<i1>, tensor<f32>
    %e = stablehlo.compare EQ, %y, %zero, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %f = stablehlo.select %e, {zero}, %y : tensor<i1>, tensor<f32>
    %g = stablehlo.compare NE, %y, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %h = stablehlo.select %g, %nan, %f : tensor<i1>, tensor<f32>
    %r = stablehlo.compare LT, %d, %h, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>"""


def first_of(x, k):
    """Values and places; the order is total and stable."""
    order = np.argsort(-x, axis=-1, kind="stable")[..., :k].astype(np.int32)
    return np.take_along_axis(x, order, -1), order


def linalg_of(text):
    return hlo.compile(text, keep_phases=True, cache=False).phases["linalg"]


def sorted_by(body):
    return f"""
func.func @main(%v: tensor<1000xf32>) -> tensor<1000xf32> {{
  %0 = "stablehlo.sort"(%v) <{{dimension = 0 : i64, is_stable = true}}> ({{
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):{body}
    stablehlo.return %r : tensor<i1>
  }}) : (tensor<1000xf32>) -> tensor<1000xf32>
  return %0 : tensor<1000xf32> }}"""


def test_a_second_program_makes_no_routine(monkeypatch):
    hlo.compile(PLAIN, cache=False)
    monkeypatch.setattr(llvm_engine, "object_of_text", lambda *_: pytest.fail("a routine is compiled again"))
    x = X[:501]
    text = sort_text(compared("LT", "f32", "TOTALORDER"), x.shape, ("f32",), 0)
    np.testing.assert_array_equal(hlo.compile(text, cache=False)(x)[0], np.sort(x))


def test_another_process_finds_it_on_disk(tmp_path):
    code = f"""
import numpy as np, sys, hlo
from hlo.runtime.code import routines
made = routines._text
routines._text = lambda name, cpu: print("made", name) or made(name, cpu)
x = np.arange(700, 0, -1).astype(np.float32)
(y,) = hlo.compile({PLAIN!r} if sys.argv[1] == "1" else {PLAIN.replace("700", "640")!r})(x[-(700 if sys.argv[1] == "1" else 640):])
assert (y == np.sort(y)).all() and len(set(y)) == y.size
"""
    environment = dict(os.environ, HLO_CACHE_DIR=str(tmp_path / "cache"))
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code, n], env=environment, capture_output=True, text=True, check=True
        ).stdout
        for n in "12"
    ]
    assert outputs[0].split() == ["made", f"{PREFIX}row_f32ta_i32", "made", f"{PREFIX}sort_i32"]
    assert outputs[1] == ""


@pytest.mark.parametrize(
    "name",
    [
        "sort_i8",
        "sort_i32_i64",
        "sort_i64_i64",
        "words_f32ca_i64",
        "words_f32ca_i64_i64_p32",
        "words_f64ca_i64_i64",
        "words_f64ca_i64_p32",
        "partwords_f64ca_i64_i64_p32",
        "top16_f32td_i64",
        "sort",
        "row_f32xa_i32",
        "row_f8ca_i32",
        "top16_f32td_i64_q",
        "top16_f32td_i32_e",
        "halftop16_f16td_i64_i64_e",
        "pairs_i8",
        "pairs_i32",
        "pairs_i32_i32",
        "words",
        "nothing_i32",
        "row_f32ta_i32_",
        "row_f64ta_i32",
        "count_i8sa",
        "count_i32sa_p32",
        "count_i8sa_e",
        "rows_f32ca_i64",
        "rows_i8sa_i8_e",
        "rows_f32ca_i16",
        "beside_f32ca_i64",
        "across_i32",
        "across_i32_i32_l16",
        "apart_i32_l16",
        "apart_i16_i64_l4",
    ],
)
def test_other_names_are_refused(name):
    with pytest.raises(CompileError, match=name):
        routine_text(PREFIX + name, "avx512")


def test_text_of_memory_is_compiled_on(tmp_path):
    """The name in the text says all."""
    (tmp_path / "first.mlir").write_text(FIRST)
    opt = [sys.executable, "-m", "hlo.tools.hlo_opt"]
    run_opt = lambda *arguments: subprocess.run([*opt, *arguments], capture_output=True, text=True, check=True).stdout
    text = run_opt(str(tmp_path / "first.mlir"), "--compile-to=memory", "--target=cpu")
    name = f"{PREFIX}top{target('host').compresses}_f32td_i64_e_p32"
    assert f"llvm.func @{name}({', '.join(['!llvm.ptr'] * 7)})" in text
    (tmp_path / "memory.mlir").write_text(text)
    assert f"@{name}" in run_opt(str(tmp_path / "memory.mlir"), "--compile-from=memory", "--target=cpu")


@pytest.mark.parametrize("options", [{"engine": "mlir"}, {"isolate": True}, {"threads": 2}])
def test_engines_and_workers(options):
    x = np.random.default_rng(4).standard_normal((4, 2000)).astype(np.float32)
    found = hlo.compile(FIRST, cache=False, **options)(x)
    for one, expected in zip(found, first_of(x, 9), strict=True):
        np.testing.assert_array_equal(one, expected)


@pytest.mark.parametrize(
    ("zero", "nan", "name"),
    [("%zero", "0x7FC00000", "f32ca"), ("%zero", "0xFFC00000", None), ("%nan", "0x7FC00000", None)],
)
def test_what_is_not_quite_the_order_of_jax_has_no_name(zero, nan, name):
    """NaNs in front of all else; zeros behind all else, as one NaN."""
    text = sorted_by(ONE_NAN.format(zero=zero, nan=nan))
    assert (f"{PREFIX}row_{name}" in linalg_of(text)) == (name is not None)
    x = np.random.default_rng(5).standard_normal(1000).astype(np.float32)
    x[::7], x[1::50], x[2::90] = 0.0, np.nan, -0.0
    (found,) = hlo.compile(text, cache=False)(x)
    key = np.where(np.isnan(x), -np.inf if nan[2] == "F" else np.inf, np.where((x == 0) & (zero == "%nan"), np.inf, x))
    np.testing.assert_array_equal(found.view(np.int32), x[np.argsort(key, kind="stable")].view(np.int32))


@pytest.mark.parametrize("name", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("length", [65, 300, 1025, 5000])
def test_zeros_and_nans_come_in_the_order_of_the_operand(name, length):
    """With the order that is not total NaNs may be anywhere, so that there are none."""
    kind = ml_dtypes.bfloat16 if name == "bfloat16" else name
    x = np.random.default_rng(6).integers(-3, 4, length).astype(kind)
    x[::5] = np.negative(x[::5])
    mlir = mlir_type(name)
    (found,) = run(sort_text(compared("LT", mlir, "FLOAT"), x.shape, (mlir,), 0), x)
    expected = x[np.argsort(x.astype(np.float64), kind="stable")]
    np.testing.assert_array_equal(found.view(np.uint8), expected.view(np.uint8))


@pytest.mark.parametrize("name", FLOATS)
def test_lines_of_an_array(name):
    """Lines begin where the ones before end; threads share them."""
    x = values_of(name, 7 * 1500).reshape(7, 1500)
    mlir = mlir_type(name)
    text = sort_text(compared("GT", mlir, "TOTALORDER"), x.shape, (mlir, "i64"), 1)
    found, where = run(text, x, np.tile(np.arange(1500), (7, 1)))
    for line in range(7):
        order = stable_order(total_order(x[line]), 0, True)
        np.testing.assert_array_equal(where[line], order)
        np.testing.assert_array_equal(found[line].view(np.uint8), x[line][order].view(np.uint8))


@pytest.mark.parametrize("shape", [(40, 1000), (3000, 20)])
def test_threads_share_rows(shape):
    """Each of them has its own room, and its own numbers for its calls."""
    x = np.random.default_rng(8).standard_normal(shape).astype(np.float32)
    text = sort_text(compared("LT", "f32", "TOTALORDER"), shape, ("f32",), 1)
    made = hlo.compile(text, threads=2, keep_phases=True, cache=False)
    assert "call @sort_0.code.part(" in made.phases["memory"]
    np.testing.assert_array_equal(made(x)[0], np.sort(x))


@pytest.mark.parametrize(
    "name, processor", [("sort_i16", "avx2"), ("sort_i32", "baseline"), ("split_i64sa_i64", "baseline")]
)
def test_routines_that_a_processor_has_no_instructions_for(name, processor):
    """Texts may be edited, or made for another processor."""
    with pytest.raises(hlo.CompileError, match="the processor makes no vectors of"):
        routine_text(PREFIX + name, processor)
