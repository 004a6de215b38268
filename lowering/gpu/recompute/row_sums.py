"""Row sums of the weights' gradients times the weights, from the result and its gradient:

    sum_j t_ij w_ij f_i  =  f_i sum_c g_ic o_ic      t = contraction (%g, %v), w = softmax (%s), o = contraction (%w, %v)

The left side goes through all scores again, twice as many products; the right one through two arrays as large as the result (Dao,
"FlashAttention-2", 2023). The result is rounded, where the left side has rounded t: only where the program does that, whose errors are as large."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith

from hlo.lowering.gpu.attention.evaluate import Evaluator
from hlo.lowering.gpu.attention.expressions import (
    CONVERSIONS,
    Element,
    Fold,
    Index,
    Node,
    Places,
    Product,
    Reader,
    is_apply,
    maker_of,
    reachable,
    unconverted,
)
from hlo.lowering.gpu.attention.online_softmax import as_f32, as_type, f32
from hlo.lowering.gpu.attention.recognise import Attention, dimensions_of, is_plain, matched
from hlo.lowering.gpu.attention.softmax import quotient
from hlo.lowering.gpu.contraction.problem import Problem, problem_of
from hlo.lowering.gpu.nest import nest_of
from hlo.lowering.gpu.recompute.group import RESHAPES, Group
from hlo.lowering.gpu.recompute.recognise import KINDS
from hlo.lowering.linalg.structured import elementwise, empty, fill, generic

HEAD = 1 << 20
"""The symbol of the elements of a head."""


@dataclass(frozen=True)
class RowSum:
    """`op`: the sum; `gradient`, `result`: elements of the result's gradient, and of the result, at its symbols and HEAD.
    `factors`, `divisors`: what else is multiplied, of rows alone. `size`: elements of a head."""

    op: ir.Operation
    gradient: Element
    result: Places
    factors: tuple[Node, ...]
    divisors: tuple[Node, ...]
    size: int

    def emit(self, result: ir.Value) -> ir.Value:
        """The sums, in front of the op. `result`: that of the attention."""
        with ir.InsertionPoint(self.op), self.op.location:
            return self._scaled(self._summed(result))

    @property
    def _rank(self) -> int:
        return len(self.op.results[0].type.shape)

    def _map(self, places: Places, rank: int) -> ir.AffineMap:
        """Where something is read: symbols are dimensions of the sums, HEAD the one after them."""
        symbols = dimensions_of(nest_of(self.op).maps[1])
        by_symbol = {**{s: d for d, s in enumerate(symbols)}, HEAD: len(symbols)}
        found = [ir.AffineExpr.get_constant(0) if p is None else ir.AffineExpr.get_dim(by_symbol[p]) for p in places]
        return ir.AffineMap.get(rank, 0, found)

    def _summed(self, result: ir.Value) -> ir.Value:
        shape, rank = self.op.results[0].type.shape, self._rank
        large, sums = (ir.RankedTensorType.get(one, ir.F32Type.get()) for one in ([*shape, self.size], shape))
        maps = [self._map(places, rank + 1) for places in (self.gradient.places, self.result)]
        whole = ir.AffineMap.get_identity(rank + 1)
        inputs, parallel = [self.gradient.value, result], ["parallel"] * rank
        (products,) = generic(
            inputs,
            maps,
            [empty(large)],
            [whole],
            [*parallel, "parallel"],
            lambda g, o, _: [arith.mulf(as_f32(g), as_f32(o))],
        )
        rows = ir.AffineMap.get(rank + 1, 0, [ir.AffineExpr.get_dim(d) for d in range(rank)])
        start = fill(f32(0.0), sums)
        return generic([products], [whole], [start], [rows], [*parallel, "reduction"], lambda x, s: [arith.addf(s, x)])[
            0
        ]

    def _scaled(self, sums: ir.Value) -> ir.Value:
        kind = self.op.results[0].type
        nodes = {one: None for node in (*self.factors, *self.divisors) for one in reachable(node)}
        elements = [one for one in nodes if isinstance(one, Element)]
        if not self.factors and not self.divisors:
            return sums if sums.type == kind else elementwise([sums], kind, lambda s: as_type(kind.element_type, s))
        identity = ir.AffineMap.get_identity(self._rank)
        maps = [self._map(one.places, self._rank) for one in elements]

        def body(total: ir.Value, *rest: ir.Value) -> Sequence[ir.Value]:
            evaluator, given = Evaluator({}), dict[Node, ir.Value](zip(elements, rest))
            at = {s: total for node in nodes for s in node.free}
            for node in self.factors:
                total = arith.mulf(total, as_f32(evaluator.value(node, at, given)))
            for node in self.divisors:
                total = arith.divf(total, as_f32(evaluator.value(node, at, given)))
            return [as_type(kind.element_type, total)]

        inputs = [sums, *(one.value for one in elements)]
        return generic(inputs, [identity, *maps], [empty(kind)], [identity], ["parallel"] * self._rank, body)[0]


def row_sum_of(op: ir.Operation, group: Group, attention: Attention) -> RowSum | None:
    """The reader of a group as such a sum; None for others, and where the program does not round the weights' gradients."""
    nest = nest_of(op)
    is_sum = problem_of(op) is None and nest.inputs == 1 and all(is_plain(one) for one in nest.maps)
    if not is_sum or not attention.root.owner.operation.is_before_in_block(op):
        return None
    if unconverted(attention.result) is not attention.sum:
        return None
    return _Match(op, group, attention).found()


