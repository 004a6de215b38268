"""A kernel on memrefs, its linalg ops kept: what is parallel can still be seen.

Before:  func.func private @k(%a: tensor<8xf32>) -> tensor<8xf32> attributes {hlo.kernel = "region"} {...}
After:   (in a module of its own)
         func.func private @k.code(%a: memref<8xf32>, %r: memref<8xf32>) { linalg.generic ... outs(%r : memref<8xf32>) }"""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.lowering.memory.loops_emitter import bufferize, kernel_on_memrefs, rename_globals, separate_empty_tensors

ON_TENSORS = "builtin.module(linalg-generalize-named-ops,linalg-fuse-elementwise-ops,canonicalize,cse)"
TO_MEMORY = (
    "builtin.module(eliminate-empty-tensors,one-shot-bufferize{allow-unknown-ops=1},canonicalize,cse,"
    "func.func(buffer-hoisting,buffer-loop-hoisting),canonicalize,cse)"
)


def buffered_kernel(kernel: Any, name: str) -> ir.Module:
    """A module with the function `name`: arguments, then results that are not tied; nested ops in loops over scalars."""
    with kernel.location:
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            kernel_on_memrefs(kernel, name)
        bufferize(module, kernel, ON_TENSORS)
        separate_empty_tensors(module)  # which cse has made one
        bufferize(module, kernel, TO_MEMORY)
        rename_globals(module, name)
    return module
