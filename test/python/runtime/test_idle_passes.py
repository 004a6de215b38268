"""Passes that are left out where they have nothing to do: never where they have."""

from __future__ import annotations

from pathlib import Path

import pytest
from mlir import ir

import hlo
from hlo.dialect.registration import make_context
from hlo.pipelines import cpu
from hlo.pipelines.needs import OURS, PLAIN_VECTOR_OPS, _needs, is_idle
from hlo.pipelines.parser import upstream_pass_exists
from hlo.pipelines.runner import run_pass

WORK = {
    "convert-complex-to-standard": "%z: complex<f32>) { %0 = complex.abs %z : complex<f32> return }",
    "convert-math-to-libm": "%x: f32) { %0 = math.cbrt %x : f32 return }",
    "convert-math-to-llvm": "%x: f32) { %0 = math.sqrt %x : f32 return }",
    "convert-vector-to-llvm": "%v: vector<8xf32>) { %0 = vector.extract_strided_slice %v {offsets = [2], sizes = [4], strides = [1]} : "
    "vector<8xf32> to vector<4xf32> return }",
    "expand-strided-metadata": "%m: memref<8x8xf32>) { %0 = memref.subview %m[1, 2][3, 4][1, 1] : memref<8x8xf32> "
    "to memref<3x4xf32, strided<[8, 1], offset: 10>> %1 = memref.extract_aligned_pointer_as_index %0 : "
    "memref<3x4xf32, strided<[8, 1], offset: 10>> -> index return }",
    "lower-affine": "%i: index) { %0 = affine.apply affine_map<(i) -> (i * 3)>(%i) return }",
    "math-extend-to-supported-types": "%x: f16) { %0 = math.sin %x : f16 return }",
}
"""A function for each pass of the table, which it changes."""

OPTIONS = {"math-extend-to-supported-types": "{target-type=f32 extra-types=f64}"}
PLAIN = "func.func @f(%x: f32) { %0 = arith.addf %x, %x : f32 return }"


def _module(text: str) -> ir.Module:
    return ir.Module.parse(text, make_context())


def test_every_pass_of_the_table_has_a_program() -> None:
    assert WORK.keys() | OURS.keys() == _needs().keys()
    assert all(upstream_pass_exists(name) for name in WORK)


@pytest.mark.parametrize("name", WORK)
def test_a_pass_with_work_runs(name: str) -> None:
    pipeline = f"builtin.module(func.func({name}{OPTIONS.get(name, '')}))".replace(
        "func.func(convert-math-to-libm)", "convert-math-to-libm"
    )
    module = _module(f"func.func @f({WORK[name]}")
    before = str(module)
    assert not is_idle(module, pipeline)
    run_pass(module, pipeline, verify=False)
    assert str(module) != before
    assert is_idle(_module(PLAIN), pipeline)


def test_a_pipeline_runs_if_one_of_its_passes_has_work_or_is_not_in_the_table() -> None:
    affine = _module(f"func.func @f({WORK['lower-affine']}")
    assert not is_idle(affine, "builtin.module(func.func(expand-strided-metadata,lower-affine))")
    assert is_idle(affine, "builtin.module(func.func(expand-strided-metadata))")
    assert not is_idle(_module(PLAIN), "builtin.module(func.func(lower-affine,cse))")


def test_the_cpu_pipeline_names_passes_of_the_table() -> None:
    text = " ".join(str(one) for phase in cpu() for one in phase.passes)
    assert all(name in text for name in [*WORK, *OURS])


OF_VECTORS = """
%0 = vector.bitcast %v : vector<8xf32> to vector<16xi16>
%0 = vector.broadcast %f : f32 to vector<8xf32>
vector.compressstore %m[%i], %k, %v : memref<99xf32>, vector<8xi1>, vector<8xf32>
%0, %1 = vector.deinterleave %v : vector<8xf32> -> vector<4xf32>
%0 = vector.expandload %m[%i], %k, %v : memref<99xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
%0 = vector.extract %v[%i] : f32 from vector<8xf32>
%0 = vector.fma %v, %v, %v : vector<8xf32>
%0 = vector.from_elements %f, %f : vector<2xf32>
%0 = vector.gather %m[%i] [%n], %k, %v : memref<99xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
%0 = vector.insert %f, %v[3] : f32 into vector<8xf32>
%0 = vector.interleave %v, %v : vector<8xf32> -> vector<16xf32>
%0 = vector.load %m[%i] : memref<99xf32>, vector<8xf32>
%0 = vector.maskedload %m[%i], %k, %v : memref<99xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
vector.maskedstore %m[%i], %k, %v : memref<99xf32>, vector<8xi1>, vector<8xf32>
%0 = vector.reduction <maximumf>, %v : vector<8xf32> into f32
vector.scatter %m[%i] [%n], %k, %v : memref<99xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32>
%0 = vector.shuffle %v, %v [0, 3, 9] : vector<8xf32>, vector<8xf32>
vector.store %v, %m[%i] : memref<99xf32>, vector<8xf32>
""".strip().splitlines()


def test_a_conversion_takes_the_vector_ops_that_need_no_pass_of_their_own() -> None:
    assert {op.split(" = ")[-1].split()[0] for op in OF_VECTORS} == PLAIN_VECTOR_OPS
    arguments = "%f: f32, %v: vector<8xf32>, %i: index, %m: memref<99xf32>, %k: vector<8xi1>, %n: vector<8xi32>"
    passes = [str(one) for one in cpu()[-1].passes]
    conversions = [one for one in passes if one.startswith(("convert-func-to-llvm", "convert-to-llvm", "reconcile"))]
    for op in OF_VECTORS:
        module = _module(f"func.func @f({arguments}) {{ {op} return }}")
        assert is_idle(module, "func.func(convert-vector-to-llvm{enable-x86vector=1})")
        for one in conversions:
            run_pass(module, one)
        assert " vector." not in str(module) and "unrealized" not in str(module), op


E2E = sorted((Path(__file__).parents[3] / "test/e2e").rglob("*.mlir"))


@pytest.mark.parametrize("number", range(8))
def test_what_is_idle_changes_nothing(number: int) -> None:
    """Every pass of ours, on every program that the end-to-end tests run and that has none of its ops."""
    left_out, run = set(), set()
    for path in E2E[number::8]:
        try:
            module = hlo.parse(path.read_text())
        except hlo.HloError:  # of several parts, or with mistakes
            continue
        before = str(module)
        for name in OURS:
            if is_idle(module, name):
                run_pass(module, name)
                left_out.add(name)
            else:
                run.add(name)
        assert str(module) == before, path
    assert left_out == OURS.keys() and run, "nothing was compared"
