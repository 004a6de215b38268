"""A region kernel as launches: one for each of its loop nests, or a few.

Before:  func.func private @k(%a: tensor<8xf32>) -> tensor<8xf32> attributes {hlo.kernel = "region"} {...}
After:   (in a module of its own)
         func.func private @k.code(%a: memref<8xf32>, %r: memref<8xf32>) { gpu.launch_func @gpu::@k_0 ... }
         gpu.module @gpu { gpu.func @k_0(%a: memref<8xf32>, %r: memref<8xf32>) kernel {...} }"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from mlir import ir
from mlir.dialects import memref

from hlo.lowering.finding import made_by
from hlo.lowering.gpu.launches import KernelCode, Launch, Values, counted
from hlo.lowering.gpu.region.nest_code import NestLaunch, position_of_part
from hlo.lowering.gpu.region.partial_results import combiners_of, kinds_of
from hlo.lowering.gpu.region.sharing import (
    Shape,
    Walk,
    Walks,
    are_rows,
    extent,
    map_shape,
    reduction_shape,
    row_shape,
    sizes_of,
    walks_of,
)
from hlo.lowering.gpu.region.thread import Thread
from hlo.lowering.gpu.region.transposed_maps import transposed_map
from hlo.lowering.linalg.iteration import Affine, Dim
from hlo.lowering.memory.scratch import take_scratch
from hlo.lowering.memory.storage import element_bytes, memref_type, stored_element
from hlo.lowering.target import Target
from hlo.lowering.vector.region.accesses import stage_accesses
from hlo.lowering.vector.region.chain import is_chain, is_sound_chain, reductions_in, wide_and_narrow
from hlo.lowering.vector.region.graph import Stage, Store, loops_of, result_index, returned_values
from hlo.lowering.vector.region.nest import Nest, nest_of, read_nests


def region_code(kernel: Any, name: str, target: Target) -> ir.Module:
    """A module with the function `name` on memrefs (the kernel's arguments, then its results that are not tied, then workspaces), and its
    gpu.module @gpu."""
    with kernel.location:
        code = _Code(kernel, name, target)
        for nest in _nests(kernel, code):
            if all(d.size for d in nest.stage.parallel):
                code.add_nest(nest)
        take_scratch(kernel, code.code)
    return code.module


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


class _Code(KernelCode):
    """The code of a region that is written. `results`: what is stored where, by number; `arrays`: what can be read."""

    def __init__(self, kernel: Any, name: str, target: Target):
        super().__init__(kernel, name, memref_type)
        self.target, self.returned = target, returned_values(kernel)
        self.results = {n: (memory, value.type) for n, (memory, value) in enumerate(zip(self.stored, self.returned))}

    def allocate(self, kind: ir.Type) -> ir.Value:
        """Memory that launches have in common."""
        with ir.InsertionPoint.at_block_begin(self.entry):
            self.parameters.append(memref.alloc(kind, [], []))
        return self.parameters[-1]

    def workspace(self, value: ir.Value) -> int:
        """Memory for a value that is no result; its number."""
        self.results[len(self.results)] = (self.allocate(memref_type(value.type)), value.type)
        return len(self.results) - 1

    def kept(self, value: ir.Value, dims: Sequence[Dim]) -> Store:
        """The store of a reduction's result for the launches that follow: where the kernel returns it, or in a workspace."""
        index = result_index(value.owner, value, dims)
        number = self.returned.index(value) if value in self.returned else self.workspace(value)
        return Store(value, number, value.type, index, index)

    def nest(self, stage: Stage) -> Nest:
        """The nest of a stage, which reads what is in memory by now."""
        return nest_of(stage, stage_accesses(stage, set(self.arrays)))

    def add_nest(self, nest: Nest) -> None:
        made = made_by(nest.stage.stores[-1].value)
        for launch in launches_of(nest, self.target, self.allocate):
            with self.kernel.location if made is None else made.location:
                self._write(launch)
        for store in nest.stage.stores:
            kept = store.to >= len(self.returned) or store.value == self.returned[store.to]
            if kept and store.value not in self.arrays:
                self.arrays[store.value] = self.results[store.to][0]

    def _write(self, launch: Launch) -> None:
        def write(here: Values, _: Sequence[ir.Value]) -> None:
            arrays = {value: here[memory] for value, memory in self.arrays.items()}
            results = {number: (here[memory], kind) for number, (memory, kind) in self.results.items()}
            launch.emit(Thread(ir.InsertionPoint.current.block, arrays, results, here))

        self.add(launch, self.parameters, write)


Allocate = Callable[[ir.Type], ir.Value]
"""An array of the code function."""

SHARED_BYTES = 40 * 1024
"""Of rows in shared memory; with what reductions have of it below the 48 KiB that every kernel may have."""


def launches_of(nest: Nest, target: Target, allocate: Allocate) -> list[Launch]:
    """Those of a nest of one kernel: a map, a chain of reductions over rows with what is computed from them, or reductions over the
    same loops with what is computed from their results at the same index."""
    stage, walks = nest.stage, walks_of(nest)
    if not stage.generics:
        return [transposed_map(nest, walks) or _map(nest, walks)]
    wide, _ = wide_and_narrow(stage, len(nest.index))
    if len(stage.levels) > 1 or (stage.levels and wide):
        return [_rows(nest, walks)]
    return _reductions(nest, walks, target, allocate)


def _map(nest: Nest, walks: Walks) -> Launch:
    shape, results = map_shape(nest.stage, walks), len(nest.stage.stores)
    what = f"{shape.width} neighbours" if shape.width > 1 else "an element"
    several = f"{results} results, " if results > 1 else ""
    size = sizes_of(nest.stage.dims) or "one element"
    return NestLaunch(nest, shape).launch(f"{several}a thread for {what} of {size}")


def _rows(nest: Nest, walks: Walks) -> Launch:
    stage, shape = nest.stage, row_shape(nest.stage, walks)
    room, kept = SHARED_BYTES // shape.together, []
    for value in stage.kept:
        size = extent(stage.reduction) * element_bytes(stored_element(value.type.element_type))
        if size <= room:
            room -= size
            kept.append(value)
    own = f", {counted(len(kept), 'row')} in shared memory" if kept else ""
    who = "a block of threads" if shape.together == 1 else counted(shape.threads, "thread")
    what = f"{counted(len(stage.generics), 'reduction')} and {counted(len(stage.stores), 'result')}"
    rows = f"rows of {extent(stage.parallel)}x{sizes_of(stage.reduction)}"
    return NestLaunch(nest, shape, True, kept).launch(f"{what} on {rows}, {who} each{own}")


def _reductions(nest: Nest, walks: Walks, target: Target, allocate: Allocate) -> list[Launch]:
    """One launch, or one for parts and one that combines them."""
    stage, combiners = nest.stage, combiners_of(nest.stage.generics)
    orders = {c.kind for c in combiners}
    order = next((one for one in ("sequential", "monoid") if one in orders), "op")
    shape = reduction_shape(stage.parallel, stage.reduction, walks, order, target)
    decision = _decision(shape, f"{sizes_of(stage.reduction) or '1'} elements", stage.parallel)
    if shape.parts == 1:
        return [NestLaunch(nest, shape).launch(decision)]
    kinds = [stored_element(kind) for c in combiners for kind in kinds_of(c)]
    size = shape.parts * extent(stage.parallel)
    workspace = tuple(allocate(ir.MemRefType.get([size], kind)) for kind in kinds)
    part = Dim(shape.parts)
    position = position_of_part(part, shape.parallel)
    inner = position.contiguous_loop([part, *shape.parallel])
    walk = [Walk(None, position, position, kind, size, inner) for kind in kinds]
    last = reduction_shape(shape.parallel, [part], Walks(walk, (), frozenset()), order, target)
    last = replace(last, parts=1)
    return [
        NestLaunch(nest, shape, workspace=workspace).launch(decision),
        NestLaunch(nest, last, workspace=workspace, is_last=True).launch(
            _decision(last, f"{last.steps} parts", stage.parallel)
        ),
    ]


def _decision(shape: Shape, reduced: str, parallel: Sequence[Dim]) -> str:
    """In words, for remarks. `reduced`: what is."""
    results = sizes_of(parallel)
    neighbours = f", {shape.width} neighbours at once" if shape.width > 1 else ""
    of = f"{shape.width} neighbouring results" if shape.states > 1 else f"a result{neighbours}"
    parts = f", in {shape.parts} parts" if shape.parts > 1 else ""
    to = f"each of {results}" if results else "one"
    return f"{reduced} to {to}: {counted(shape.threads, 'thread')} for {of}{parts}"
