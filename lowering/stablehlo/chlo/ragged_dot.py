"""chlo.ragged_dot as a dot_general of which each group keeps its own. Used by legalize-chlo.

The ragged dimension is free: it meets the parts of rhs of all groups, and a sum over groups takes the matmul with its own
group's. It is contracted: every group gives a matmul of what is its own in lhs and rhs, along a first dimension of the
result. It is a batch dimension: groups make no difference.

What is not a group's own is left out by select, and never multiplied by 0: it may be infinite or NaN."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.attributes import DotDimensionNumbers
from hlo.dialect.chlo.structured import RaggedDotOp
from hlo.dialect.stablehlo import DotGeneralOp
from hlo.dialect.types import element_type, shape, tensor
from hlo.errors import CompileError
from hlo.lowering.linalg.rules import located
from hlo.lowering.stablehlo.arithmetic import Tensor, broadcast, compare, convert, dot, iota, reduced, select
from hlo.lowering.stablehlo.chlo.table import legalizes


@legalizes(RaggedDotOp)
def lower_ragged_dot(op: RaggedDotOp) -> list[ir.Value]:
    numbers, result = op.ragged_dot_dimension_numbers, op.results[0].type
    (ragged,) = numbers.lhs_ragged_dimensions
    if len(shape(op.group_sizes.type)) != 1:
        raise CompileError(located(op, f"'chlo.ragged_dot' of group_sizes {op.group_sizes.type} is not supported"))
    if ragged in numbers.lhs_batching_dimensions:
        return [_dot(_numbers(op), op.lhs, op.rhs, result)]
    mask = _mask(Tensor(op.group_sizes), shape(op.lhs.type)[ragged])
    return [(_matmuls_of_groups if ragged in numbers.lhs_contracting_dimensions else _rows_of_groups)(op, mask)]


def _rows_of_groups(op: RaggedDotOp, mask: Tensor) -> ir.Value:
    """The matmuls of all rows with parts of rhs, along one dimension more than the result; each row keeps its group's."""
    numbers, t = op.ragged_dot_dimension_numbers, op.results[0].type
    (ragged,), (along,) = numbers.lhs_ragged_dimensions, numbers.rhs_group_dimensions
    lhs_gone = (*numbers.lhs_batching_dimensions, *numbers.lhs_contracting_dimensions)
    rhs_gone = (*numbers.rhs_batching_dimensions, *numbers.rhs_contracting_dimensions)
    rows = len(numbers.lhs_batching_dimensions) + sum(d not in lhs_gone for d in range(ragged))
    groups = (
        len(shape(op.lhs.type)) - len(numbers.lhs_contracting_dimensions) + sum(d not in rhs_gone for d in range(along))
    )
    sizes = list(shape(t))
    sizes.insert(groups, mask.shape[0])
    found = Tensor(_dot(_numbers(op), op.lhs, op.rhs, tensor(sizes, element_type(t))))
    return reduced(select(broadcast(mask, sizes, [groups, rows]), found, 0.0), [groups]).value


def _matmuls_of_groups(op: RaggedDotOp, mask: Tensor) -> ir.Value:
    """A batch of the matmuls of all groups: of what the mask leaves of both operands."""
    numbers = op.ragged_dot_dimension_numbers
    (ragged,) = numbers.lhs_ragged_dimensions
    partner = numbers.rhs_contracting_dimensions[numbers.lhs_contracting_dimensions.index(ragged)]
    n = _numbers(op, shift=1)
    over_groups = DotDimensionNumbers(
        (0, *n.lhs_batching_dimensions),
        (0, *n.rhs_batching_dimensions),
        n.lhs_contracting_dimensions,
        n.rhs_contracting_dimensions,
    )
    return _dot(over_groups, _parts(op.lhs, mask, ragged), _parts(op.rhs, mask, partner), op.results[0].type)


def _parts(x: ir.Value, mask: Tensor, dimension: int) -> ir.Value:
    """A copy of an operand for each group, zero outside of the group."""
    sizes = [mask.shape[0], *shape(x.type)]
    copies = broadcast(Tensor(x), sizes, range(1, len(sizes)))
    return select(broadcast(mask, sizes, [0, dimension + 1]), copies, 0.0).value


def _numbers(op: RaggedDotOp, shift: int = 0) -> DotDimensionNumbers:
    """Those of the op, for operands with `shift` dimensions more before their own."""
    n = op.ragged_dot_dimension_numbers
    return DotDimensionNumbers(
        lhs_batching_dimensions=tuple(d + shift for d in n.lhs_batching_dimensions),
        rhs_batching_dimensions=tuple(d + shift for d in n.rhs_batching_dimensions),
        lhs_contracting_dimensions=tuple(d + shift for d in n.lhs_contracting_dimensions),
        rhs_contracting_dimensions=tuple(d + shift for d in n.rhs_contracting_dimensions),
    )


def _dot(numbers: DotDimensionNumbers, lhs: ir.Value, rhs: ir.Value, result: ir.Type) -> ir.Value:
    return DotGeneralOp.create(lhs, rhs, results=[result], dot_dimension_numbers=numbers).results[0]


def _mask(group_sizes: Tensor, size: int) -> Tensor:
    """Whether a position of the ragged dimension belongs to a group: groups x positions."""
    count = group_sizes.shape[0]
    square = tensor([count, count], group_sizes.element)
    is_before = compare("LE", iota(square, 1), iota(square, 0))
    ends = dot(convert(is_before, group_sizes.element), group_sizes, ([1], [0]))
    t = tensor([count, size], group_sizes.element)
    positions, first, last = iota(t, 1), *(broadcast(x, shape(t), [0]) for x in (ends - group_sizes, ends))
    return (positions >= first) & (positions < last)
