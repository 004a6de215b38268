"""Launches: how many threads they have, and the functions on the device that they run. A kernel's code may have several; `one_launch` writes
all of a kernel on tensors as one, which multiplies parts of arrays where they are: slices at the beginning of the kernel, which read-slices
puts there.

%q = tensor.extract_slice %qkv[...]     memref.reinterpret_cast of the memref that %qkv has become"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlir import ir
from mlir.dialects import arith, func, gpu, llvm, memref

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.copying import remap
from hlo.lowering.gpu.accesses import ALIGNMENT, TensorMap, View, view_of
from hlo.lowering.gpu.threads import i32_attribute
from hlo.lowering.linalg.loops import index
from hlo.lowering.memory.placement import code_types, result_parameters
from hlo.lowering.memory.storage import memref_of
from hlo.lowering.target import GPUS

Values = dict[ir.Value, ir.Value]
"""What values of a kernel are in a gpu.func."""

THREADS = 256
MOST_BLOCKS = 16 * max(card.multiprocessors for card in GPUS.values())
"""Blocks beyond this many take the next elements in a loop: sixteen blocks of 256 threads for each multiprocessor of the largest card."""


@dataclass(frozen=True)
class Grid:
    """`blocks` times `threads`, in x; `shared_bytes`: of dynamic shared memory for each block."""

    blocks: int
    threads: int
    shared_bytes: int = 0

    @property
    def size(self) -> int:
        return self.blocks * self.threads


@dataclass
class Launch:
    """How one gpu.func computes what it computes. `decision`: in words, for remarks. `emit`: writes the code at the
    insertion point, given what each value that is used outside is in the gpu.func (and, where there are `maps`, those
    of the gpu.func). `ops`: of a kernel's code that it does. `maps`: memory that it is given as tensor maps.
    `registers`: the most that a thread has; None to leave it to ptxas."""

    grid: Grid
    decision: str
    emit: Callable[..., None]
    ops: Sequence[ir.Operation] = ()
    maps: Sequence[tuple[ir.Value, TensorMap]] = ()
    registers: int | None = None


def counted(number: int, noun: str) -> str:
    """ "1 op", "2 ops"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def grid_for(elements: int) -> Grid:
    """A thread an element, up to MOST_BLOCKS blocks."""
    threads = min(THREADS, -(-elements // 32) * 32)
    return Grid(min(MOST_BLOCKS, -(-elements // threads)), threads)


def most_threads() -> int:
    """Of a launch, whatever it does."""
    return MOST_BLOCKS * THREADS


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


def gpu_module(module: ir.Module) -> ir.Block:
    """The body of a new `gpu.module @gpu` at the end of a module: the code of one program that runs on the device."""
    with ir.InsertionPoint(module.body):
        return gpu.GPUModuleOp(GPU_MODULE).bodyRegion.blocks.append()


def move_ops(ops: list[Any], to: ir.Block) -> None:
    """To the end of a block."""
    for op in ops:
        op.operation.detach_from_parent()
        to.append(op)


class Launches:
    """What the function `code` on memrefs does, as launches of gpu.funcs `name_0`, `name_1`, ..., which are in a gpu.module of its module."""

    def __init__(self, module: ir.Module, code: Any, name: str):
        self.module, self.device, self.code = module, gpu_module(module), code
        self.entry, self.name, self.count = code.regions[0].blocks[0], name, 0

    def add(
        self,
        launch: Launch,
        parameters: Sequence[ir.Value],
        write: Callable[[Values, Sequence[ir.Value]], None],
        maps: Sequence[tuple[ir.Value, TensorMap]] = (),
    ) -> None:
        """At the end of the function. `parameters`: memory, of which the gpu.func is given what its code uses; `write`: the code, from
        what these, and the tensor maps of memory, are in it."""
        name = f"{self.name}_{self.count}"
        self.count += 1
        function = _gpu_function(self.device, name, [v.type for v in parameters], launch)
        arguments = list(function.entry_block.arguments)
        with ir.InsertionPoint(function.entry_block):
            write(dict(zip(parameters, arguments)), arguments[len(parameters) :])
            gpu.ReturnOp([])
        used = _drop_unused(function, len(parameters))
        with ir.InsertionPoint(self.entry.operations[len(self.entry.operations) - 1]):
            _add_launch(launch.grid, name, [parameters[n] for n in used], maps)


class KernelCode(Launches):
    """The function `name` in a module of its own, on memrefs: a kernel's arguments, then its results that are not tied. `arrays`: the memory
    of the arguments, by value; `stored`: that of the results."""

    def __init__(self, kernel: Any, name: str, memory_type: Callable[[ir.Type], ir.Type]):
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            code = func.FuncOp(name, (code_types(kernel, memory_type), []), visibility="private")
        with ir.InsertionPoint(code.add_entry_block()):
            func.ReturnOp([])
        super().__init__(module, code, kernel.name.value)
        self.kernel, self.parameters = kernel, list(code.arguments)
        self.arrays = dict(zip(kernel.regions[0].blocks[0].arguments, self.parameters))
        self.stored = result_parameters(kernel, self.parameters)


def one_launch(kernel: Any, name: str, launch: Launch) -> ir.Module:
    """A module with the code of a kernel that is one launch, which writes it from what the kernel's arguments, and the parts of them that it
    reads, are in the gpu.func, its results and its tensor maps: of arguments or parts of them."""
    with kernel.location:
        code = KernelCode(kernel, name, memref_of)

        def write(here: Values, maps: Sequence[ir.Value]) -> None:
            values = with_parts(kernel, {value: here[memory] for value, memory in code.arrays.items()})
            launch.emit(values, [here[memory] for memory in code.stored], maps)

        maps = [(code.arrays[view.source], one) for value, one in launch.maps if (view := view_of(value)) is not None]
        code.add(launch, code.parameters, write, maps)
    return code.module


def _gpu_function(device: ir.Block, name: str, types: Sequence[ir.Type], launch: Launch) -> gpu.GPUFuncOp:
    """A gpu.func without ops at the end of `device`: parameters of these types, then the launch's tensor maps."""
    grid, maps = launch.grid, len(launch.maps)
    kind = ir.FunctionType.get([*types, *[ir.Type.parse("!llvm.ptr")] * maps], [])
    with ir.InsertionPoint(device):
        function = gpu.GPUFuncOp(
            kind, name, kernel=True, known_block_size=[grid.threads, 1, 1], known_grid_size=[grid.blocks, 1, 1]
        )
    function.add_entry_block()
    function.attributes["hlo.decision"] = ir.StringAttr.get(launch.decision)
    if maps:
        function.attributes["hlo.tensor_maps"] = i32_attribute(maps)
        function.attributes["nvvm.minctasm"] = i32_attribute(
            1
        )  # else ptxas ignores setmaxnreg of warps that differ in work
    if launch.registers is not None:
        function.attributes["nvvm.maxnreg"] = i32_attribute(launch.registers)
    return function


def _drop_unused(function: gpu.GPUFuncOp, count: int) -> list[int]:
    """Leaves those of the first `count` parameters of a gpu.func that its code uses; their numbers."""
    block = function.entry_block
    for argument in list(block.arguments)[:count]:  # views of arrays that are not read
        for use in list(argument.uses):
            if use.owner.name == "memref.reinterpret_cast" and not list(use.owner.results[0].uses):
                use.owner.operation.erase()
    used = [n for n in range(count) if list(block.arguments[n].uses)]
    for number in reversed([n for n in range(count) if n not in used]):
        block.erase_argument(number)
    kept = [kind for number, kind in enumerate(function.arguments) if number >= count or number in used]
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(kept, []))
    return used


def _add_launch(
    grid: Grid, name: str, parameters: Sequence[ir.Value], maps: Sequence[tuple[ir.Value, TensorMap]]
) -> None:
    """The launch of the gpu.func `name`. `maps`: tensor maps that follow the parameters."""
    shared = arith.constant(ir.IntegerType.get_signless(32), grid.shared_bytes) if grid.shared_bytes else None
    arguments = [*parameters, *(_address(value, one.offset) for value, one in maps)]
    launch = gpu.LaunchFuncOp(
        [GPU_MODULE, name], (grid.blocks, 1, 1), (grid.threads, 1, 1), arguments, dynamic_shared_memory_size=shared
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
