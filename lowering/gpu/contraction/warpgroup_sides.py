"""How the inputs of wgmma lie in shared memory: lines of 128 bytes, swizzled, which TMA brings.

Lines are along the depth or, if elements have two bytes, along the rows (columns): wgmma turns no others. Matrix descriptors: PTX
ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout"."""

from __future__ import annotations

from dataclasses import dataclass

from hlo.lowering.gpu.contraction.problem import Problem, innermost
from hlo.lowering.gpu.tensor_maps import TensorMap, tensor_map

WARPGROUP = 128
"""Threads."""

CONSUMERS = 2
ROWS = 64
"""Of the result that a warpgroup has."""

LINE = 128
"""Bytes along the depth of a stage."""

DEPTH_BYTES = 32
"""Of one instruction."""

UNIT = 16
"""Bytes that sizes in matrix descriptors count."""

GROUP_BYTES = 1024
"""Of eight lines of 128 bytes, which are swizzled together."""


@dataclass(frozen=True)
class Side:
    """One input of a tile: `count` rows (columns), whose box is `box`. `is_along_depth`: its lines are along the depth;
    otherwise they are 64 rows, and there is a box for each 64 of them."""

    number: int
    count: int
    is_along_depth: bool
    box: TensorMap

    @property
    def step(self) -> int:
        """Elements along the depth of a stage, and in a line."""
        return LINE // self.box.size

    @property
    def boxes(self) -> int:
        return 1 if self.is_along_depth else self.count // self.step

    @property
    def bytes(self) -> int:
        return self.count * LINE

    @property
    def descriptor(self) -> int:
        """All of a matrix descriptor but the address: strides between groups of eight lines, and between boxes; 128-byte
        swizzle."""
        between_boxes = 1 if self.is_along_depth else self.box.bytes // UNIT
        return between_boxes << 16 | (GROUP_BYTES // UNIT) << 32 | 1 << 62

    @property
    def advance(self) -> int:
        """How far in memory the depth of one instruction is, in units."""
        return (DEPTH_BYTES if self.is_along_depth else DEPTH_BYTES // self.box.size * LINE) // UNIT


def side_of(problem: Problem, number: int, count: int, size: int) -> Side | None:
    """None where TMA cannot bring the input of elements of `size` bytes as wgmma reads it."""
    is_along_depth = innermost(problem.nest.maps[number]) == problem.depth[-1]
    step = LINE // size
    if not is_along_depth and size != 2:
        return None
    box = tensor_map(problem, number, count if is_along_depth else step, step)
    return Side(number, count, is_along_depth, box) if box is not None else None
