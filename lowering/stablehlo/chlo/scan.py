"""chlo.scan as a loop that slices its inputs, runs the body and puts slices into its outputs. Used by legalize-chlo.

outputs[i], carries = body(inputs[i], carries), from the first index of the dimension to the last, or in reverse."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from hlo.dialect.chlo.structured import ScanOp
from hlo.dialect.locations import diagnostic
from hlo.dialect.stablehlo import WhileOp
from hlo.dialect.types import shape, tensor
from hlo.errors import CompileError
from hlo.lowering.stablehlo.arithmetic import (
    Tensor,
    compare,
    constant,
    constant_like,
    part_along,
    put_along,
    reshaped,
)
from hlo.lowering.stablehlo.chlo.table import legalizes
from hlo.lowering.stablehlo.rewriting import fill_region, move_body


@legalizes(ScanOp)
def lower_scan(op: ScanOp) -> list[ir.Value]:
    count = _steps(op)
    counter = tensor([], ir.IntegerType.get_signless(32))
    outputs = [constant(v.type, 0).value for v in op.outputs]
    if not count:
        return [*outputs, *op.inits]
    carried = [constant(counter, 0).value, *op.inits, *outputs]
    types = [v.type for v in carried]
    loop = WhileOp.create(*carried, results=types)
    fill_region(loop.cond, types, lambda *carried: [compare("LT", Tensor(carried[0]), count).value])
    fill_region(loop.body, types, lambda *carried: _step(op, carried, count))
    after = list(loop.results)[1:]
    return [*after[len(op.inits) :], *after[: len(op.inits)]]


def _steps(op: ScanOp) -> int:
    sizes = {shape(v.type)[op.dimension] for v in (*op.inputs, *op.outputs)}
    sizes |= {op.scan_dim_size} - {None}
    if len(sizes) != 1 or min(sizes) < 0:
        raise CompileError(diagnostic(op, f"'chlo.scan' needs one static size of dimension {op.dimension}"))
    return sizes.pop()


def _step(op: ScanOp, carried: Sequence[ir.Value], count: int) -> list[ir.Value]:
    """The values carried to the next step."""
    counter, carries, outputs = Tensor(carried[0]), carried[1 : 1 + len(op.inits)], carried[1 + len(op.inits) :]
    index = constant_like(counter, count - 1) - counter if op.is_reverse else counter
    slices = [_slice(v, index, op.dimension) for v in op.inputs]
    results = move_body(op.body.blocks[0], [*slices, *carries])
    made, after = results[: len(outputs)], results[len(outputs) :]
    updated = [_updated(o, s, index, op.dimension) for o, s in zip(outputs, made, strict=True)]
    return [(counter + 1).value, *after, *updated]


def _slice(value: ir.Value, index: Tensor, dimension: int) -> ir.Value:
    taken = part_along(Tensor(value), dimension, index, 1)
    return reshaped(taken, [n for d, n in enumerate(taken.shape) if d != dimension]).value


def _updated(value: ir.Value, part: ir.Value, index: Tensor, dimension: int) -> ir.Value:
    sizes = list(shape(value.type))
    sizes[dimension] = 1
    return put_along(Tensor(value), dimension, index, reshaped(Tensor(part), sizes)).value
