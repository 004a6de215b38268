"""Reductions along a dimension in which a few arrays were stacked for it (jnp.stack, jnp.select), for simplify-algebra: the
function of the reduction for one array after the other. No array of all of them is written then.

%s = concatenate %a, %b, dim = 0 : (1x9xf32, 1x9xf32)
%m = multiply %s, %s                                         becomes      %t = add %init, (multiply %a, %a) : 9xf32
%r = reduce add %m, dims = [0]                                            %r = add %t, (multiply %b, %b)"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from hlo.dialect.stablehlo import BroadcastInDimOp, ConcatenateOp, ConvertOp, IotaOp, ReduceOp
from hlo.dialect.types import element_type, shape, tensor
from hlo.lowering.copying import cloned_with
from hlo.lowering.finding import made_by
from hlo.lowering.stablehlo.arithmetic import Tensor, broadcast, constant, iota, part_along, reshaped
from hlo.lowering.stablehlo.simplify.table import simplifies
from hlo.lowering.stablehlo.simplify.unit_dimensions import with_shape

MOST = 8
"""Arrays in a stack: the reduction's function is in the program once for each."""

DEEPEST = 16
"""Elementwise ops, one on the other, between a stack and a reduction."""


@simplifies(ReduceOp)
def reduction_of_stack(op: ReduceOp) -> list[ir.Value] | None:
    """In the order of the stack, from the initial value on."""
    count, dimensions = len(op.results), list(op.dimensions)
    inputs, starts = list(op.operands)[:count], list(op.operands)[count:]
    sizes = shape(inputs[0].type)
    if len(dimensions) != 1 or not 0 < sizes[dimensions[0]] <= MOST or any(n < 0 for n in sizes):
        return None
    parts = _Parts(dimensions[0])
    if not any(parts.has_stack(v) for v in inputs) or not _is_elementwise(op):
        return None
    left = parts.without(sizes)
    values = [broadcast(Tensor(v), left).value for v in starts]
    for number in range(sizes[dimensions[0]]):
        values = _applied(op, [*values, *(parts.of(v, number).value for v in inputs)], left)
    return values


class _Parts:
    """Of values along a dimension, at one position of it, without the dimension."""

    def __init__(self, dimension: int):
        self.dimension = dimension
        self._made: dict[tuple[ir.Value, int], Tensor] = {}

    def without(self, sizes: Sequence[int]) -> list[int]:
        return [n for d, n in enumerate(sizes) if d != self.dimension]

    def has_stack(self, value: ir.Value, deepest: int = DEEPEST) -> bool:
        """Whether it is a stack, or an elementwise function of one."""
        op = _made_by(value)
        if self._is_stack(op):
            return True
        operands = dict.fromkeys(op.operands) if deepest and _is_function(op) else ()
        return any(self.has_stack(v, deepest - 1) for v in operands)

    def _is_stack(self, op: Any) -> bool:
        """Arrays of size 1 along the dimension, one behind the other."""
        if not isinstance(op, ConcatenateOp) or op.dimension != self.dimension:
            return False
        return all(shape(part.type)[self.dimension] == 1 for part in op.operands)

    def of(self, value: ir.Value, number: int) -> Tensor:
        key = value, number
        if key not in self._made:
            self._made[key] = self._part(value, number)
        return self._made[key]

    def _part(self, value: ir.Value, number: int) -> Tensor:
        op, d = _made_by(value), self.dimension
        sizes = shape(value.type)
        left, element = self.without(sizes), element_type(value.type)
        if self._is_stack(op):
            return reshaped(Tensor(op.operands[number]), left)
        if _is_function(op) and self.has_stack(value):
            operands = [self.of(v, number).value for v in op.operands]
            return Tensor(cloned_with(op, operands, [tensor(left, element)]).results[0])
        if isinstance(op, IotaOp):
            along = op.iota_dimension
            kind = tensor(left, element)
            return constant(kind, number) if along == d else iota(kind, along - (along > d))
        if isinstance(op, BroadcastInDimOp) and d not in op.broadcast_dimensions:
            return broadcast(Tensor(op.operand), left, [n - (n > d) for n in op.broadcast_dimensions])
        if op is not None and getattr(op.attributes.get("value"), "is_splat", False):
            return Tensor(with_shape(value, op, left))
        return reshaped(part_along(Tensor(value), d, number, 1), left)


def _made_by(value: ir.Value) -> Any:
    op = made_by(value)
    return None if op is None else op.opview


def _is_function(op: Any) -> bool:
    """Elementwise, of arrays of one shape; what costs more than a conversion has one reader, so that it is computed once."""
    if not getattr(op, "ELEMENTWISE", False) or any(shape(v.type) != shape(op.results[0].type) for v in op.operands):
        return False
    first, *others = [use.owner for use in op.results[0].uses]
    return isinstance(op, ConvertOp) or all(other == first for other in others)


def _is_elementwise(op: ReduceOp) -> bool:
    """Whether its function is elementwise ops of scalars, constants among them, and no element changes its type on the way."""
    block = op.body.blocks[0]
    *ops, end = block.operations
    kinds = [element_type(v.type) for v in op.results]
    values = [*op.operands, *block.arguments, *end.operands]
    if [element_type(v.type) for v in values] != kinds * (len(values) // len(kinds)):
        return False
    return all(
        (getattr(one, "ELEMENTWISE", False) or one.operation.name == "stablehlo.constant")
        and all(not shape(v.type) for v in (*one.operands, *one.results))
        for one in ops
    )


def _applied(op: ReduceOp, operands: Sequence[ir.Value], sizes: Sequence[int]) -> list[ir.Value]:
    """The function of a reduction, which is of scalars, of arrays of these sizes."""
    *ops, end = op.body.blocks[0].operations
    arrays: dict[ir.Value, ir.Value] = dict(zip(op.body.blocks[0].arguments, operands, strict=True))

    def array(value: ir.Value) -> ir.Value:
        if value not in arrays:  # from outside
            arrays[value] = broadcast(Tensor(value), sizes).value
        return arrays[value]

    for one in ops:
        (result,) = one.results
        kind = tensor(sizes, element_type(result.type))
        if one.operation.name == "stablehlo.constant":
            arrays[result] = with_shape(result, one, sizes)
        else:
            arrays[result] = cloned_with(one, [array(v) for v in one.operands], [kind]).results[0]
    return [array(v) for v in end.operands]
