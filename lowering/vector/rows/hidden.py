"""Columns that a mask of positions hides from all rows of a block.

    select(row >= column, score, far):                      rows from r to s see the columns up to s
    select(row >= column and row - column < 8, score, far): ... from r - 7 to s

Hidden scores are `far`, and their weight exp(far - maximum) is 0, unless the row's maximum is near `far`."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from hlo.lowering.gpu.attention.causal_mask import all_of
from hlo.lowering.gpu.expressions import Apply, Constant, Index, Node, is_apply, unconverted
from hlo.lowering.numbers import INTEGER_PREDICATES
from hlo.lowering.vector.contraction.function_text import FunctionText
from hlo.lowering.vector.rows.binding import Sections

FAR = -1e4
"""What hides a column: less than scores are."""

GAP = 800.0
"""By how much `far` is less than a maximum where exp(far - maximum) is 0 in f32 and in f64."""

WIDE, LARGEST = 32, 1 << 28
"""Bits of integers that hold every index, and offsets with which they still do."""

LEFT_IS_MORE = {INTEGER_PREDICATES[name]: offset for name, offset in {"sgt": -1, "sge": 0}.items()}
RIGHT_IS_MORE = {INTEGER_PREDICATES[name]: offset for name, offset in {"slt": -1, "sle": 0}.items()}
"""By predicate: comparisons as left - right + offset >= 0, or the other way round."""


@dataclass(frozen=True)
class Hidden:
    """What is seen: the columns from row + `first` to row + `last`, None where nothing limits them. `far`: the largest of hidden scores."""

    first: int | None
    last: int | None
    far: float

    @property
    def is_rest_perhaps_needed(self) -> bool:
        """Whether a row may need hidden columns when the others are done."""
        return self.far != float("-inf")

    def sections(self, f: FunctionText, row: str | int, tile: Sections) -> tuple[str | int, str | int]:
        """The first and the last (exclusive) section of columns that rows of the block from `row` on see; one at least."""
        last_column = tile.extents[-1] - 1
        first: str | int = 0
        end: str | int = -(-tile.extents[-1] // tile.section)
        if self.last is not None:
            last = f.min(f.max(f.add(row, self.last + tile.size - 1), 0), last_column)
            end = f.add(f.quotient(last, tile.section), 1)
        if self.first is not None:
            first = f.quotient(f.min(f.max(f.add(row, self.first), 0), last_column), tile.section)
            first = f.min(first, f.sub(end, 1))
        return first, end

    def counts(self, tile: Sections) -> list[int]:
        """How many sections each block of the rows sees."""
        f, extent = FunctionText("counts", []), tile.extents[-2]
        starts = (min(row, extent - tile.size) for row in range(0, extent, tile.size))
        ranges = (self.sections(f, start, tile) for start in starts)
        return [int(end) - int(first) for first, end in ranges]


def hidden_columns(score: Node, rows: int, columns: int) -> Hidden | None:
    """What hides scores, whose rows and columns have these symbols; None where nothing does by their positions alone."""
    first: int | None = None
    last: int | None = None
    far = float("-inf")
    node = score
    while is_apply(node, "arith.select"):
        condition, seen, other = node.operands
        other = unconverted(other)
        if not isinstance(other, Constant) or not other.attribute.value <= FAR:
            break
        bounds = [_bound(one, rows, columns) for one in all_of(condition)]
        lower = [bound for is_last, bound in bounds if is_last is False]
        upper = [bound for is_last, bound in bounds if is_last is True]
        if lower or upper:
            first = max([*lower, first] if first is not None else lower, default=None)
            last = min([*upper, last] if last is not None else upper, default=None)
            far = max(far, float(other.attribute.value))
        node = seen
    return None if first is None and last is None else Hidden(first, last, far)


def _bound(condition: Node, rows: int, columns: int) -> tuple[bool | None, int]:
    """Whether a comparison says that columns are at most row + a number, or (False) at least; None if neither."""
    if not is_apply(condition, "arith.cmpi"):
        return None, 0
    assert isinstance(condition, Apply)
    predicate = ir.IntegerAttr(condition.op.attributes["predicate"]).value
    left, right = (_terms(one) for one in condition.operands)
    if left is None or right is None:
        return None, 0
    if predicate in RIGHT_IS_MORE:
        left, right = right, left
    elif predicate not in LEFT_IS_MORE:
        return None, 0
    offset = LEFT_IS_MORE.get(predicate, RIGHT_IS_MORE.get(predicate, 0))
    total = _sum(left, right, -1)
    number = total.pop(None, 0) + offset
    if total == {rows: 1, columns: -1}:
        return True, number
    if total == {rows: -1, columns: 1}:
        return False, -number
    return None, 0


Terms = dict[int | None, int]
"""A sum of symbols' indices: factors by symbol, None for the number."""


def _terms(node: Node) -> Terms | None:
    """A sum of indices and numbers, in a type that holds it."""
    if isinstance(node.kind, ir.IntegerType) and node.kind.width < WIDE:
        return None
    if isinstance(node, Constant):
        return {None: node.attribute.value} if abs(node.attribute.value) < LARGEST else None
    if isinstance(node, Index):
        return {} if node.symbol is None else {node.symbol: 1}
    if is_apply(node, "arith.index_cast") or is_apply(node, "arith.extsi"):
        return _terms(node.operands[0])
    if is_apply(node, "arith.addi") or is_apply(node, "arith.subi"):
        left, right = (_terms(one) for one in node.operands)
        if left is not None and right is not None:
            return _sum(left, right, 1 if is_apply(node, "arith.addi") else -1)
    return None


def _sum(left: Terms, right: Terms, factor: int) -> Terms:
    total = dict(left)
    for symbol, count in right.items():
        total[symbol] = total.get(symbol, 0) + factor * count
    return {symbol: count for symbol, count in total.items() if count}