class _Match:
    """A sum's element as a product of factors, in its symbols; `symbols`: these by symbol of attention."""

    def __init__(self, op: ir.Operation, group: Group, attention: Attention):
        self.op, self.attention, self.nest = op, attention, nest_of(op)
        sizes = {**dict(enumerate(self.nest.sizes)), HEAD: attention.values.n}
        given = {*group.given} - {op.results[0]}
        self.reader = Reader(sizes, self.nest.reduction, *group.products, given=given)
        self.up: list[Node] = []
        self.down: list[Node] = []

    def found(self) -> RowSum | None:
        fold = self.reader.node(self.op.results[0], dimensions_of(self.nest.maps[1]))
        if not isinstance(fold, Fold) or fold.name != "arith.addf" or not fold.has_product:
            return None
        _split(fold.operands[1], self.up, self.down)
        gradient = next((one for one in self.up if isinstance(unconverted(one), Product)), None)
        if gradient is None or not _is_rounded(gradient) or not self._bind() or not self._take_weights():
            return None
        self.up.remove(gradient)
        rest = [part for one in (*self.up, *self.down) for part in reachable(one)]
        if any(part.has_product or isinstance(part, Index) for part in rest):
            return None
        left = self._result_gradient(unconverted(gradient))
        if left is None:
            return None
        places = self._places(self.attention.places)
        return RowSum(self.op, left, places, tuple(self.up), tuple(self.down), self.attention.values.n)

    def _bind(self) -> bool:
        """Whether every symbol of attention is one of the sum's: by the scores, which both have."""
        dot, p = self.attention.dot, self.attention.values
        scores = [one for node in self.up for one in reachable(node) if isinstance(one, Product) and one.op == dot.op]
        if not scores:
            return False
        self.symbols = {s: d for s, d in zip(dot.places, scores[0].places) if s is not None and d is not None}
        self.symbols.update({d: HEAD for d in p.columns if p.nest.sizes[d] != 1})
        return all(d in self.symbols or p.nest.sizes[d] == 1 for d in range(len(p.nest.sizes)))

    def _places(self, places: Places) -> Places:
        """In the sum's symbols."""
        return tuple(None if p is None else self.symbols.get(p) for p in places)

    def _take_weights(self) -> bool:
        """Exponentials are no factor any more, and the rows' sums one."""
        p = self.attention.values
        places = self._places(dimensions_of(p.nest.maps[p.left]))
        parts = quotient(unconverted(self.reader.node(p.op.operands[p.left], places)))
        mine = [one for one in self.up if parts and unconverted(one) is parts[0]]
        if parts is None or len(mine) != 1:
            return False
        self.up.remove(mine[0])
        same = next((one for one in self.down if unconverted(one) is parts[1]), None)
        if same is None:
            self.up.append(parts[1])
        else:
            self.down.remove(same)
        return True

    def _result_gradient(self, product: Node) -> Element | None:
        """What is multiplied by the values that attention has."""
        assert isinstance(product, Product)
        own = Problem(self.op, self.nest, (), self.nest.parallel, (), self.nest.reduction, 0, 0)
        (p, _), values = matched(product, own), self.attention.values
        symbols = {e.position: s for e, s in zip(p.nest.maps[2].results, product.places)}
        symbols.update({d: HEAD for d in p.depth if p.nest.sizes[d] != 1})
        left, right = (self._node(p, side, symbols) for side in (p.left, p.right))
        same = self._node(values, values.right, self.symbols)
        is_same = right is not None and same is not None and _in_memory(right) == _in_memory(same)
        return left if is_same and isinstance(left, Element) else None

    def _node(self, p: Problem, side: int, symbols: Mapping[int, int | None]) -> Node | None:
        """The element of a contraction's input, with dimensions as these symbols."""
        if not is_plain(p.nest.maps[side]):
            return None
        places = dimensions_of(p.nest.maps[side])
        return self.reader.node(p.op.operands[side], tuple(None if d is None else symbols.get(d) for d in places))


def _in_memory(node: Node) -> object:
    """What is the same for the same element, however dimensions of one element are counted."""
    if not isinstance(node, Element):
        return node
    value, sizes = node.value, [size for size in node.value.type.shape if size != 1]
    while (op := maker_of(value)) is not None and op.name in RESHAPES:
        value = op.operands[0]
    return value, sizes, [p for p in node.places if p is not None]


def _split(node: Node, up: list[Node], down: list[Node]) -> None:
    """Its factors and divisors, of those that depend on scores."""
    plain = unconverted(node)
    if node.has_product and is_apply(plain, "arith.mulf"):
        _split(plain.operands[0], up, down)
        _split(plain.operands[1], up, down)
    elif node.has_product and is_apply(plain, "arith.divf"):
        _split(plain.operands[0], up, down)
        _split(plain.operands[1], down, up)
    else:
        up.append(node)


def _is_rounded(node: Node) -> bool:
    """Whether conversions to a type of two bytes are on the way."""
    while any(is_apply(node, name) for name in CONVERSIONS):
        if str(node.kind) in KINDS:
            return True
        node = node.operands[0]
    return False
