"""Ops that run beside others. https://openxla.org/stablehlo/spec"""

from __future__ import annotations

from hlo.dialect.stablehlo import AsyncDoneOp, AsyncStartOp
from hlo.reference.table import evaluates


@evaluates(AsyncStartOp)
def evaluate_async_start(call, *operands):
    """The op of the body runs where it starts."""
    return tuple(call.run(0, *operands))


@evaluates(AsyncDoneOp)
def evaluate_async_done(call, future):
    return list(future)
