"""Columns that a mask of positions hides from all rows of a block: rows from r to s see those up to s, or those from r - 7 to s
(`expressions/masks.py`)."""

from __future__ import annotations

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.expressions.masks import hiding_selects, masks_of
from hlo.lowering.expressions.nodes import Node
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
    lower: list[int] = []
    upper: list[int] = []
    far = float("-inf")
    for select, hidden in hiding_selects(score):
        for mask in masks_of(select, (rows,), (columns,)):
            far = hidden
            if mask.key == columns:
                upper.append(mask.offset)
            else:
                lower.append(-mask.offset)
    return Hidden(max(lower, default=None), min(upper, default=None), far) if lower or upper else None
