"""The iteration space of a linalg op on memrefs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

from mlir import ir
from mlir.dialects import memref

from hlo.lowering.finding import made_by, ops_within
from hlo.lowering.gpu.views import has_identity_layout
from hlo.lowering.linalg.structured import loop_sizes, maps_of, reduces


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

    @property
    def iterators(self) -> list[str]:
        return ["parallel" if d in self.parallel else "reduction" for d in range(len(self.sizes))]

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


def mentions(expression: ir.AffineExpr, dimension: int) -> bool:
    """Whether an affine expression depends on a dimension."""
    if isinstance(expression, ir.AffineDimExpr):
        return expression.position == dimension
    if isinstance(expression, ir.AffineBinaryExpr):
        return mentions(expression.lhs, dimension) or mentions(expression.rhs, dimension)
    return False


def is_elementwise(op: ir.Operation) -> bool:
    """Whether an op computes one array of the same places of others."""
    return op.name == "linalg.generic" and len(op.results) == 1 and not reduces(op)


def uses_index(op: ir.Operation) -> bool:
    """Whether the op's body asks for its place in the iteration space."""
    return bool(ops_within(op, lambda inner: inner.name == "linalg.index"))


# Neighbouring dimensions of an iteration space as one, where every operand's memory goes through them as one.
#
# Before:  sizes 8x512x768, maps (d0, d1, d2) and (d2); the first two are reduced
# After:   sizes 4096x768, maps (d0, d1) and (d1)
#
# Dimensions of one element become part of the one before them in memory: features of a depthwise convolution, tensor<56x56x128x1>,
# are contiguous.


Groups = list[list[int]]
"""Old dimensions, by new dimension."""


@dataclass(frozen=True)
class Coalesced:
    """The new `nest`, and which dimensions of each operand's memory became one."""

    nest: Nest
    operands: list[Groups]

    def collapse(self, number: int, value: ir.Value) -> ir.Value:
        """An operand in its new shape."""
        groups = self.operands[number]
        if not isinstance(value.type, ir.MemRefType) or all(len(g) == 1 for g in groups):
            return value
        kind = ir.MemRefType(value.type)
        shape = [prod(kind.shape[d] for d in group) for group in groups]
        return memref.collapse_shape(
            ir.MemRefType.get(shape, kind.element_type, None, kind.memory_space), value, groups
        )


def coalesced(nest: Nest, operands: Sequence[ir.Value]) -> Coalesced:
    """With as few dimensions as possible."""
    nest = _without_single(nest, operands)
    groups: Groups = []
    for d in range(len(nest.sizes)):
        if groups and _go_together(nest, operands, groups[-1][-1], d):
            groups[-1].append(d)
        else:
            groups.append([d])
    sizes = tuple(nest.extent(g) for g in groups)
    parallel = tuple(n for n, g in enumerate(groups) if g[0] in nest.parallel)
    maps, shapes = zip(*(_renamed(one, groups, value) for one, value in zip(nest.maps, operands)))
    return Coalesced(Nest(sizes, parallel, tuple(maps), nest.inputs), list(shapes))


def _go_together(nest: Nest, operands: Sequence[ir.Value], first: int, second: int) -> bool:
    if (first in nest.parallel) != (second in nest.parallel):
        return False
    return all(_is_one(value, one, first, second) for value, one in zip(operands, nest.maps))


def _is_one(value: ir.Value, one: ir.AffineMap, first: int, second: int) -> bool:
    """An operand has neither dimension, or the second one right behind the first in memory."""
    places = [p for p, e in enumerate(one.results) if mentions(e, first) or mentions(e, second)]
    if not places:
        return True
    plain = [e.position for e in (one.results[p] for p in places) if isinstance(e, ir.AffineDimExpr)]
    behind = plain == [first, second] and places[1] == places[0] + 1 and len(places) == 2
    return behind and isinstance(value.type, ir.MemRefType) and has_identity_layout(value.type)


def _without_single(nest: Nest, operands: Sequence[ir.Value]) -> Nest:
    """The nest whose maps index dimensions of one element of memory by 0."""
    maps = []
    for value, one in zip(operands, nest.maps):
        shape = value.type.shape if isinstance(value.type, ir.MemRefType) else []
        zero = ir.AffineConstantExpr.get(0)
        results = [zero if shape and shape[p] == 1 else e for p, e in enumerate(one.results)]
        maps.append(ir.AffineMap.get(len(nest.sizes), 0, results))
    return replace(nest, maps=tuple(maps))


def _renamed(one: ir.AffineMap, groups: Groups, value: ir.Value) -> tuple[ir.AffineMap, Groups]:
    """The map of an operand with new dimensions, and which of its results became one."""
    new = {d: n for n, group in enumerate(groups) for d in group}
    results: list[ir.AffineExpr] = []
    shape: Groups = []
    names = [ir.AffineDimExpr.get(new[d]) for d in range(len(new))]
    renaming = ir.AffineMap.get(len(groups), 0, names)
    previous = None
    for place, e in enumerate(one.results):
        plain = e.position if isinstance(e, ir.AffineDimExpr) else None
        if shape and _is_single(value, place):
            shape[-1].append(place)
            continue
        if plain is not None and previous is not None and new[plain] == new[previous] and plain == previous + 1:
            shape[-1].append(place)
        else:
            results.append(e.compose(renaming))
            shape.append([place])
        previous = plain
    return ir.AffineMap.get(len(groups), 0, results), shape


def _is_single(value: ir.Value, place: int) -> bool:
    """Whether a dimension of memory has one element, which moves nothing."""
    return isinstance(value.type, ir.MemRefType) and value.type.shape[place] == 1 and has_identity_layout(value.type)
