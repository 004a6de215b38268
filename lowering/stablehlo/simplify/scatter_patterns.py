"""A scatter of one window at known indices is a dynamic_update_slice, for simplify-algebra: what `x.at[1:-1].set(y)` and
`x.at[0].add(y)` become in JAX."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.stablehlo import DynamicUpdateSliceOp, ScatterOp
from hlo.dialect.types import shape, tensor
from hlo.lowering.copying import remade
from hlo.lowering.stablehlo.arithmetic import Tensor, constant, reshaped, sliced
from hlo.lowering.stablehlo.constants import read_constant
from hlo.lowering.stablehlo.rewriting import combining_op, defining
from hlo.lowering.stablehlo.simplify.table import simplifies


@simplifies(ScatterOp)
def scatter_of_one_window(op: ScatterOp) -> ir.Value | None:
    """scatter(x, constant index, u, body) = dynamic_update_slice(x, body(slice of x, u)) when all of the window is inside."""
    starts = _known_starts(op)
    if starts is None:
        return None
    (operand,), (update,) = op.inputs, op.updates
    window = _window_sizes(op)
    limits = [start + size for start, size in zip(starts, window)]
    if min(starts, default=0) < 0 or any(limit > size for limit, size in zip(limits, shape(operand.type))):
        return None
    body = op.update_computation.blocks[0]
    combiner, first = combining_op(body), body.operations[0]
    if combiner is None and (not first.IS_TERMINATOR or first.operands[0] != body.arguments[1]):
        return None
    update = reshaped(Tensor(update), window).value
    if combiner is not None:
        old = sliced(Tensor(operand), starts, limits).value
        values = [old if v == body.arguments[0] else update for v in combiner.operands]
        update = remade(combiner, values, [update.type]).result
    indices = [constant(tensor([], ir.IntegerType.get_signless(64)), start).value for start in starts]
    return DynamicUpdateSliceOp.create(operand, update, *indices, results=[operand.type]).result


def _known_starts(op: ScatterOp) -> list[int] | None:
    """Where the only window begins, from constant indices; None when there are several windows or unknown indices."""
    numbers, index = op.scatter_dimension_numbers, defining(op.scatter_indices, "constant")
    if len(op.inputs) != 1 or numbers.input_batching_dims or index is None:
        return None
    if len(numbers.update_window_dims) != len(shape(op.updates[0].type)):
        return None
    known = read_constant(index)
    if known is None or known.size != len(numbers.scatter_dims_to_operand_dims):
        return None
    starts = [0] * len(shape(op.inputs[0].type))
    for dim, start in zip(numbers.scatter_dims_to_operand_dims, known.reshape(-1)):
        starts[dim] = int(start)
    return starts


def _window_sizes(op: ScatterOp) -> list[int]:
    """The window with a size for every dimension of the operand."""
    sizes = iter(shape(op.updates[0].type))
    inserted = op.scatter_dimension_numbers.inserted_window_dims
    return [1 if d in inserted else next(sizes) for d in range(len(shape(op.inputs[0].type)))]
