"""Ops whose results nobody uses go away, and with them what only fed them, in every region."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mlir import ir

from hlo.dialect.stablehlo import CustomCallOp, ReturnOp, WhileOp
from hlo.lowering.finding import is_unused, is_used
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.stablehlo.rewriting import function_blocks, is_pure, nested_blocks, values_read

EIGENVECTORS = re.compile(r"lapack_([sd]syevd|[cz]heevd)_ffi")
"""Calls whose first result is the eigenvectors if `mode` is "V", and nothing if it is "N"."""
CONFIG = "mhlo.backend_config"


@register_pass
class EliminateDeadCode(Pass):
    """Erases unused ops without side effects, and values that a while loop carries only for themselves.

    %0 = stablehlo.sine %x : tensor<f32>              becomes    return %x : tensor<f32>
    return %x : tensor<f32>

    A call of LAPACK for eigenvalues and vectors (JAX's eigvalsh) asks for the eigenvalues alone where nobody reads the vectors."""

    def run(self, module: ir.Module) -> None:
        for block in function_blocks(module):
            _clean(block)


def _clean(block: ir.Block) -> None:
    """Visits the ops of a block from the last to the first: an op's users are judged before it is."""
    for op in reversed(list(block.operations)):
        if is_unused(op) and is_pure(op):
            op.operation.erase()
        elif isinstance(op, CustomCallOp):
            _ask_for_values_alone(op)
        elif len(op.regions):
            _clean_regions(op)


def _ask_for_values_alone(op: CustomCallOp) -> None:
    if not EIGENVECTORS.fullmatch(op.call_target_name) or not len(op.results) or is_used(op.results[0]):
        return
    if CONFIG not in op.attributes:
        return
    config = op.attributes[CONFIG]
    if isinstance(config, ir.DictAttr) and "mode" in config and isinstance(config["mode"], ir.IntegerAttr):
        mode = ir.IntegerAttr.get(config["mode"].type, ord("N"))
        op.attributes[CONFIG] = ir.DictAttr.get({e.name: e.attr for e in config} | {"mode": mode})


def _clean_regions(op: ir.OpView) -> None:
    if op.operation.name == "stablehlo.while":
        live = live_carried_values(op)
        if len(live) < len(op.operands):
            op = with_fewer_carried_values(op, live)
    for block in nested_blocks(op):
        _clean(block)


def live_carried_values(loop: WhileOp) -> list[int]:
    """The positions that are read after the loop, by its condition, by an effect, or by another live position."""
    body, condition = loop.body.blocks[0], loop.cond.blocks[0]
    yielded = body.operations[-1].operands
    live: set[int] = set()
    pending = [i for i, result in enumerate(loop.results) if is_used(result)]
    pending += [i for i, argument in enumerate(condition.arguments) if is_used(argument)]
    sources = _Sources(body)
    pending += sources.of_effects()
    while pending:
        position = pending.pop()
        if position not in live:
            live.add(position)
            pending += sources.of(yielded[position])
    return sorted(live)


class _Sources:
    """Which arguments of a block the values computed in it depend on; every op is looked at once."""

    def __init__(self, block: ir.Block):
        self._operations = list(block.operations)
        self._argument = {a: i for i, a in enumerate(block.arguments)}
        self._definer = {r: op for op in self._operations for r in op.results}
        self._seen: set[ir.Value] = set()

    def of_effects(self) -> list[int]:
        effects = [op for op in self._operations[:-1] if not is_pure(op)]
        return [i for op in effects for value in values_read(op) for i in self.of(value)]

    def of(self, value: ir.Value) -> list[int]:
        """The arguments that a value depends on, but for those reported before."""
        found, pending = [], [value]
        while pending:
            value = pending.pop()
            if value in self._seen:
                continue
            self._seen.add(value)
            if value in self._argument:
                found.append(self._argument[value])
            elif value in self._definer:
                pending += values_read(self._definer[value])
        return found


def with_fewer_carried_values(loop: WhileOp, live: Sequence[int]) -> WhileOp:
    """The same loop, carrying the values at the `live` positions only; the old one is erased."""
    inputs = [loop.operands[i] for i in live]
    with ir.InsertionPoint(loop):
        new = WhileOp.create(*inputs, results=[v.type for v in inputs], loc=loop.location)
    dead = [i for i in range(len(loop.operands)) if i not in set(live)]
    for old_region, new_region in ((loop.cond, new.cond), (loop.body, new.body)):
        old_region.blocks[0].append_to(new_region)
    _shorten_body(new.body.blocks[0], live)
    for region in (new.cond, new.body):
        for position in reversed(dead):
            region.blocks[0].erase_argument(position)
    for position, result in zip(live, new.results, strict=True):
        loop.results[position].replace_all_uses_with(result)
    loop.operation.erase()
    return new


def _shorten_body(body: ir.Block, live: Sequence[int]) -> None:
    """Returns the live values only, and erases what computed the others."""
    *operations, terminator = body.operations
    with ir.InsertionPoint(terminator):
        ReturnOp.create(*[terminator.operands[i] for i in live], results=[], loc=terminator.location)
    terminator.operation.erase()
    for op in reversed(operations):
        if is_unused(op) and is_pure(op):
            op.operation.erase()
