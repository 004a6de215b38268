"""Demand-driven evaluation: the value of a linalg or tensor result at an index, for a whole tile.

`Evaluator.value(v, index, tile)` gives one Number for each step of the tile (a single one when all steps are equal).
Producers are evaluated at the indices where their consumers read them, so an elementwise chain, a broadcast, a
transpose or a slice costs no memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from mlir import ir

from hlo.errors import CompileError
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.copying import attributes_of
from hlo.lowering.finding import is_used, ops_within
from hlo.lowering.linalg.iteration import ZERO, Affine, Dim, Index, apply_map, flatten, invert_permutation
from hlo.lowering.vector.region.bounded_read import read_inserted
from hlo.lowering.vector.region.code import Code
from hlo.lowering.vector.region.graph import VIEWS, inputs_of, source_index
from hlo.lowering.vector.region.long_bodies import LongBodies, is_long
from hlo.lowering.vector.region.look_ups import clamped, read_at
from hlo.lowering.vector.region.memory import Buffer, Memory, Tile, number_at
from hlo.lowering.vector.region.number import Number

Environment = dict[ir.Value, list[Number]]


@dataclass(eq=False)
class BodyOp:
    """An op of a linalg body, read once."""

    name: str
    op: ir.Operation
    operands: list[ir.Value]
    results: list[ir.Value]
    types: list[ir.Type]
    attributes: dict[str, ir.Attribute]
    location: ir.Location


def read_block(block: ir.Block) -> list[BodyOp]:
    """The ops of a block, the terminator last."""
    return [_read_op(op.operation) for op in block.operations]


def _read_op(op: ir.Operation) -> BodyOp:
    results = list(op.results)
    return BodyOp(op.name, op, list(op.operands), results, [r.type for r in results], attributes_of(op), op.location)


class Evaluator:
    """Evaluates values of one kernel into one function. `buffers`: values that are in memory."""

    def __init__(
        self, code: Code, memory: Memory, buffers: dict[ir.Value, Buffer], long_bodies: LongBodies | None = None
    ):
        """`long_bodies`: functions that may be called for long bodies."""
        self.code = code
        self.memory = memory
        self.buffers = buffers
        self.long_bodies = long_bodies
        self.known: dict[ir.Value, list[Number]] = {}
        """Results of the reductions of a chain, for the row that is being computed."""
        self.rows: dict[ir.Value, tuple[Buffer, Affine]] = {}
        """Values of that row that an earlier sweep has stored, and where."""
        self.row_index: Index = ()
        """The index at which those values are stored."""
        self.first_row: Dim | None = None
        """The loop of the lanes where they are those of several rows, counted from the first of the tile."""
        self.speculating = 0
        """How deep in values that may not be taken: positions in them are clamped."""
        self._scalars: dict[ir.Value, Number] = {}
        self._bodies: dict[ir.Operation, list[BodyOp]] = {}

    # ---- tensors

    def value(self, value: ir.Value, index: Index, tile: Tile) -> list[Number]:
        """A tensor's elements at an index, or a scalar (index ())."""
        if value in self.known:
            return self.known[value]
        key = (value, index)
        found = tile.memo.get(key)
        if found is None:
            in_row = value in self.rows and index == self.row_index
            found = (
                self.memory.load(*self.rows[value], self.in_row(tile)) if in_row else self._value(value, index, tile)
            )
            tile.memo[key] = found
        return found

    def in_row(self, tile: Tile) -> Tile:
        """The tile as buffers of rows count it."""
        if self.first_row is None:
            return tile
        return replace(tile, base={**tile.base, self.first_row: self.code.index_constant(0)})

    def _value(self, value: ir.Value, index: Index, tile: Tile) -> list[Number]:
        if not isinstance(value.type, ir.RankedTensorType):
            return [self.scalar(value)]
        if value in self.buffers:
            buffer = self.buffers[value]
            return self.memory.load(buffer, self.bound(flatten(index, buffer.shape), tile), tile)
        op = value.owner
        if op.name not in READERS:
            raise CompileError(f"{op.location}: '{op.name}' cannot be read inside a region kernel")
        return READERS[op.name](self, op, value, index, tile)

    def bound(self, affine: Affine, tile: Tile) -> Affine:
        """The same position, with the dynamic offsets in it computed."""
        for dim, _ in affine.terms:
            if dim.value is not None and dim not in tile.base:
                tile.base[dim] = self.scalar(dim.value)
        return affine

    def generic(self, op: ir.Operation, value: ir.Value, index: Index, tile: Tile) -> list[Number]:
        number, output_maps = value.result_number, list(op.attributes["indexing_maps"])[-len(op.results) :]
        output_map = output_maps[number].value
        dims = invert_permutation(output_map, index)
        if dims is None:
            raise CompileError(f"{op.location}: an inner value of a kernel with the output map {output_map}")
        results = self.generic_results(op, dims, tile)
        for other, other_map, numbers in zip(op.results, output_maps, results):
            tile.memo[(other, apply_map(other_map.value, dims))] = numbers
        return results[number]

    def generic_results(
        self,
        op: ir.Operation,
        dims: Sequence[Affine],
        tile: Tile,
        accumulators: Sequence[list[Number]] | None = None,
        body: list[BodyOp] | None = None,
    ) -> list[list[Number]]:
        """The results of a linalg.generic's body (or of `body`) at an iteration index. Without `accumulators`, its outs operands are
        read like inputs if the body uses them."""
        inputs = self.generic_inputs(op, dims, tile)
        return self.generic_body(op, dims, tile, inputs, accumulators, body)

    def generic_inputs(self, op: ir.Operation, dims: Sequence[Affine], tile: Tile) -> list[list[Number]]:
        return self._operands(op, range(len(inputs_of(op))), dims, tile)

    def _operands(
        self, op: ir.Operation, numbers: Sequence[int], dims: Sequence[Affine], tile: Tile
    ) -> list[list[Number]]:
        """The elements of operands that the body of a linalg.generic uses at an iteration index."""
        operands, maps, arguments = op.operands, op.attributes["indexing_maps"], op.regions[0].blocks[0].arguments
        return [
            self.value(operands[n], apply_map(maps[n].value, dims), tile) if is_used(arguments[n]) else []
            for n in numbers
        ]

    def generic_body(
        self,
        op: ir.Operation,
        dims: Sequence[Affine],
        tile: Tile,
        inputs: Sequence[list[Number]],
        accumulators: Sequence[list[Number]] | None = None,
        body: list[BodyOp] | None = None,
    ) -> list[list[Number]]:
        if self.long_bodies is not None and tile.width and accumulators is None and body is None and is_long(op):
            return self.long_bodies.call(self.code, op, inputs, partial(self._written, op))
        arguments = list(op.regions[0].blocks[0].arguments)
        environment: Environment = dict(zip(arguments, inputs))
        outputs = arguments[len(inputs) :]
        if accumulators is None:
            accumulators = self._operands(op, range(len(inputs), len(arguments)), dims, tile)
        environment.update(zip(outputs, accumulators))
        return self.run(body or self.body(op), environment, dims, tile)

    def _written(self, op: ir.Operation, code: Code, inputs: Sequence[list[Number]]) -> list[list[Number]]:
        """A long body as code of its own."""
        environment = dict(zip(op.regions[0].blocks[0].arguments, inputs))
        return Evaluator(code, self.memory, {}).run(self.body(op), environment, (), Tile({}))

    def body(self, op: ir.Operation) -> list[BodyOp]:
        if op not in self._bodies:
            self._bodies[op] = read_block(op.regions[0].blocks[0])
        return self._bodies[op]

    # ---- bodies

    def run(
        self, body: list[BodyOp], environment: Environment, dims: Sequence[Affine], tile: Tile
    ) -> list[list[Number]]:
        """Runs a body and returns its terminator's operands."""
        for op in body[:-1]:
            handler = BODY_OPS.get(op.name, Evaluator.elementwise if not len(op.op.regions) else Evaluator.nested)
            for result, numbers in zip(op.results, handler(self, op, environment, dims, tile)):
                environment[result] = numbers
        return [self.operand(v, environment) for v in body[-1].operands]

    def operand(self, value: ir.Value, environment: Environment) -> list[Number]:
        """A value of the body, or a scalar from outside of it."""
        return environment[value] if value in environment else [self.scalar(value)]

    def by_step(self, values: Sequence[ir.Value], environment: Environment) -> list[list[Number]]:
        lists = [self.operand(v, environment) for v in values]
        count = max(map(len, lists), default=1)
        return [[number_at(numbers, r) for numbers in lists] for r in range(count)]

    def elementwise(self, op: BodyOp, environment: Environment, dims: Any, tile: Tile) -> list[list[Number]]:
        steps = [
            self.code.op(op.name, op.types, operands, op.attributes, op.location)
            for operands in self.by_step(op.operands, environment)
        ]
        return [list(numbers) for numbers in zip(*steps)]

    def sum(self, op: BodyOp, environment: Environment, dims: Any, tile: Tile) -> list[list[Number]]:
        """Lanes that count up by one still do so when they are moved by one number."""
        (sums,) = self.elementwise(op, environment, dims, tile)
        for total, operands in zip(sums, self.by_step(op.operands, environment)):
            counting = [one for one in operands if one.first is not None]
            if len(counting) == 1 and sum(one.width > 0 for one in operands) == 1:
                total.first = self.code.arith("addi", *(one.first or one for one in operands))
        return [sums]

    def constant(self, op: BodyOp, environment: Environment, dims: Any, tile: Tile) -> list[list[Number]]:
        return [[self.code.constant(op.attributes["value"])]]

    def index(self, op: BodyOp, environment: Environment, dims: Sequence[Affine], tile: Tile) -> list[list[Number]]:
        affine = dims[ir.IntegerAttr(op.attributes["dim"]).value]
        return [self.index_numbers(affine, tile)]

    def index_numbers(self, affine: Affine, tile: Tile) -> list[Number]:
        """A position as a number for each step, counting along the lanes."""
        self.bound(affine, tile)
        numbers = [self.code.position(tile.at_step(affine, r), tile.base) for r in tile.step_range(affine)]
        stride = affine.coefficient(tile.lanes)
        if not stride or not tile.width:
            return numbers
        ramp = self.code.ramp(tile.width, stride)
        lanes = [self.code.arith("addi", n, ramp) for n in numbers]
        for lane, first in zip(lanes, numbers):
            lane.first = first if stride == 1 else None
        return lanes

    def tensor_extract(self, op: BodyOp, environment: Environment, dims: Any, tile: Tile) -> list[list[Number]]:
        """A computed position."""
        source = op.operands[0]
        if source not in self.buffers:
            return [self.value(source, (ZERO,) * (len(op.operands) - 1), tile)] if _uniform(source) else _no(op)
        buffer, found = self.buffers[source], []
        for step, indices in enumerate(self.by_step(op.operands[1:], environment)):
            if self.speculating:
                indices = [clamped(self.code, one, size) for one, size in zip(indices, buffer.shape)]
            found.append(read_at(self.memory, buffer, indices, tile, step))
        return [found]

    def conditional(self, op: BodyOp, environment: Environment, dims: Any, tile: Tile) -> list[list[Number]]:
        """scf.if on single elements: both sides, and a choice. The side that is not taken may compute positions
        outside of its arrays: they are clamped."""
        self.speculating += 1
        branches = [self.run(read_block(region.blocks[0]), dict(environment), dims, tile) for region in op.op.regions]
        self.speculating -= 1
        condition = self.operand(op.operands[0], environment)
        chosen = []
        for yes, no in zip(*branches):
            lists = condition, yes, no
            steps = range(max(map(len, lists)))
            chosen.append([self.code.select(*(number_at(one, r) for one in lists)) for r in steps])
        return chosen

    def nested(self, op: BodyOp, environment: Environment, dims: Any, tile: Tile) -> list[list[Number]]:
        """Any other op with regions, on scalars: cloned."""
        if tile.width:
            raise CompileError(f"{op.location}: '{op.name}' in a vectorised body")
        clone = op.op.clone()
        for inner in ops_within(clone):
            for number, operand in enumerate(inner.operands):
                if operand in environment or _is_outside(operand):
                    inner.operands[number] = self.operand(operand, environment)[0].value
        return [[Number(r, self.code.depth)] for r in clone.results]

    # ---- scalars of the kernel, computed once in front of all loops

    def scalar(self, value: ir.Value) -> Number:
        if value not in self._scalars:
            self._scalars[value] = self._scalar(value)
        return self._scalars[value]

    def _scalar(self, value: ir.Value) -> Number:
        op = value.owner
        if isinstance(op, ir.Block):
            raise CompileError("a kernel with a scalar argument")
        if op.name == "arith.constant":
            return self.code.constant(op.attributes["value"])
        if op.name == "tensor.extract":
            return self._scalar_extract(op)
        read = _read_op(op)
        operands = [self.scalar(v) for v in read.operands]
        results = self.code.op(op.name, read.types, operands, read.attributes, read.location)
        return results[value.result_number]

    def _scalar_extract(self, op: ir.Operation) -> Number:
        source = op.operands[0]
        indices = [self.scalar(v) for v in list(op.operands)[1:]]
        if source in self.buffers:
            return read_at(self.memory, self.buffers[source], indices, Tile({}), 0)
        dims = tuple(Dim(1) for _ in indices)
        tile = Tile(dict(zip(dims, indices)))
        return self.value(source, tuple(map(Affine.of, dims)), tile)[0]


