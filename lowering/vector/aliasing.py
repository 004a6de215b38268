"""Which arguments of a kernel may have the storage of its results: `hlo.tied` and `hlo.may_alias`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlir import ir

from hlo.dialect.attributes import I64
from hlo.lowering.finding import made_by, ops_within
from hlo.lowering.vector.region.accesses import stage_accesses
from hlo.lowering.vector.region.chain import is_chain, reductions_in
from hlo.lowering.vector.region.graph import Stage, read_stages, returned_values


def argument_attributes(
    kernel: Any, unit: Any, outside: list[ir.Value], aliases: Callable[[], dict[int, list[int]]]
) -> ir.ArrayAttr | None:
    """The argument attributes of a new kernel; None when there are none. `outside` are the caller's values, `aliases()` the
    kernel's own `may_alias`, the same for all equal kernels."""
    arguments = list(kernel.regions[0].blocks[0].arguments)
    found: list[dict[str, ir.Attribute]] = [{} for _ in arguments]
    for number, value in enumerate(returned_values(kernel)):
        base = _insertion_base(value)
        if base is not None and base in arguments and _may_tie(base, arguments.index(base), unit, outside):
            found[arguments.index(base)]["hlo.tied"] = I64.encode(number)
    if unit.kind == "region" and not any(found):
        for argument, numbers in aliases().items():
            found[argument]["hlo.may_alias"] = ir.DenseI64ArrayAttr.get(numbers)
    return ir.ArrayAttr.get([ir.DictAttr.get(f) for f in found]) if any(found) else None


def may_alias(kernel: Any) -> dict[int, list[int]]:
    """The arguments of a region kernel without tied ones that are read only where a result is written, by number."""
    arguments = list(kernel.regions[0].blocks[0].arguments)
    if {a.type for a in arguments}.isdisjoint(v.type for v in returned_values(kernel)):
        return {}
    stages = [] if is_chain(reductions_in(kernel)) else read_stages(kernel)
    return _aliases(stages[0], arguments) if len(stages) == 1 else {}


def _insertion_base(value: ir.Value) -> ir.Value | None:
    """The array into which a chain of insertions goes."""
    base = None
    while (op := made_by(base or value, "tensor.insert_slice")) is not None:
        base = op.operands[1]
    return base


def _may_tie(base: ir.Value, number: int, unit: Any, outside: list[ir.Value]) -> bool:
    """Whether the kernel may write into the caller's array: it is made by an op of the same block, or carried by a
    loop, and nothing reads it but this one insertion."""
    if len(list(base.uses)) != 1:
        return False
    value = outside[number]
    owner = value.owner
    if isinstance(owner, ir.Block):
        made_here = owner.owner is not None and owner.owner.operation.name == "scf.while"
    else:
        made_here = owner.name == "func.call" and owner.operation.block == unit.roots[0].operation.block
    return made_here and len(list(value.uses)) == 1


def _aliases(stage: Stage, arguments: list[ir.Value]) -> dict[int, list[int]]:
    """Arguments read only where a result is written, by their number."""
    if stage.generics:
        return {}
    accesses = stage_accesses(stage, set(arguments))
    gathered = {v for op in accesses.bodies for v in _gather_sources(op)}
    found: dict[int, list[int]] = {}
    for number, argument in enumerate(arguments):
        if argument in gathered:
            continue
        positions = {a.position for a in accesses.accesses if a.value is not None and a.value == argument}
        results = [
            s.to
            for s in stage.stores
            if s.type == argument.type and positions == {a.position for a in accesses.accesses if a.stored == s.to}
        ]
        if results and positions:
            found[number] = results
    return found


def _gather_sources(op: ir.Operation) -> list[ir.Value]:
    return [inner.operands[0] for inner in ops_within(op, lambda one: one.name == "tensor.extract")]
