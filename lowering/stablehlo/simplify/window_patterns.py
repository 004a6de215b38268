"""Windows over equal elements, for simplify-algebra: the number of elements that a padded average pool divides by.

%o = constant 1.0 : 8x56x56x64xf32                    %o = constant 1.0 : 1x56x56x1xf32
%n = reduce_window add %o, 3x3 : 8x56x56x64xf32       %m = reduce_window add %o, 3x3 : 1x56x56x1xf32
                                        becomes       %n = broadcast_in_dim %m : 8x56x56x64xf32"""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.dialect.elements import splat_of
from hlo.dialect.stablehlo import BroadcastInDimOp, ConstantOp, ReduceWindowOp
from hlo.dialect.types import element_type, shape
from hlo.lowering.stablehlo.simplify.table import simplifies


@simplifies(ReduceWindowOp)
def reduce_once(op: Any) -> ir.Value | None:
    """Dimensions along which all elements of the operand are equal, and that windows do not move in, are reduced at one index."""
    if len(op.inputs) != 1 or any(n < 0 for n in (*shape(op.inputs[0].type), *shape(op.results[0].type))):
        return None
    sizes = shape(op.inputs[0].type)
    repeated = {d for d in _equal_along(op.inputs[0]) if sizes[d] > 1 and _stays(op, d)}
    if not repeated:
        return None
    operand = _narrowed(op.inputs[0], repeated)
    made = op.operation.clone()
    made.operands[0] = operand
    made.results[0].set_type(_with_ones(op.results[0].type, repeated))
    rank = list(range(len(sizes)))
    return BroadcastInDimOp.create(made.results[0], results=[op.results[0].type], broadcast_dimensions=rank).results[0]


def _equal_along(value: ir.Value) -> set[int]:
    """Dimensions along which all elements are known to be equal."""
    owner, sizes = value.owner, shape(value.type)
    if isinstance(owner, ir.Block):
        return set()
    if owner.name == ConstantOp.OPERATION_NAME:
        is_splat = getattr(owner.attributes["value"], "is_splat", False)
        return set(range(len(sizes))) if is_splat else set()
    if owner.name != BroadcastInDimOp.OPERATION_NAME:
        return set()
    broadcast = owner.opview
    given = zip(broadcast.broadcast_dimensions, shape(broadcast.operand.type), strict=True)
    return set(range(len(sizes))) - {d for d, size in given if size != 1}


def _stays(op: Any, d: int) -> bool:
    """Whether each window has one element along a dimension, and there is one for each."""
    moves = op.window_dimensions[d], op.window_strides[d], op.base_dilations[d]
    return moves == (1, 1, 1) and tuple(op.padding[d]) == (0, 0)


def _narrowed(value: ir.Value, repeated: set[int]) -> ir.Value:
    kind, owner = _with_ones(value.type, repeated), value.owner
    if owner.name == ConstantOp.OPERATION_NAME:
        return ConstantOp.create(results=[kind], value=splat_of(owner.attributes["value"], kind)).results[0]
    broadcast = owner.opview
    dimensions = list(broadcast.broadcast_dimensions)
    return BroadcastInDimOp.create(broadcast.operand, results=[kind], broadcast_dimensions=dimensions).results[0]


def _with_ones(kind: ir.Type, repeated: set[int]) -> ir.Type:
    return ir.RankedTensorType.get([1 if d in repeated else n for d, n in enumerate(shape(kind))], element_type(kind))
