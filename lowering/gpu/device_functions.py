"""Functions that run on the device, and their launches. A kernel's code may have several; `one_launch` writes all of a kernel on tensors as
one, which multiplies parts of arrays where they are: slices at the beginning of the kernel, which read-slices puts there.

%q = tensor.extract_slice %qkv[...]     memref.reinterpret_cast of the memref that %qkv has become"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlir import ir
from mlir.dialects import arith, func, llvm, memref

from hlo.lowering.copying import remap
from hlo.lowering.gpu.accesses import View, view_of
from hlo.lowering.gpu.grid import Grid, Launch, Values
from hlo.lowering.gpu.tensor_maps import ALIGNMENT, TensorMap
from hlo.lowering.gpu.threads import i32_attribute
from hlo.lowering.linalg.loops import index
from hlo.lowering.memory.placement import code_types, result_parameters
from hlo.lowering.memory.storage import memref_of

# Parts of arrays


def with_parts(kernel: Any, values: Values) -> Values:
    """`values`, the memory of a kernel's arguments, with that of the tensors that its linalg ops read and that are
    parts of them or have their elements in another shape, and where these start."""
    found = dict(values)
    for op in kernel.regions[0].blocks[0].operations:
        for value in op.operands if op.operation.name == "linalg.generic" else ():
            view = view_of(value)
            if value not in found and view is not None and view.source in values:
                starts = [_scalar(start.index, found) for start in view.starts]
                memory = values[view.source]
                is_whole = view.shape == tuple(ir.MemRefType(memory.type).shape)
                found[value] = memory if is_whole else _seen_in(memory, view, starts)
    return found


def _scalar(value: ir.Value, values: Values) -> ir.Value:
    """What a number of the kernel is, at the insertion point."""
    if value not in values:
        op = value.owner.operation
        operands = [_scalar(v, values) for v in op.operands]
        if op.name == "tensor.extract":
            values[value] = memref.load(operands[0], operands[1:])
        else:
            copy = op.clone()
            remap(copy, dict(zip(op.operands, operands)))
            values[value] = copy.results[0]
    return values[value]


def starts_of(value: ir.Value, values: Values) -> list[ir.Value]:
    """Where an input starts in the array that it is a part of."""
    view = view_of(value)
    return [values[start.index] for start in view.starts] if view is not None else []


def _seen_in(memory: ir.Value, view: View, starts: Sequence[ir.Value]) -> ir.Value:
    """A memref of the part of an array in `memory`, at the insertion point. `starts`: the view's, where the code is."""
    unknown = ir.ShapedType.get_dynamic_stride_or_offset()
    offset = index(view.offset) if starts else None
    for start, position in zip(view.starts, starts, strict=True):
        offset = arith.addi(offset, arith.muli(position, index(start.stride)))
    first = view.offset if offset is None else unknown
    layout = ir.StridedLayoutAttr.get(first, list(view.strides))
    kind = ir.MemRefType.get(view.shape, ir.MemRefType(memory.type).element_type, layout)
    dynamic = [] if offset is None else [offset]
    return memref.ReinterpretCastOp(kind, memory, dynamic, [], [], [first], list(view.shape), list(view.strides)).result


# Functions


GPU_MODULE = "gpu"
UNITS = f"!llvm.array<{ALIGNMENT} x i8>"
"""What the host counts in where an array begins behind another one (runtime/gpu/read_plan.py)."""


def one_launch(kernel: Any, name: str, launch: Launch) -> ir.Module:
    """A module with the function `name` on memrefs (the kernel's arguments, then its results that are not tied), which
    launches the gpu.func in the module's gpu.module @gpu. `launch`: writes the code from what the kernel's arguments,
    and the parts of them that it reads, are in it, its results and its tensor maps, which are of arguments or parts of
    them."""
    given = list(kernel.regions[0].blocks[0].arguments)
    with kernel.location:
        module = ir.Module.create()
        _, entry = code_function(module, name, code_types(kernel, memref_of))
        parameters = list(entry.arguments)

        def write(here: Values, maps: Sequence[ir.Value]) -> None:
            values = with_parts(kernel, {value: here[memory] for value, memory in zip(given, parameters)})
            launch.emit(values, [here[memory] for memory in result_parameters(kernel, parameters)], maps)

        memory = dict(zip(given, parameters))
        maps = [(memory[view.source], one) for value, one in launch.maps if (view := view_of(value)) is not None]
        device = gpu_module(module).regions[0].blocks[0]
        write_launch(device, f"{kernel.name.value}_0", launch, parameters, entry.operations[0].operation, write, maps)
    return module


def write_launch(
    device: ir.Block,
    name: str,
    launch: Launch,
    parameters: Sequence[ir.Value],
    before: ir.Operation,
    write: Callable[[Values, Sequence[ir.Value]], None],
    maps: Sequence[tuple[ir.Value, TensorMap]] = (),
) -> None:
    """A gpu.func at the end of `device`, and its launch in front of an op. `parameters`: memory, of which it is given
    what its code uses; `write`: the code, from what these, and the tensor maps of memory, are in it."""
    function = _gpu_function(device, name, [v.type for v in parameters], launch)
    block = function.regions[0].blocks[0]
    arguments = list(block.arguments)
    with ir.InsertionPoint(block):
        end = ir.Operation.create("gpu.return")
    with ir.InsertionPoint(end):
        write(dict(zip(parameters, arguments)), arguments[len(parameters) :])
    used = _drop_unused(function, len(parameters))
    _add_launch(launch.grid, name, [parameters[n] for n in used], maps, before)


