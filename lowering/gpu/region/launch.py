"""A region kernel as launches: one for each of its loop nests, or a few.

Before:  func.func private @k(%a: tensor<8xf32>) -> tensor<8xf32> attributes {hlo.kernel = "region"} {...}
After:   (in a module of its own)
         func.func private @k.code(%a: memref<8xf32>, %r: memref<8xf32>) { gpu.launch_func @gpu::@k_0 ... }
         gpu.module @gpu { gpu.func @k_0(%a: memref<8xf32>, %r: memref<8xf32>) kernel {...} }"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any

from mlir import ir
from mlir.dialects import memref

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.finding import made_by
from hlo.lowering.gpu.device_functions import Launches, code_function
from hlo.lowering.gpu.grid import Launch, Values
from hlo.lowering.gpu.region.maps import map_launch
from hlo.lowering.gpu.region.reductions import reduction_launches
from hlo.lowering.gpu.region.rows import are_rows, row_launch
from hlo.lowering.gpu.region.thread import Thread
from hlo.lowering.linalg.iteration import Affine, Dim
from hlo.lowering.memory.placement import code_types, result_parameters
from hlo.lowering.memory.scratch import take_scratch
from hlo.lowering.memory.storage import memref_type
from hlo.lowering.vector.region.accesses import stage_accesses
from hlo.lowering.vector.region.chain import is_chain, is_sound_chain, reductions_in, wide_and_narrow
from hlo.lowering.vector.region.graph import Stage, Store, loops_of, result_index, returned_values
from hlo.lowering.vector.region.nest import Nest, nest_of, read_nests
from hlo.lowering.vector.target import Target


def region_code(kernel: Any, name: str, target: Target) -> ir.Module:
    """A module with the function `name` on memrefs (the kernel's arguments, then its results that are not tied, then workspaces), and its
    gpu.module @gpu."""
    with kernel.location:
        module = ir.Module.create()
        code = _Code(kernel, name, module, target)
        for nest in _nests(kernel, code):
            if all(d.size for d in nest.stage.parallel):
                code.add(nest)
        take_scratch(kernel, code.function)
    return module


def _nests(kernel: Any, code: _Code) -> Iterator[Nest]:
    """Those of a kernel, in the order they run: of a chain that is not by rows one for each of its reductions, and one
    for what is computed from all of them."""
    reductions = reductions_in(kernel)
    if not is_chain(reductions) or (is_sound_chain(kernel) and _is_by_rows(reductions)):
        yield from read_nests(kernel, heavy=1)
        return
    for op in reductions:
        dims, reduced = loops_of(op)
        yield code.nest(Stage(dims, [code.kept(value, dims) for value in op.results], reduced, [op]))
    for number, value in enumerate(code.returned):
        if value not in code.arrays:
            dims = [Dim(n) for n in value.type.shape]
            index = tuple(map(Affine.of, dims))
            yield code.nest(Stage(dims, [Store(value, number, value.type, index, index)]))


def _is_by_rows(reductions: Sequence[ir.Operation]) -> bool:
    """Whether a chain is profitable as one launch."""
    dims, reduced = loops_of(reductions[0])
    return are_rows([d.size for d in dims if d not in reduced], [d.size for d in reduced])


@dataclass
class _Code:
    """The code function that is written, and its gpu.funcs. `results`: what is stored where, by number; `arrays`: what
    can be read, by value."""

    kernel: Any
    name: str
    module: ir.Module
    target: Target
    allocated: list[ir.Value] = field(default_factory=list)

    def __post_init__(self) -> None:
        kernel = self.kernel
        self.given, self.returned = list(kernel.regions[0].blocks[0].arguments), returned_values(kernel)
        self.function = code_function(self.module, self.name, code_types(kernel, memref_type))
        self.launches = Launches(self.module, self.function, kernel.name.value)
        parameters = list(self.function.arguments)
        self.arrays = dict(zip(self.given, parameters))
        own = zip(result_parameters(kernel, parameters), self.returned)
        self.results = {n: (memory, value.type) for n, (memory, value) in enumerate(own)}

    def allocate(self, size: int, kind: ir.Type) -> ir.Value:
        """An array that launches have in common."""
        with ir.InsertionPoint.at_block_begin(self.launches.entry):
            self.allocated.append(memref.alloc(ir.MemRefType.get([size], kind), [], []))
        return self.allocated[-1]

    def workspace(self, value: ir.Value) -> int:
        """Memory for a value that is no result; its number."""
        kind = memref_type(value.type)
        with ir.InsertionPoint.at_block_begin(self.launches.entry):
            self.allocated.append(memref.alloc(kind, [], []))
        self.results[len(self.results)] = (self.allocated[-1], value.type)
        return len(self.results) - 1

    def kept(self, value: ir.Value, dims: Sequence[Dim]) -> Store:
        """The store of a reduction's result for the launches that follow: where the kernel returns it, or in a workspace."""
        index = result_index(value.owner, value, dims)
        number = self.returned.index(value) if value in self.returned else self.workspace(value)
        return Store(value, number, value.type, index, index)

    def nest(self, stage: Stage) -> Nest:
        """The nest of a stage, which reads what is in memory by now."""
        return nest_of(stage, stage_accesses(stage, set(self.arrays)))

    def add(self, nest: Nest) -> None:
        made = made_by(nest.stage.stores[-1].value)
        for launch in self._launches(nest):
            with self.kernel.location if made is None else made.location:
                self._write(launch)
        for store in nest.stage.stores:
            kept = store.to >= len(self.returned) or store.value == self.returned[store.to]
            if kept and store.value not in self.arrays:
                self.arrays[store.value] = self.results[store.to][0]

    def _launches(self, nest: Nest) -> Sequence[Launch]:
        wide, _ = wide_and_narrow(nest.stage, len(nest.index))
        if len(nest.stage.levels) > 1 or (nest.stage.levels and wide):
            return [row_launch(nest)]
        return reduction_launches(nest, self.target, self.allocate) if nest.stage.generics else [map_launch(nest)]

    def _write(self, launch: Launch) -> None:
        def write(here: Values, _: Sequence[ir.Value]) -> None:
            arrays = {value: here[memory] for value, memory in self.arrays.items()}
            results = {number: (here[memory], kind) for number, (memory, kind) in self.results.items()}
            launch.emit(Thread(ir.InsertionPoint.current.block, arrays, results, here))

        self.launches.add(launch, [*self.function.arguments, *self.allocated], write)
