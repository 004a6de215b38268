"""Tuples and tokens."""

from __future__ import annotations

from hlo.dialect.stablehlo import tuples
from hlo.reference.table import evaluates
from hlo.reference.values import TOKEN


@evaluates(tuples.TupleOp)
def evaluate_tuple(call, *values):
    return tuple(values)


@evaluates(tuples.GetTupleElementOp)
def evaluate_get_tuple_element(call, value):
    return value[call.index]


@evaluates(tuples.AfterAllOp, tuples.CreateTokenOp)
def evaluate_token(call, *tokens):
    return TOKEN
