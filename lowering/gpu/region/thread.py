"""The code of one thread: what the evaluator of loop nests (`vector/region/evaluate.py`) writes through, in one gpu.func.

A tile has no lanes here. Its steps are the adjacent elements that a thread has, which one access of 16 bytes loads or stores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import gcd
from typing import Any

from mlir import ir
from mlir.dialects import gpu, memref, scf

from hlo.lowering.gpu.threads import common_width, identity, load_several, shared_array, store_several
from hlo.lowering.linalg.iteration import Affine, Dim
from hlo.lowering.linalg.loops import all_of
from hlo.lowering.memory.storage import stored_element
from hlo.lowering.vector.region.code import Code, Level
from hlo.lowering.vector.region.evaluate import Evaluator
from hlo.lowering.vector.region.graph import Store
from hlo.lowering.vector.region.memory import Base, Buffer, Memory, Tile, flat
from hlo.lowering.vector.region.number import Number


class ThreadCode(Code):
    """Loads go in front of the loops and branches that their index does not depend on: indices are valid in all
    threads, and only stores are guarded."""

    @contextmanager
    def where(self, *checks: Number) -> Iterator[None]:
        """What is written inside is done where all checks hold: always if there are none."""
        if not checks:
            yield
            return
        branch = scf.IfOp(all_of([check.value for check in checks]))
        self.levels[-1].loop = branch.operation
        self.levels.append(Level())
        with ir.InsertionPoint(branch.then_block):
            yield
            scf.YieldOp([])
        self.levels.pop()

    def here(self, value: ir.Value) -> Number:
        """A value that was computed at the insertion point."""
        return Number(value, self.depth)

    def divided(self, number: Number, by: int) -> tuple[Number, Number]:
        """Quotient and remainder."""
        if by == 1:
            return number, self.index_constant(0)
        return self.arith("divui", number, by), self.arith("remui", number, by)

    def sum(self, a: Number, b: Number | int) -> Number:
        return a if b == 0 else self.arith("addi", a, b)

    def product(self, a: Number, b: int) -> Number:
        return a if b == 1 else self.arith("muli", a, b)

    def below(self, number: Number, stop: int) -> Number:
        return self.compared("ult", number, stop)

    def clamped(self, number: Number, last: int) -> Number:
        return self.arith("minui", number, last)

    def coordinates(self, number: Number, dims: Sequence[Dim], width: int = 1) -> Base:
        """The iteration with this number of some loops, row-major; the innermost one advances in steps of `width`."""
        found: Base = {}
        for position, dim in reversed(list(enumerate(dims))):
            step = width if position == len(dims) - 1 else 1
            own = number
            if position:
                number, own = self.divided(number, dim.size // step)
            found[dim] = self.product(own, step)
        return found

    def barrier(self) -> None:
        gpu.barrier()


class ThreadMemory(Memory):
    """`staged`: reads that are served from shared memory, by array and position: the element of each step."""

    code: ThreadCode

    def __init__(self, code: ThreadCode):
        super().__init__(code, masks=False)
        self.staged: dict[tuple[ir.Value, Affine], Callable[[int], Number]] = {}

    def load(self, buffer: Buffer, affine: Affine, tile: Tile) -> list[Number]:
        """A value for each step (one if all are equal), as many as possible with one access."""
        if (buffer.memref, affine) in self.staged:
            element = self.staged[buffer.memref, affine]
            loaded = [element(step) for step in range(tile.steps)]
        elif (width := _width(buffer, affine, tile)) > 1:
            loaded = [
                x for step in range(0, tile.steps, width) for x in self._adjacent(buffer, affine, tile, step, width)
            ]
        else:
            loaded = [self._scalar(buffer, tile.at_step(affine, r), tile) for r in tile.step_range(affine)]
        return [self.from_memory(buffer, x) for x in loaded]

    def _adjacent(self, buffer: Buffer, affine: Affine, tile: Tile, step: int, width: int) -> list[Number]:
        at = self._position(tile.at_step(affine, step), tile)
        level = max(at.level, buffer.floor)
        with self.code.at(level):
            return [Number(x, level) for x in load_several(buffer.memref, [at.value], width)]

    def get(self, buffer: Buffer, at: Number) -> Number:
        """One element, read here and not earlier: other threads have written it."""
        return self.from_memory(buffer, self.code.here(memref.load(buffer.memref, [at.value])))

    def put(self, buffer: Buffer, at: Number, value: Number) -> None:
        memref.store(self._to_memory(buffer, value).value, buffer.memref, [at.value])

    def store(self, buffer: Buffer, affine: Affine, tile: Tile, *values: list[Number]) -> None:
        (numbers,) = values
        numbers = [self._to_memory(buffer, one) for one in numbers]
        numbers = numbers * tile.steps if len(numbers) == 1 else numbers
        width = _width(buffer, affine, tile)
        for step in range(0, tile.steps, width):
            at = [self._position(tile.at_step(affine, step), tile).value] if buffer.shape else []
            store_several(buffer.memref, at, [x.value for x in numbers[step : step + width]])


def _width(buffer: Buffer, affine: Affine, tile: Tile) -> int:
    """How many steps one access has: their elements are adjacent, from multiples of their number on."""
    if tile.steps == 1 or affine.coefficient(tile.stepped) != 1 or isinstance(buffer.element, ir.ComplexType):
        return 1
    others = [c for d, c in affine.terms if d is not tile.stepped and (d in tile.base or d.value is not None)]
    return common_width([buffer.stored], [tile.steps, gcd(affine.const, *others)])


class Thread:
    """What loop nests are written through. `arrays`: the memory of values; `results`: that of what is stored, by number;
    `workspace`: arrays of the code function, for partial results."""

    def __init__(
        self,
        block: ir.Block,
        arrays: Mapping[ir.Value, ir.Value],
        results: Mapping[int, tuple[ir.Value, Any]],
        workspace: Mapping[ir.Value, ir.Value],
    ):
        self.code, self.workspace = ThreadCode(block), workspace
        self.memory = ThreadMemory(self.code)
        self.evaluator = Evaluator(self.code, self.memory, {v: buffer_of(one, v.type) for v, one in arrays.items()})
        self.results = {number: buffer_of(*one) for number, one in results.items()}

    def identity(self, name: str) -> Number:
        """gpu.thread_id, gpu.block_id, gpu.global_id along x."""
        return self.code.here(identity(name))

    def shared(self, shape: Sequence[int], kind: ir.Type) -> ir.Value:
        return shared_array(shape, stored_element(kind))

    def store(self, store: Store, tile: Tile, *values: list[Number]) -> None:
        self.memory.store(self.results[store.to], self.evaluator.bound(store.position, tile), tile, *values)

    def write(self, stores: Sequence[Store], tile: Tile, *checks: Number) -> None:
        """Evaluates values in a tile, all before the first store (an argument may be overwritten), which is guarded by checks."""
        values = [(store, self.evaluator.value(store.value, store.at, tile)) for store in stores]
        with self.code.where(*checks):
            for store, numbers in values:
                self.store(store, tile, numbers)

    def loop(self, first: Number, stop: int, step: int, body: Callable[[Number], None]) -> None:
        """A loop that carries nothing."""

        def iteration(at: Number, _: list[Number]) -> Sequence[Number]:
            body(at)
            return ()

        self.code.loop(first, stop, step, iteration, (), range(stop))


def buffer_of(memory: ir.Value, kind: Any) -> Buffer:
    """An array as a one-dimensional memref (a scalar stays as it is). `kind`: the tensor's type."""
    return Buffer(flat(memory), tuple(kind.shape), kind.element_type, ir.MemRefType(memory.type).element_type)
