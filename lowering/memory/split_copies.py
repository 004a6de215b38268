"""The pass `split-copies`: large copies between arrays of the host code are split into parts, which threads run in parallel.

Before:  memref.copy %a, %r : memref<4096x512xf32> to memref<4096x512xf32>
After:   call @copy_0(%a, %r, 8)      (all parts: parallelise_parts.py)
         func.func private @copy_0(%a, %r, %t) { memref.copy of 262144 elements from min(%t * 262144, ...) on }"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from mlir import ir
from mlir.dialects import arith, func, memref

from hlo.lowering.finding import ops_named
from hlo.lowering.kernel_calls import is_private
from hlo.lowering.linalg.loops import index
from hlo.lowering.memory.parallelise_parts import call_parts
from hlo.lowering.memory.storage import byte_size
from hlo.lowering.passes import Pass, register_pass

PART = 256 << 10
"""Bytes from which a thread is profitable."""
MOST_PARTS = 8


@register_pass
class SplitCopies(Pass):
    """Copies of at least two parts, in public functions."""

    def run(self, module: ir.Module) -> None:
        functions = [op for op in module.body.operations if op.operation.name == "func.func"]
        copies = [op for f in functions if not is_private(f) for op in ops_named(f, ("memref.copy",))]
        for number, op in enumerate(copies):
            parts = min(MOST_PARTS, byte_size(op.operands[0].type) // PART)
            if parts > 1 and _is_plain(op):
                with op.location:
                    _split(module, op, f"hlo_copy_{number}", parts)


def _is_plain(op: ir.Operation) -> bool:
    """Both sides have the same type, row-major."""
    source, target = (ir.MemRefType(v.type) for v in op.operands)
    return source == target and source.has_static_shape and not isinstance(source.layout, ir.StridedLayoutAttr)


def _split(module: ir.Module, op: ir.Operation, name: str, parts: int) -> None:
    kind, number = op.operands[0].type, ir.IndexType.get()
    with ir.InsertionPoint(module.body):
        part = func.FuncOp(name, ([kind, kind, number], []), visibility="private")
    with ir.InsertionPoint(part.add_entry_block()):
        _copy_part(list(part.arguments), parts)
        func.ReturnOp([])
    with ir.InsertionPoint(op):
        call_parts(part, op.operands, parts)
    op.erase()


def _copy_part(arguments: Sequence[ir.Value], parts: int) -> None:
    """Parts of equal size: the last one begins where that many elements are left, and copies some a second time."""
    source, target, number = arguments
    memory = ir.MemRefType(source.type)
    count = prod(memory.shape)
    size = -(-count // parts)
    start = arith.minsi(arith.muli(number, index(size)), index(count - size))
    layout = ir.StridedLayoutAttr.get(ir.ShapedType.get_dynamic_stride_or_offset(), [1])
    kind = ir.MemRefType.get([size], memory.element_type, layout)
    dynamic = [ir.ShapedType.get_dynamic_stride_or_offset()]
    views = [memref.reinterpret_cast(kind, v, [start], [], [], dynamic, [size], [1]) for v in (source, target)]
    memref.copy(*views)
