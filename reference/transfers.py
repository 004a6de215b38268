"""Ops that reach the host: transfers through the queues of runtime/custom_calls/streams.py, and the interpreter dialect."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir

from hlo.dialect import check, interpreter
from hlo.dialect.channels import channel_config
from hlo.dialect.locations import location_text
from hlo.dialect.stablehlo import transfers
from hlo.dialect.types import is_tensor
from hlo.reference.table import evaluates
from hlo.reference.values import TOKEN, stored_dtype
from hlo.runtime.calls.signature import ArrayType
from hlo.runtime.custom_calls.registry import TARGETS
from hlo.runtime.grid.processes import current


@evaluates(transfers.InfeedOp)
def evaluate_infeed(call, token):
    return _taken(call, infeed_config=call.infeed_config)


@evaluates(transfers.RecvOp)
def evaluate_recv(call, token):
    return _taken(call, **channel_config(call.op, current().grid))


@evaluates(transfers.OutfeedOp)
def evaluate_outfeed(call, *operands):
    return _given(call, operands, outfeed_config=call.outfeed_config)


@evaluates(transfers.SendOp)
def evaluate_send(call, *operands):
    return _given(call, operands, **channel_config(call.op, current().grid))


def _taken(call: Any, **config: Any) -> list[Any]:
    types = [r.type for r in call.op.operation.results if is_tensor(r.type)]
    kinds = tuple(ArrayType(tuple(ir.RankedTensorType(t).shape), stored_dtype(t)) for t in types)
    return [*TARGETS[call.op.operation.name](backend_config=config, result_types=kinds), TOKEN]


def _given(call: Any, operands: tuple, **config: Any) -> Any:
    TARGETS[call.op.operation.name](*(np.asarray(o) for o in operands if o is not TOKEN), backend_config=config)
    return TOKEN


@evaluates(interpreter.PrintOp)
def evaluate_print(call, operand):
    return TARGETS["interpreter.print"](np.asarray(operand))


@evaluates(interpreter.ProbeOp)
def evaluate_probe(call, operand):
    return TARGETS["interpreter.probe"](np.asarray(operand), backend_config={"probe_id": call.probe_id})


@evaluates(check.ExpectSerializedEqOp)
def evaluate_expect_serialized_eq(call, expected):
    config = {"probe_id": call.probe_id, "iteration": call.iteration, "location": location_text(call)}
    TARGETS["check.expect_serialized_eq"](np.asarray(expected), backend_config=config)
    return []
