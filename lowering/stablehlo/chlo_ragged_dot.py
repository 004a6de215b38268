"""chlo.ragged_dot as a dot_general whose lhs has, for each group, only that group's part of the ragged dimension. Used
by legalize-chlo.

The ragged dimension is free: each group meets its own part of rhs, and the products are added over groups.
It is contracted: every group gives a product of its own, along a first dimension of the result.
It is a batch dimension: groups make no difference."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.attributes import DotDimensionNumbers
from hlo.dialect.chlo.structured import RaggedDotOp
from hlo.dialect.stablehlo import BroadcastInDimOp, DotGeneralOp, IotaOp, TransposeOp
from hlo.dialect.types import element_type, shape, tensor
from hlo.errors import CompileError
from hlo.lowering.linalg.rules import located
from hlo.lowering.stablehlo.arithmetic import Tensor, compare, convert, select


def lower_ragged_dot(op: RaggedDotOp) -> list[ir.Value]:
    numbers = op.ragged_dot_dimension_numbers
    (ragged,) = numbers.lhs_ragged_dimensions
    if len(shape(op.group_sizes.type)) != 1:
        raise CompileError(located(op, f"'chlo.ragged_dot' of group_sizes {op.group_sizes.type} is not supported"))
    if ragged in numbers.lhs_batching_dimensions:
        return [_dot(op, op.lhs, shift=0, groups=())]
    parts = _parts(op, ragged)
    if ragged not in numbers.lhs_contracting_dimensions:
        return [_dot(op, parts, shift=1, groups=tuple(numbers.rhs_group_dimensions))]
    batches = len(numbers.lhs_batching_dimensions)
    order = [batches, *(d for d in range(len(shape(op.results[0].type))) if d != batches)]
    sizes = shape(op.results[0].type)
    before = tensor([*sizes[1 : batches + 1], sizes[0], *sizes[batches + 1 :]], element_type(op.results[0].type))
    return list(TransposeOp.create(_dot(op, parts, shift=1, groups=(), result=before), permutation=order).results)


def _dot(
    op: RaggedDotOp, lhs: ir.Value, shift: int, groups: tuple[int, ...], result: ir.Type | None = None
) -> ir.Value:
    """The product; `shift`: dimensions before those of the op's lhs; `groups`: what they are contracted with."""
    numbers = op.ragged_dot_dimension_numbers
    dimensions = DotDimensionNumbers(
        lhs_batching_dimensions=tuple(d + shift for d in numbers.lhs_batching_dimensions),
        rhs_batching_dimensions=tuple(numbers.rhs_batching_dimensions),
        lhs_contracting_dimensions=(*range(len(groups)), *(d + shift for d in numbers.lhs_contracting_dimensions)),
        rhs_contracting_dimensions=(*groups, *numbers.rhs_contracting_dimensions),
    )
    types = [result or op.results[0].type]
    return DotGeneralOp.create(lhs, op.rhs, results=types, dot_dimension_numbers=dimensions).results[0]


def _parts(op: RaggedDotOp, ragged: int) -> ir.Value:
    """A copy of lhs for each group, zero outside of the group."""
    sizes, count = shape(op.lhs.type), shape(op.group_sizes.type)[0]
    t = tensor([count, *sizes], element_type(op.lhs.type))
    lhs = BroadcastInDimOp.create(op.lhs, results=[t], broadcast_dimensions=range(1, len(sizes) + 1)).results[0]
    mask = _mask(Tensor(op.group_sizes), sizes[ragged])
    t = tensor([count, *sizes], ir.IntegerType.get_signless(1))
    spread = BroadcastInDimOp.create(mask.value, results=[t], broadcast_dimensions=[0, ragged + 1]).results[0]
    wide = Tensor(lhs)
    return select(Tensor(spread), wide, 0.0).value


def _mask(group_sizes: Tensor, size: int) -> Tensor:
    """Whether a position of the ragged dimension belongs to a group: groups x positions."""
    count = group_sizes.shape[0]
    square = tensor([count, count], group_sizes.element)
    is_before = compare("LE", _iota(square, 1), _iota(square, 0))
    dimensions = DotDimensionNumbers(lhs_contracting_dimensions=(1,), rhs_contracting_dimensions=(0,))
    operands = convert(is_before, group_sizes.element).value, group_sizes.value
    ends = Tensor(
        DotGeneralOp.create(*operands, results=[group_sizes.type], dot_dimension_numbers=dimensions).results[0]
    )
    t = tensor([count, size], group_sizes.element)
    positions, first, last = _iota(t, 1), _spread(ends - group_sizes, t), _spread(ends, t)
    return (positions >= first) & (positions < last)


def _iota(t: ir.Type, dimension: int) -> Tensor:
    return Tensor(IotaOp.create(results=[t], iota_dimension=dimension).results[0])


def _spread(x: Tensor, t: ir.Type) -> Tensor:
    return Tensor(BroadcastInDimOp.create(x.value, results=[t], broadcast_dimensions=[0]).results[0])
