"""Modules whose functions only call others go through LLVM's pipeline without optimisations."""

from __future__ import annotations

import numpy as np
import pytest

import hlo
from hlo.lowering.llvm.generate_plainly import is_plain
from hlo.runtime.compile import llvm_engine

PRODUCT = """func.func @main(%a: tensor<35x108xf32>, %b: tensor<108x40xf32>) -> tensor<35x40xf32> {
  %0 = stablehlo.dot %a, %b : (tensor<35x108xf32>, tensor<108x40xf32>) -> tensor<35x40xf32>
  return %0 : tensor<35x40xf32> }"""
SUM = """func.func @main(%a: tensor<35xf32>) -> tensor<35xf32> {
  %0 = stablehlo.add %a, %a : tensor<35xf32>
  return %0 : tensor<35xf32> }"""


@pytest.mark.parametrize("text, plain", [(PRODUCT, True), (SUM, False)])
def test_a_program_of_calls_is_plain(text, plain):
    module = hlo.parse(text)
    hlo.pipelines.run(module, hlo.pipelines.cpu("avx2"))
    assert is_plain(module) == plain


def test_each_module_has_the_pipeline_of_its_functions(monkeypatch):
    asked = []
    generate = llvm_engine.object_file

    def object_file(module, machine, kind, quick):
        asked.append(quick)
        return generate(module, machine, kind, quick)

    monkeypatch.setattr(llvm_engine, "object_file", object_file)
    a, b = (np.arange(n * m, dtype=np.float32).reshape(n, m) % 7 for n, m in ((35, 108), (108, 40)))
    np.testing.assert_array_equal(hlo.compile(PRODUCT, cache=False)(a, b)[0], a @ b)
    assert asked[0]
    asked.clear()
    np.testing.assert_array_equal(hlo.compile(SUM, cache=False)(a[:, 0])[0], a[:, 0] * 2)
    assert asked == [False]
