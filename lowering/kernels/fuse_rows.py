"""The pass `fuse-rows`: kernels that follow each other on the same rows become one, which takes blocks of rows through
all of them.

Before:  %s = call @scores(%q, %k)    %p = call @softmax(%s)    %o = call @values(%p, %v)
After:   %o = call @rows_0(%q, %k, %v)
         func.func private @rows_0(...) attributes {hlo.kernel = "rows", hlo.schedule = {rows = [8, 1024], block = 64, ...}} { the calls }

A softmax between two contractions may go through its columns section by section (rows/streamed.py). How rows are cut decides whether kernels are
joined, so this pass writes the schedule of what it makes. The kernels that are called from there only are marked `hlo.stage`: they have code for
blocks alone."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import func

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.finding import made_by, regions_of
from hlo.lowering.kernel_calls import calls, functions_by_name, hosts, kernel_of, name_once
from hlo.lowering.kernels.schedule import SCHEDULE
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.target import Target, target
from hlo.lowering.vector.region.graph import inputs_of
from hlo.lowering.vector.rows.chains import Chain, Kernels, find_chain
from hlo.lowering.vector.rows.schedule import schedule_rows


@register_pass
@dataclass(frozen=True)
class FuseRows(Pass):
    """Joins kernels on the same rows, so that what is between them stays in the cache."""

    target: str = "host"

    def run(self, module: ir.Module) -> None:
        for function in functions_by_name(module).values():
            if "hlo.kernel" in function.attributes and not function.is_external:  # Fourier transforms are declared
                _read_positions_once(function)
        joiner = _Joiner(module, target(self.target))
        for host in hosts(functions_by_name(module)):
            if "hlo.stage" not in host.attributes:
                joiner.region(host.regions[0])
        _mark_stages(module)


def _read_positions_once(kernel: Any) -> None:
    """Gives each reader of positions that are computed from nothing ops of its own: one may read them along rows, another one not."""
    for op in list(kernel.regions[0].blocks[0].operations):
        if op.operation.name == "linalg.generic" and not inputs_of(op.operation):
            for use in list(op.operation.results[0].uses)[1:]:
                use.owner.operation.operands[use.operand_number] = _copy_with_storage(op.operation).results[0]


def _copy_with_storage(op: ir.Operation) -> ir.Operation:
    """A copy of an op in front of it, with copies of the empty tensors that it fills."""
    with ir.InsertionPoint(op):
        copies = {v: v.owner.clone().results[0] for v in op.operands if made_by(v, "tensor.empty") is not None}
        copy = op.clone()
    for number, operand in enumerate(copy.operands):
        if operand in copies:
            copy.operands[number] = copies[operand]
    return copy


def _positions(ops: list[ir.Operation]) -> dict[ir.Operation, int]:
    return {op: n for n, op in enumerate(ops)}


class _Joiner:
    def __init__(self, module: ir.Module, target: Target):
        self.module, self.target, self.kernels = module, target, Kernels(module.body)
        self.known: dict[str, Any] = {}

    def region(self, region: ir.Region) -> None:
        for block in region.blocks:
            ops = [op.operation for op in block.operations]
            for op in ops:
                for inner in regions_of(op):
                    self.region(inner)
            self.block(ops)

    def block(self, ops: list[ir.Operation]) -> None:
        at, position = 0, _positions(ops)
        while at < len(ops):
            chain = find_chain(ops[at], position, self.kernels, self.target)
            at += 1
            if chain is not None:
                before, last = set(chain.calls[:-1]), chain.calls[-1]
                kept = [None if op == last else op for op in ops[at:] if op not in before]
                joined = self.join(chain)
                ops, at = [joined if op is None else op for op in kept], 0
                position = _positions(ops)  # anew: an op whose operands changed has another hash

    def join(self, chain: Chain) -> ir.Operation:
        """One call at the position of the last one."""
        made = [call.results[0] for call in chain.calls]
        inputs = list(dict.fromkeys(v for call in chain.calls for v in call.operands if v not in made))
        inside = set(chain.calls)
        results = [v for v in made if any(use.owner.operation not in inside for use in v.uses)]
        with chain.calls[-1].location:
            name = self._kernel(chain, inputs, results)
            with ir.InsertionPoint(chain.calls[-1]):
                call = func.CallOp([r.type for r in results], name, inputs)
        for old, new in zip(results, call.results):
            old.replace_all_uses_with(new)
        for op in reversed(chain.calls):
            op.erase()
        return call.operation

    def _kernel(self, chain: Chain, inputs: list[ir.Value], results: list[ir.Value]) -> str:
        """The name of the kernel with these calls; equal ones are one."""
        kernel = kernel_of(self.module, "rows", "rows", chain.calls, inputs, results)
        kernel.attributes[SCHEDULE] = schedule_rows(kernel, chain, self.kernels, self.target)
        return name_once(kernel, self.known, "rows")


def _mark_stages(module: ir.Module) -> None:
    """Kernels that host code does not call any more are stages."""
    functions = functions_by_name(module)
    called = {call.callee.value for host in hosts(functions) for call in calls(host)}
    for name, op in functions.items():
        if "hlo.kernel" in op.attributes and name not in called:
            op.attributes["hlo.stage"] = op.attributes["hlo.kernel"]
            del op.attributes["hlo.kernel"]