def _uniform(value: ir.Value) -> bool:
    """Whether all elements are one scalar."""
    return not isinstance(value.owner, ir.Block) and value.owner.name in ("linalg.fill", "tensor.splat")


def _no(op: BodyOp) -> Any:
    raise CompileError(f"{op.location}: a gather from a value that is computed in the same kernel")


def _is_outside(value: ir.Value) -> bool:
    """Whether a value that a cloned op uses is a scalar of the kernel."""
    owner = value.owner
    return not isinstance(owner, ir.Block) and owner.parent is not None and owner.parent.name == "func.func"


def _read_fill(self: Evaluator, op: ir.Operation, value: ir.Value, index: Index, tile: Tile) -> list[Number]:
    return [self.scalar(op.operands[0])]


def _read_constant(self: Evaluator, op: ir.Operation, value: ir.Value, index: Index, tile: Tile) -> list[Number]:
    elements = ir.DenseElementsAttr(op.attributes["value"])
    if not elements.is_splat:
        raise CompileError(f"{op.location}: an array constant inside a kernel")
    splat, element = elements.get_splat_value(), value.type.element_type
    if isinstance(element, ir.ComplexType):
        return self.code.op("complex.constant", [element], [], {"value": splat})
    return [self.code.constant(splat)]


def _read_moved(self: Evaluator, op: ir.Operation, value: ir.Value, index: Index, tile: Tile) -> list[Number]:
    return self.value(op.operands[0], source_index(op, index), tile)


def _read_from_elements(self: Evaluator, op: ir.Operation, value: ir.Value, index: Index, tile: Tile) -> list[Number]:
    if len(op.operands) != 1:
        raise CompileError(f"{op.location}: tensor.from_elements of more than one element inside a kernel")
    return [self.scalar(op.operands[0])]


READERS: dict[str, Callable[..., list[Number]]] = {
    "linalg.generic": Evaluator.generic,
    "linalg.fill": _read_fill,
    "tensor.splat": _read_fill,
    "tensor.from_elements": _read_from_elements,
    "arith.constant": _read_constant,
    "tensor.insert_slice": read_inserted,
    **dict.fromkeys(VIEWS, _read_moved),
}
"""How the elements of each op's result are found."""

BODY_OPS: dict[str, Callable[..., list[list[Number]]]] = {
    "arith.constant": Evaluator.constant,
    "linalg.index": Evaluator.index,
    "arith.addi": Evaluator.sum,
    "tensor.extract": Evaluator.tensor_extract,
    "scf.if": Evaluator.conditional,
}
"""Ops in bodies that are more than elementwise."""
