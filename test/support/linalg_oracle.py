"""Runs linalg-phase modules with upstream passes only, but for the routines that they call: an independent check of the lowering to linalg."""

from __future__ import annotations

import ctypes

import ml_dtypes
import numpy as np
from mlir import ir
from mlir.dialects import func, linalg
from mlir.execution_engine import ExecutionEngine
from mlir.passmanager import PassManager

from hlo.lowering.linalg.routine_calls import make_calls
from hlo.runtime.code.routines import add_routines

BUFFERIZE = (
    "builtin.module(inline,symbol-dce,canonicalize,"
    "one-shot-bufferize{bufferize-function-boundaries=true allow-return-allocs-from-loops=true "
    "function-boundary-type-conversion=identity-layout-map})"
)
TO_LOOPS = "builtin.module(convert-linalg-to-loops,canonicalize)"
COPIES_TO_LOOPS = "builtin.module(convert-linalg-to-loops)"
TO_LLVM = (
    "builtin.module(expand-strided-metadata,lower-affine,convert-complex-to-standard,arith-expand{include-bf16=true},convert-scf-to-cf,"
    "convert-math-to-llvm,convert-math-to-libm,finalize-memref-to-llvm,convert-arith-to-llvm,convert-complex-to-llvm,"
    "convert-index-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts)"
)


def run_linalg(module: ir.Module, *arrays: np.ndarray, entry: str = "main") -> list[np.ndarray]:
    """The results of `entry`; integers come back signed (`.view` them), the module is consumed."""
    with module.context, ir.Location.unknown():
        function = _function(module, entry)
        types = [(tuple(t.shape), str(t.element_type)) for t in function.function_type.value.results]
        PassManager.parse(BUFFERIZE).run(module.operation)
        make_calls(module)
        PassManager.parse(TO_LOOPS).run(module.operation)
        copy_by_linalg(module)
        PassManager.parse(COPIES_TO_LOOPS).run(module.operation)
        store_booleans_as_bytes(module)
        call_libm(module)
        convert_by_f32(module)
        _function(module, entry).attributes["llvm.emit_c_interface"] = ir.UnitAttr.get()
        PassManager.parse(TO_LLVM).run(module.operation)
        add_routines(module, "host")
        return _invoke(ExecutionEngine(module, opt_level=0), entry, types, arrays)


def convert_by_f32(module: ir.Module) -> None:
    """Integers become bf16 by way of f32, which has all that are converted at once: elsewhere LLVM calls a function that no library has."""
    small, wide = ir.BF16Type.get(), ir.F32Type.get()
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name in ("arith.sitofp", "arith.uitofp") and op.results[0].type == small:
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    for op in found:
        with ir.InsertionPoint(op):
            number = ir.Operation.create(op.name, [wide], list(op.operands)).results[0]
            op.results[0].replace_all_uses_with(ir.Operation.create("arith.truncf", [small], [number]).results[0])
        op.erase()


def _function(module: ir.Module, name: str) -> ir.OpView:
    return next(op for op in module.body if ir.StringAttr(op.attributes["sym_name"]).value == name)


def _invoke(engine: ExecutionEngine, entry: str, types: list, arrays: tuple) -> list[np.ndarray]:
    arrays = [np.array(a, order="C", copy=True) for a in arrays]
    descriptors = [descriptor_type(a.ndim)() for a in arrays]
    for array, descriptor in zip(arrays, descriptors):
        _describe(array, descriptor)
    fields = [(f"result{i}", descriptor_type(len(shape))) for i, (shape, _) in enumerate(types)]
    results = type("Results", (ctypes.Structure,), {"_fields_": fields})()
    passed = [ctypes.pointer(d) for d in ([results] if types else []) + descriptors]
    engine.invoke(entry, *[ctypes.pointer(p) for p in passed])
    return [_read(getattr(results, name), *t) for (name, _), t in zip(fields, types)]


def descriptor_type(rank: int) -> type:
    fields = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p), ("offset", ctypes.c_int64)]
    if rank:
        fields += [("shape", ctypes.c_int64 * rank), ("strides", ctypes.c_int64 * rank)]
    return type(f"Descriptor{rank}", (ctypes.Structure,), {"_fields_": fields})


def _describe(array: np.ndarray, descriptor: ctypes.Structure) -> None:
    descriptor.allocated = descriptor.aligned = array.ctypes.data
    for d in range(array.ndim):
        descriptor.shape[d] = array.shape[d]
        descriptor.strides[d] = array.strides[d] // array.itemsize