def code_function(module: ir.Module, name: str, types: list[ir.Type]) -> tuple[Any, ir.Block]:
    """A private function that does nothing yet, and its body."""
    with ir.InsertionPoint(module.body):
        code = func.FuncOp(name, (types, []), visibility="private")
    entry = code.add_entry_block()
    with ir.InsertionPoint(entry):
        func.ReturnOp([])
    return code, entry


def gpu_module(module: ir.Module) -> ir.Operation:
    """An empty `gpu.module @gpu` at the end of a module: the code of one program that runs on the device."""
    with ir.InsertionPoint(module.body):
        made = ir.Operation.create("gpu.module", attributes={"sym_name": ir.StringAttr.get(GPU_MODULE)}, regions=1)
        made.regions[0].blocks.append()
    return made


def _gpu_function(device: ir.Block, name: str, types: Sequence[ir.Type], launch: Launch) -> ir.Operation:
    """An empty gpu.func at the end of `device`: parameters of these types, then the launch's tensor maps."""
    grid, maps = launch.grid, len(launch.maps)
    parameters = [*types, *[ir.Type.parse("!llvm.ptr")] * maps]
    attributes = {
        "sym_name": ir.StringAttr.get(name),
        "function_type": ir.TypeAttr.get(ir.FunctionType.get(parameters, [])),
        "gpu.kernel": ir.UnitAttr.get(),
        "workgroup_attributions": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 0),
        "known_block_size": ir.DenseI32ArrayAttr.get([grid.threads, 1, 1]),
        "known_grid_size": ir.DenseI32ArrayAttr.get([grid.blocks, 1, 1]),
        "hlo.decision": ir.StringAttr.get(launch.decision),
    }
    if maps:
        attributes["hlo.tensor_maps"] = i32_attribute(maps)
        attributes["nvvm.minctasm"] = i32_attribute(1)  # else ptxas ignores setmaxnreg: their warps differ in work
    if launch.registers is not None:
        attributes["nvvm.maxnreg"] = i32_attribute(launch.registers)
    with ir.InsertionPoint(device):
        function = ir.Operation.create("gpu.func", attributes=attributes, regions=1)
    function.regions[0].blocks.append(*parameters)
    return function


def _drop_unused(function: ir.Operation, count: int) -> list[int]:
    """Leaves those of the first `count` parameters of a gpu.func that its code uses; their numbers."""
    block = function.regions[0].blocks[0]
    for argument in list(block.arguments)[:count]:  # views of arrays that are not read
        for use in list(argument.uses):
            if use.owner.name == "memref.reinterpret_cast" and not list(use.owner.results[0].uses):
                use.owner.operation.erase()
    used = [n for n in range(count) if list(block.arguments[n].uses)]
    for number in reversed([n for n in range(count) if n not in used]):
        block.erase_argument(number)
    types = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value).inputs
    kept = [kind for number, kind in enumerate(types) if number >= count or number in used]
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(kept, []))
    return used


def _add_launch(
    grid: Grid,
    name: str,
    parameters: list[ir.Value],
    maps: Sequence[tuple[ir.Value, TensorMap]],
    before: ir.Operation,
) -> None:
    """The launch of the gpu.func `name` in front of an op. `maps`: tensor maps that follow the parameters."""
    kind = ir.IndexType.get()
    with ir.InsertionPoint(before):
        unit, blocks, threads = (arith.constant(kind, n) for n in (1, grid.blocks, grid.threads))
        shared = [arith.constant(ir.IntegerType.get_signless(32), grid.shared_bytes)] if grid.shared_bytes else []
        arguments = [*parameters, *(_address(value, one.offset) for value, one in maps)]
        sizes = [0, 1, 1, 1, 1, 1, 1, 0, 0, 0, len(shared), len(arguments), 0]
        launch = ir.Operation.create(
            "gpu.launch_func",
            operands=[blocks, unit, unit, threads, unit, unit, *shared, *arguments],
            attributes={
                "kernel": ir.SymbolRefAttr.get([GPU_MODULE, name]),
                "operandSegmentSizes": ir.DenseI32ArrayAttr.get(sizes),
            },
        )
        if maps:
            launch.attributes["hlo.tensor_maps"] = ir.ArrayAttr.get([one.attribute() for _, one in maps])


def _address(value: ir.Value, offset: int) -> ir.Value:
    """Where an array is, or so many bytes behind it, as a pointer."""
    address = memref.ExtractAlignedPointerAsIndexOp(value).result
    number = arith.index_cast(ir.IntegerType.get_signless(64), address)
    kind = ir.Type.parse("!llvm.ptr")
    begin = llvm.inttoptr(kind, number)
    if not offset:
        return begin
    return llvm.getelementptr(kind, begin, [], [offset // ALIGNMENT], ir.Type.parse(UNITS), None)
