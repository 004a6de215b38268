"""An array that several ops write parts of, one after the other, as one launch: pads and concatenations.

Before:  linalg.generic {fill} outs(%r : memref<8x96xf32>)
         linalg.generic {f} ins(%x : memref<8x32xf32>) outs(%r's columns 32 to 63)
After:   a thread for 4 neighbours of %r: f(%x) if they are in the part, the fill's value if not

Every element is written once, by the last op that would write it. More than MOST ops are several launches, each over the box that
its ops write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from mlir import ir
from mlir.dialects import arith, scf

from hlo.lowering.gpu.control_flow import all_of, each, index_constant, is_below
from hlo.lowering.gpu.element import Element, Values, delinearized, emit_neighbours, neighbours_width
from hlo.lowering.gpu.grid import Grid, counted, grid_for
from hlo.lowering.gpu.nest import NESTS, Nest, nest_of, uses_index
from hlo.lowering.gpu.parallel import global_thread
from hlo.lowering.gpu.rows import memory_of
from hlo.lowering.gpu.transposes import transposed_op

MOST = 32
"""Ops of a launch: a thread compares its place with the box of each, from the last one on."""


@dataclass(frozen=True)
class Piece:
    """An op that writes a box of the array: `offsets` (from the first element that the launch writes) and `sizes`, by dimension
    of the array."""

    op: ir.Operation
    nest: Nest
    offsets: tuple[int, ...]
    sizes: tuple[int, ...]
    kept: tuple[int, ...]
    """Dimensions of the array that the op's space has."""

    def checks(self, place: Sequence[ir.Value], shape: Sequence[int]) -> list[ir.Value]:
        """That a place of the array is in the box."""
        found = []
        for index, offset, size, whole in zip(place, self.offsets, self.sizes, shape):
            if offset:
                found.append(arith.cmpi(arith.CmpIPredicate.uge, index, index_constant(offset)))
            if offset + size < whole:
                found.append(is_below(index, offset + size))
        return found

    def place(self, place: Sequence[ir.Value]) -> list[ir.Value]:
        """Of the op's space."""
        moved = [arith.subi(i, index_constant(o)) if o else i for i, o in zip(place, self.offsets)]
        return [moved[d] for d in self.kept]


