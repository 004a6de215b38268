"""From a kernel of kind "contraction" (a function on tensors) to its code (a function on memrefs).

Before:  func.func private @dot_0(%a, %b) -> %c   { fill 0, linalg.generic C += A * B }
After:   func.func private @dot_0.code(%a: memref, %b: memref, %c: memref)   and the functions it calls"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mlir import ir
from mlir.dialects import func

from hlo.lowering.finding import made_by, name_of
from hlo.lowering.kernels.schedule import ScheduleError, schedule_of
from hlo.lowering.linalg.routine_calls import is_routine
from hlo.lowering.memory.storage import memref_type
from hlo.lowering.target import Target
from hlo.lowering.vector.contraction.function_text import FunctionText, functions_text
from hlo.lowering.vector.contraction.plan import check_schedule, plan
from hlo.lowering.vector.contraction.problem import Problem, contraction_loops, match_contraction
from hlo.lowering.vector.contraction.schedule import ContractionSchedule, read_schedule

if TYPE_CHECKING:
    from hlo.lowering.vector.contraction.nest import Code


def contraction_plan(op: ir.Operation, target: Target) -> ContractionSchedule | None:
    """The schedule for a linalg op that this generator can do: a contraction into a zero-filled output."""
    problem = match_contraction(op)
    if problem is None or not starts_from_zero(op.operands[2]):
        return None
    return plan(problem, target)


def contraction_op(kernel: func.FuncOp) -> tuple[ir.Operation, Problem]:
    """The contraction of a contraction kernel. Raises ScheduleError where there is none."""
    for op in kernel.entry_block.operations:
        problem = match_contraction(op.operation)
        if problem is not None:
            return op.operation, problem
    raise ScheduleError("hlo.kernel", "contraction", "a kernel that adds up products")


def schedule_contraction(kernel: func.FuncOp, target: Target) -> ir.Attribute:
    """What `hlo.schedule` is to be of a contraction kernel."""
    _, problem = contraction_op(kernel)
    chosen = plan(problem, target)
    assert chosen is not None, "form-kernels makes contraction kernels only of what has a schedule"
    return chosen.attribute()


def scheduled_contraction(kernel: func.FuncOp, target: Target) -> ContractionSchedule:
    """The schedule that a contraction kernel has, checked. Raises ScheduleError."""
    _, problem = contraction_op(kernel)
    found = read_schedule(problem, schedule_of(kernel))
    check_schedule(found, target)
    return found


def starts_from_zero(value: ir.Value) -> bool:
    """Whether a tensor is linalg.fill of a constant zero."""
    fill = made_by(value, "linalg.fill")
    constant = made_by(fill.operands[0], "arith.constant", "complex.constant") if fill is not None else None
    if constant is None:
        return False
    value = constant.attributes["value"]
    return all(part.value == 0 for part in (value if isinstance(value, ir.ArrayAttr) else [value]))


def emit_contraction(kernel: func.FuncOp, chosen: ContractionSchedule) -> func.FuncOp:
    """Adds the code of a contraction kernel to its module, after it; returns the entry, named KERNEL.code."""
    op, _ = contraction_op(kernel)
    name = f"{kernel.name.value}.code"
    code = build(f"{name}.nest", chosen)
    entry = _entry(name, kernel, op, chosen.problem, code)
    return insert_functions(kernel, functions_text([*code.functions, entry]), name)


def build(name: str, plan: ContractionSchedule) -> Code:
    """The functions of a contraction: `name`(a, b, c, scratch) and what it calls."""
    from hlo.lowering.vector.contraction.dot_kernel import DotNest  # few small programs have contractions
    from hlo.lowering.vector.contraction.nest import POINTERS, Code
    from hlo.lowering.vector.contraction.tile_nest import TileNest

    code = Code([])
    nest: DotNest | TileNest = (DotNest if plan.vectorize == "k" else TileNest)(name, plan, code)
    entry = FunctionText(name, POINTERS)
    if plan.keep_b and isinstance(nest, TileNest):
        code.pack_b = nest.pack_ready()
    nest.write(entry)
    code.functions.append(entry)
    return code


def _entry(name: str, kernel: func.FuncOp, op: ir.Operation, problem: Problem, code: Code) -> FunctionText:
    """The function on memrefs: takes their pointers (and scratch memory for packed operands) to the nest."""
    arguments, loops = list(kernel.arguments), contraction_loops(op)
    assert loops is not None, "is a contraction"
    with kernel.location:
        types = [str(memref_type(t)) for t in (*kernel.type.inputs, *kernel.type.results)]
    with entry_function(name, types, code.scratch) as (f, pointers):
        inputs = []
        for value, offset in zip(op.operands[:2], loops.offsets):
            element = str(ir.RankedTensorType(value.type).element_type)
            inputs.append(f.offset(pointers[arguments.index(value)], offset, element))
        f.call(code.functions[-1], *(reversed(inputs) if problem.swapped else inputs), *pointers[-2:])
    return f


@contextmanager
def entry_function(name: str, types: Sequence[str], scratch: int) -> Iterator[tuple[FunctionText, list[str]]]:
    """A function on memrefs, and pointers to their elements and to so many bytes of scratch memory (null for none),
    which is there while the function's body is written."""
    f = FunctionText(name, [(f"m{n}", t) for n, t in enumerate(types)])
    pointers = [pointer_of(f, f"%m{n}", t) for n, t in enumerate(types)]
    if not scratch:
        yield f, [*pointers, f.op("llvm.mlir.zero : !llvm.ptr")]
        return
    kind = f"memref<{scratch}xi8>"
    f.do(f"%scratch = memref.alloc() {{alignment = 64 : i64}} : {kind}")
    yield f, [*pointers, pointer_of(f, "%scratch", kind)]
    f.do(f"memref.dealloc %scratch : {kind}")


def pointer_of(f: FunctionText, memref: str, type: str) -> str:
    """The address of a memref's elements."""
    index = f.op(f"memref.extract_aligned_pointer_as_index {memref} : {type} -> index")
    return f.op(f"llvm.inttoptr {f.op(f'arith.index_cast {index} : index to i64')} : i64 to !llvm.ptr")


def insert_functions(kernel: func.FuncOp, text: str, name: str) -> func.FuncOp:
    """Parses functions, moves those with a body behind the kernel, and declares the routines that they call. Returns
    the one of the name."""
    parsed = ir.Module.parse(f"module {{\n{text}}}", kernel.context)
    block = kernel.operation.block
    declared = {name_of(op) for op in block.operations if is_routine(op)}
    entry = None
    for function in list(parsed.body.operations):
        if is_routine(function):
            if name_of(function) not in declared:
                block.append(function)
        elif len(function.regions[0].blocks):
            function.operation.detach_from_parent()
            ir.InsertionPoint(kernel).insert(function)
            if function.name.value == name:
                entry = function
    assert entry is not None
    return entry
