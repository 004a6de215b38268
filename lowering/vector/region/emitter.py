"""The entry of the loop emitter: a kernel function on tensors in, a function on memrefs out.

Before:  func.func private @k(%a: tensor<8xf32>) -> tensor<8xi1> attributes {hlo.kernel = "region"} { ... }
After:   func.func private @k.code(%a: memref<8xf32>, %r: memref<8xi8>) { loops }"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from typing import Any

from mlir import ir
from mlir.dialects import func, memref

from hlo.lowering.linalg.iteration import Affine
from hlo.lowering.memory.parallelise_parts import call_parts
from hlo.lowering.memory.placement import code_types, result_parameters, works_in_place
from hlo.lowering.memory.storage import memref_type, stored_element
from hlo.lowering.target import Target
from hlo.lowering.vector.region.code import Code
from hlo.lowering.vector.region.complex_lanes import parts_in_memory
from hlo.lowering.vector.region.evaluate import Evaluator
from hlo.lowering.vector.region.graph import Stage, Store, returned_values, tied_values, written_out
from hlo.lowering.vector.region.long_bodies import LongBodies
from hlo.lowering.vector.region.memory import Buffer, Memory, Tile, flat
from hlo.lowering.vector.region.nest import Nest, phases
from hlo.lowering.vector.region.number import Number
from hlo.lowering.vector.region.plan import Plan
from hlo.lowering.vector.region.runs import Run
from hlo.lowering.vector.region.schedule import scheduled_region
from hlo.lowering.vector.region.stage_loops import write_stage

Body = Callable[[Number, list[Number]], list[Number]]
"""Of a loop: from its position and what is carried to what is carried on."""


def emit_region(kernel: Any, target: Target) -> None:
    """Creates the code function of a region kernel behind it, and names it in `hlo.code`."""
    name = f"{ir.StringAttr(kernel.attributes['sym_name']).value}.code"
    with kernel.operation.location, ir.InsertionPoint(kernel.operation):
        RegionEmitter(kernel, name, target).emit()
    kernel.attributes["hlo.code"] = ir.FlatSymbolRefAttr.get(name)


class RegionEmitter:
    """Writes the function of one kernel; `code`, `memory`, `evaluator` and `results` belong to the function that is
    being written (the kernel's own, or a part of it for a thread)."""

    def __init__(self, kernel: Any, name: str, target: Target):
        self.kernel = kernel
        self.name = name
        self.target = target
        self.long_bodies = LongBodies()
        self.nests = scheduled_region(kernel, target)
        self.parts = 1
        self._part_count = 0
        self._materialised: list[tuple[ir.Value, int]] = []
        self._arguments = list(kernel.regions[0].blocks[0].arguments)
        self._returned = returned_values(kernel)
        self._tied = tied_values(kernel)
        self.in_place = works_in_place(kernel)

    def emit(self) -> None:
        function = self._open(self.name, [])
        with ir.InsertionPoint(function.entry_block.operations[-1]):
            self._enter(function)
            for nest, plan in self.nests:
                self._stage(nest, plan)

    # ---- functions

    def _open(self, name: str, extra: Sequence[ir.Type]) -> Any:
        """A private function: the kernel's arguments, its results that are not tied, then `extra`."""
        types = [*code_types(self.kernel, memref_type), *extra]
        function = func.FuncOp(name, ir.FunctionType.get(types, []), visibility="private")
        with ir.InsertionPoint(function.add_entry_block()):
            func.ReturnOp([])
        return function

    def _enter(self, function: Any) -> None:
        """Makes the function the one that is written."""
        block = function.entry_block
        self.code = Code(block, self.target.has_range)
        self._row_buffers: dict[ir.Value, tuple[Buffer, Affine]] = {}
        halves_tails = self.in_place and any(nest.accesses.rolls for nest, _ in self.nests)
        self.memory = Memory(self.code, self.target.masks, self.target.permutes, halves_tails)
        free = [v for n, v in enumerate(self._returned) if n not in self._tied]
        parameters = [_buffer(a, v.type) for a, v in zip(block.arguments, [*self._arguments, *free])]
        buffers = dict(zip(self._arguments, parameters))
        self.results = dict(enumerate(result_parameters(self.kernel, parameters)))
        self.evaluator = Evaluator(self.code, self.memory, buffers, self.long_bodies)
        for value, number in self._materialised:
            buffers[value] = self.results[number]

    # ---- stages

    def row_buffers(self, stage: Stage) -> dict[ir.Value, tuple[Buffer, Affine]]:
        """Memory on the stack for the rows of a chain's kept values, and the position in a row."""
        if not stage.kept or self._row_buffers:
            return self._row_buffers
        size = prod(stage.row_shape)
        for value in stage.kept:
            element = value.type.element_type
            type = ir.MemRefType.get([size], stored_element(element))
            with ir.InsertionPoint.at_block_begin(self.code.block):
                row = memref.alloca(type, [], [], alignment=64)
                buffer = _as_buffer(row, (size,), element)
            self._row_buffers[value] = (buffer, stage.row_position)
        return self._row_buffers

    def _stage(self, nest: Nest, plan: Plan) -> None:
        stage = nest.stage
        if prod(d.size for d in stage.parallel):
            self.parts = plan.parts
            for phase, own in phases(nest, plan):
                write_stage(self, *(_in_run if stage.generics else _written_out)(phase, own))
        for store in stage.stores:
            if store.value == self._returned[store.to]:
                self._materialised.append((store.value, store.to))
                self.evaluator.buffers[store.value] = self.results[store.to]

    def store(self, store: Store, tile: Tile, *values: list[Number]) -> None:
        """Stores a value, or several side by side, of which `store` is the first."""
        self.memory.store(self.results[store.to], self.evaluator.bound(store.position, tile), tile, *values)

    # ---- loops

    def loop(
        self, positions: range, body: Body, carry: Sequence[Number] = (), is_outermost: bool = False
    ) -> list[Number]:
        """A loop; the outermost one of a stage is shared among threads if the plan says so."""
        trips = len(positions)
        if is_outermost and not carry and self.parts > 1 and trips > 1 and self.code.depth == 0:
            self._parallel(positions, min(self.parts, trips), body)
            return []
        return self.code.loop(positions.start, positions.stop, positions.step, body, carry)

    def _parallel(self, values: range, parts: int, body: Body) -> None:
        """The loop as a function of the number of a part, called for all parts."""
        chunk = -(-len(values) // parts)
        name = f"{self.name}.{self._part_count}"
        self._part_count += 1
        outer = self.code, self.memory, self.evaluator, self.results, self.parts, self._row_buffers
        arguments = list(self.code.block.arguments)
        with ir.InsertionPoint(self.kernel.operation):
            part = self._open(name, [ir.IndexType.get()])
        with ir.InsertionPoint(part.entry_block.operations[-1]):
            self._enter(part)
            self.parts = 1
            self._part(part.entry_block.arguments[len(arguments)], chunk * values.step, values, body)
        self.code, self.memory, self.evaluator, self.results, self.parts, self._row_buffers = outer
        call_parts(part, arguments, -(-len(values) // chunk))

    def _part(self, number: ir.Value, chunk: int, values: range, body: Body) -> None:
        """Some of the iterations. One alone needs no loop: no part is without."""
        code = self.code
        lower = code.arith("muli", Number(number, 0), chunk)
        if values.start:
            lower = code.arith("addi", lower, values.start)
        if chunk == values.step:
            lower.values = values
            body(lower, [])
            return
        end = code.arith("minsi", code.arith("addi", lower, chunk), values.stop)
        code.loop(lower, end, values.step, body, (), values)


def _written_out(nest: Nest, plan: Plan) -> tuple[Nest, Plan]:
    return replace(nest, stage=written_out(nest.stage, plan.interleaved)), plan


def _in_run(nest: Nest, plan: Plan) -> tuple[Nest, Plan]:
    """A reduction whose lanes go through several loops as through one."""
    if not plan.interleaved or plan.lanes is None:
        return nest, plan
    run = Run([plan.lanes, *plan.interleaved])
    dims = [run if d is plan.lanes else d for d in nest.stage.dims if d not in plan.interleaved]
    in_run = replace(plan, lanes=run, stepped=run, steps=plan.steps * run.row, interleaved=())
    return replace(nest, stage=replace(nest.stage, dims=dims)), in_run


def _buffer(value: ir.Value, tensor: Any) -> Buffer:
    """The argument as a one-dimensional memref (a scalar stays as it is)."""
    return _as_buffer(flat(value), tuple(tensor.shape), tensor.element_type)


def _as_buffer(memory: ir.Value, shape: tuple[int, ...], element: ir.Type) -> Buffer:
    parts = parts_in_memory(memory) if shape and isinstance(element, ir.ComplexType) else None
    return Buffer(memory, shape, element, stored_element(element), parts=parts)