@dataclass(frozen=True)
class Assembly:
    """A launch. `shape`: of the box that holds all pieces; `width`: neighbours that a thread writes."""

    pieces: list[Piece]
    shape: tuple[int, ...]
    width: int

    @property
    def ops(self) -> list[ir.Operation]:
        return [piece.op for piece in self.pieces]

    @property
    def items(self) -> int:
        return prod(self.shape) // self.width

    @property
    def grid(self) -> Grid:
        return grid_for(self.items)

    @property
    def decision(self) -> str:
        size = "x".join(map(str, self.shape))
        what = f"{self.width} neighbours" if self.width > 1 else "an element"
        return f"a thread for {what} of {size}, which {counted(len(self.pieces), 'op')} write parts of"

    def emit(self, values: Values) -> None:
        with each(global_thread(), self.items, self.grid.size) as item:
            *outer, last = self.shape
            place = delinearized(item, [*outer, last // self.width])
            if self.width > 1:
                place[-1] = arith.muli(place[-1], index_constant(self.width))
            self._last_of(self.pieces, place, values)

    def _last_of(self, pieces: Sequence[Piece], place: list[ir.Value], values: Values) -> None:
        """The last piece if the place is in it, else what the others say."""
        if not pieces:
            return
        *others, last = pieces
        checks = last.checks(place, self.shape)
        if not checks:
            self._write(last, place, values)
            return
        branch = scf.IfOp(all_of(checks), has_else=bool(others))
        with ir.InsertionPoint(branch.then_block):
            self._write(last, place, values)
            scf.YieldOp([])
        if others:
            with ir.InsertionPoint(branch.else_block):
                self._last_of(others, place, values)
                scf.YieldOp([])

    def _write(self, piece: Piece, place: Sequence[ir.Value], values: Values) -> None:
        element = Element(piece.op, piece.nest, [values.get(v, v) for v in piece.op.operands], values)
        element.place[:] = piece.place(place)
        emit_neighbours(element, self.width)


def assembly(work: Sequence[ir.Operation]) -> Assembly | None:
    """The launch of the ops that `work` begins with and that write parts of one array; None if they are not several, or if
    they write little of it."""
    array = memory_of(_output(work[0])) if work[0].name in NESTS else None
    if array is None:
        return None
    shape = tuple(ir.MemRefType(array.type).shape)
    pieces: list[Piece] = []
    for op in work[:MOST]:
        piece = _piece(op, array, shape)
        if piece is None:
            break
        pieces.append(piece)
    if len(pieces) < 2:
        return None
    pieces, box = _within_box(pieces)
    if not prod(box) or 2 * sum(prod(p.sizes) for p in pieces) < prod(box):
        return None
    return Assembly(pieces, box, min(_width(piece) for piece in pieces))


def _within_box(pieces: Sequence[Piece]) -> tuple[list[Piece], tuple[int, ...]]:
    """The pieces with offsets from where the first of them begins, and the sizes of the box that holds them."""
    starts = [min(offsets) for offsets in zip(*(p.offsets for p in pieces))]
    ends = [max(ends) for ends in zip(*(_plus(p.offsets, p.sizes) for p in pieces))]
    moved = [replace(p, offsets=tuple(o - start for o, start in zip(p.offsets, starts))) for p in pieces]
    return moved, tuple(end - start for start, end in zip(starts, ends))


def _plus(left: Sequence[int], right: Sequence[int]) -> list[int]:
    return [a + b for a, b in zip(left, right)]


def _output(op: ir.Operation) -> ir.Value:
    return list(op.operands)[-1]


def _piece(op: ir.Operation, array: ir.Value, shape: tuple[int, ...]) -> Piece | None:
    """None for ops that do anything else."""
    if op.name not in NESTS:
        return None
    nest = nest_of(op)
    box = _box(_output(op), array, shape)
    writes_all = len(nest.maps) == nest.inputs + 1 and nest.maps[-1] == ir.AffineMap.get_identity(len(nest.sizes))
    if box is None or nest.reduction or not writes_all or transposed_op(op):
        return None
    operands = list(op.operands)
    carries = op.name == "linalg.generic" and any(op.regions[0].blocks[0].arguments[nest.inputs].uses)
    if carries or uses_index(op) or any(memory_of(v) == array for v in operands[:-1]):
        return None
    offsets, sizes = box
    kept = tuple(range(len(shape)))
    if len(nest.sizes) != len(shape):
        kept = tuple(d for d, size in enumerate(sizes) if size != 1)
    return Piece(op, nest, offsets, sizes, kept) if tuple(sizes[d] for d in kept) == nest.sizes else None


Box = tuple[tuple[int, ...], tuple[int, ...]]


def _box(view: ir.Value, array: ir.Value, shape: tuple[int, ...]) -> Box | None:
    """Offsets and sizes of a view in the array; None if they are not constants, or if the view has steps."""
    if view == array:
        return (0,) * len(shape), shape
    if isinstance(view.owner, ir.Block) or view.owner.name != "memref.subview" or view.owner.operands[0] != array:
        return None
    op = view.owner
    offsets, sizes, strides = (
        tuple(ir.DenseI64ArrayAttr(op.attributes[name]))
        for name in ("static_offsets", "static_sizes", "static_strides")
    )
    known = len(list(op.operands)) == 1 and all(s == 1 for s in strides)
    return (offsets, sizes) if known else None


def _width(piece: Piece) -> int:
    """Neighbours along the array's last dimension that are all in the piece or all outside."""
    if not piece.kept or piece.kept[-1] != len(piece.sizes) - 1:
        return 1
    width = neighbours_width(Element(piece.op, piece.nest, list(piece.op.operands), {}), piece.nest.parallel)
    while piece.offsets[-1] % width:
        width //= 2
    return width
