"""Loops, branches and barriers."""

from __future__ import annotations

from hlo.dialect.stablehlo import control_flow
from hlo.reference.table import evaluates
from hlo.runtime.grid.processes import leave_failed_run


@evaluates(control_flow.IfOp)
def evaluate_if(call, pred):
    return call.run(0 if pred else 1)


@evaluates(control_flow.CaseOp)
def evaluate_case(call, index):
    """An index out of range takes the last branch."""
    last = len(call.step.regions) - 1
    return call.run(int(index) if 0 <= index < last else last)


@evaluates(control_flow.WhileOp)
def evaluate_while(call, *values):
    state = list(values)
    while call.run(0, *state)[0]:
        leave_failed_run()
        state = call.run(1, *state)
    return state


@evaluates(control_flow.OptimizationBarrierOp)
def evaluate_optimization_barrier(call, *values):
    return list(values)