def _read(descriptor: ctypes.Structure, shape: tuple[int, ...], element: str) -> np.ndarray:
    dtype = numpy_type(element)
    size = int(np.prod(shape)) * dtype.itemsize
    if not size:
        return np.empty(shape, dtype)
    data = ctypes.string_at(descriptor.aligned + descriptor.offset * dtype.itemsize, size)
    return np.frombuffer(data, dtype).reshape(shape).copy()


def numpy_type(element: str) -> np.dtype:
    names = {"i1": np.bool_, "bf16": ml_dtypes.bfloat16, "f16": np.float16, "f32": np.float32, "f64": np.float64}
    names |= {"complex<f32>": np.complex64, "complex<f64>": np.complex128}
    return np.dtype(names[element] if element in names else getattr(np, element.replace("i", "int")))


def copy_by_linalg(module: ir.Module) -> None:
    """memref.copy as linalg.copy: strided ones would call MLIR's C runtime library."""
    copies: list[ir.Operation] = []
    module.operation.walk(lambda op: (op.name == "memref.copy" and copies.append(op)) or ir.WalkResult.ADVANCE)
    for op in copies:
        with ir.InsertionPoint(op):
            linalg.copy(op.operands[0], outs=[op.operands[1]])
        op.erase()


def call_libm(module: ir.Module) -> None:
    """expm1 and log1p as calls: convert-math-to-llvm would make exp(x) - 1 and log(1 + x) of them."""
    found: list[ir.Operation] = []
    names = ("math.expm1", "math.log1p")
    module.operation.walk(lambda op: (op.name in names and found.append(op)) or ir.WalkResult.ADVANCE)
    declared = set()
    for op in found:
        element = op.results[0].type
        name = op.name.removeprefix("math.") + ("f" if element.width == 32 else "")
        if name not in declared:
            with ir.InsertionPoint(module.body):
                func.FuncOp(name, ir.FunctionType.get([element], [element]), visibility="private")
            declared.add(name)
        with ir.InsertionPoint(op):
            call = func.CallOp([element], name, [op.operands[0]])
        op.results[0].replace_all_uses_with(call.results[0])
        op.erase()


def store_booleans_as_bytes(module: ir.Module) -> None:
    """Rewrites memref<..xi1> to i8: the conversion to LLVM cannot load or store single bits."""
    operations: list[ir.Operation] = []
    module.operation.walk(lambda op: operations.append(op) or ir.WalkResult.ADVANCE)
    for op in operations:
        _retype(op)
    for op in operations:
        _rewrite_access(op)


def _byte_type(t: ir.Type) -> ir.Type:
    if isinstance(t, ir.MemRefType) and t.element_type == ir.IntegerType.get_signless(1):
        return ir.MemRefType.get(t.shape, ir.IntegerType.get_signless(8), t.layout, t.memory_space)
    if isinstance(t, ir.FunctionType):
        return ir.FunctionType.get([_byte_type(i) for i in t.inputs], [_byte_type(r) for r in t.results])
    return t


def _retype(op: ir.Operation) -> None:
    values = [*op.results, *(a for region in op.regions for block in region for a in block.arguments)]
    for value in values:
        if _byte_type(value.type) != value.type:
            value.set_type(_byte_type(value.type))
    for name in ("function_type", "type"):
        if name in op.attributes and isinstance(op.attributes[name], ir.TypeAttr):
            op.attributes[name] = ir.TypeAttr.get(_byte_type(ir.TypeAttr(op.attributes[name]).value))
    if op.name == "memref.global" and "initial_value" in op.attributes:
        op.attributes["initial_value"] = _byte_elements(op.attributes["initial_value"])


def _byte_elements(elements: ir.Attribute) -> ir.Attribute:
    shaped = ir.ShapedType(elements.type)
    if shaped.element_type != ir.IntegerType.get_signless(1):
        return elements
    i8 = ir.IntegerType.get_signless(8)
    values = np.array(list(ir.DenseIntElementsAttr(elements)), np.int8).reshape(shaped.shape)
    return ir.DenseElementsAttr.get(values, type=i8)


def _rewrite_access(op: ir.Operation) -> None:
    i1, i8 = ir.IntegerType.get_signless(1), ir.IntegerType.get_signless(8)
    if op.name == "memref.load" and op.results[0].type == i1:
        with ir.InsertionPoint(op):
            byte = ir.Operation.create("memref.load", results=[i8], operands=list(op.operands)).result
            bit = ir.Operation.create("arith.trunci", results=[i1], operands=[byte]).result
        op.results[0].replace_all_uses_with(bit)
        op.erase()
    elif op.name == "memref.store" and op.operands[0].type == i1:
        with ir.InsertionPoint(op):
            byte = ir.Operation.create("arith.extui", results=[i8], operands=[op.operands[0]]).result
        op.operands[0] = byte
