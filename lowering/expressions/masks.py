"""Masks of positions in an expression: which columns of a score's row comparisons of both indices show.

    select(row >= column, score, far)                        the columns up to the row
    select(row >= column and row - column < 8, score, far)   ... from 7 before it

Hidden scores are `far`, at most FAR, and their weight exp(far - maximum) is 0 unless the maximum of their row is near `far` (a row that
sees nothing, say)."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.expressions.nodes import Apply, Constant, Index, Node, constant_of, is_apply, unconverted
from hlo.lowering.numbers import INTEGER_PREDICATES

FAR = -1e4
"""What hides a score: less than scores are."""

WIDE, LARGEST = 32, 1 << 30
"""Bits of integers that hold every index, and offsets with which they still do."""

SGT, SGE, SLT, SLE = (INTEGER_PREDICATES[name] for name in ("sgt", "sge", "slt", "sle"))


@dataclass(frozen=True)
class Mask:
    """What is seen: key <= row + offset. `row` and `key` are symbols, one of the rows of scores, the other of their columns."""

    row: int
    key: int
    offset: int


def masks_of(node: Node, rows: Collection[int], columns: Collection[int]) -> Iterator[Mask]:
    """Those all of which must hold for a select to give its second operand, by symbols of rows and of columns; none for other nodes."""
    if not is_apply(node, "arith.select"):
        return
    for condition in _all_of(node.operands[0]):
        mask = _mask(condition)
        if mask is not None and (
            (mask.row in rows and mask.key in columns) or (mask.row in columns and mask.key in rows)
        ):
            yield mask


def hiding_selects(score: Node) -> Iterator[tuple[Node, float]]:
    """The selects that give a score or what hides it, outermost first, each with the most that hides a score up to
    there: it may be what hides one that is hidden further in, too."""
    node, far = unconverted(score), float("-inf")
    while is_apply(node, "arith.select"):
        hidden = constant_of(node.operands[2])
        if hidden is None or not hidden <= FAR:
            return
        far = max(far, hidden)
        yield node, far
        node = unconverted(node.operands[1])


def _all_of(condition: Node) -> Iterator[Node]:
    """Conditions that all hold where this one does."""
    if is_apply(condition, "arith.andi"):
        for one in condition.operands:
            yield from _all_of(one)
    elif is_apply(condition, "arith.select") and _is_false(condition.operands[2]):
        yield from _all_of(condition.operands[0])
        yield from _all_of(condition.operands[1])
    else:
        yield condition


def _is_false(node: Node) -> bool:
    return isinstance(node, Constant) and not node.attribute.value


def _mask(condition: Node) -> Mask | None:
    """The mask that a comparison is."""
    if not is_apply(condition, "arith.cmpi"):
        return None
    assert isinstance(condition, Apply)
    predicate = ir.IntegerAttr(condition.op.attributes["predicate"]).value
    left, right = (_terms(one) for one in condition.operands)
    if predicate in (SLT, SLE):  # key < row
        left, right, predicate = right, left, SGT if predicate == SLT else SGE
    if left is None or right is None or predicate not in (SGT, SGE):
        return None
    difference = _sum(left, right, -1)
    offset = difference.pop(None, 0) - (predicate == SGT)
    symbols = {count: symbol for symbol, count in difference.items() if symbol is not None}
    return Mask(symbols[1], symbols[-1], offset) if sorted(difference.values()) == [-1, 1] else None


Terms = dict[int | None, int]
"""A sum of symbols' indices: how often each one is added, and the number that is, by None."""


def _terms(node: Node) -> Terms | None:
    """A sum of indices and numbers, in a type that holds it."""
    if isinstance(node.kind, ir.IntegerType) and node.kind.width < WIDE:
        return None
    if isinstance(node, Constant):
        number = node.attribute.value
        return {None: number} if abs(number) < LARGEST else None
    if isinstance(node, Index):
        return {} if node.symbol is None else {node.symbol: 1}
    if is_apply(node, "arith.index_cast") or is_apply(node, "arith.extsi"):
        return _terms(node.operands[0])
    if is_apply(node, "arith.addi") or is_apply(node, "arith.subi"):
        left, right = (_terms(one) for one in node.operands)
        if left is not None and right is not None:
            total = _sum(left, right, 1 if is_apply(node, "arith.addi") else -1)
            return total if abs(total.get(None, 0)) < LARGEST else None
    return None


def _sum(left: Terms, right: Terms, factor: int) -> Terms:
    total = dict(left)
    for symbol, count in right.items():
        total[symbol] = total.get(symbol, 0) + factor * count
    return {symbol: count for symbol, count in total.items() if count}
