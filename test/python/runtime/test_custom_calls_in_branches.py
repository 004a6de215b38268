"""Custom calls that only differ in their targets, in branches whose blocks are equal otherwise."""

from __future__ import annotations

import numpy as np
import pytest

import hlo
from hlo.runtime.custom_calls.registry import register

BRANCH = """{{
    %r:2 = stablehlo.custom_call @test.branch_{number}(%x) : (tensor<3xf32>) -> (tensor<3xf32>, tensor<2xi8>)
    stablehlo.return %r#0, %r#1 : tensor<3xf32>, tensor<2xi8>
  }}"""


@pytest.mark.parametrize("options", [{}, {"profile": True}], ids=["plain", "with timers"])
def test_each_branch_calls_its_own(options):
    for number in range(3):

        @register(f"test.branch_{number}")
        def call(x, number=number):
            return x + np.float32(number), np.int8([number, -number])

    branches = ", ".join(BRANCH.format(number=n) for n in range(3))
    exe = hlo.compile(
        f"""
func.func @main(%i: tensor<i32>, %x: tensor<3xf32>) -> (tensor<3xf32>, tensor<2xi8>) {{
  %0:2 = "stablehlo.case"(%i) ({branches}) : (tensor<i32>) -> (tensor<3xf32>, tensor<2xi8>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<2xi8>
}}""",
        **options,
    )
    for number in range(3):
        shifted, told = exe(np.int32(number), np.float32([1, 2, 3]))
        assert shifted.tolist() == [1 + number, 2 + number, 3 + number] and told.tolist() == [number, -number]
