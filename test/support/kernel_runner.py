"""Compiles the kernels of a module written as text and runs one on numpy arrays, without host code or runtime."""

from __future__ import annotations

import ctypes

import ml_dtypes
import numpy as np
import pytest
from mlir import ir
from mlir.execution_engine import ExecutionEngine
from mlir.passmanager import PassManager

from hlo.host import host_flags
from hlo.lowering.kernels.schedule_kernels import ScheduleKernels
from hlo.lowering.llvm.expand_bfloat import ExpandBfloat
from hlo.lowering.memory.parallelise_parts import ParalleliseParts
from hlo.lowering.memory.placement import tied_arguments
from hlo.lowering.target import target as machine
from hlo.lowering.vector.emit_kernels import EmitKernels
from hlo.runtime.compile import engine
from hlo.runtime.threads.pool import connect

TO_LLVM = (
    "builtin.module(canonicalize,cse,convert-scf-to-cf,"
    "expand-strided-metadata,lower-affine,convert-complex-to-standard,convert-vector-to-llvm,"
    "convert-math-to-llvm,convert-math-to-libm,finalize-memref-to-llvm,convert-arith-to-llvm,"
    "convert-complex-to-llvm,convert-index-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,"
    "reconcile-unrealized-casts,canonicalize,cse)"
)
THREADS = 2
OF_AVX512 = "llvm.x86.avx512"
"""In the names of intrinsics for which other processors have no code; everything else LLVM writes out for them."""


class Kernel:
    """`Kernel(text)(array, ...)`: the results as new arrays. The text holds one private function with hlo.kernel."""

    def __init__(self, text: str, target: str = "host", opt_level: int = 2, math: bool = True):
        context = ir.Context()
        with context, ir.Location.unknown():
            module = ir.Module.parse(text)
            kernel = module.body.operations[0]
            results = list(kernel.function_type.value.results)
            self.shapes = [(tuple(t.shape), str(t.element_type)) for t in results]
            self.tied = tied_arguments(kernel)
            ScheduleKernels(target).run(module)
            EmitKernels(target).run(module)
            assert module.operation.verify()
            self.code = str(module)
            if OF_AVX512 in self.code and not machine(target).flags <= host_flags():
                pytest.skip(f"{target} code has instructions that this processor lacks")
            name = ir.FlatSymbolRefAttr(kernel.attributes["hlo.code"]).value
            for op in list(module.body.operations):
                if "hlo.kernel" in op.operation.attributes:
                    op.operation.erase()
                elif ir.StringAttr(op.attributes["sym_name"]).value == name:
                    del op.operation.attributes["sym_visibility"]
                    op.operation.attributes["llvm.emit_c_interface"] = ir.UnitAttr.get()
            if math:
                from hlo.lowering.llvm.expand_math import ExpandMath

                ExpandMath().run(module)
            ExpandBfloat().run(module)
            PassManager.parse(TO_LLVM).run(module.operation)
            ParalleliseParts().run(module)
            engine.add_runtime(module, name)
            self.engine = ExecutionEngine(module, opt_level=opt_level, shared_libs=[])
            connect(engine.addresses(self.engine)[1], THREADS)
            self.name = name
            self.engine.raw_lookup(f"_mlir_ciface_{name}")

    def __call__(self, *arguments: np.ndarray) -> list[np.ndarray]:
        arguments = [np.ascontiguousarray(a).copy().reshape(np.shape(a)) for a in arguments]
        results = []
        for number, (shape, element) in enumerate(self.shapes):
            if number in self.tied:
                results.append(arguments[self.tied[number]])
            else:
                results.append(np.full(shape, 77).astype(numpy_type(element)))
        fresh = [r for n, r in enumerate(results) if n not in self.tied]
        self.run([*arguments, *fresh])
        return results

    def run(self, arrays: list[np.ndarray]) -> None:
        """Calls the code on arrays in place: arguments, then results that are not tied."""
        self.bind(arrays)()

    def bind(self, arrays: list[np.ndarray]):
        pointers = [ctypes.pointer(ctypes.pointer(descriptor(a))) for a in arrays]
        return lambda keep=arrays: self.engine.invoke(self.name, *pointers)


def descriptor(array: np.ndarray) -> ctypes.Structure:
    """A memref descriptor; any element type."""
    rank = array.ndim

    class Descriptor(ctypes.Structure):
        _fields_ = [
            ("allocated", ctypes.c_longlong),
            ("aligned", ctypes.c_longlong),
            ("offset", ctypes.c_longlong),
            *([("shape", ctypes.c_longlong * rank), ("strides", ctypes.c_longlong * rank)] if rank else []),
        ]

    made = Descriptor(array.ctypes.data, array.ctypes.data, 0)
    for d in range(rank):
        made.shape[d] = array.shape[d]
        made.strides[d] = array.strides[d] // array.itemsize
    return made


def numpy_type(element: str) -> np.dtype:
    names = {"i1": np.bool_, "bf16": ml_dtypes.bfloat16, "f16": np.float16, "f32": np.float32, "f64": np.float64}
    names |= {"complex<f32>": np.complex64, "complex<f64>": np.complex128}
    return np.dtype(names.get(element) or getattr(np, element.replace("i", "int")))
