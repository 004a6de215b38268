"""The pass `emit-kernels`: writes the code of every kernel, by the emitter of its kind.

Before:  func.func private @k(%a: tensor<8xf32>) -> tensor<8xf32> attributes {hlo.kernel = "region", hlo.schedule = {...}} {...}
After:   the same with hlo.code = @k.code, and
         func.func private @k.code(%a: memref<8xf32>, %r: memref<8xf32>) { loops over vectors }"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from mlir import ir

from hlo.errors import CompileError
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.finding import callee_of, made_by, ops_named
from hlo.lowering.kernel_calls import functions_by_name, is_private
from hlo.lowering.kernels.loops_schedule import scheduled_loops
from hlo.lowering.kernels.schedule import refused_at
from hlo.lowering.memory.groups import ALIASES
from hlo.lowering.memory.loops_emitter import emit_loops
from hlo.lowering.memory.placement import aliasable_arguments, donated_arguments, forbid_aliases
from hlo.lowering.memory.scratch import take_scratch
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.target import Target, target
from hlo.lowering.vector.contraction.emit import emit_contraction, scheduled_contraction
from hlo.lowering.vector.region.emitter import emit_region
from hlo.lowering.vector.rows.emit import emit_rows


def _emit_contraction(kernel: Any, target: Target) -> None:
    code = emit_contraction(kernel, scheduled_contraction(kernel, target))
    kernel.attributes["hlo.code"] = ir.FlatSymbolRefAttr.get(code.name.value)


def _emit_loops(kernel: Any, target: Target) -> None:
    schedule = scheduled_loops(kernel, target)
    emit_loops(kernel, schedule.threads, schedule.vector_bytes, schedule.vectors, target.masked_bits)


EMITTERS: dict[str, Callable[[Any, Target], None]] = {
    "region": emit_region,
    "contraction": _emit_contraction,
    "rows": emit_rows,
    "loops": _emit_loops,
}
"""By the value of hlo.kernel: creates `@k.code` and sets `hlo.code` on the kernel. All results and arguments are
identity-layout memrefs: arguments first, then the results that are not tied; booleans as i8."""


@register_pass
@dataclass(frozen=True)
class EmitKernels(Pass):
    """Writes the code function of every kernel."""

    target: str = "host"

    def run(self, module: ir.Module) -> None:
        processor = target(self.target)
        _forget_aliases(module)
        for op in list(module.body.operations):
            if "hlo.kernel" not in op.operation.attributes or "hlo.code" in op.operation.attributes:
                continue
            kind = ir.StringAttr(op.operation.attributes["hlo.kernel"]).value
            if kind not in EMITTERS:
                raise CompileError(f"{op.location}: no emitter for kernels of kind {kind!r}")
            with refused_at(op):
                EMITTERS[kind](op, processor)
        _pass_workspace(module)


def _forget_aliases(module: ir.Module) -> None:
    """Kernels that are called for the program's own arguments alone, which nobody may write to, do not work in place."""
    functions, donated = functions_by_name(module), donated_arguments(module)
    calls: dict[str, list[ir.Operation]] = {}
    for call in ops_named(module, ["func.call"]):
        calls.setdefault(callee_of(call), []).append(call)
    for name, kernel in functions.items():
        numbers = {n for numbers in aliasable_arguments(kernel).values() for n in numbers}
        operands = [call.operands[n] for call in calls.get(name, []) for n in numbers]
        if operands and all(_is_given(value, donated) for value in operands):
            forbid_aliases(kernel)


def _is_given(value: ir.Value, donated: Collection[int]) -> bool:
    """Whether an array is an argument of the program that is not donated."""
    while (reshape := made_by(value, *ALIASES)) is not None:
        value = reshape.operands[0]
    if not isinstance(value.owner, ir.Block):
        return False
    function = value.owner.owner
    return function.operation.name == "func.func" and not is_private(function) and value.arg_number not in donated


def _pass_workspace(module: ir.Module) -> None:
    """Temporaries of the code functions become parameters."""
    functions = functions_by_name(module)
    for kernel in functions.values():
        if "hlo.code" in kernel.attributes and "hlo.scratch" not in kernel.attributes:
            take_scratch(kernel, functions[ir.FlatSymbolRefAttr(kernel.attributes["hlo.code"]).value])
