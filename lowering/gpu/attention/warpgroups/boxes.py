"""Inputs of attention in shared memory: boxes that TMA brings, swizzled, as wgmma reads them.

A box has lines of 128 bytes: 64 elements along the depth, for all rows (columns) of the tile; or, where neighbours in memory are
rows (columns), 64 of those, for the whole depth. The other direction takes a box for each 64 elements. Matrix descriptors: PTX
ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout"."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, memref

from hlo.lowering.gpu.contraction.problem import Problem, innermost
from hlo.lowering.gpu.contraction.warpgroup_sides import GROUP_BYTES, LINE, UNIT
from hlo.lowering.gpu.element import index_constant
from hlo.lowering.gpu.hopper_ops import i64
from hlo.lowering.gpu.tensor_maps import TensorMap, tensor_map

ELEMENTS = 64
"""Of two bytes in a line."""

DEPTH = 16
"""Elements along the depth of one instruction."""

MOST_ROWS = 256
"""Of a box."""

ADDRESS = 0x3FFF
"""What a matrix descriptor has of an address, in units."""


@dataclass(frozen=True)
class Boxes:
    """The input `number` of a contraction: `count` boxes. `is_along_depth`: what their lines are along."""

    number: int
    is_along_depth: bool
    count: int
    box: TensorMap

    @staticmethod
    def of(problem: Problem, number: int, outer: int, depth: int) -> Boxes | None:
        """`outer` rows (columns) and a depth of multiples of 8 and 16; None for an input that TMA cannot bring so."""
        is_along_depth = innermost(problem.nest.maps[number]) == problem.depth[-1]
        size = (outer, ELEMENTS) if is_along_depth else (ELEMENTS, depth)
        box = tensor_map(problem, number, *size) if max(size) <= MOST_ROWS else None
        count = -(-(depth if is_along_depth else outer) // ELEMENTS)
        return Boxes(number, is_along_depth, count, box) if box is not None else None

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
