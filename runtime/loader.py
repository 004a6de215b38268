"""From a module in the LLVM dialect to an executable: constants, custom calls, machine code."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

import numpy as np
from mlir import ir

from hlo.errors import CompileError
from hlo.lowering.memory.add_entry import ENTRY
from hlo.lowering.memory.dense_data import raw_value
from hlo.runtime import check_targets, custom_calls
from hlo.runtime.dtypes import DTYPES, element_dtype
from hlo.runtime.engine import compile_code
from hlo.runtime.executable import Executable
from hlo.runtime.signature import ArrayType, Signature

check_targets.register_all()


def load(
    module: ir.Module,
    signature: Signature,
    *,
    engine: str = "llvm",
    cpu: str = "host",
    phases: Mapping[str, str] | None = None,
) -> Executable:
    """Makes an executable of what the last phase left. The module is changed: its constants are taken out (they stay
    where they are in its context, which the executable keeps)."""
    attributes = module.operation.attributes
    if "hlo.arena" not in attributes:
        raise CompileError("the pipeline's last module has no hlo.arena: it must run bufferize-host and add-entry")
    with module.context:
        calls = [_custom_call(ir.DictAttr(a)) for a in ir.ArrayAttr(attributes["hlo.custom_calls"])]
        constants = _take_constants(module)
        code = compile_code(module, ENTRY, engine, cpu)
    arena = ir.IntegerAttr(attributes["hlo.arena"]).value
    return Executable(
        code,
        signature,
        constants=constants,
        arena=arena,
        custom_calls=calls,
        phases=phases,
        keep=module.context,
    )


def check_custom_calls(module: ir.Module) -> None:
    """Raises CompileError for a custom call whose target no function is registered for, before code is generated."""
    for attribute in ir.ArrayAttr(module.operation.attributes["hlo.custom_calls"]):
        _custom_call(ir.DictAttr(attribute))


def _custom_call(attributes: Any) -> custom_calls.CustomCall:
    operands = _array_types(attributes, "hlo.operand_types")
    results = _array_types(attributes, "hlo.result_types")
    return custom_calls.bind(attributes, operands, results)


def _array_types(attributes: Any, key: str) -> tuple[ArrayType, ...]:
    types = [ir.RankedTensorType(ir.TypeAttr(t).value) for t in ir.ArrayAttr(attributes[key])]
    return tuple(ArrayType(tuple(t.shape), element_dtype(t.element_type, "custom call")) for t in types)


def _take_constants(module: ir.Module) -> list[np.ndarray]:
    found = [op for op in module.body.operations if op.operation.name == "hlo.constant"]
    arrays = [_constant(op) for op in found]
    for op in found:
        op.operation.erase()
    return arrays


def _constant(op: Any) -> np.ndarray:
    """The data of a constant: a view, unless it is a splat (stored once) or boolean (stored as bits)."""
    kind = ir.RankedTensorType(ir.TypeAttr(op.operation.attributes["type"]).value)
    shape, dtype = tuple(kind.shape), DTYPES[str(kind.element_type)]
    address, splat = raw_value(op)
    count = 1 if splat else int(np.prod(shape))
    if dtype == np.bool_:
        array = _booleans(address, count, splat)
    else:
        array = np.frombuffer((ctypes.c_char * (count * dtype.itemsize)).from_address(address), dtype, count)
    return np.ascontiguousarray(np.broadcast_to(array[0], shape)) if splat else array.reshape(shape)


def _booleans(address: int, count: int, splat: bool) -> np.ndarray:
    size = (count + 7) // 8
    bits = np.frombuffer((ctypes.c_char * size).from_address(address), np.uint8, size)
    if splat:
        return bits[:1] != 0
    return np.unpackbits(bits, count=count, bitorder="little").view(np.bool_)
