"""For one device there is nothing to shard: what says where arrays lie goes away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlir import ir

from hlo.dialect.locations import diagnostic
from hlo.dialect.sharding.checks import RESHARDINGS
from hlo.errors import CompileError
from hlo.lowering.functions import SIDES, entries_of, set_entries
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.replacing import replace
from hlo.lowering.stablehlo.rewriting import move_body, ops_in


@register_pass
class RemoveShardings(Pass):
    """Removes Shardy's ops and attributes.

    %0 = sdy.sharding_constraint %a <@mesh, [{"x"}]> : T         (gone)
    %1 = stablehlo.sine %0 {sdy.sharding = ...} : T     becomes  %1 = stablehlo.sine %a : T

    A manual computation whose body takes parts of its operands has no meaning for one device: an error."""

    def run(self, module: ir.Module) -> None:
        for op in ops_in(module.body):
            _clean(op)


ATTRIBUTES = ("sdy.sharding", "mhlo.sharding", "hlo.sharding", "hlo.global_type")


def _clean(op: Any) -> None:
    for name in ATTRIBUTES:
        if name in op.attributes:
            del op.attributes[name]
    if op.operation.name == "func.func":
        _clean_signature(op)
    elif op.operation.name in REMOVALS:
        REMOVALS[op.operation.name](op)


def _clean_signature(function: Any) -> None:
    for side in SIDES:
        if entries := entries_of(function, side):
            set_entries(function, side, [{n: a for n, a in entry.items() if n not in ATTRIBUTES} for entry in entries])


def _erase(op: Any) -> None:
    op.operation.erase()


def _pass_on(op: Any) -> None:
    replace(op, list(op.operands))


def _inline(op: Any) -> None:
    block = op.regions[0].blocks[0]
    outside, inside = [v.type for v in op.operands], [a.type for a in block.arguments]
    if outside != inside or [r.type for r in op.results] != [v.type for v in block.operations[-1].operands]:
        raise CompileError(
            diagnostic(op, f"{op.operation.name} on parts of its operands has no meaning for one device; "
                       "allowed are meshes of one device")
        )  # fmt: skip
    with ir.InsertionPoint(op):
        results = move_body(block, list(op.operands))
    replace(op, results)


REMOVALS: dict[str, Callable[[Any], None]] = {
    "sdy.mesh": _erase,
    "sdy.sharding_group": _erase,
    **dict.fromkeys(RESHARDINGS, _pass_on),
    "sdy.propagation_barrier": _pass_on,
    "sdy.manual_computation": _inline,
    "sdy.named_computation": _inline,
}
