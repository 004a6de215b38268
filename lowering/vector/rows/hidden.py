"""Columns that a mask of positions hides from all rows of a block.

    select(row >= column, score, far):                      rows from r to s see the columns up to s
    select(row >= column and row - column < 8, score, far): ... from r - 7 to s

Hidden scores are `far`, at most FAR, and their weight exp(far - maximum) is 0 where the row's maximum is above far / 2."""

from __future__ import annotations

from dataclasses import dataclass

from hlo.lowering.gpu.attention.causal_mask import FAR, all_of, limit
from hlo.lowering.gpu.expressions import Constant, Node, is_apply, unconverted
from hlo.lowering.vector.contraction.function_text import FunctionText
from hlo.lowering.vector.rows.binding import Sections


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
    far = passed = float("-inf")
    node = score
    while is_apply(node, "arith.select"):
        condition, seen, other = node.operands
        other = unconverted(other)
        if not isinstance(other, Constant) or not other.attribute.value <= FAR:
            break
        passed = max(
            passed, float(other.attribute.value)
        )  # it may be what hides a score that is hidden further in, too
        masks = [mask for one in all_of(condition) for key in (columns, rows) if (mask := limit(one, key)) is not None]
        upper = [mask.offset for mask in masks if (mask.row, mask.key) == (rows, columns)]
        lower = [-mask.offset for mask in masks if (mask.row, mask.key) == (columns, rows)]
        if lower or upper:
            first = max([*lower, first] if first is not None else lower, default=None)
            last = min([*upper, last] if last is not None else upper, default=None)
            far = passed
        node = seen
    return None if first is None and last is None else Hidden(first, last, far)
