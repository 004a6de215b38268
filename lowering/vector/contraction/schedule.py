"""The schedule of a contraction: what is decided about it, as data."""

from __future__ import annotations

from dataclasses import dataclass, fields

from mlir import ir

from hlo.lowering.vector.contraction.problem import Dim, Problem
from hlo.lowering.vector.contraction.walk import Cut, cut_of, gathered
from hlo.lowering.vector.schedule import attribute_of, read_fields


@dataclass(frozen=True)
class ContractionSchedule:
    """How a problem runs; docs/kernels.md tells what each field does. Blocks are in elements; 0: not cut.

    Where vectors run along a batch dimension, that has the place of n."""

    problem: Problem
    vectorize: str
    """The loop that runs in vectors: "n", "batch", or "k" (dot products, summed at the end)."""
    vector: int
    """Elements of a vector."""
    unroll_m: int = 1
    unroll_n: int = 1
    """Vectors of a tile; along k: elements."""
    pack_a: str = "none"
    pack_b: str = "none"
    """"none": read where it is; "rows", "lanes", "words" (`packing.py`), "gather" (`gather_packing.py`), "whole" (`whole_packing.py`)."""
    block_k: int = 0
    """Iterations of all contracted loops together."""
    k_outside: bool = False
    """Whether blocks of k are around all loops of m and n; else around those that are blocks too."""
    block_m: int = 0
    block_n: int = 0
    threads: int = 1
    parallel: str = "none"
    """The loop that threads share: "m", "n", "outer N"."""
    keep_b: bool = False
    """B's panels are packed already, for the whole of k: other code calls `NAME.pack_b` when B changes."""
    dot_product: int = 1
    """Elements that a dot-product instruction takes at once."""
    prefetch_b: int = 0
    """Tiles that are fetched ahead along B's rows."""

    @property
    def walked(self) -> Problem:
        """The problem with the loops that there are."""
        return gathered(self.problem) if self.pack_b == "gather" else self.problem

    @property
    def cut(self) -> Cut | None:
        """Where the contracted loops are cut."""
        return cut_of([d.size for d in self.walked.contracted], self.block_k) if self.block_k else None

    @property
    def width(self) -> int:
        """Elements of n in a tile."""
        return self.unroll_n * self.vector

    @property
    def header(self) -> bool:
        """Whether both operands are signed bytes: sums of B's columns correct for A's turned signs."""
        return self.dot_product == 4 and self.problem.a_extend == "arith.extsi"

    def outer_dims(self, p: Problem) -> list[Dim]:
        """The loops around the blocks."""
        batch = p.batch[:-1] if self.vectorize == "batch" else p.batch
        lanes = p.lanes if self.vectorize == "batch" else p.lanes[:-1]
        return [*batch, *lanes, *p.rows[:-1]]

    def attribute(self) -> ir.Attribute:
        """The schedule without its problem, which is the kernel's."""
        own = {name: getattr(self, name) for name in FIELDS if name != SWAP}
        return attribute_of({SWAP: self.problem.swapped, **own})


SWAP = "swap_operands"
"""Whether A is the kernel's second input."""
FIELDS = {SWAP: "bool", **{f.name: str(f.type) for f in fields(ContractionSchedule) if f.name != "problem"}}
"""Of the attribute, with their types."""


def read_schedule(problem: Problem, attribute: ir.Attribute) -> ContractionSchedule:
    """The schedule that an attribute has for a problem, in whichever order its operands are. Raises ScheduleError."""
    values = read_fields(attribute, FIELDS)
    swapped = values.pop(SWAP) != problem.swapped
    return ContractionSchedule(problem.swap() if swapped else problem, **values)
