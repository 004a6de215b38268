"""The emitter of kernels of kind "loops": code that is loops over scalars already is bufferized by MLIR itself.

Before:  func.func private @k(%x: tensor<8xi1> {hlo.tied = 0}, %y: tensor<8xf32>) -> tensor<8xi1>
             attributes {hlo.kernel = "loops"} { scf, tensor, arith, math, linalg on tensors }
After:   the same with hlo.code = @k.code, and
         func.func private @k.code(%x: memref<8xi8>, %y: memref<8xf32>) { scf, memref, arith, math }

The function is rewritten in a module of its own, so that upstream passes see nothing else."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import bufferization, func, memref

from hlo.dialect.locations import diagnostic
from hlo.errors import CompileError
from hlo.lowering.finding import name_of, ops_within
from hlo.lowering.kernel_calls import copied
from hlo.lowering.linalg.routine_calls import has_calls, is_routine, make_calls
from hlo.lowering.memory.byte_booleans import store_booleans_as_bytes
from hlo.lowering.memory.column_vectors import vectorize_columns
from hlo.lowering.memory.parallelise_loop import parallelise_loop
from hlo.lowering.memory.placement import code_types, result_parameters, tied_arguments
from hlo.lowering.memory.scratch import allocates_on_top
from hlo.lowering.memory.storage import memref_of, row_major
from hlo.lowering.passes import pass_manager

REUSE_RESULTS = "eliminate-empty-tensors,"
"""Makes values in the memory of the results that they become; what is copied there at the end is not considered."""

BUFFERIZE = "one-shot-bufferize{allow-unknown-ops=1}"

TO_LOOPS = (
    "canonicalize,cse,"
    "func.func(convert-linalg-to-loops,buffer-hoisting,buffer-loop-hoisting,"
    "promote-buffers-to-stack{max-alloc-size-in-bytes=1024})"
)
DEALLOCATE = (
    "ownership-based-buffer-deallocation,canonicalize,buffer-deallocation-simplification,"
    "bufferization-lower-deallocations"
)
CLEAN = "canonicalize,cse,func.func(loop-invariant-code-motion)"

ON_BUFFERS = f"{TO_LOOPS},{DEALLOCATE},{CLEAN}"


def emit_loops(kernel: Any, threads: int, vector_bytes: int, vectors: int, masked_bits: int) -> None:
    """Creates `@k.code` and sets hlo.code on the kernel. Loops whose iterations are independent are shared by `threads`, and run in vectors of
    `vector_bytes` (0: without), of which loops with loops inside take `vectors` at once. `masked_bits`: of the narrowest lanes that have
    masked loads and stores."""
    name = f"{kernel.name.value}.code"
    with kernel.location:
        scratch = bufferized(kernel, name, TO_LOOPS)
        code = first_op(scratch)
        is_given = "hlo.scratch" not in kernel.attributes and allocates_on_top(code)
        bufferize(scratch, kernel, f"builtin.module({CLEAN if is_given else f'{DEALLOCATE},{CLEAN}'})")
        parallelise_loop(code, kernel, threads)
        for function in [op for op in scratch.body.operations if _has_body(op)]:
            vectorize_columns(function, vector_bytes, vectors, masked_bits)
        store_booleans_as_bytes(scratch)
        rename_globals(scratch, name)
    declared = {name_of(op) for op in kernel.operation.block.operations if is_routine(op)}
    for op in list(scratch.body.operations):
        if not (is_routine(op) and name_of(op) in declared):
            op.operation.detach_from_parent()
            kernel.operation.block.append(op)
    kernel.attributes["hlo.code"] = ir.FlatSymbolRefAttr.get(name)


def bufferized(kernel: Any, name: str, after: str) -> ir.Module:
    """A module with the kernel's code on memrefs, as the function `name`. `after`: passes on it."""
    makes_tensors = bool(ops_within(kernel, lambda op: op.name == "tensor.empty"))
    scratch = _bufferized(kernel, name, REUSE_RESULTS if makes_tensors else "", after)
    if makes_tensors and _reads_late(first_op(scratch)):
        scratch = _bufferized(kernel, name, "", after)
    return scratch


def _bufferized(kernel: Any, name: str, before: str, after: str) -> ir.Module:
    scratch = ir.Module.create()
    with ir.InsertionPoint(scratch.body):
        kernel_on_memrefs(kernel, name)
    separate_empty_tensors(scratch)
    to_memory(scratch, kernel, before, after)
    return scratch


