"""chlo.ragged_dot as a dot_general of which each group keeps its own. Used by legalize-chlo.

The ragged dimension is free: it meets the parts of rhs of all groups, and a sum over groups takes the matmul with its own
group's. It is contracted: every group gives a matmul of what is its own in lhs and rhs, along a first dimension of the
result. It is a batch dimension: groups make no difference.

What is not a group's own is left out by select, and never multiplied by 0: it may be infinite or NaN."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.chlo.structured import RaggedDotOp
from hlo.dialect.locations import diagnostic
from hlo.dialect.types import element_type, shape, tensor
from hlo.errors import CompileError
from hlo.lowering.stablehlo.arithmetic import Tensor, broadcast, compare, convert, dot, iota, reduced, select
from hlo.lowering.stablehlo.chlo.table import legalizes


@legalizes(RaggedDotOp)
def lower_ragged_dot(op: RaggedDotOp) -> list[ir.Value]:
    n, element = op.ragged_dot_dimension_numbers, element_type(op.results[0].type)
    (ragged,), lhs, rhs = n.lhs_ragged_dimensions, Tensor(op.lhs), Tensor(op.rhs)
    contracting = n.lhs_contracting_dimensions, n.rhs_contracting_dimensions
    batching = n.lhs_batching_dimensions, n.rhs_batching_dimensions
    if len(shape(op.group_sizes.type)) != 1:
        raise CompileError(diagnostic(op, f"'chlo.ragged_dot' of group_sizes {op.group_sizes.type} is not supported"))
    if ragged in batching[0]:
        return [dot(lhs, rhs, contracting, batching, element).value]
    mask = _mask(Tensor(op.group_sizes), lhs.shape[ragged])
    if ragged not in contracting[0]:
        _, _, labels = n.labels(len(lhs.shape), len(rhs.shape))
        row, group = labels.index(("m", ragged)), labels.index(("n", n.rhs_group_dimensions[0]))
        return [_own(dot(lhs, rhs, contracting, batching, element), mask, row, group).value]
    partner = contracting[1][contracting[0].index(ragged)]
    left, right, first, second = ([d + 1 for d in side] for side in (*contracting, *batching))
    operands = _parts(lhs, mask, ragged), _parts(rhs, mask, partner)
    return [dot(*operands, (left, right), ([0, *first], [0, *second]), element).value]


def _own(found: Tensor, mask: Tensor, row: int, group: int) -> Tensor:
    """Of the matmuls of all rows with the parts of rhs of all groups, each row's with its own group's."""
    return reduced(select(broadcast(mask, found.shape, [group, row]), found, 0.0), [group])


def _parts(x: Tensor, mask: Tensor, dimension: int) -> Tensor:
    """A copy of an operand for each group, zero outside of the group."""
    sizes = [mask.shape[0], *x.shape]
    copies = broadcast(x, sizes, range(1, len(sizes)))
    return select(broadcast(mask, sizes, [0, dimension + 1]), copies, 0.0)


def _mask(group_sizes: Tensor, size: int) -> Tensor:
    """Whether a position of the ragged dimension belongs to a group: groups x positions."""
    count = group_sizes.shape[0]
    square = tensor([count, count], group_sizes.element)
    is_before = compare("LE", iota(square, 1), iota(square, 0))
    ends = dot(convert(is_before, group_sizes.element), group_sizes, ([1], [0]))
    t = tensor([count, size], group_sizes.element)
    positions, first, last = iota(t, 1), *(broadcast(x, shape(t), [0]) for x in (ends - group_sizes, ends))
    return (positions >= first) & (positions < last)
