"""A missed expectation says where it stands, the first index that differs, what was found and what was expected."""

import pytest

import hlo
from hlo.runtime import probes

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
