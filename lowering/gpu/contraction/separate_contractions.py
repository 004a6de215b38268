"""The pass `separate-contractions`: a contraction that is large enough for tiles becomes a kernel that is one launch,
with what follows it element by element; what else its kernel does is done by kernels in front of it and behind it.

Before:  %r = call @k(%a, %b, %bias)      @k: %t = transpose %b;  %p = contraction (%a, %t);  %r = sum of %p's parts + bias
After:   %t = call @k_operands(%b)        %p = call @k(%a, %t)      %r = call @k_rest(%p, %bias)"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir
from mlir.dialects import func

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.gpu.accesses import view_of
from hlo.lowering.gpu.contraction.inputs import prepare_inputs
from hlo.lowering.gpu.contraction.launch import first_tiled, outputs_in
from hlo.lowering.kernel_calls import calls, free_name, functions_of, hosts, kernel_of, kind, ops_above
from hlo.lowering.linalg.structured import adds, reduces
from hlo.lowering.memory.placement import tied_arguments
from hlo.lowering.passes import Pass, pass_manager, register_pass
from hlo.lowering.vector.region.graph import returned_values
from hlo.lowering.vector.target import Target, gpu_named

FOLD = "func.func(linalg-fuse-elementwise-ops,canonicalize,cse)"
"""Products are part of the sum that adds them; ops that follow have the contraction's dimensions, and it those of reshapes between them."""


@register_pass
@dataclass(frozen=True)
class SeparateContractions(Pass):
    """Cuts the kernels of contractions. `arch`: what they are to run on."""

    arch: str = "sm_80"

    def run(self, module: ir.Module) -> None:
        target, waiting = gpu_named(self.arch), [one for one in functions_of(module).values() if _may_contract(one)]
        for kernel in waiting:
            waiting += _separate(module, kernel, target)


def _may_contract(kernel: Any) -> bool:
    """Whether a sum in a kernel may be one of products, of which loops may have to be joined first."""
    if kind(kernel) not in ("contraction", "region"):
        return False
    ops = [op.operation for op in kernel.regions[0].blocks[0].operations]
    return any(reduces(op) and adds(op) for op in ops)


def _separate(module: ir.Module, kernel: Any, target: Target) -> list[Any]:
    """Cuts a kernel with a contraction; kernels that may have another one."""
    manager = pass_manager(module.context, FOLD)
    manager.enable_verifier(False)
    manager.run(kernel.operation)
    op = first_tiled(kernel)
    if op is None:
        return []
    op = prepare_inputs(op, target)
    returned = returned_values(kernel)
    results = returned if outputs_in(kernel, op) is not None else [op.results[0]]
    operands = [value for value in map(_stored, list(op.operands)[:2]) if not isinstance(value.owner, ir.Block)]
    kernel.attributes["hlo.kernel"] = ir.StringAttr.get("contraction")
    if results == returned and not operands:
        return []
    if results != returned and tied_arguments(kernel):
        kernel.attributes["hlo.kernel"] = ir.StringAttr.get("region")
        return []
    return _cut(module, kernel, list(dict.fromkeys(operands)), results)


def _stored(value: ir.Value) -> ir.Value:
    """The array that an operand is, or is seen in."""
    view = view_of(value)
    return value if view is None else view.source


def _cut(module: ir.Module, kernel: Any, operands: Sequence[ir.Value], results: Sequence[ir.Value]) -> list[Any]:
    """`operands`: what is computed in front of the contraction; `results`: what its launch gives. The other kernels that this makes."""
    name, arguments, returned = kernel.name.value, list(kernel.regions[0].blocks[0].arguments), returned_values(kernel)
    kernel.attributes["sym_name"] = ir.StringAttr.get(free_name(f"{name}_whole", functions_of(module)))
    functions = functions_of(module)
    pieces = [(f"{name}_operands", "region", list(operands)), (name, "contraction", list(results))]
    pieces.append((f"{name}_rest", "region", [v for v in dict.fromkeys(returned) if v not in results]))
    known: set[ir.Value] = set()
    made: list[tuple[Any, list[ir.Value], list[ir.Value]]] = []
    for piece, what, wanted in [one for one in pieces if one[2]]:
        ops, inputs = ops_above(wanted, lambda value, _: value not in known)
        with kernel.location:
            made.append((kernel_of(module, free_name(piece, functions), what, ops, inputs, wanted), inputs, wanted))
        known.update(wanted)
    contraction, inputs, _ = made[1 if operands else 0]
    if "arg_attrs" in kernel.attributes and results == returned:
        attributes = dict(zip(arguments, kernel.attributes["arg_attrs"]))
        contraction.attributes["arg_attrs"] = ir.ArrayAttr.get([attributes.get(v, ir.DictAttr.get({})) for v in inputs])
    for call in [call for host in hosts(functions) for call in calls(host) if call.callee.value == name]:
        _call_pieces(call, dict(zip(arguments, call.operands)), made, returned)
    kernel.operation.erase()
    return [one for one, _, _ in made if one is not contraction]


def _call_pieces(
    call: Any, values: dict[ir.Value, ir.Value], pieces: Sequence[Any], returned: Sequence[ir.Value]
) -> None:
    """Instead of a call. `values`: what the arguments of the kernel that it calls are there."""
    with ir.InsertionPoint(call), call.location:
        for kernel, inputs, wanted in pieces:
            made = func.CallOp([v.type for v in wanted], kernel.name.value, [values[v] for v in inputs])
            values.update(zip(wanted, made.results))
    for old, value in zip(call.results, returned):
        old.replace_all_uses_with(values[value])
    call.operation.erase()
