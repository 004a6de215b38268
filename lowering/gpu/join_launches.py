"""The pass `join-launches`: what one block of threads can do is one launch: loops of small steps, and small launches one behind
the other.

Before:  scf.while { call @cmp.code; %c = memref.load; scf.condition %c } do { call @mul.code; memref.copy }
After:   gpu.launch_func @gpu::@loop_0 blocks in (1) threads in (256)
         gpu.func @loop_0 { scf.while { code of @cmp; gpu.barrier; %c = memref.load; scf.condition %c } do { ... } }

A launch takes 2 to 3 us, also in a graph, and a turn of a loop a launch more that sets its condition; what a block does
between two barriers takes a tenth of that (small_launches.py says what is small, joined_code.py writes the code)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlir import ir

from hlo.lowering.finding import ops_within
from hlo.lowering.gpu.joined_code import write_joined
from hlo.lowering.gpu.small_launches import Small, kernel_of
from hlo.lowering.kernel_calls import calls, copied
from hlo.lowering.passes import Pass, register_pass


@register_pass
@dataclass(frozen=True)
class JoinLaunches(Pass):
    """Rewrites the host function; what nothing launches any more is erased."""

    def run(self, module: ir.Module) -> None:
        attributes = module.operation.attributes
        device = next((op for op in module.body.operations if op.operation.name == "gpu.module"), None)
        if device is None or "hlo.entry" not in attributes:
            return
        with module.context:
            functions = {op.name.value: op for op in module.body.operations if op.operation.name == "func.func"}
            host = functions[ir.StringAttr(attributes["hlo.entry"]).value]
            joiner = _Joiner(functions, device.regions[0].blocks[0])
            joiner.block(host.regions[0].blocks[0])
            if joiner.count:
                _erase_unused(functions, host, joiner.device)


class _Joiner:
    """`device`: where GPU functions are; `count`: of those that were made."""

    def __init__(self, functions: dict[str, Any], device: ir.Block):
        self.functions, self.device, self.count = functions, device, 0
        self.small = Small(functions, device)

    def block(self, block: ir.Block) -> None:
        for op in [one.operation for one in block.operations]:
            if op.name == "scf.while" and self.small.is_loop(op):
                self._replace([op], "loop")
            else:
                for region in op.regions:
                    for inner in region.blocks:
                        self.block(inner)
        self._open_calls(block)
        for run in self._runs([op.operation for op in block.operations]):
            self._replace(run, "small")

    def _replace(self, ops: list[ir.Operation], name: str) -> None:
        name = f"{name}_launches_{self.count}"
        self.small.kernels[name] = write_joined(ops, name, self.small, self.device)
        self.count += 1
        for op in reversed(ops):
            op.erase()

    def _open_calls(self, block: ir.Block) -> None:
        """Puts the launches of calls in their place where some of them are part of a run."""
        steps = [(op, inner) for op in block.operations for inner in self._steps(op.operation)]
        wanted = {inner for run in self._runs([inner for _, inner in steps]) for inner in run}
        for call in dict.fromkeys(op.operation for op, inner in steps if inner in wanted):
            if call.name == "func.call":
                _open(call, self.small.callee(call))

    def _steps(self, op: ir.Operation) -> list[ir.Operation]:
        """What the host does for an op: for a call, the ops of the code."""
        if op.name != "func.call" or not self.small.is_code(op):
            return [op]
        *body, _ = self.small.callee(op).regions[0].blocks[0].operations
        return [inner.operation for inner in body]

    def _runs(self, ops: list[ir.Operation]) -> list[list[ir.Operation]]:
        """Small launches and copies, one behind the other, that a block of threads can do; two at least."""
        runs: list[list[ir.Operation]] = [[]]
        for op in ops:
            if self.small.is_free(op):
                continue
            is_small = self.small.is_short(op)
            if not is_small or not self.small.go_together([*runs[-1], op]):
                runs.append([])
            if is_small:
                runs[-1].append(op)
        return [run for run in runs if len(run) > 1]


def _open(call: ir.Operation, code: Any) -> None:
    with ir.InsertionPoint(call):
        copied(code, list(call.operands))
    call.erase()


def _erase_unused(functions: dict[str, Any], host: Any, device: ir.Block) -> None:
    """Code that is not called any more, GPU functions that are not launched."""
    called = {call.callee.value for f in functions.values() for call in calls(f)}
    kept = {name: f for name, f in functions.items() if not name.endswith(".code") or name in called}
    for name in functions.keys() - kept.keys():
        functions[name].operation.erase()
    launched = {kernel_of(op) for f in kept.values() for op in _launches(f)}
    for op in [one.operation for one in device.operations]:
        if op.name == "gpu.func" and ir.StringAttr(op.attributes["sym_name"]).value not in launched:
            op.erase()


def _launches(function: Any) -> list[ir.Operation]:
    return ops_within(function, lambda op: op.name == "gpu.launch_func")
