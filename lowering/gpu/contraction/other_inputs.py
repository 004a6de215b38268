"""A contraction with other inputs, on tensors or memory: the same sums from values of another type, or stored in another order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mlir import ir

from hlo.lowering.memory.loops_emitter import remap

Body = Callable[..., ir.Value]
"""Of the elements of all operands: what is yielded."""


@dataclass(frozen=True)
class Input:
    """`value`, read through `map`. `widen`: makes of its element what the op had from the input before."""

    value: ir.Value
    map: ir.AffineMap
    widen: Callable[[ir.Value], ir.Value] = lambda element: element


def with_inputs(op: ir.Operation, inputs: Sequence[Input], body: Body | None = None) -> ir.Operation:
    """A copy of a linalg.generic with these inputs, in front of it; the op itself stays. `body`: another one."""
    operands = [*(one.value for one in inputs), *list(op.operands)[len(inputs) :]]
    maps = list(ir.ArrayAttr(op.attributes["indexing_maps"]))
    maps[: len(inputs)] = [ir.AffineMapAttr.get(one.map) for one in inputs]
    attributes = {name: op.attributes[name] for name in op.attributes}
    attributes["indexing_maps"] = ir.ArrayAttr.get(maps)
    results = [r.type for r in op.results]
    with ir.InsertionPoint(op), op.location:
        made = ir.Operation.create(
            "linalg.generic", results=results, operands=operands, attributes=attributes, regions=1
        )
        kinds = [v.type.element_type for v in operands]
        block = made.regions[0].blocks.append(*kinds, arg_locs=[op.location] * len(kinds))
        with ir.InsertionPoint(block):
            if body is not None:
                ir.Operation.create("linalg.yield", operands=[body(*block.arguments)])
            else:
                _copy_body(op.regions[0].blocks[0], inputs, list(block.arguments))
    return made


def _copy_body(old: ir.Block, inputs: Sequence[Input], arguments: Sequence[ir.Value]) -> None:
    given = [one.widen(argument) for one, argument in zip(inputs, arguments)]
    values = dict(zip(old.arguments, [*given, *arguments[len(inputs) :]]))
    for op in old.operations:
        copy = op.operation.clone()
        remap(copy, values)
        values.update(zip(op.operation.results, copy.results))
