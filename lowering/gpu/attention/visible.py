"""Keys that a mask hides from all queries of a block: steps that need not be taken.

    select(row >= key, score, far):  rows up to r see no key beyond r

The keys beyond have the score `far`, and the weight exp(far - maximum), which is 0 unless the row's maximum is near `far` (a
row that sees nothing, say): a block with such a row takes all steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from mlir import ir
from mlir.dialects import arith

from hlo.lowering.gpu.attention.expressions import Apply, Constant, Index, Node, is_apply, unconverted
from hlo.lowering.gpu.contraction.problem import Problem
from hlo.lowering.gpu.element import index_constant

FAR = -1e4
"""What hides a key: less than scores are."""

WIDE, LARGEST = 32, 1 << 30
"""Bits of integers that hold every place, and offsets with which they still do."""

ROUNDED = 0.99
"""Of `far`: it may be rounded to another type."""

SGT, SGE, SLT, SLE = 4, 5, 2, 3
"""Numbers of arith.cmpi's predicates."""


@dataclass(frozen=True)
class Visible:
    """A query at `row` (a symbol) sees keys up to its place plus `offset`. `far`: the most that the others' score is."""

    row: int
    offset: int
    far: float

    def steps(self, p: Problem, first: ir.Value, queries: int, keys: int) -> ir.Value:
        """How many steps of so many keys a block takes that begins with the query `first`; at least one."""
        last = arith.minui(arith.addi(first, index_constant(queries - 1)), index_constant(p.m - 1))
        beyond = arith.addi(self._farthest(p, first, last), index_constant(self.offset + 1))
        seen = arith.maxsi(beyond, index_constant(1))
        steps = arith.divui(arith.addi(seen, index_constant(keys - 1)), index_constant(keys))
        return arith.minui(steps, index_constant(-(-p.k // keys)))

    def _farthest(self, p: Problem, first: ir.Value, last: ir.Value) -> ir.Value:
        """The largest place along `row` of the queries from the first to the last."""
        number = p.rows.index(self.row)
        inner = index_constant(prod(p.nest.sizes[d] for d in p.rows[number + 1 :]))
        low, high = arith.divui(first, inner), arith.divui(last, inner)
        if number == 0:
            return high
        size = index_constant(p.nest.sizes[self.row])
        is_one_turn = arith.cmpi(arith.CmpIPredicate.eq, arith.divui(low, size), arith.divui(high, size))
        return arith.select(is_one_turn, arith.remui(high, size), index_constant(p.nest.sizes[self.row] - 1))


def visible_keys(scores: Node, p: Problem) -> Visible | None:
    """Read off the expression of a score. `p`: the second contraction; its dimensions are the symbols."""
    keys = [d for d in p.depth if p.nest.sizes[d] != 1]
    node, hidden = unconverted(scores), float("-inf")
    while len(keys) == 1 and is_apply(node, "arith.select"):
        condition, yes, no = node.operands
        far = unconverted(no)
        if not isinstance(far, Constant) or not far.attribute.value <= FAR:
            return None
        hidden = max(hidden, far.attribute.value * ROUNDED)
        for one in all_of(condition):
            found = limit(one, keys[0])
            if found is not None and found[0] in p.rows:
                return Visible(*found, hidden)
        node = unconverted(yes)
    return None


def all_of(condition: Node) -> Iterator[Node]:
    """Conditions that all hold where this one does."""
    if is_apply(condition, "arith.andi"):
        for one in condition.operands:
            yield from all_of(one)
    elif is_apply(condition, "arith.select") and _is_false(condition.operands[2]):
        yield from all_of(condition.operands[0])
        yield from all_of(condition.operands[1])
    else:
        yield condition


def _is_false(node: Node) -> bool:
    return isinstance(node, Constant) and not node.attribute.value


def limit(condition: Node, key: int) -> tuple[int, int] | None:
    """The row's symbol and the offset of key <= row + offset."""
    if not is_apply(condition, "arith.cmpi"):
        return None
    assert isinstance(condition, Apply)
    predicate = ir.IntegerAttr(condition.op.attributes["predicate"]).value
    left, right = (_place(one) for one in condition.operands)
    if predicate in (SLT, SLE):  # key < row
        left, right, predicate = right, left, SGT if predicate == SLT else SGE
    if left is None or right is None or predicate not in (SGT, SGE) or right[0] != key or left[0] == key:
        return None
    return left[0], left[1] - right[1] - (predicate == SGT)


def _place(node: Node) -> tuple[int, int] | None:
    """A symbol's place plus a constant, in a type that holds it."""
    if isinstance(node.kind, ir.IntegerType) and node.kind.width < WIDE:
        return None
    if isinstance(node, Apply) and node.op.name in ("arith.index_cast", "arith.extsi"):
        return _place(node.operands[0])
    if isinstance(node, Index) and node.symbol is not None:
        return node.symbol, 0
    if isinstance(node, Apply) and node.op.name in ("arith.addi", "arith.subi"):
        place, other = _place(node.operands[0]), node.operands[1]
        if place is None and node.op.name == "arith.addi":
            place, other = _place(node.operands[1]), node.operands[0]
        if place is not None and isinstance(other, Constant):
            sign = 1 if node.op.name == "arith.addi" else -1
            offset = place[1] + sign * other.attribute.value
            return (place[0], offset) if abs(offset) < LARGEST else None
    return None
