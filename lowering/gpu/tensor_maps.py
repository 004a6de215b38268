"""Tensor maps: how the Tensor Memory Accelerator (TMA) of sm_90 finds a box of a contraction's input.

A map describes an array in global memory by sizes and strides, innermost first; one instruction copies a box of it to shared
memory, swizzled, with zeros for what is outside. CUDA driver API, cuTensorMapEncodeTiled."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.gpu.accesses import View

MOST_DIMENSIONS = 5
ALIGNMENT = 16
"""Bytes: of all strides but the innermost."""

LONGEST_BOX, MOST_STEPS = 256, 8
"""Of a box along a dimension, with what it leaves out; every how many-th element it takes at most."""


STARTS = "starts"


Source = tuple[str, int] | int
"""Where the tile or stage is in "outer" (rows or columns) or "k", in a part of it; the index of a batch dimension; or where a part of an
array starts (STARTS, which of them)."""


@dataclass(frozen=True)
class Term:
    """A summand of a coordinate: `factor` times what `source` counts."""

    source: Source
    factor: int


@dataclass(frozen=True)
class TensorMap:
    """`sizes` and `box` in elements of `kind`, innermost first: bf16, f16, i8, or tf32, to which TMA rounds f32; `strides` in bytes,
    of all dimensions but the innermost. `order`: for each dimension the terms of its coordinate, and what is added to them.
    `steps`: every how many-th element the box has, where that is not every one. `offset`: where the array begins behind the address
    that the launch is given, in bytes."""

    kind: str
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    order: tuple[tuple[tuple[Term, ...], int], ...] = ()
    steps: tuple[int, ...] = ()
    offset: int = 0

    def attribute(self) -> ir.Attribute:
        """As the launch has it, for the plan."""
        names = ("sizes", "strides", "box", *(("steps",) if self.steps else ()))
        arrays = {name: ir.DenseI64ArrayAttr.get(list(getattr(self, name))) for name in names}
        return ir.DictAttr.get({"kind": ir.StringAttr.get(self.kind), **arrays})

    @property
    def stored(self) -> str:
        """The type of an element in memory."""
        return "f32" if self.kind == "tf32" else self.kind

    @property
    def size(self) -> int:
        """Of an element, in bytes."""
        return SIZES[self.kind]

    @property
    def bytes(self) -> int:
        """Of a box."""
        return prod(self.box) * self.size


def with_view(one: TensorMap, view: View) -> TensorMap | None:
    """The map of a part of an array: a dimension more for each start that is known when the program runs. None for too many."""
    count, size = len(view.starts), one.size
    if len(one.sizes) + count > MOST_DIMENSIONS:
        return None
    return replace(
        one,
        sizes=(*one.sizes, *(start.size for start in view.starts)),
        strides=(*one.strides, *(start.stride * size for start in view.starts)),
        box=(*one.box, *[1] * count),
        order=(*one.order, *((((Term((STARTS, n), 1),), 0)) for n in range(count))) if one.order else (),
        steps=(*one.steps, *[1] * count) if one.steps else (),
        offset=view.offset * size,
    )


SIZES = {"bf16": 2, "f16": 2, "i8": 1, "tf32": 4}
