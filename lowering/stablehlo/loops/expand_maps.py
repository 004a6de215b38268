"""map, and what functions of elements compute that no element has a part in.

Scalar code (linalg/scalar/regions.py) takes ops on scalars only. What does not depend on an element is computed once, before the op;
a map whose function is more than scalar code becomes a loop over its elements."""

from __future__ import annotations

from math import prod
from typing import Any

from mlir import ir

from hlo.dialect.chlo.structured import ScanOp
from hlo.dialect.stablehlo import MapOp
from hlo.dialect.types import element_type, shape, tensor
from hlo.lowering.linalg.scalar.regions import is_scalar_code
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.replacing import rewrite
from hlo.lowering.stablehlo.arithmetic import Tensor, reshaped
from hlo.lowering.stablehlo.rewriting import (
    each_op,
    fill_region,
    is_pure,
    move_body,
    nested_blocks,
    values_read,
)

OF_ELEMENTS = frozenset(
    f"stablehlo.{name}" for name in ("map", "reduce", "reduce_window", "scatter", "select_and_scatter", "sort")
)
"""Ops whose functions are called for elements."""


@register_pass
class ExpandMaps(Pass):
    """Moves what a function of elements computes from outside values alone to before the op, inlines maps of scalars, and makes
    loops of maps whose function is no scalar code.

    %0 = "stablehlo.map"(%x) ({ ^bb0(%e: tensor<f32>):                 %s = stablehlo.reduce(%v init: %z) ...
      %s = stablehlo.reduce(%v init: %z) ...                 becomes   %0 = "stablehlo.map"(%x) ({ ^bb0(%e: tensor<f32>):
      %1 = stablehlo.add %e, %s                                          %1 = stablehlo.add %e, %s ..."""

    def run(self, module: ir.Module) -> None:
        for op in each_op(module):
            if op.operation.name in OF_ELEMENTS:
                _hoist(op)
            if isinstance(op, MapOp) and (not shape(op.result.type) or not is_scalar_code(op.computation.blocks[0])):
                rewrite(op, _mapped)


def _hoist(op: Any) -> None:
    """Constants that are scalars stay where they are read, unless something hoisted reads them."""
    for block in nested_blocks(op):
        inside, constants = set(block.arguments), {}
        for inner in list(block.operations)[:-1]:
            read = values_read(inner)
            if not is_pure(inner) or inside & set(read):
                inside.update(inner.results)
            elif inner.operation.name == "stablehlo.constant" and not shape(inner.results[0].type):
                constants[inner.results[0]] = inner
            else:
                for moved in [constants.pop(v) for v in dict.fromkeys(read) if v in constants] + [inner]:
                    moved.operation.move_before(op.operation)


def _mapped(op: MapOp) -> ir.Value:
    """A map of scalars is its function's body; others go over the elements in row-major order, as a scan that carries nothing."""
    if not shape(op.result.type):
        return move_body(op.computation.blocks[0], list(op.inputs))[0]
    from hlo.lowering.stablehlo.chlo.scan import lower_scan  # few programs map what is no scalar code

    count = prod(shape(op.result.type))
    flat = [reshaped(Tensor(v), [count]).value for v in op.inputs]
    returned = op.computation.blocks[0].operations[-1].operands[0]
    result = tensor([count], element_type(returned.type))
    sizes = {"operandSegmentSizes": [len(flat), 0], "resultSegmentSizes": [1, 0]}
    segments = {name: ir.DenseI32ArrayAttr.get(counts) for name, counts in sizes.items()}
    scan = ScanOp.create(*flat, results=[result], dimension=0, **segments)
    scalars = [tensor([], element_type(v.type)) for v in flat]
    fill_region(scan.body, scalars, lambda *elements: move_body(op.computation.blocks[0], elements))
    (value,) = lower_scan(scan)
    scan.operation.erase()
    return reshaped(Tensor(value), shape(op.result.type)).value
