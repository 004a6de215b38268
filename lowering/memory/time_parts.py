"""The pass `time-parts`: the parts of kernels that threads run in parallel are timed, each on its thread.

Before:  %part = llvm.mlir.addressof @k.part        (@k.part has hlo.row = 3)
         llvm.store %part, %work
         llvm.call @hlo_share(%work)
After:   llvm.call @hlo_profile_share(%work, 3)     (runtime/profile/timers.py)

Parts of functions that several kernels have in common stay as they are."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import llvm

from hlo.lowering.finding import callee_of, name_of, ops_named
from hlo.lowering.memory.parallelise_parts import RUN_PARTS
from hlo.lowering.memory.time_calls import ROW
from hlo.lowering.passes import Pass, register_pass

TIMED_PARTS = "hlo_profile_share"


@register_pass
class TimeParts(Pass):
    """Replaces calls of the pool, and drops `hlo.row`."""

    def run(self, module: ir.Module) -> None:
        with module.context, module.operation.location:
            functions = [op for op in module.body.operations if op.operation.name == "llvm.func"]
            rows = {name_of(f): ir.IntegerAttr(f.attributes[ROW]) for f in functions if ROW in f.attributes}
            calls = [call for call in ops_named(module, ("llvm.call",)) if _runs_parts(call)]
            timed = [(call, rows[name]) for call in calls if (name := _part(call)) in rows]
            for call, number in timed:
                with call.location, ir.InsertionPoint(call):
                    llvm.CallOp(None, [call.operands[0], llvm.mlir_constant(number)], [], [], callee=TIMED_PARTS)
                call.erase()
            if timed:
                with ir.InsertionPoint.at_block_begin(module.body):
                    llvm.LLVMFuncOp(TIMED_PARTS, ir.TypeAttr.get(ir.Type.parse("!llvm.func<void (ptr, i64)>")))
            for function in functions:
                if ROW in function.attributes:
                    del function.attributes[ROW]


def _runs_parts(call: Any) -> bool:
    return "callee" in call.attributes and callee_of(call) == RUN_PARTS


def _part(call: Any) -> str | None:
    """The function that a call of the pool runs: what is stored into the first word before it."""
    work = call.operands[0]
    for use in work.uses:
        stored = use.owner.operands[0] if use.owner.name == "llvm.store" and use.operand_number == 1 else None
        if stored is not None and stored.owner.name == "llvm.mlir.addressof":
            return ir.FlatSymbolRefAttr(stored.owner.attributes["global_name"]).value
    return None
