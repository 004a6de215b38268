"""A missed expectation says where it stands, the first index that differs, what was found and what was expected."""

import numpy as np
import pytest

import hlo
from hlo.runtime.custom_calls import probes

CONSTANT = "%0 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>"
OTHER = "%1 = stablehlo.constant dense<[[1.0, 2.0], [3.5, 4.5]]> : tensor<2x2xf32>"
TYPES = "(tensor<2x2xf32>, tensor<2x2xf32>) -> ()"
VALUE = "dense<[[1.0, 2.0], [3.5, 4.5]]> : tensor<2x2xf32>"
CHECKS = {
    "expect_eq": f'"check.expect_eq"(%0, %1) : {TYPES}',
    "expect_eq_const": f"check.expect_eq_const %0, {VALUE}",
    "expect_almost_eq": f'"check.expect_almost_eq"(%0, %1) : {TYPES}',
    "expect_almost_eq_const": f"check.expect_almost_eq_const %0, {VALUE}",
    "expect_close": f'"check.expect_close"(%0, %1) {{max_ulp_difference = 1 : ui64}} : {TYPES}',
    "expect_serialized_eq": '"check.expect_serialized_eq"(%1) {probe_id = "messages"} : (tensor<2x2xf32>) -> ()',
}


@pytest.mark.parametrize("target", ["cpu", "reference"])
@pytest.mark.parametrize("name", CHECKS)
def test_what_a_missed_expectation_says(name, target):
    probes.clear()
    probe = '%2 = "interpreter.probe"(%0) {probe_id = "messages"} : (tensor<2x2xf32>) -> tensor<2x2xf32>'
    text = f"func.func @main() {{\n  {CONSTANT}\n  {OTHER}\n  {probe}\n  {CHECKS[name]}\n  return\n}}"
    program = hlo.compile(hlo.parse(text, "expectations.mlir"), target=target)
    with pytest.raises(hlo.HloError) as missed:
        program()
    message = str(missed.value)
    assert message.startswith("expectations.mlir:5:3: error: check failed: 2 of 4 elements are not ")
    assert "first at [1, 0]: expected 3.5, found 3.0" in message


@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_bounds_of_expect_close_are_unsigned(target):
    """18446744073709551615 is the largest ui64: it allows everything as the upper bound, nothing as the lower one."""
    text = """
func.func @main(%x: tensor<1xf32>, %y: tensor<1xf32>) {{
  check.expect_close %x, %y, {bound} = 18446744073709551615 : tensor<1xf32>, tensor<1xf32>
  return
}}"""
    arrays = np.float32([1]), np.float32([-3e38])
    hlo.compile(text.format(bound="max_ulp_difference"), target=target)(*arrays)
    lower = text.format(bound="max_ulp_difference = 5, min_ulp_difference")
    with pytest.raises(hlo.HloError, match="within 18446744073709551615 to 5 ulp"):
        hlo.compile(lower, target=target)(*arrays)
