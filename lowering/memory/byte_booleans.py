"""Booleans in memory become bytes: memref<..xi1> cannot be lowered to LLVM.

Before:  %0 = memref.load %m[%i] : memref<8xi1>
After:   %1 = memref.load %m[%i] : memref<8xi8>
         %0 = arith.trunci %1 : i8 to i1"""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import arith

from hlo.dialect.elements import read_elements
from hlo.lowering.finding import each, regions_of
from hlo.lowering.functions import set_type

BYTE = 8


def store_booleans_as_bytes(module: ir.Module) -> None:
    """Changes the type of every memref of booleans; loads and stores convert."""
    ruled: list[ir.Operation] = []
    booleans: list[ir.Value] = []
    known: dict[ir.Type, bool] = {}  # there are far fewer types than values

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name in RULES:
            ruled.append(op)
        for value in [*op.results, *(a for r in regions_of(op) for b in each(r.blocks) for a in b.arguments)]:
            kind = value.type
            if kind not in known:
                known[kind] = _is_boolean_memory(kind)
            if known[kind]:
                booleans.append(value)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    for op in ruled:
        RULES[op.name](op)
    for value in booleans:
        value.set_type(_as_bytes(value.type))


def _load(op: ir.Operation) -> None:
    if not _is_boolean_memory(op.operands[0].type):
        return
    kind = op.results[0].type
    with op.location, ir.InsertionPoint.after(op):
        truncated = arith.TruncIOp(kind, op.results[0])
    op.results[0].replace_all_uses_except(truncated.result, truncated.operation)
    op.results[0].set_type(_byte_like(kind))


def _store(op: ir.Operation) -> None:
    if not _is_boolean_memory(op.operands[1].type):
        return
    with op.location, ir.InsertionPoint(op):
        op.operands[0] = arith.extui(_byte_like(op.operands[0].type), op.operands[0])


def _byte_like(kind: ir.Type) -> ir.Type:
    """A byte, or a vector of as many."""
    byte = ir.IntegerType.get_signless(BYTE)
    return ir.VectorType.get(ir.VectorType(kind).shape, byte) if isinstance(kind, ir.VectorType) else byte


def _function(op: ir.Operation) -> None:
    kind = ir.FunctionType(ir.TypeAttr(op.attributes["function_type"]).value)
    inputs = [_as_bytes(t) if _is_boolean_memory(t) else t for t in kind.inputs]
    set_type(op, inputs, kind.results)


def _global(op: ir.Operation) -> None:
    kind = ir.TypeAttr(op.attributes["type"]).value
    if not _is_boolean_memory(kind):
        return
    shape = list(ir.MemRefType(kind).shape)
    booleans = read_elements(op.attributes["initial_value"])
    assert booleans is not None
    values = booleans.astype(np.int8).reshape(shape)
    op.attributes["type"] = ir.TypeAttr.get(_as_bytes(kind))
    op.attributes["initial_value"] = ir.DenseElementsAttr.get(np.ascontiguousarray(values), signless=True)


RULES: dict[str, Any] = {
    "memref.load": _load,
    "vector.load": _load,
    "memref.store": _store,
    "vector.store": _store,
    "func.func": _function,
    "gpu.func": _function,
    "memref.global": _global,
}


def _is_boolean_memory(kind: ir.Type) -> bool:
    if not isinstance(kind, ir.MemRefType):
        return False
    element = kind.element_type
    return isinstance(element, ir.IntegerType) and element.width == 1


def _as_bytes(kind: ir.Type) -> ir.MemRefType:
    memory = ir.MemRefType(kind)
    byte = ir.IntegerType.get_signless(BYTE)
    return ir.MemRefType.get(memory.shape, byte, memory.layout, memory.memory_space)
