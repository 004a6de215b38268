"""Temporaries of a kernel come from its caller: allocations at the top of a code function become one more parameter.

Before:  func.func private @k.code(%a: memref<8xf32>, %r: memref<8xf32>) { %t = memref.alloc() : memref<512xf32> ... }
After:   func.func private @k.code(%a: memref<8xf32>, %r: memref<8xf32>, %scratch: memref<2048xi8>) { %t = memref.view ... }

The kernel's `hlo.scratch` tells the bytes; host code gives it a part of the arena, so that a call touches no fresh pages."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import arith, memref

from hlo.dialect.attributes import I64
from hlo.lowering.finding import ops_within
from hlo.lowering.functions import add_arguments
from hlo.lowering.memory.groups import aligned
from hlo.lowering.memory.storage import byte_size
from hlo.lowering.replacing import rewrite


def take_scratch(kernel: Any, code: Any) -> None:
    """Moves the allocations of a code function (its outermost block, static sizes) into a trailing parameter."""
    entry = code.regions[0].blocks[0]
    found = [op.operation for op in entry.operations if _is_static_allocation(op.operation)]
    if not found:
        return
    offsets, total = [], 0
    for op in found:
        offsets.append(total)
        total += aligned(byte_size(op.results[0].type))
    with code.location:
        (parameter,) = add_arguments(code, [ir.MemRefType.get([total], ir.IntegerType.get_signless(8))])
    for op, offset in zip(found, offsets):
        _release(op)
        rewrite(op, _view, parameter, offset)
    kernel.attributes["hlo.scratch"] = I64.encode(total)


def allocates_on_top(code: Any) -> bool:
    """Whether all allocations of a code function are such that `take_scratch` moves: they are never freed."""
    entry = code.regions[0].blocks[0]
    found = ops_within(code, lambda op: op.name == "memref.alloc")
    return all(op.block == entry and _is_static_allocation(op) for op in found)


def scratch_bytes(kernel: Any) -> int:
    """What a kernel wants of its caller."""
    return ir.IntegerAttr(kernel.attributes["hlo.scratch"]).value if "hlo.scratch" in kernel.attributes else 0


def _is_static_allocation(op: ir.Operation) -> bool:
    if op.name != "memref.alloc":
        return False
    kind = ir.MemRefType(op.results[0].type)
    return kind.has_static_shape and not any(_returned(use.owner) for use in op.results[0].uses)


def _returned(user: Any) -> bool:
    return user.operation.name in ("func.return", "scf.yield")


def _release(op: ir.Operation) -> None:
    """Its caller frees the memory."""
    for use in list(op.results[0].uses):
        if use.owner.operation.name == "memref.dealloc":
            use.owner.operation.erase()


def _view(op: ir.Operation, parameter: ir.Value, offset: int) -> ir.Value:
    return memref.view(op.results[0].type, parameter, arith.constant(ir.IndexType.get(), offset), [])
