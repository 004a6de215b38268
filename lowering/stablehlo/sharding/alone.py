"""Ops that one process runs for all, as a maximal sharding asks for: calls of the host's functions, which are called once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from hlo.dialect.attributes import I64Matrix
from hlo.dialect.stablehlo import ReturnOp
from hlo.lowering.stablehlo.sharding.annotations import SHARDING
from hlo.lowering.stablehlo.sharding.emitter import Emitter


def run_alone(emitter: Emitter, op: Any, operands: Sequence[ir.Value], processes: Sequence[int]) -> list[ir.Value]:
    """The results of an op that the first of the processes runs on these operands, on all of them:

    %p = partition_id = device
    %0 = if %p { the op } else { zeros }
    %1 = collective_broadcast %0"""
    number = emitter.constant(str(processes[0]), (), "ui32")
    direction = ir.StringAttr.get("EQ")
    chosen = emitter.one("compare", [emitter.process, number], (), "i1", comparison_direction=direction)
    types = [result.type for result in op.results]
    choice = emitter.emit("if", [chosen], types, regions=2)
    emitter.made.pop()  # it has an effect
    saved = emitter.ip
    for region, make in zip(choice.regions, (_the_op, _nothing)):
        block = region.blocks.append()
        emitter.ip = ir.InsertionPoint(block)
        values = make(emitter, op, operands, types)
        with emitter.ip, emitter.location:
            ReturnOp.create(*values, results=[])
    emitter.ip = saved
    return [_broadcast(emitter, value, processes) for value in choice.results]


def _the_op(emitter: Emitter, op: Any, operands: Sequence[ir.Value], types: Sequence[ir.Type]) -> list[ir.Value]:
    with ir.Location.unknown():
        copy = op.operation.clone(ip=emitter.ip)
    for number, value in enumerate(operands):
        copy.operands[number] = value
    del copy.attributes[SHARDING]
    return list(copy.results)


def _nothing(emitter: Emitter, op: Any, operands: Sequence[ir.Value], types: Sequence[ir.Type]) -> list[ir.Value]:
    return [_zero(emitter, type) for type in types]


def _zero(emitter: Emitter, type: ir.Type) -> ir.Value:
    if not isinstance(type, ir.RankedTensorType):
        return emitter.emit("after_all", [], [type]).results[0]
    shape, element = tuple(type.shape), str(type.element_type)
    return emitter.neutral("add", shape, element)


def _broadcast(emitter: Emitter, value: ir.Value, processes: Sequence[int]) -> ir.Value:
    if not isinstance(value.type, ir.RankedTensorType):
        return value
    shape, element = tuple(value.type.shape), str(value.type.element_type)
    groups = I64Matrix.encode([list(processes)])
    return emitter.collective("collective_broadcast", value, shape, element, replica_groups=groups)
