"""A kernel on memrefs, its linalg ops kept: what is parallel can still be seen.

Before:  func.func private @k(%a: tensor<8xf32>) -> tensor<8xf32> attributes {hlo.kernel = "region"} {...}
After:   (in a module of its own)
         func.func private @k.code(%a: memref<8xf32>, %r: memref<8xf32>) { linalg.generic ... outs(%r : memref<8xf32>) }"""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.lowering.gpu.copy_into_results import copy_into_results
from hlo.lowering.gpu.inline_scalars import inline_scalars
from hlo.lowering.memory.loops_emitter import bufferize, kernel_on_memrefs, rename_globals, separate_empty_tensors

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
