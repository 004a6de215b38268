"""One linalg op as a launch: a thread an element of its parallel dimensions, or 16 bytes of neighbours.

Before:  linalg.generic {maps, ["parallel", "reduction"]} ins(%a : memref<8x4xf32>) outs(%r : memref<8xf32>) { f }
After:   %t = gpu.global_id x
         scf.for %i = %t to %c8 step %threads {
           %0 = memref.load %r[%i]
           %1 = scf.for %k = %c0 to %c4 step %c1 iter_args(%x = %0) { %2 = memref.load %a[%i, %k]; yield f(%2, %x) }
           memref.store %1, %r[%i] }"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, memref, scf

from hlo.lowering.gpu.element import (
    Element,
    Neighbours,
    Values,
    delinearized,
    has_identity_layout,
    index_constant,
    neighbours_width,
)
from hlo.lowering.gpu.grid import Grid, grid_for
from hlo.lowering.gpu.nest import NESTS, Nest, nest_of, uses_index


@dataclass(frozen=True)
class ParallelOp:
    """A launch of one op, `width` elements a thread."""

    op: ir.Operation
    nest: Nest
    width: int

    @property
    def ops(self) -> list[ir.Operation]:
        return [self.op]

    @property
    def items(self) -> int:
        return max(1, self.nest.extent(self.nest.parallel) // self.width)

    @property
    def grid(self) -> Grid:
        return grid_for(self.items)

    @property
    def decision(self) -> str:
        what = f"{self.width} neighbours" if self.width > 1 else "an element"
        reduced = "x".join(str(self.nest.sizes[d]) for d in self.nest.reduction)
        size = "x".join(str(self.nest.sizes[d]) for d in self.nest.parallel) or "one element"
        return f"a thread for {what} of {size}" + (f", {reduced} reduced in a loop" if reduced else "")

    @property
    def is_flat(self) -> bool:
        return _is_flat(self.op, self.nest)

    def emit(self, values: Values) -> None:
        """Writes the loop at the insertion point; `values` maps what the op uses to values of the gpu.func."""
        item = self.item(values)
        loop = scf.ForOp(global_thread(), index_constant(self.items), index_constant(self.grid.size))
        with ir.InsertionPoint(loop.body):
            item(loop.induction_variable)
            scf.YieldOp([])

    def item(self, values: Values) -> Callable[[ir.Value], None]:
        """What writes the code of an item, by its number."""
        operands = [values.get(v, v) for v in self.op.operands]
        nest = self.nest
        if self.is_flat:
            nest, operands = _flattened(nest, operands)
        return lambda number: self._item(Element(self.op, nest, operands, values), number)

    def _item(self, element: Element, position: ir.Value) -> None:
        nest, width = element.nest, self.width
        sizes = [nest.sizes[d] for d in nest.parallel]
        if width > 1:
            sizes[-1] //= width
        for d, index in zip(nest.parallel, delinearized(position, sizes)):
            element.place[d] = index
        if width == 1:
            element.emit_one()
            return
        inner = nest.parallel[-1]
        element.place[inner] = arith.muli(element.place[inner], index_constant(width))
        Neighbours(element, width).emit()


def parallel_op(op: ir.Operation) -> ParallelOp | None:
    """The launch of a linalg.generic or memref.copy; None for all other ops."""
    if op.name not in NESTS:
        return None
    nest = nest_of(op)
    return ParallelOp(op, nest, _width(op, nest))


def global_thread() -> ir.Value:
    """The number of this thread among all of the launch."""
    dimension = {"dimension": ir.Attribute.parse("#gpu<dim x>")}
    return ir.Operation.create("gpu.global_id", results=[ir.IndexType.get()], attributes=dimension).results[0]


def _width(op: ir.Operation, nest: Nest) -> int:
    """How many neighbours a thread takes."""
    if nest.reduction or nest.extent(nest.parallel) == 0:
        return 1
    operands = list(op.operands)
    if _is_flat(op, nest):
        nest = Nest((nest.extent(nest.parallel),), (0,), (ir.AffineMap.get_identity(1),) * len(operands), nest.inputs)
    return neighbours_width(Element(op, nest, operands, {}), nest.parallel)


def _is_flat(op: ir.Operation, nest: Nest) -> bool:
    """Every operand is walked through in the order of its memory: one dimension says it all."""
    identity = ir.AffineMap.get_identity(len(nest.sizes))
    return (
        len(nest.sizes) > 1
        and not nest.reduction
        and not uses_index(op)
        and all(
            not isinstance(v.type, ir.MemRefType) or (one == identity and has_identity_layout(v.type))
            for v, one in zip(op.operands, nest.maps)
        )
    )


def _flattened(nest: Nest, operands: Sequence[ir.Value]) -> tuple[Nest, list[ir.Value]]:
    total, identity = nest.extent(nest.parallel), ir.AffineMap.get_identity(1)
    flat = [_collapsed(v, len(nest.sizes), total) if isinstance(v.type, ir.MemRefType) else v for v in operands]
    return Nest((total,), (0,), tuple([identity] * len(flat)), nest.inputs), flat


def _collapsed(value: ir.Value, rank: int, total: int) -> ir.Value:
    kind = ir.MemRefType(value.type)
    flat = ir.MemRefType.get([total], kind.element_type, None, kind.memory_space)
    return memref.collapse_shape(flat, value, [list(range(rank))])
