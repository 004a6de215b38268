"""Contractions as launches: a block of threads computes a tile of the result out of tiles of both inputs in shared memory.

Before:  linalg.generic multiply-add over (m, n, k) on memrefs: any number of batch, m, n and k dimensions, any maps
After:   a gpu.func whose block loops over k in steps: copy both tiles to shared memory, barrier, multiply, barrier

What m, n and k are is read from the maps: parallel dimensions that only the first input has are m, those that only the second has
are n, those of both are the batch, reduction dimensions are k; several dimensions count as one, row-major. So convolutions (whose maps have
sums of dimensions) and transposed operands are contractions too. How a tile is multiplied: simt.py, tensor_cores.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, memref, scf

from hlo.lowering.gpu.block_reduction import shared_array_of
from hlo.lowering.gpu.element import Element, Values, delinearized, index_constant
from hlo.lowering.gpu.grid import Grid
from hlo.lowering.gpu.nest import Nest, mentions, nest_of, uses_index
from hlo.lowering.gpu.simt import SimtTile
from hlo.lowering.gpu.tensor_cores import TensorCoreTile, fits_tensor_cores

LEAST = 16
"""Sizes of m, n and k from which tiles are worth it."""


@dataclass(frozen=True)
class Problem:
    """The dimensions of a contraction by their part in it, and their total sizes."""

    op: ir.Operation
    nest: Nest
    batch: tuple[int, ...]
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    depth: tuple[int, ...]

    @property
    def m(self) -> int:
        return self.nest.extent(self.rows)

    @property
    def n(self) -> int:
        return self.nest.extent(self.columns)

    @property
    def k(self) -> int:
        return self.nest.extent(self.depth)


@dataclass(frozen=True)
class Contraction:
    """A launch of one contraction; `tile` knows its sizes and how to multiply."""

    problem: Problem
    tile: SimtTile | TensorCoreTile

    @property
    def ops(self) -> list[ir.Operation]:
        return [self.problem.op]

    @property
    def tiles(self) -> tuple[int, int, int]:
        """Of the batch, the rows, the columns."""
        p = self.problem
        return p.nest.extent(p.batch), -(-p.m // self.tile.m), -(-p.n // self.tile.n)

    @property
    def grid(self) -> Grid:
        batch, rows, columns = self.tiles
        return Grid(batch * rows * columns, self.tile.threads)

    def emit(self, values: Values) -> None:
        _Block(self, values).emit()


class _Block:
    """The code of one block of threads."""

    def __init__(self, launch: Contraction, values: Values):
        self.problem, self.tile = launch.problem, launch.tile
        nest = self.problem.nest
        operands = [values.get(v, v) for v in self.problem.op.operands]
        self.element = Element(self.problem.op, nest, operands, values)
        self.thread = _identity("gpu.thread_id")
        batch, row, column = delinearized(_identity("gpu.block_id"), launch.tiles)
        self.first_row = arith.muli(row, index_constant(self.tile.m))
        self.first_column = arith.muli(column, index_constant(self.tile.n))
        self._set(self.problem.batch, batch)

    def emit(self) -> None:
        tile, kinds = self.tile, [ir.MemRefType(v.type).element_type for v in self.element.operands]
        left = shared_array_of([tile.m, tile.row_stride], kinds[0])
        right = shared_array_of([tile.n, tile.row_stride], kinds[1])
        start = tile.start(self._start, self.thread)
        loop = scf.ForOp(index_constant(0), index_constant(self.problem.k), index_constant(tile.k), start)
        with ir.InsertionPoint(loop.body):
            self._copy(0, left, self.problem.rows, self.problem.m, self.first_row, tile.m, loop.induction_variable)
            self._copy(
                1, right, self.problem.columns, self.problem.n, self.first_column, tile.n, loop.induction_variable
            )
            ir.Operation.create("gpu.barrier")
            sums = tile.multiply(self.element, left, right, self.thread, list(loop.inner_iter_args))
            ir.Operation.create("gpu.barrier")
            scf.YieldOp(sums)
        tile.finish(list(loop.results), self.thread, self._store)

    def _set(self, dimensions: Sequence[int], position: ir.Value) -> None:
        sizes = [self.problem.nest.sizes[d] for d in dimensions]
        for d, index in zip(dimensions, delinearized(position, sizes)):
            self.element.place[d] = index

    def _copy(
        self,
        number: int,
        shared: ir.Value,
        outer: Sequence[int],
        size: int,
        first: ir.Value,
        count: int,
        depth: ir.Value,
    ) -> None:
        """A tile of an input, as rows along k, to shared memory; what is outside the input is 0. Neighbouring threads take
        neighbours in memory: along k, or along the other dimension if the input is contiguous there."""
        tile, p = self.tile, self.problem
        along_k = not _last_is(p.nest.maps[number], outer[-1])
        total = count * tile.k
        loop = scf.ForOp(self.thread, index_constant(total), index_constant(tile.threads))
        with ir.InsertionPoint(loop.body):
            sizes = [count, tile.k] if along_k else [tile.k, count]
            place = delinearized(loop.induction_variable, sizes)
            row, step = place if along_k else (place[1], place[0])
            at, k = arith.addi(first, row), arith.addi(depth, step)
            self._set(outer, at)
            self._set(p.depth, k)
            memref.store(self._inside(number, [(at, size, count), (k, p.k, tile.k)]), shared, [row, step])
            scf.YieldOp([])

    def _inside(self, number: int, bounds: Sequence[tuple[ir.Value, int, int]]) -> ir.Value:
        """The input's element at the place, or 0 where that is outside."""
        checks = [
            arith.cmpi(arith.CmpIPredicate.ult, index, index_constant(size))
            for index, size, step in bounds
            if size % step
        ]
        return self._load_if(checks, number)

    def _load_if(self, checks: Sequence[ir.Value], number: int) -> ir.Value:
        """An operand's element at the place, or 0."""
        if not checks:
            return self.element.load(number)
        kind = ir.MemRefType(self.element.operands[number].type).element_type
        branch = scf.IfOp(_all(checks), [kind], has_else=True)
        with ir.InsertionPoint(branch.then_block):
            scf.YieldOp([self.element.load(number)])
        with ir.InsertionPoint(branch.else_block):
            scf.YieldOp([zero_of(kind)])
        return branch.results[0]

    def _result_place(self, row: ir.Value, column: ir.Value) -> list[ir.Value]:
        """Sets the place of a result; gives the checks that it is inside."""
        p, checks = self.problem, []
        for dimensions, first, offset, size, step in (
            (p.rows, self.first_row, row, p.m, self.tile.m),
            (p.columns, self.first_column, column, p.n, self.tile.n),
        ):
            index = arith.addi(first, offset)
            self._set(dimensions, index)
            if size % step:
                checks.append(arith.cmpi(arith.CmpIPredicate.ult, index, index_constant(size)))
        return checks

    def _start(self, row: ir.Value, column: ir.Value) -> ir.Value:
        """What the result holds before: the sum begins with it."""
        return self._load_if(self._result_place(row, column), 2)

    def _store(self, row: ir.Value, column: ir.Value, value: ir.Value) -> None:
        checks = self._result_place(row, column)
        if not checks:
            self.element.store(2, value)
            return
        branch = scf.IfOp(_all(checks))
        with ir.InsertionPoint(branch.then_block):
            self.element.store(2, value)
            scf.YieldOp([])


