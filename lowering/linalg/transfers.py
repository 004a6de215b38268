"""infeed, outfeed, send, recv and the interpreter dialect: calls of functions of the runtime, in the order of the program.

Before:  %x, %t = "stablehlo.infeed"(%token) : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
After:   %x = func.call @infeed_0() : () -> tensor<4xf32>, bound to the target "stablehlo.infeed"

Tokens are nothing: functions with effects are called in the order in which they are written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlir import ir

from hlo.dialect.attributes import I64
from hlo.dialect.channels import channel_config
from hlo.dialect.check import ExpectSerializedEqOp
from hlo.dialect.interpreter import PrintOp, ProbeOp
from hlo.dialect.locations import diagnostic, location_text
from hlo.dialect.stablehlo import InfeedOp, OutfeedOp, RecvOp, SendOp
from hlo.errors import CompileError
from hlo.lowering.linalg.custom_calls import call_own_target
from hlo.lowering.linalg.rules import Lowering, lowers
from hlo.lowering.stablehlo.collectives.grid_attributes import read_grid

STRINGS: dict[type, tuple[str, ...]] = {
    InfeedOp: ("infeed_config",),
    OutfeedOp: ("outfeed_config",),
    PrintOp: (),
    ProbeOp: ("probe_id",),
}
"""Which of an op's attributes its function is given."""


@lowers(*STRINGS)
def lower_transfer(op: Any, lowering: Lowering) -> list[Any]:
    strings = {name: ir.StringAttr.get(getattr(op, name)) for name in STRINGS[type(op)]}
    return call_own_target(op, lowering, strings)


@lowers(SendOp, RecvOp)
def lower_channel(op: SendOp | RecvOp, lowering: Lowering) -> list[Any]:
    grid = read_grid(lowering.source)
    pairs = op.source_target_pairs or ()
    if grid.size == 1 and any(device for pair in pairs for device in pair):
        raise CompileError(diagnostic(op, f"{op.operation.name} must name device 0 only, found the pairs {pairs}"))
    config = channel_config(op, grid)
    return call_own_target(op, lowering, {name: _ATTRIBUTES[type(value)](value) for name, value in config.items()})


@lowers(ExpectSerializedEqOp)
def lower_expect_serialized(op: ExpectSerializedEqOp, lowering: Lowering) -> list[Any]:
    texts = {"probe_id": ir.StringAttr.get(op.probe_id), "location": ir.StringAttr.get(location_text(op))}
    return call_own_target(op, lowering, {**texts, "iteration": I64.encode(op.iteration)})


_ATTRIBUTES: dict[type, Callable[[Any], ir.Attribute]] = {
    int: I64.encode,
    str: lambda text: ir.StringAttr.get(text),
    list: lambda numbers: _array(numbers),
}


def _array(numbers: list[Any]) -> ir.Attribute:
    if any(isinstance(n, list) for n in numbers):
        return ir.ArrayAttr.get([_array(n) for n in numbers])
    return ir.DenseI64ArrayAttr.get(numbers)
