"""The check dialect: expectations of values."""

from __future__ import annotations

import numpy as np

from hlo.dialect import check
from hlo.dialect.elements import read_elements
from hlo.dialect.locations import location_text
from hlo.reference.table import evaluates
from hlo.runtime.custom_calls import check_targets as targets


def _config(call, *names):
    return {"location": location_text(call), **{name: getattr(call, name) for name in names}}


@evaluates(check.ExpectEqOp)
def evaluate_expect_eq(call, lhs, rhs):
    targets.expect_eq(np.asarray(lhs), np.asarray(rhs), backend_config=_config(call))
    return []


def _expected(call) -> np.ndarray:
    found = read_elements(call.value)
    if found is None:
        raise call.unsupported(f"elements of {call.value.type}")
    return found


@evaluates(check.ExpectEqConstOp)
def evaluate_expect_eq_const(call, lhs):
    targets.expect_eq(np.asarray(lhs), _expected(call), backend_config=_config(call))
    return []


@evaluates(check.ExpectAlmostEqOp)
def evaluate_expect_almost_eq(call, lhs, rhs):
    targets.expect_almost_eq(np.asarray(lhs), np.asarray(rhs), backend_config=_config(call, "tolerance"))
    return []


@evaluates(check.ExpectAlmostEqConstOp)
def evaluate_expect_almost_eq_const(call, lhs):
    targets.expect_almost_eq(np.asarray(lhs), _expected(call), backend_config=_config(call, "tolerance"))
    return []


@evaluates(check.ExpectCloseOp)
def evaluate_expect_close(call, actual, expected):
    bounds = _config(call, "max_ulp_difference", "min_ulp_difference")
    targets.expect_close(np.asarray(actual), np.asarray(expected), backend_config=bounds)
    return []
