"""Inputs of attention in shared memory: boxes that TMA brings, swizzled, as wgmma reads them.

A box has lines of 128 bytes: 64 elements along the depth, for all rows (columns) of the tile; or, where neighbours in memory are
rows (columns), 64 of those, for the whole depth. The other direction takes a box for each 64 elements. Matrix descriptors: PTX
ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, memref

from hlo.lowering.gpu.contraction.problem import Problem, innermost
from hlo.lowering.gpu.contraction.warpgroup_sides import GROUP_BYTES, LINE, UNIT
from hlo.lowering.gpu.element import index_constant
from hlo.lowering.gpu.hopper_ops import i64
from hlo.lowering.gpu.tensor_maps import ALIGNMENT, MOST_DIMENSIONS, STARTS, TensorMap, with_view
from hlo.lowering.gpu.views import view_of
from hlo.lowering.memory.storage import element_bytes

ELEMENTS = 64
"""Of two bytes in a line."""

DEPTH = 16
"""Elements along the depth of one instruction."""

MOST_ROWS = 256
"""Of a box."""

ADDRESS = 0x3FFF
"""What a matrix descriptor has of an address, in units."""


Part = str | int
"""Of a contraction: "outer" (rows or columns), "depth", or the number of a batch dimension. STARTS: where the input starts in an
array that it is a part of."""


@dataclass(frozen=True)
class Boxes:
    """The input `number` of a contraction: `count` boxes. `is_along_depth`: what their lines are along. `order`: for each dimension
    of the map, innermost first, which part of the contraction it is."""

    number: int
    is_along_depth: bool
    count: int
    box: TensorMap
    order: tuple[Part, ...]

    @staticmethod
    def of(problem: Problem, number: int, outer: int, depth: int) -> Boxes | None:
        """`outer` rows (columns) and a depth of multiples of 8 and 16; None for an input that TMA cannot bring so."""
        is_along_depth = innermost(problem.nest.maps[number]) == problem.depth[-1]
        size = (outer, ELEMENTS) if is_along_depth else (ELEMENTS, depth)
        parts = _parts(problem, number)
        if parts is None or max(size) > MOST_ROWS:
            return None
        box = _tensor_map(problem, number, parts, dict(zip(("outer", "depth"), size)))
        count = -(-(depth if is_along_depth else outer) // ELEMENTS)
        if box is None:
            return None
        return Boxes(number, is_along_depth, count, box, (*parts, *[STARTS] * (len(box.box) - len(parts))))

    @property
    def bytes(self) -> int:
        return self.count * self.box.bytes

    def advance(self, part: int) -> int:
        """How far the depth of the instruction `part` is from the first one's, in bytes."""
        if not self.is_along_depth:
            return part * DEPTH * LINE
        box, inside = divmod(part * DEPTH, ELEMENTS)
        return box * self.box.bytes + inside * self.box.size

    @property
    def rows(self) -> int:
        """How far 64 rows are from the ones before, in bytes."""
        return ELEMENTS * LINE if self.is_along_depth else self.box.bytes

    def descriptor(self, memory: ir.Value, offset: ir.Value) -> ir.Value:
        """Of the matrix that begins at `offset` bytes of shared memory: its address, the strides between boxes and between groups
        of eight lines, the swizzle of 128 bytes."""
        between_boxes = 1 if self.is_along_depth else self.box.bytes // UNIT
        base = memref.ExtractAlignedPointerAsIndexOp(memory).result
        address = arith.shrui(arith.addi(base, offset), index_constant(4))
        unit = arith.index_cast(ir.IntegerType.get_signless(64), arith.andi(address, index_constant(ADDRESS)))
        return arith.ori(unit, i64(between_boxes << 16 | (GROUP_BYTES // UNIT) << 32 | 1 << 62))

    def part(self, descriptor: ir.Value, number: int) -> ir.Value:
        """The descriptor for an instruction."""
        return arith.addi(descriptor, i64(self.advance(number) // UNIT))


def _parts(problem: Problem, number: int) -> dict[Part, tuple[int, ...]] | None:
    """The dimensions of an input in memory, innermost first: those that count as one together. None if these are apart, or an
    index is no plain dimension."""
    one, view = problem.nest.maps[number], view_of(problem.op.operands[number])
    if view is None:
        return None
    rest = [e.position if isinstance(e, ir.AffineDimExpr) else -1 for e in one.results]
    outer = problem.rows if number == problem.left else problem.columns
    found: dict[Part, tuple[int, ...]] = {}
    while rest:
        names: list[tuple[Part, tuple[int, ...]]] = [("depth", problem.depth), ("outer", outer)]
        name, group = next((n for n in names if rest[-1] in n[1]), (rest[-1], (rest[-1],)))
        last = len(rest) - 1
        if rest[-1] < 0 or tuple(rest[-len(group) :]) != group or not view.are_together(last + 1 - len(group), last):
            return None
        found[name] = group
        del rest[-len(group) :]
    return found


def _tensor_map(
    problem: Problem, number: int, parts: Mapping[Part, tuple[int, ...]], boxes: Mapping[Part, int]
) -> TensorMap | None:
    """None for what TMA does not bring: batch innermost, many dimensions, strides that are not aligned."""
    kind, view = problem.element_type(number), view_of(problem.op.operands[number])
    assert view is not None, "it has parts"
    places = [e.position for e in problem.nest.maps[number].results]
    sizes = [problem.nest.extent(group) for group in parts.values()]
    strides = tuple(view.strides[places.index(group[-1])] * element_bytes(kind) for group in parts.values())
    is_aligned = not any(stride % ALIGNMENT for stride in strides[1:])
    is_able = not view.is_part or view.is_aligned(element_bytes(kind))
    if not is_aligned or not is_able or len(sizes) > MOST_DIMENSIONS or next(iter(parts)) not in boxes:
        return None
    whole = TensorMap(str(kind), tuple(sizes), strides[1:], tuple(boxes.get(part, 1) for part in parts))
    return with_view(whole, view)
