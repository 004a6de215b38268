"""Async ops run where they start: one device has nothing else to do meanwhile, and no later pass knows futures."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.locations import diagnostic
from hlo.dialect.stablehlo import AsyncDoneOp, AsyncStartOp
from hlo.errors import CompileError
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.replacing import replace
from hlo.lowering.stablehlo.rewriting import each_op, move_body


@register_pass
class InlineAsync(Pass):
    """Replaces an async_start by its body, and the results of async_done by those of the body. Calls are inlined
    before.

    %f = "stablehlo.async_start"(%x) ({...negate...}) : (tensor<4xf4>) -> !stablehlo.future<tensor<4xf4>>
    %0 = "stablehlo.async_done"(%f) : ...    becomes    %0 = stablehlo.negate %x : tensor<4xf4>"""

    def run(self, module: ir.Module) -> None:
        for op in each_op(module):
            if isinstance(op, AsyncStartOp):
                _inline(op)


def _inline(start: AsyncStartOp) -> None:
    waiting = [use.owner for use in start.result.uses]
    for op in waiting:
        if not isinstance(op, AsyncDoneOp):
            raise CompileError(diagnostic(op, f"'{op.operation.name}' cannot take a future, only async_done can"))
    with ir.InsertionPoint(start), start.location:
        values = move_body(start.body.blocks[0], start.inputs)
    for op in waiting:
        replace(op, values)
    start.operation.erase()
