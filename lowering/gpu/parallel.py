"""One linalg.generic (or copy) on memrefs as the body of a gpu.func: a thread an element of the parallel dimensions.

Before:  linalg.generic {maps, ["parallel", "reduction"]} ins(%a : memref<8x4xf32>) outs(%r : memref<8xf32>) { f }
After:   %t = gpu.global_id x
         scf.for %i = %t to %c8 step %threads {
           %0 = memref.load %r[%i]
           %1 = scf.for %k = %c0 to %c4 step %c1 iter_args(%x = %0) { %2 = memref.load %a[%i, %k]; yield f(%2, %x) }
           memref.store %1, %r[%i] }"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from mlir import ir
from mlir.dialects import affine, arith, memref, scf

from hlo.lowering.gpu.grid import Grid, grid_for

Values = dict[ir.Value, ir.Value]


@dataclass(frozen=True)
class Nest:
    """The iteration space of an op: sizes of its dimensions, which of them are parallel, and a map for each operand."""

    sizes: tuple[int, ...]
    parallel: tuple[int, ...]
    maps: tuple[ir.AffineMap, ...]
    inputs: int

    @property
    def reduction(self) -> list[int]:
        return [d for d in range(len(self.sizes)) if d not in self.parallel]


def grid_of(op: ir.Operation) -> Grid | None:
    """The threads of a linalg.generic or memref.copy; None for all other ops."""
    if op.name not in ("linalg.generic", "memref.copy"):
        return None
    nest = nest_of(op)
    return grid_for(max(1, prod(nest.sizes[d] for d in nest.parallel)))


def nest_of(op: ir.Operation) -> Nest:
    if op.name == "memref.copy":
        shape = tuple(ir.MemRefType(op.operands[0].type).shape)
        identity = ir.AffineMap.get_identity(len(shape))
        return Nest(shape, tuple(range(len(shape))), (identity, identity), 1)
    maps = tuple(ir.AffineMapAttr(a).value for a in ir.ArrayAttr(op.attributes["indexing_maps"]))
    kinds = [str(kind) for kind in ir.ArrayAttr(op.attributes["iterator_types"])]
    parallel = tuple(d for d, kind in enumerate(kinds) if "parallel" in kind)
    inputs, _ = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])
    return Nest(_sizes(op, maps, len(kinds)), parallel, maps, inputs)


def _sizes(op: ir.Operation, maps: Sequence[ir.AffineMap], rank: int) -> tuple[int, ...]:
    """Each dimension's size from an operand that it indexes alone."""
    sizes: dict[int, int] = {}
    for value, one in zip(op.operands, maps):
        if isinstance(value.type, ir.MemRefType):
            for size, result in zip(value.type.shape, one.results):
                if isinstance(result, ir.AffineDimExpr):
                    sizes.setdefault(result.position, size)
    return tuple(sizes[d] for d in range(rank))


def emit_parallel(op: ir.Operation, values: Values, grid: Grid) -> None:
    """Writes the loops at the insertion point; `values` maps what the op uses to values of the gpu.func."""
    nest = nest_of(op)
    total = prod(nest.sizes[d] for d in nest.parallel)
    index = ir.IndexType.get()
    thread = ir.Operation.create(
        "gpu.global_id", results=[index], attributes={"dimension": ir.Attribute.parse("#gpu<dim x>")}
    ).results[0]
    stop, step = arith.constant(index, total), arith.constant(index, grid.size)
    loop = scf.ForOp(thread, stop, step)
    with ir.InsertionPoint(loop.body):
        _Element(op, nest, values).emit(loop.induction_variable)
        scf.YieldOp([])


class _Element:
    """The code of one element of the parallel dimensions."""

    def __init__(self, op: ir.Operation, nest: Nest, values: Values):
        self.op, self.nest, self.values = op, nest, values
        self.operands = [values.get(v, v) for v in op.operands]
        self.outputs = self.operands[nest.inputs :]

    def emit(self, position: ir.Value) -> None:
        index = ir.IndexType.get()
        zero = arith.constant(index, 0)
        self.place: list[ir.Value] = [zero] * len(self.nest.sizes)
        rest = position
        for d in reversed(self.nest.parallel):
            size = arith.constant(index, self.nest.sizes[d])
            self.place[d] = arith.remui(rest, size)
            rest = arith.divui(rest, size)
        if self.op.name == "memref.copy":
            memref.store(self.load(0), self.outputs[0], self.place)
            return
        finals = self.loops(self.nest.reduction, [self.load(self.nest.inputs + n) for n in range(len(self.outputs))])
        for number, value in enumerate(finals):
            memref.store(value, self.outputs[number], self.indices(self.nest.inputs + number))

    def loops(self, dimensions: Sequence[int], carried: list[ir.Value]) -> list[ir.Value]:
        """Nested loops over the reduction dimensions, the outputs' elements carried in registers."""
        if not dimensions:
            return self.body(carried)
        index = ir.IndexType.get()
        first, *rest = dimensions
        zero, one, stop = (arith.constant(index, n) for n in (0, 1, self.nest.sizes[first]))
        loop = scf.ForOp(zero, stop, one, carried)
        with ir.InsertionPoint(loop.body):
            self.place[first] = loop.induction_variable
            scf.YieldOp(self.loops(rest, list(loop.inner_iter_args)))
        return list(loop.results)

    def indices(self, number: int) -> list[ir.Value]:
        return [self._index(result) for result in self.nest.maps[number].results]

    def _index(self, expression: ir.AffineExpr) -> ir.Value:
        if isinstance(expression, ir.AffineDimExpr):
            return self.place[expression.position]
        if isinstance(expression, ir.AffineConstantExpr):
            return arith.constant(ir.IndexType.get(), expression.value)
        one = ir.AffineMap.get(len(self.place), 0, [expression])
        return affine.AffineApplyOp(ir.AffineMapAttr.get(one), self.place).result

    def load(self, number: int) -> ir.Value:
        operand = self.operands[number]
        return memref.load(operand, self.indices(number)) if isinstance(operand.type, ir.MemRefType) else operand

    def body(self, carried: list[ir.Value]) -> list[ir.Value]:
        """A copy of the op's region for this element; what it yields."""
        block = self.op.regions[0].blocks[0]
        inner = dict(self.values)
        arguments = list(block.arguments)
        loaded = [self.load(n) if list(arguments[n].uses) else None for n in range(self.nest.inputs)]
        inner.update({a: v for a, v in zip(arguments, [*loaded, *carried]) if v is not None})
        *operations, end = block.operations
        for op in operations:
            if op.operation.name == "linalg.index":
                dim = ir.IntegerAttr(op.attributes["dim"]).value
                inner[op.results[0]] = self.place[dim]
                continue
            inner.update(zip(op.results, _copied(op.operation, inner, self.place).results))
        return [inner.get(v, v) for v in end.operands]


def _copied(op: ir.Operation, values: Values, place: Sequence[ir.Value]) -> ir.Operation:
    from hlo.lowering.gpu.launches import remap

    copy = op.clone()
    remap(copy, values)
    _replace_indices(copy, place)
    return copy


def _replace_indices(op: ir.Operation, place: Sequence[ir.Value]) -> None:
    """linalg.index inside nested regions."""
    found: list[ir.Operation] = []

    def visit(inner: ir.Operation) -> ir.WalkResult:
        if inner.name == "linalg.index":
            found.append(inner)
        return ir.WalkResult.ADVANCE

    op.walk(visit)
    for inner in found:
        inner.results[0].replace_all_uses_with(place[ir.IntegerAttr(inner.attributes["dim"]).value])
        inner.erase()