def _all(checks: Sequence[ir.Value]) -> ir.Value:
    condition = checks[0]
    for check in checks[1:]:
        condition = arith.andi(condition, check)
    return condition


def zero_of(kind: ir.Type) -> ir.Value:
    """0 of an integer or float type."""
    zero = ir.FloatAttr.get(kind, 0.0) if isinstance(kind, ir.FloatType) else ir.IntegerAttr.get(kind, 0)
    return arith.ConstantOp(kind, zero).result


def _last_is(one: ir.AffineMap, dimension: int) -> bool:
    """Whether neighbours along a dimension are neighbours in memory."""
    results = list(one.results)
    return bool(results) and mentions(results[-1], dimension)


def _identity(name: str) -> ir.Value:
    dimension = {"dimension": ir.Attribute.parse("#gpu<dim x>")}
    return ir.Operation.create(name, results=[ir.IndexType.get()], attributes=dimension).results[0]


# What is a contraction


def contraction(op: ir.Operation) -> Contraction | None:
    """The launch of a linalg.generic that multiplies and adds, if it is large enough for tiles; None for other ops."""
    problem = _problem(op) if op.name == "linalg.generic" else None
    if problem is None or min(problem.m, problem.n, problem.k) < LEAST:
        return None
    if fits_tensor_cores(op):
        return Contraction(problem, TensorCoreTile.for_sizes(problem.m, problem.n, _input_type(op)))
    return Contraction(problem, SimtTile.for_sizes(problem.m, problem.n))


def _input_type(op: ir.Operation) -> ir.Type:
    return ir.MemRefType(op.operands[0].type).element_type


def _problem(op: ir.Operation) -> Problem | None:
    nest = nest_of(op)
    if nest.inputs != 2 or len(nest.maps) != 3 or not nest.reduction or uses_index(op) or not multiplies_and_adds(op):
        return None
    has = [[any(mentions(e, d) for e in one.results) for d in range(len(nest.sizes))] for one in nest.maps]
    left, right, result = has
    if any(result[d] for d in nest.reduction) or not all(left[d] or right[d] for d in nest.parallel):
        return None
    if not all(left[d] and right[d] for d in nest.reduction):
        return None
    return Problem(
        op,
        nest,
        batch=tuple(d for d in nest.parallel if left[d] and right[d]),
        rows=tuple(d for d in nest.parallel if left[d] and not right[d]),
        columns=tuple(d for d in nest.parallel if right[d] and not left[d]),
        depth=nest.reduction,
    )


SUMS = {"arith.addf": "arith.mulf", "arith.addi": "arith.muli"}
WIDENINGS = ("arith.extf", "arith.extsi", "arith.extui")


def multiplies_and_adds(op: ir.Operation) -> bool:
    """The body is out + in0 * in1, both perhaps widened first: zeros may be added without changing the result."""
    block = op.regions[0].blocks[0]
    left, right, out = block.arguments
    *_, end = block.operations
    (total,) = end.operands
    if isinstance(total.owner, ir.Block) or total.owner.name not in SUMS:
        return False
    terms = list(total.owner.operands)
    products = [v for v in terms if v != out]
    if len(products) != 1 or isinstance(products[0].owner, ir.Block):
        return False
    product = products[0].owner
    if product.name != SUMS[total.owner.name]:
        return False
    return {narrow(v) for v in product.operands} == {left, right}


def narrow(value: ir.Value) -> ir.Value:
    """The value before it was widened."""
    while not isinstance(value.owner, ir.Block) and value.owner.name in WIDENINGS:
        value = value.owner.operands[0]
    return value
