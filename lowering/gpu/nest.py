"""The iteration space of a linalg op on memrefs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from mlir import ir
from mlir.dialects import memref

from hlo.lowering.finding import made_by, ops_within
from hlo.lowering.gpu.views import has_identity_layout, view_of
from hlo.lowering.linalg.iteration import Affine, Dim, are_one, linear_index, position_at
from hlo.lowering.linalg.structured import index_loops, loop_sizes, maps_of, reduces


@dataclass(frozen=True)
class Nest:
    """Sizes of the dimensions, which of them are parallel, a map for each operand; `inputs`: how many are read only."""

    sizes: tuple[int, ...]
    parallel: tuple[int, ...]
    maps: tuple[ir.AffineMap, ...]
    inputs: int

    @cached_property
    def reduction(self) -> tuple[int, ...]:
        return tuple(d for d in range(len(self.sizes)) if d not in self.parallel)

    @cached_property
    def loops(self) -> tuple[Dim, ...]:
        """What positions are affine in."""
        return tuple(map(Dim, self.sizes))

    def position(self, number: int, memory: ir.Value, before: Sequence[Affine] = ()) -> Affine | None:
        """Where in memory an iteration's element of an operand is; None where that is not known. `before`: indices in front of the map's."""
        view = view_of(memory) if isinstance(memory.type, ir.MemRefType) else None
        index = linear_index(self.maps[number], tuple(map(Affine.of, self.loops)))
        if view is None or index is None:
            return None
        is_row = len(index) == 1 and not before  # of all elements, see `joined`
        return position_at((*before, *index), (1,) if is_row and len(view.shape) > 1 else view.strides, view.first)

    def extent(self, dimensions: Sequence[int]) -> int:
        return prod(self.sizes[d] for d in dimensions)


NESTS = ("linalg.generic", "memref.copy")
"""Ops that have one. A copy is a nest without reductions whose maps are identities."""


def nest_of(op: ir.Operation) -> Nest:
    if op.name == "memref.copy":
        shape = tuple(ir.MemRefType(op.operands[0].type).shape)
        identity = ir.AffineMap.get_identity(len(shape))
        return Nest(shape, tuple(range(len(shape))), (identity, identity), 1)
    maps = tuple(maps_of(op))
    kinds = [str(kind) for kind in ir.ArrayAttr(op.attributes["iterator_types"])]
    parallel = tuple(d for d, kind in enumerate(kinds) if "parallel" in kind)
    inputs, _ = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])
    return Nest(tuple(loop_sizes(op)), parallel, maps, inputs)


def is_zero(value: ir.Value) -> bool:
    """A constant 0, not -0, of an integer or float type."""
    op = made_by(value, "arith.constant")
    return op is not None and str(ir.Attribute(op.attributes["value"])).split(" ")[0] in ("0", "0.000000e+00")


def is_filled_with_zero(value: ir.Value) -> bool:
    """A tensor all of whose elements are 0."""
    op = made_by(value, "linalg.fill")
    return op is not None and is_zero(op.operands[0])


def is_elementwise(op: ir.Operation) -> bool:
    """Whether an op computes one array of the same places of others."""
    return op.name == "linalg.generic" and len(op.results) == 1 and not reduces(op)


def uses_index(op: ir.Operation) -> bool:
    """Whether the op's body asks for its place in the iteration space."""
    return bool(ops_within(op, lambda inner: inner.name == "linalg.index"))


# Neighbouring loops as one, where every operand's memory is walked through as by one.
#
# Before:  sizes 8x512x768, maps (d0, d1, d2) and (d2); the first two are reduced
# After:   sizes 4096x768, maps (768 * d0 + d1) and (d1) of memory that is seen as one row
#
# Loops that run once are left out.


def joined(nest: Nest, operands: Sequence[ir.Value]) -> Nest:
    """With as few loops as possible. What has a memory of its own is indexed by its position there (`as_indexed`)."""
    own = {n for n, v in enumerate(operands) if isinstance(v.type, ir.MemRefType) and has_identity_layout(v.type)}
    positions = {n: one for n in own if (one := nest.position(n, operands[n])) is not None}
    others = [one for n, one in enumerate(nest.maps) if n not in positions]
    fixed = {loop for one in others for e in one.results for loop in index_loops(e)}
    groups: list[list[int]] = []
    for d in _running(nest):
        is_alike = (
            groups and not fixed & {d, groups[-1][-1]} and (groups[-1][-1] in nest.parallel) == (d in nest.parallel)
        )
        if is_alike and are_one(nest.loops[groups[-1][-1]], nest.loops[d], positions.values()):
            groups[-1].append(d)
        else:
            groups.append([d])
    if len(groups) == len(nest.sizes):
        return nest
    steps = {group[-1]: ir.AffineExpr.get_dim(n) for n, group in enumerate(groups)}
    zero = ir.AffineExpr.get_constant(0)
    renamed = ir.AffineMap.get(len(groups), 0, [steps.get(d, zero) for d in range(len(nest.sizes))])

    def row(number: int, one: ir.AffineMap) -> list[ir.AffineExpr]:
        if number not in positions or not one.results:
            return [e.compose(renamed) for e in one.results]
        position = positions[number]
        return [sum((e * position.coefficient(nest.loops[d]) for d, e in steps.items()), zero + position.const)]

    maps = tuple(ir.AffineMap.get(len(groups), 0, row(number, one)) for number, one in enumerate(nest.maps))
    parallel = tuple(n for n, group in enumerate(groups) if group[0] in nest.parallel)
    return Nest(tuple(nest.extent(group) for group in groups), parallel, maps, nest.inputs)


def _running(nest: Nest) -> list[int]:
    """The loops that run more than once; of reductions one at least."""
    found = [d for d, size in enumerate(nest.sizes) if size != 1]
    return found if not nest.reduction or set(found) & set(nest.reduction) else sorted([*found, nest.reduction[-1]])


def as_indexed(memory: ir.Value, one: ir.AffineMap) -> ir.Value:
    """An operand as a map indexes it: as one row if the map has one index for all dimensions."""
    if not isinstance(memory.type, ir.MemRefType) or len(ir.MemRefType(memory.type).shape) == len(one.results):
        return memory
    kind = ir.MemRefType(memory.type)
    row = ir.MemRefType.get([prod(kind.shape)], kind.element_type, None, kind.memory_space)
    return memref.collapse_shape(row, memory, [list(range(len(kind.shape)))])
