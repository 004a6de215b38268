"""chlo.broadcast_* ops: explicit broadcasts and the plain op, of StableHLO or CHLO. Used by legalize-chlo."""

from __future__ import annotations

from mlir import ir

from hlo.dialect import chlo, stablehlo  # noqa: F401
from hlo.dialect.definition import OPS
from hlo.dialect.locations import diagnostic
from hlo.errors import CompileError
from hlo.lowering.copying import attributes_of
from hlo.lowering.stablehlo.arithmetic import Tensor, broadcast
from hlo.lowering.stablehlo.chlo.table import legalizes

BROADCASTS = {op: op.replace("chlo.broadcast_", "stablehlo.") for op in OPS if op.startswith("chlo.broadcast_")}
BROADCASTS |= {op: plain.replace("stablehlo.", "chlo.") for op, plain in BROADCASTS.items() if plain not in OPS}
"""The op that is left of each broadcasting op."""


@legalizes(*BROADCASTS)
def legalize_broadcast(op: ir.OpView) -> list[ir.Value]:
    value = lower_broadcast(op)
    plain = value.owner
    if plain.name not in legalizes:
        return [value]
    values = legalizes[plain.name](plain.opview)
    plain.erase()
    return values


def lower_broadcast(op: ir.OpView) -> ir.Value:
    """Operands of lower rank take the dimensions that broadcast_dimensions names, or the last ones."""
    result_type = ir.RankedTensorType(op.results[0].type)
    if any(size < 0 for size in result_type.shape):
        raise CompileError(
            diagnostic(op, f"'{op.operation.name}' of a dynamic shape cannot be compiled: {result_type}")
        )
    operands = _broadcast_operands(op, list(result_type.shape))
    attributes = attributes_of(op, "broadcast_dimensions")
    return ir.Operation.create(BROADCASTS[op.operation.name], [result_type], operands, attributes).results[0]


def _broadcast_operands(op: ir.OpView, shape: list[int]) -> list[ir.Value]:
    given = list(ir.DenseI64ArrayAttr(op.attributes["broadcast_dimensions"])) if _has_dimensions(op) else None
    operands = []
    for value in op.operands:
        rank = len(ir.RankedTensorType(value.type).shape)
        trailing = list(range(len(shape) - rank, len(shape)))
        dimensions = given if given is not None and rank < len(shape) and len(given) == rank else trailing
        same = list(ir.RankedTensorType(value.type).shape) == shape
        operands.append(value if same else broadcast(Tensor(value), shape, dimensions).value)
    return operands


def _has_dimensions(op: ir.OpView) -> bool:
    return "broadcast_dimensions" in op.attributes
