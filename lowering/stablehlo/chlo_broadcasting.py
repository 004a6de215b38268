"""chlo.broadcast_* ops: explicit broadcasts and the plain op. Used by legalize-chlo."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir

from hlo.dialect.stablehlo import BroadcastInDimOp
from hlo.dialect.types import element_type, tensor
from hlo.errors import CompileError
from hlo.lowering.linalg.rules import located
from hlo.lowering.stablehlo import gamma_functions as gamma
from hlo.lowering.stablehlo.arithmetic import Tensor, convert
from hlo.lowering.stablehlo.bit_functions import next_after

_PLAIN = (
    "add and atan2 compare complex divide maximum minimum multiply or power remainder select shift_left "
    "shift_right_arithmetic shift_right_logical subtract xor"
)
_FUNCTIONS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "broadcast_next_after": next_after,
    "broadcast_polygamma": gamma.polygamma,
    "broadcast_zeta": gamma.zeta,
}
BROADCASTS: dict[str, str] = {f"broadcast_{name}": name for name in _PLAIN.split()} | dict.fromkeys(_FUNCTIONS, "")
"""The StableHLO op of each broadcasting op ("" for functions)."""


def lower_broadcast(op: ir.OpView) -> ir.Value:
    """Operands of lower rank take the dimensions that broadcast_dimensions names, or the last ones."""
    mnemonic = op.operation.name.removeprefix("chlo.")
    result_type = ir.RankedTensorType(op.results[0].type)
    if any(size < 0 for size in result_type.shape):
        raise CompileError(located(op, f"'{op.operation.name}' of a dynamic shape cannot be compiled: {result_type}"))
    operands = _broadcast_operands(op, list(result_type.shape))
    if mnemonic in _FUNCTIONS:
        return _call_in_f64(_FUNCTIONS[mnemonic], operands)
    attributes = {name: op.attributes[name] for name in op.attributes if name != "broadcast_dimensions"}
    return ir.Operation.create(
        f"stablehlo.{BROADCASTS[mnemonic]}", results=[result_type], operands=operands, attributes=attributes
    ).results[0]


def _call_in_f64(function: Callable[[Tensor, Tensor], Tensor], operands: Sequence[ir.Value]) -> ir.Value:
    tensors = [Tensor(v) for v in operands]
    element = tensors[0].element
    if function is next_after:
        return function(*tensors).value
    return convert(function(*(convert(x, ir.F64Type.get()) for x in tensors)), element).value


def _broadcast_operands(op: ir.OpView, shape: list[int]) -> list[ir.Value]:
    given = list(ir.DenseI64ArrayAttr(op.attributes["broadcast_dimensions"])) if _has_dimensions(op) else None
    operands = []
    for value in op.operands:
        rank = len(ir.RankedTensorType(value.type).shape)
        trailing = list(range(len(shape) - rank, len(shape)))
        dimensions = given if given is not None and rank < len(shape) and len(given) == rank else trailing
        operands.append(_broadcast(value, shape, dimensions))
    return operands


def _has_dimensions(op: ir.OpView) -> bool:
    return "broadcast_dimensions" in op.attributes


def _broadcast(value: ir.Value, shape: list[int], dimensions: Sequence[int]) -> ir.Value:
    if list(ir.RankedTensorType(value.type).shape) == shape:
        return value
    result_type = tensor(shape, element_type(value.type))
    return BroadcastInDimOp.create(value, results=[result_type], broadcast_dimensions=dimensions).results[0]
