"""Expressions read off linalg ops on tensors.

%s = linalg.generic {mulf} (%d, 0.125);  %m = linalg.generic {maximumf, reduction} (%s)
element (b, i) of %m:  Fold(maximumf, -inf, Apply(mulf, Product(%d, (b, i, j)), Constant(0.125)))"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from math import prod
from typing import Any, TypeVar

from mlir import ir

from hlo.lowering.expressions.nodes import (
    Apply,
    Constant,
    Coordinates,
    Element,
    Fold,
    Index,
    Node,
    Product,
    is_zero,
    reachable,
    unconverted,
)
from hlo.lowering.finding import made_by
from hlo.lowering.linalg.iteration import joined_dimensions
from hlo.lowering.linalg.structured import Nest, nest_of
from hlo.lowering.vector.region.graph import RESHAPES

PARTS = 1 << 10
"""Symbols of parts are above: more than there are dimensions."""

NOWHERE = -1
"""A coordinate that is no symbol."""

DEEPEST = 120
"""Ops above each other that are followed; beyond, a value is taken from memory."""

LESS, FEW = 8, 12
"""A value is computed again where it is read, if it is made of so many times fewer elements by so few ops."""

N = TypeVar("N", bound=Node)


class Reader:
    """Expressions over symbols of these `sizes`. `reduced`: the symbols that reductions go along. `products`: the
    contractions whose results are not taken from memory; `given`: what always is. `space`: how many elements the
    innermost computation has; what needs fewer and is in memory anyway is not computed for each of them again.
    `in_kernel`: only a kernel's arguments are in memory."""

    def __init__(
        self,
        sizes: Mapping[int, int],
        reduced: Sequence[int],
        *products: ir.Value,
        given: Collection[ir.Value] = (),
        in_kernel: bool = False,
    ):
        self.in_kernel = in_kernel
        self.sizes, self.reduced, self.products, self.given = dict(sizes), tuple(reduced), products, given
        self.space = prod(sizes.values())
        self.inlined: dict[ir.Value, ir.Operation] = {}
        """By result, the ops whose elements expressions compute."""
        self.splits: dict[int, tuple[int, ...]] = {}
        """By symbol the symbols of its parts, outermost first, where a reshape splits it."""
        self._interned: dict[Hashable, Node] = {}
        self._known: dict[tuple[ir.Value, Coordinates], Node] = {}

    @property
    def parts_of_symbols(self) -> dict[int, dict[int, int]]:
        """By symbol those that it is made of, outermost first, with their sizes."""
        return {whole: {part: self.sizes[part] for part in split} for whole, split in self.splits.items()}

    def node(self, value: ir.Value, coordinates: Coordinates, depth: int = 0) -> Node:
        """The element of a tensor (or a scalar) at some coordinates."""
        shaped = isinstance(value.type, ir.RankedTensorType)
        if shaped:
            coordinates = tuple(None if size == 1 else p for p, size in zip(coordinates, value.type.shape, strict=True))
        if (value, coordinates) not in self._known:
            self._known[value, coordinates] = self._read(value, coordinates, depth) or self.element(value, coordinates)
        return self._known[value, coordinates]

    def element(self, value: ir.Value, coordinates: Coordinates) -> Node:
        """The element from memory, however it is computed."""
        kind = value.type.element_type if isinstance(value.type, ir.RankedTensorType) else value.type
        return self._make(Element, kind, (), (value, coordinates), value=value, coordinates=coordinates)

    def product(self, op: ir.Operation, coordinates: Coordinates) -> Product:
        """The element of a contraction's result."""
        value = op.results[0]
        key = (value, coordinates)
        return self._make(Product, value.type.element_type, (), key, op=op, coordinates=coordinates)

    def set_product(self, op: ir.Operation, coordinates: Coordinates) -> Product:
        """The same; it is what the element of the result is, whatever the sum begins with."""
        shape = op.results[0].type.shape
        coordinates = tuple(None if size == 1 else p for p, size in zip(coordinates, shape, strict=True))
        found = self._known[op.results[0], coordinates] = self.product(op, coordinates)
        return found

    def coordinates_of(self, fold: Fold) -> list[tuple[ir.Value, Coordinates]]:
        """The reductions whose elements are this, and where."""
        return [
            one for one in self.tensors_of(fold) if (op := made_by(one[0])) is not None and op.name == "linalg.generic"
        ]

    def tensors_of(self, node: Node) -> list[tuple[ir.Value, Coordinates]]:
        """The tensors whose elements are this, and where."""
        return [one for one, found in self._known.items() if found is node]

    def _make(self, cls: type[N], kind: ir.Type, operands: tuple[Node, ...], key: tuple[Any, ...], **rest: Any) -> N:
        whole = (cls, kind, operands, *key)
        if whole not in self._interned:
            own = [rest[n] for n in ("coordinates",) if n in rest] or [(rest["symbol"],) if "symbol" in rest else ()]
            free = frozenset(p for p in own[0] if p is not None).union(*(o.free for o in operands))
            if cls is Fold:
                free = free - frozenset(self.reduced)
            has_product = cls is Product or any(o.has_product for o in operands)
            self._interned[whole] = cls(kind, operands, free, has_product, **rest)
        return self._interned[whole]  # type: ignore[return-value]

    def _read(self, value: ir.Value, coordinates: Coordinates, depth: int) -> Node | None:
        op = made_by(value)
        if op is None or depth > DEEPEST or value in self.given:
            return None
        if op.name == "arith.constant":
            return self._constant(op)
        if op.name == "linalg.fill":
            scalar = self.node(op.operands[0], (), depth + 1)
            return self._inlined(op, scalar) if isinstance(scalar, Constant) else None
        if op.name in RESHAPES:
            return self._reshaped(op, coordinates, depth)
        if op.name != "linalg.generic" or not (self.in_kernel or len(op.results) == 1):
            return None
        found = self._generic(op, list(op.results).index(value), coordinates, depth)
        if found is None or (isinstance(found, Element) and found.value == value):
            return None
        return self._inlined(op, found) if self._is_profitable(op, found) else None

    def _reshaped(self, op: ir.Operation, coordinates: Coordinates, depth: int) -> Node | None:
        """The source's element, of what depends on the contraction: all else is reshaped in memory at no cost."""
        groups = joined_dimensions(op)
        shape = op.operands[0].type.shape
        if op.name == "tensor.expand_shape":
            found = [self._joined([coordinates[d] for d in group]) for group in groups]
        else:
            found = [
                one
                for coordinate, group in zip(coordinates, groups)
                for one in self._parts(coordinate, [shape[d] for d in group])
            ]
        if NOWHERE in found:
            return None
        node = self.node(op.operands[0], tuple(found), depth + 1)
        is_number = self.in_kernel and all(one is None for one in found)
        return self._inlined(op, node) if node.has_product or is_number else None

    def _joined(self, coordinates: Sequence[int | None]) -> int | None:
        """The coordinate along a dimension that has been split."""
        parts = tuple(p for p in coordinates if p is not None)
        if len(parts) <= 1:
            return parts[0] if parts else None
        return next((whole for whole, split in self.splits.items() if split == parts), NOWHERE)

    def _parts(self, coordinate: int | None, sizes: Sequence[int]) -> list[int | None]:
        """The coordinates along the dimensions that make up one."""
        count = sum(size != 1 for size in sizes)
        if coordinate is None or count <= 1:
            return [coordinate if size != 1 else None for size in sizes]
        if coordinate not in self.splits:
            first = max(PARTS, *self.sizes) + 1
            self.splits[coordinate] = tuple(range(first, first + count))
            self.sizes.update(zip(self.splits[coordinate], [size for size in sizes if size != 1]))
        parts = self.splits[coordinate]
        if [self.sizes[p] for p in parts] != [size for size in sizes if size != 1]:
            return [NOWHERE]
        rest = iter(parts)
        return [next(rest) if size != 1 else None for size in sizes]

    def _inlined(self, op: ir.Operation, node: Node) -> Node:
        self.inlined[op.results[0]] = op
        return node

    def _constant(self, op: ir.Operation) -> Node | None:
        attribute = op.attributes["value"]
        if isinstance(attribute, ir.DenseElementsAttr):
            if not attribute.is_splat or str(attribute.type.element_type) == "i1":
                return self._boolean(attribute) if attribute.is_splat else None
            attribute = attribute.get_splat_value()
        self.inlined[op.results[0]] = op
        return self._make(Constant, attribute.type, (), (attribute,), attribute=attribute)

    def _boolean(self, attribute: Any) -> Node:
        """Splat attributes of i1 are read by their text: the bindings give anything for their value."""
        kind = ir.IntegerType.get_signless(1)
        one = ir.IntegerAttr.get(kind, int("true" in str(attribute)))
        return self._make(Constant, kind, (), (one,), attribute=one)

    def _is_profitable(self, op: ir.Operation, node: Node) -> bool:
        """Whether an op is computed with what reads it: it needs a contraction's result, or only moves or converts, or
        reads little and does little, or has as many elements as the space."""
        if self.in_kernel or node.has_product or isinstance(unconverted(node), Element):
            return True
        parts, size = reachable(node), prod(op.results[0].type.shape)
        read = sum(prod(one.value.type.shape) for one in parts if isinstance(one, Element))
        is_small = LESS * read <= size and sum(isinstance(one, Apply) for one in parts) <= FEW
        return read == 0 or is_small or size >= self.space

    def _generic(self, op: ir.Operation, number: int, coordinates: Coordinates, depth: int) -> Node | None:
        """An element of a result, by its number."""
        nest = nest_of(op)
        bound = _bound(nest, number, coordinates)
        if bound is None:
            return None
        if not nest.reduction:
            return self._body(op, nest, number, bound, depth)
        start = self.node(op.operands[nest.inputs], (None,) * len(coordinates), depth + 1)
        if not isinstance(start, Constant):
            return None
        if op.results[0] in self.products and is_zero(start):
            return self.product(op, coordinates)
        return self._fold(op, nest, bound, start, depth)

    def _fold(self, op: ir.Operation, nest: Nest, bound: dict[int, int | None], start: Node, depth: int) -> Node | None:
        """A reduction of one input along the reduced symbols, by one associative op."""
        sizes = [nest.sizes[d] for d in nest.reduction if nest.sizes[d] != 1]
        symbols = [s for s in self.reduced if self.sizes[s] != 1]
        if nest.inputs != 1 or sizes != [self.sizes[s] for s in symbols] or set(symbols) & set(bound.values()):
            return None
        rest = iter(symbols)
        bound = bound | {d: next(rest) if nest.sizes[d] != 1 else None for d in nest.reduction}
        _, carried = op.regions[0].blocks[0].arguments
        whole = self._body(op, nest, 0, bound, depth, carried)
        combined = unconverted(whole) if whole is not None else None
        if not isinstance(combined, Apply) or combined.op.name not in ("arith.addf", "arith.maximumf"):
            return None
        others = [o for o in combined.operands if not _is_carry(unconverted(o), carried)]
        if len(others) != 1 or _depends(others[0], carried):
            return None
        return self._make(Fold, start.kind, (start, others[0]), (combined.op.name,), name=combined.op.name)

    def _body(
        self,
        op: ir.Operation,
        nest: Nest,
        number: int,
        bound: Mapping[int, int | None],
        depth: int,
        carried: ir.Value | None = None,
    ) -> Node | None:
        """What a body yields for a result, by its number. `carried`: the argument that a reduction combines with, an element of nothing."""
        block = op.regions[0].blocks[0]
        values: dict[ir.Value, Node] = {}
        for operand, one, argument in zip(list(op.operands)[: nest.inputs], nest.maps, block.arguments):
            coordinates = _through(one, bound)
            if coordinates is None:
                return None
            values[argument] = self.node(operand, coordinates, depth + 1)
        if carried is not None:
            values[carried] = self.element(carried, ())
        *ops, end = block.operations
        for one in ops:
            made = self._scalar(one.operation, values, bound)
            if made is None:
                return None
            values[one.operation.results[0]] = made
        yielded = end.operands[number]
        return values[yielded] if yielded in values else self._outside(yielded)

    def _scalar(
        self, op: ir.Operation, values: Mapping[ir.Value, Node], bound: Mapping[int, int | None]
    ) -> Node | None:
        """One op of a body; None for one that is not to be taken along."""
        if op.name == "arith.constant":
            attribute = op.attributes["value"]
            return self._make(Constant, attribute.type, (), (attribute,), attribute=attribute)
        if op.name == "linalg.index":
            symbol = bound[ir.IntegerAttr(op.attributes["dim"]).value]
            return self._make(Index, op.results[0].type, (), (symbol,), symbol=symbol)
        if not op.name.startswith(("arith.", "math.", "complex.")) or len(op.regions) or len(op.results) != 1:
            return None
        found = (values[v] if v in values else self._outside(v) for v in op.operands)
        operands = [one for one in found if one is not None]
        if len(operands) < len(op.operands):
            return None
        key = (op.name, *(f"{name}={op.attributes[name]}" for name in op.attributes))
        return self._make(Apply, op.results[0].type, tuple(operands), key, op=op)

    def _outside(self, value: ir.Value) -> Node | None:
        """What a body uses from outside: constants alone."""
        found = self.node(value, ())
        return found if isinstance(found, Constant) else None


def _bound(nest: Nest, number: int, coordinates: Coordinates) -> dict[int, int | None] | None:
    """By parallel dimension its symbol: the map of an output names each of them once."""
    output = nest.maps[nest.inputs + number]
    found: dict[int, int | None] = {}
    for expression, coordinate in zip(output.results, coordinates, strict=True):
        if not isinstance(expression, ir.AffineDimExpr) or expression.position in found:
            return None
        found[expression.position] = coordinate
    return found if set(found) == set(nest.parallel) else None


def _through(one: ir.AffineMap, bound: Mapping[int, int | None]) -> Coordinates | None:
    """The coordinates of an operand; None where they are no plain dimensions."""
    found: list[int | None] = []
    for expression in one.results:
        if isinstance(expression, ir.AffineDimExpr):
            found.append(bound[expression.position])
        elif isinstance(expression, ir.AffineConstantExpr) and expression.value == 0:
            found.append(None)
        else:
            return None
    return tuple(found)


def _is_carry(node: Node, carried: ir.Value) -> bool:
    return isinstance(node, Element) and node.value == carried


def _depends(node: Node, carried: ir.Value) -> bool:
    return any(_is_carry(one, carried) for one in reachable(node))
