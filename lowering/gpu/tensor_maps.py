"""Tensor maps: how the Tensor Memory Accelerator (TMA) of sm_90 finds a box of a contraction's input.

A map describes an array in global memory by sizes and strides, innermost first; one instruction copies a box of it to shared
memory, swizzled, with zeros for what is outside. Dimensions of a contraction that count as one must be one in memory too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from mlir import ir

from hlo.lowering.gpu.contraction.problem import Problem, innermost
from hlo.lowering.gpu.element import has_identity_layout
from hlo.lowering.memory.storage import element_bytes

LINE = 128
"""Bytes of a box along the innermost dimension: what a swizzle works on."""

MOST_DIMENSIONS = 5
ALIGNMENT = 16
"""Bytes: of all strides but the innermost."""


@dataclass(frozen=True)
class TensorMap:
    """`sizes` and `box` in elements of `kind`, innermost first: bf16, f16, i8, or tf32, to which TMA rounds f32; `strides` in bytes,
    of all dimensions but the innermost. `order`: for each dimension which part of the contraction it is: "outer" (rows or
    columns), "depth", or the number of a batch dimension."""

    kind: str
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    order: tuple[str | int, ...]

    def attribute(self) -> ir.Attribute:
        """As the launch has it, for the plan."""
        arrays = {name: ir.DenseI64ArrayAttr.get(list(getattr(self, name))) for name in ("sizes", "strides", "box")}
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


SIZES = {"bf16": 2, "f16": 2, "i8": 1, "tf32": 4}


def tensor_map(problem: Problem, number: int, outer: int, depth: int) -> TensorMap | None:
    """The map of an input whose boxes have `outer` rows (or columns) and `depth` elements; None where the input does not lie so in
    memory."""
    operand, one = problem.op.operands[number], problem.nest.maps[number]
    size, inner = element_bytes(problem.element_type(number)), innermost(one)
    dimensions = problem.rows if number == problem.left else problem.columns
    places = [e.position if isinstance(e, ir.AffineDimExpr) else -1 for e in one.results]
    if inner is None or -1 in places or not has_identity_layout(operand.type):
        return None
    parts = _parts(places, dimensions, problem)
    if parts is None or len(parts) > MOST_DIMENSIONS:
        return None
    sizes = [problem.nest.extent(one) for _, one in parts]
    strides = [prod(sizes[:n]) * size for n in range(1, len(sizes))]
    if any(stride % ALIGNMENT for stride in strides):
        return None
    boxes = {"outer": outer, "depth": depth}
    order = tuple(name for name, _ in parts)
    box = tuple(boxes[name] if isinstance(name, str) else 1 for name in order)
    kind = "tf32" if problem.kind(number) == "tf32" else str(problem.element_type(number))
    return TensorMap(kind, tuple(sizes), tuple(strides), box, order)


def _parts(
    places: Sequence[int], dimensions: Sequence[int], problem: Problem
) -> list[tuple[str | int, Sequence[int]]] | None:
    """The dimensions of the array, innermost first, those that count as one together; None if these are apart in memory."""
    found: list[tuple[str | int, Sequence[int]]] = []
    rest = list(places)
    while rest:
        last = rest[-1]
        group = next((g for g in (tuple(dimensions), problem.depth) if last in g), None)
        if group is None:
            found.append((last, [rest.pop()]))
            continue
        if tuple(rest[-len(group) :]) != group:
            return None
        found.append(("depth" if group == problem.depth else "outer", group))
        del rest[-len(group) :]
    return found if isinstance(found[0][0], str) else None
