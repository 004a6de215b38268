"""Which arguments of a kernel may have the storage of its results: `hlo.tied` and `hlo.may_alias`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlir import ir

from hlo.dialect.attributes import I64
from hlo.lowering.finding import ancestor_in, made_by, ops_within
from hlo.lowering.vector.region.accesses import Accesses, stage_accesses
from hlo.lowering.vector.region.chain import is_chain, reductions_in
from hlo.lowering.vector.region.graph import Stage, read_stages, returned_values
from hlo.lowering.vector.region.rolls import values_rolled


def argument_attributes(
    kernel: Any, unit: Any, outside: list[ir.Value], aliases: Callable[[], dict[int, list[int]]]
) -> ir.ArrayAttr | None:
    """The argument attributes of a new kernel; None when there are none. `outside` are the caller's values, `aliases()` the
    kernel's own `may_alias`, the same for all equal kernels."""
    arguments = list(kernel.regions[0].blocks[0].arguments)
    found: list[dict[str, ir.Attribute]] = [{} for _ in arguments]
    for number, value in enumerate(returned_values(kernel)):
        base = _insertion_base(value)
        if base is None or base not in arguments:
            continue
        if _is_last_use(outside[arguments.index(base)], unit) and _is_replaced_where_read(kernel, base, number):
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


def _is_last_use(value: ir.Value, unit: Any) -> bool:
    """Whether the kernel may write into an array of its caller: it is made by an op of the same block, or carried by the
    loop whose block that is, and no op after the kernel reads it."""
    last = unit.roots[-1].operation
    owner = value.owner
    if isinstance(owner, ir.Block):
        made_here = owner == last.block and owner.owner is not None and owner.owner.operation.name == "scf.while"
    else:
        made_here = owner.name == "func.call" and owner.operation.block == last.block
    users = {ancestor_in(use.owner.operation, last.block) for use in value.uses} if made_here else set()
    return made_here and all(user == last or user.is_before_in_block(last) for user in users)


def _is_replaced_where_read(kernel: Any, base: ir.Value, number: int) -> bool:
    """Whether elements of the array into which a result is inserted are read by the insertion only, or where they are replaced."""
    if len(list(base.uses)) == 1:
        return True
    if len(returned_values(kernel)) > 1 or is_chain(reductions_in(kernel)):
        return False
    stages = read_stages(kernel, {number: base})
    if len(stages) > 1 or stages[0].generics or len(stages[0].stores) > 1:
        return False
    accesses = stage_accesses(stages[0], set(kernel.regions[0].blocks[0].arguments))
    read = {a.position for a in accesses.accesses if a.value is not None and a.value == base}
    return read == {stages[0].stores[0].position} and base not in _gathered(accesses)


def _aliases(stage: Stage, arguments: list[ir.Value]) -> dict[int, list[int]]:
    """Arguments read only where a result is written, by their number."""
    if stage.generics:
        return {}
    accesses = stage_accesses(stage, set(arguments))
    gathered = _gathered(accesses)
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


def _gathered(accesses: Accesses) -> set[ir.Value]:
    """The arrays that are read at other positions than their accesses have: at computed indices, or round an end."""
    return values_rolled(accesses.rolls) | {
        inner.operands[0]
        for op in accesses.bodies
        for inner in ops_within(op, lambda one: one.name == "tensor.extract")
    }
