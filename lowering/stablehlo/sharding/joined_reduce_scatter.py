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

from hlo.dialect import stablehlo as ops
from hlo.dialect.types import element_type, shape, tensor


def join_reduce_scatters(scatters: Sequence[Any], attributes: dict[str, ir.Attribute], ip: ir.InsertionPoint) -> None:
    """Replaces reduce_scatters over the same groups, with the same reducer and element types, by one at `ip`."""
    first = scatters[0]
    location = ir.Location.fused([op.location for op in scatters])
    with ip, location:
        rows = [_rows(op) for op in scatters]
        matrix = ops.ConcatenateOp.create(*rows, dimension=1).result
        width = shape(matrix.type)[1]
        joined = ir.Operation.create(
            first.operation.name,
            results=[tensor([1, width], element_type(first.result.type))],
            operands=[matrix],
            attributes={**attributes, "scatter_dimension": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 0)},
            regions=len(first.regions),
        )
        first.regions[0].blocks[0].append_to(joined.regions[0])
        start = 0
        for op in scatters:
            count = prod(shape(op.result.type))
            op.result.replace_all_uses_with(_result(op, joined.results[0], start))
            op.operation.erase()
            start += count


def _rows(op: Any) -> ir.Value:
    """The operand as a matrix: in row k what process k of a group is to get."""
    sizes, d = shape(op.operand.type), op.scatter_dimension
    own = shape(op.result.type)[d]
    parts = sizes[d] // own
    value, element = op.operand, element_type(op.operand.type)
    if prod(sizes[:d]) > 1:
        split = [prod(sizes[:d]), parts, own * prod(sizes[d + 1 :])]
        value = ops.ReshapeOp.create(value, results=[tensor(split, element)]).result
        value = ops.TransposeOp.create(value, permutation=[1, 0, 2]).result
    return ops.ReshapeOp.create(value, results=[tensor([parts, prod(sizes) // parts], element)]).result


def _result(op: Any, row: ir.Value, start: int) -> ir.Value:
    end = start + prod(shape(op.result.type))
    piece = ops.SliceOp.create(row, start_indices=[0, start], limit_indices=[1, end], strides=[1, 1]).result
    return ops.ReshapeOp.create(piece, results=[op.result.type]).result
