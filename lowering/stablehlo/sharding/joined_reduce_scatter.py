"""Several reduce_scatters as one: StableHLO's has one operand, so what each process is to get of all of them stands side
by side in a row of one matrix, whose rows are scattered.

%0 = reduce_scatter %a, dim 0 : 6x4 -> 3x4            %1 = reshape %a : 6x4 -> 2x12
%1 = reduce_scatter %b, dim 0 : 2x5 -> 1x5            %2 = reshape %b : 2x5 -> 2x5
                                           becomes    %3 = concatenate %1, %2, dim 1 : 2x17
                                                      %4 = reduce_scatter %3, dim 0 : 2x17 -> 1x17
                                                      then a slice and a reshape for each result

An operand that is scattered along an inner dimension is transposed on the way. No byte more is sent."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from mlir import ir

from hlo.dialect.types import shape, tensor
from hlo.lowering.replacing import replace
from hlo.lowering.stablehlo.arithmetic import Tensor, joined, reshaped, sliced, transposed


def join_reduce_scatters(scatters: Sequence[Any], attributes: dict[str, ir.Attribute], ip: ir.InsertionPoint) -> None:
    """Replaces reduce_scatters over the same groups, with the same reducer and element types, by one at `ip`."""
    first = scatters[0]
    location = ir.Location.fused([op.location for op in scatters])
    with ip, location:
        matrix = joined([_rows(op) for op in scatters], 1)
        made = ir.Operation.create(
            first.operation.name,
            results=[tensor([1, matrix.shape[1]], matrix.element)],
            operands=[matrix.value],
            attributes={**attributes, "scatter_dimension": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 0)},
            regions=len(first.regions),
        )
        first.regions[0].blocks[0].append_to(made.regions[0])
        start = 0
        for op in scatters:
            count = prod(shape(op.result.type))
            replace(op, [_result(op, Tensor(made.result), start)])
            start += count


def _rows(op: Any) -> Tensor:
    """The operand as a matrix: in row k what process k of a group is to get."""
    sizes, d = shape(op.operand.type), op.scatter_dimension
    own = shape(op.result.type)[d]
    parts, outer = sizes[d] // own, prod(sizes[:d])
    value = Tensor(op.operand)
    if outer > 1:
        value = transposed(reshaped(value, [outer, parts, own * prod(sizes[d + 1 :])]), [1, 0, 2])
    return reshaped(value, [parts, prod(sizes) // parts])


def _result(op: Any, row: Tensor, start: int) -> ir.Value:
    piece = sliced(row, [0, start], [1, start + prod(shape(op.result.type))])
    return reshaped(piece, shape(op.result.type)).value