def _has_body(op: Any) -> bool:
    return op.operation.name == "func.func" and not op.is_external


def first_op(module: ir.Module, kind: str = "func.func") -> Any:
    """The first op of a kind in a module."""
    return next(op for op in module.body.operations if op.operation.name == kind)


def _reads_late(code: Any) -> bool:
    """A value was made in the memory of one result and is copied to another when the first one may be there already."""
    filled = set()
    for op in code.regions[0].blocks[0].operations:
        if op.operation.name == "memref.copy":
            if op.operands[0] in filled and isinstance(op.operands[0].owner, ir.Block):
                return True
            filled.add(op.operands[1])
    return False


def kernel_on_memrefs(kernel: Any, name: str) -> None:
    """The kernel's body between memref parameters: arguments, then results that are not tied."""
    tied = tied_arguments(kernel)
    code = func.FuncOp(name, (code_types(kernel, memref_of), []), visibility="private")
    entry = code.add_entry_block()
    with ir.InsertionPoint(entry):
        arguments = []
        for number, (kind, parameter) in enumerate(zip(kernel.type.inputs, entry.arguments)):
            memory, writable = _shaped(parameter, kind), number in tied.values()
            arguments.append(bufferization.to_tensor(kind, memory, restrict=True, writable=writable))
        results = enumerate(zip(copied(kernel, arguments), result_parameters(kernel, list(entry.arguments))))
        # tied ones last: others may be what was in their memory before
        for _, (value, parameter) in sorted(results, key=lambda one: one[0] in tied):
            destination = _shaped(parameter, value.type)
            bufferization.materialize_in_destination(None, value, destination, restrict=True, writable=True)
        func.ReturnOp([])


def _shaped(parameter: ir.Value, tensor: ir.Type) -> ir.Value:
    """The parameter in the tensor's shape, which it lacks when that has no elements."""
    shape = list(ir.RankedTensorType(tensor).shape)
    if list(ir.MemRefType(parameter.type).shape) == shape:
        return parameter
    kind = ir.MemRefType.get(shape, ir.RankedTensorType(tensor).element_type)
    return memref.reinterpret_cast(kind, parameter, [], [], [], [0], shape, row_major(shape))


def separate_empty_tensors(scratch: ir.Module) -> None:
    """One tensor.empty a use: bufferization gives all uses of one the same buffer, its contents being undefined, even
    where a loop carries it twice (cse has made them one)."""
    for op in ops_within(scratch, lambda op: op.name == "tensor.empty"):
        uses = [(use.owner, use.operand_number) for use in op.results[0].uses]
        for owner, number in uses[1:]:
            with ir.InsertionPoint(op):
                owner.operands[number] = op.clone().results[0]


def to_memory(scratch: ir.Module, kernel: Any, before: str = "", after: str = ON_BUFFERS) -> None:
    """Converts tensors into memrefs, between passes."""
    if not has_calls(scratch):
        bufferize(scratch, kernel, f"builtin.module({before}{BUFFERIZE},{after})")
        return
    bufferize(scratch, kernel, f"builtin.module({before}{BUFFERIZE})")
    make_calls(scratch)
    bufferize(scratch, kernel, f"builtin.module({after})")


def bufferize(scratch: ir.Module, kernel: Any, pipeline: str) -> None:
    """Runs a pipeline that converts tensors into memrefs; whoever runs phases verifies. Raises CompileError with MLIR's reasons at the kernel's location."""
    manager = pass_manager(scratch.context, pipeline)
    manager.enable_verifier(False)
    try:
        manager.run(scratch.operation)
    except ir.MLIRError as error:
        reasons = "; ".join(d.message for d in error.error_diagnostics)
        raise CompileError(diagnostic(kernel, f"kernel @{kernel.name.value} cannot be bufferized: {reasons}")) from None


def rename_globals(scratch: ir.Module, stem: str) -> None:
    """Constants of several kernels must have different names."""
    names = {}
    for op in scratch.body.operations:
        if op.operation.name == "memref.global":
            old = name_of(op)
            names[old] = f"{stem}.{old}"
            op.attributes["sym_name"] = ir.StringAttr.get(names[old])

    for op in ops_within(scratch, lambda op: op.name == "memref.get_global"):
        op.attributes["name"] = ir.FlatSymbolRefAttr.get(names[ir.FlatSymbolRefAttr(op.attributes["name"]).value])
