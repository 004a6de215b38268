"""A kernel on memrefs, its linalg ops kept: what is parallel can still be seen.

Before:  func.func private @k(%a: tensor<8xf32>) -> tensor<8xf32> attributes {hlo.kernel = "region"} {...}
After:   (in a module of its own)
         func.func private @k.code(%a: memref<8xf32>, %r: memref<8xf32>) { linalg.generic ... outs(%r : memref<8xf32>) }"""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import tensor

from hlo.lowering.finding import is_unused, made_by
from hlo.lowering.gpu.evaluate import At, Evaluator, indices
from hlo.lowering.gpu.expression_reader import Reader
from hlo.lowering.gpu.expressions import Element
from hlo.lowering.linalg.structured import elementwise
from hlo.lowering.memory.loops_emitter import (
    bufferize,
    kernel_on_memrefs,
    rename_globals,
    separate_empty_tensors,
)

ON_TENSORS = "builtin.module(linalg-generalize-named-ops,linalg-fuse-elementwise-ops,canonicalize,cse)"
REUSE_RESULTS = "eliminate-empty-tensors,"
"""Makes values in the memory of the results that they become; what is copied there at the end is not considered."""

TO_MEMORY = (
    "one-shot-bufferize{allow-unknown-ops=1},canonicalize,cse,"
    "func.func(buffer-hoisting,buffer-loop-hoisting),canonicalize,cse"
)


def buffered_kernel(kernel: Any, name: str) -> ir.Module:
    """A module with the function `name`: arguments, then results that are not tied; nested ops in loops over scalars."""
    module = _bufferized(kernel, name, REUSE_RESULTS)
    if _copies_out_of_results(module):
        module = _bufferized(kernel, name, "")
    return module


def _bufferized(kernel: Any, name: str, before: str) -> ir.Module:
    with kernel.location:
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            kernel_on_memrefs(kernel, name)
        bufferize(module, kernel, ON_TENSORS)
        entry = module.body.operations[0].regions[0].blocks[0]
        inline_scalars(entry)
        copy_into_results(entry)
        _separate_fills(module)
        separate_empty_tensors(module)  # which cse has made one
        bufferize(module, kernel, f"builtin.module({before}{TO_MEMORY})")
        rename_globals(module, name)
    return module


def _separate_fills(module: ir.Module) -> None:
    """One fill a use (cse has made them one): each reduction begins in memory of its own, and no copy of the other's."""
    code = next(op for op in module.body.operations if op.operation.name == "func.func")
    for op in [op.operation for op in code.regions[0].blocks[0].operations]:
        if op.name != "linalg.generic" or len(op.results) != 1 or len(list(op.operands)) != 1:
            continue
        for use in list(op.results[0].uses)[1:]:
            with op.location, ir.InsertionPoint(op):
                use.owner.operands[use.operand_number] = op.clone().results[0]


def _copies_out_of_results(module: ir.Module) -> bool:
    """A value was made in the memory of another result, and is copied from there: perhaps too late."""
    code = next(op for op in module.body.operations if op.operation.name == "func.func")
    entry = code.regions[0].blocks[0]
    copies = [op.operation for op in entry.operations if op.operation.name == "memref.copy"]
    filled = {op.operands[1] for op in copies}
    return any(op.operands[0] in filled for op in copies)


# An argument that a result is made of by insertions is copied to where the result goes, and inserted into there.
#
# Before:  %r = tensor.insert_slice %u into %argument                       (a copy of the argument, which is copied to the result)
# After:   %c = linalg.generic copy %argument    %r = tensor.insert_slice %u into %c      (%c is in the result's memory)


def copy_into_results(block: ir.Block) -> None:
    """`block`: a kernel's code on tensors between parameters in memory."""
    for op in [one.operation for one in block.operations]:
        if op.name == "bufferization.materialize_in_destination":
            first = _first_insertion(op.operands[0])
            if first is not None and is_argument(first.operands[1]):
                with ir.InsertionPoint(first), first.location:
                    first.operands[1] = elementwise([first.operands[1]], first.operands[1].type, lambda value: value)


def is_argument(value: ir.Value) -> bool:
    """An argument of a kernel that must stay as it is."""
    op = made_by(value, "bufferization.to_tensor")
    return op is not None and "writable" not in op.attributes


def _first_insertion(value: ir.Value) -> ir.Operation | None:
    """Of the insertions one into the other that make a value; each used for the next alone."""
    found = None
    while (op := made_by(value, "tensor.insert_slice")) is not None:
        if len(list(value.uses)) != 1:
            return None
        found, value = op, op.operands[1]
    return found


# Numbers that a kernel computes from arrays of one element (where an update goes, clamped): every launch that needs one computes
# it from the kernel's arguments, instead of reading what a launch of one thread has written.
#
# Before:  %t = linalg.generic {cmp, add, select} ins(%p : tensor<i32>) -> tensor<i32>    %i = tensor.extract %t[]
# After:   %x = tensor.extract %p[]    %i = arith.select (arith.cmpi %x, ...), ...


def inline_scalars(block: ir.Block) -> None:
    """Rewrites the reads of a block that stand outside of other ops."""
    for op in [one.operation for one in block.operations if one.operation.name == "tensor.extract"]:
        value = op.operands[0]
        node = (
            Reader({}, (), in_kernel=True).node(value, (None,) * value.type.rank) if _has_one_element(value) else None
        )
        if node is not None and not isinstance(node, Element):
            with ir.InsertionPoint(op), op.location:
                op.results[0].replace_all_uses_with(_OfTensors({}).value(node, {}, {}))
            op.erase()
    for op in reversed([one.operation for one in block.operations]):
        if op.name.startswith(("tensor.", "linalg.")) and is_unused(op):
            op.erase()


class _OfTensors(Evaluator):
    """Reads elements from tensors."""

    def element(self, node: Element, at: At) -> ir.Value:
        return tensor.extract(node.value, indices(node.coordinates, at))


def _has_one_element(value: ir.Value) -> bool:
    return all(size == 1 for size in ir.RankedTensorType(value.type).shape)
