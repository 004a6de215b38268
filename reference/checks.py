"""The check dialect: expectations of values."""

from __future__ import annotations

import numpy as np

from hlo.dialect import check
from hlo.dialect.elements import read_elements
from hlo.reference.table import evaluates
from hlo.runtime import check_targets as targets


@evaluates(check.ExpectEqOp)
def evaluate_expect_eq(call, lhs, rhs):
    targets.expect_eq(np.asarray(lhs), np.asarray(rhs))
    return []


@evaluates(check.ExpectEqConstOp)
def evaluate_expect_eq_const(call, lhs):
    targets.expect_eq(np.asarray(lhs), read_elements(call.value))
    return []


@evaluates(check.ExpectAlmostEqOp)
def evaluate_expect_almost_eq(call, lhs, rhs):
    targets.expect_almost_eq(np.asarray(lhs), np.asarray(rhs), backend_config={"tolerance": call.tolerance})
    return []


@evaluates(check.ExpectAlmostEqConstOp)
def evaluate_expect_almost_eq_const(call, lhs):
    expected = read_elements(call.value)
    targets.expect_almost_eq(np.asarray(lhs), expected, backend_config={"tolerance": call.tolerance})
    return []


@evaluates(check.ExpectCloseOp)
def evaluate_expect_close(call, actual, expected):
    bounds = {name: getattr(call, name) for name in ("max_ulp_difference", "min_ulp_difference")}
    targets.expect_close(np.asarray(actual), np.asarray(expected), backend_config=bounds)
    return []
