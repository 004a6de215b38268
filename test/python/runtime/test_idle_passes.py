"""Passes that are left out where they have nothing to do: never where they have."""

from __future__ import annotations

from pathlib import Path

import pytest
from mlir import ir

import hlo
from hlo.dialect.registration import make_context
from hlo.pipelines import cpu
from hlo.pipelines.needs import OURS, _needs, is_idle
from hlo.pipelines.parser import upstream_pass_exists
from hlo.pipelines.runner import run_pass

WORK = {
    "convert-complex-to-standard": "%z: complex<f32>) { %0 = complex.abs %z : complex<f32> return }",
    "convert-math-to-libm": "%x: f32) { %0 = math.cbrt %x : f32 return }",
    "convert-math-to-llvm": "%x: f32) { %0 = math.sqrt %x : f32 return }",
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
