"""The loops around dot products: vectors along the contracted dimension."""

from __future__ import annotations

from hlo.lowering.vector.contraction.dot_kernel import DotTile, dot_kernel
from hlo.lowering.vector.contraction.function_text import FunctionText
from hlo.lowering.vector.contraction.nest import Nest, Place
from hlo.lowering.vector.contraction.problem import Dim


class DotNest(Nest):
    """Vectors along the contracted dimension."""

    def inner(self, f: FunctionText, place: Place) -> None:
        p = self.problem
        row = p.rows[-1] if p.rows else Dim(1, 0, 0, 0)
        lane = p.lanes[-1] if p.lanes else Dim(1, 0, 0, 0)
        rows, columns = self.plan.unroll_m, self.plan.unroll_n
        for j, width in self._ranges(f, "n", lane.size, columns):
            for i, height in self._ranges(f, "m", row.size, rows):
                self._range(f, place, row, lane, i, height, j, width)

    def _ranges(self, f, which, size, step):
        """((start, end), step) of the whole tiles, then of the left-over ones."""
        start, end = self.share(f, which, size, step)
        main = size // step * step
        ranges = [((start, f.min(end, main)), step)] if main else []
        if size > main:
            rest_start = f.op(f"arith.maxsi {f.i64(start)}, {f.i64(main)} : i64") if isinstance(start, str) else main
            ranges.append(((rest_start, end), size - main))
        return ranges

    def _range(self, f, place, row, lane, i_range, height, j_range, width) -> None:
        kernel = self._kernel(row, lane, height, width)
        with f.loop(*j_range, width) as j:
            at = self.moved(f, place, lane, j)
            with f.loop(*i_range, height) as i:
                f.call(kernel, *vars(self.moved(f, at, row, i)).values())

    def _kernel(self, row: Dim, lane: Dim, rows: int, columns: int) -> FunctionText:
        name = f"{self.name}.dots_{rows}x{columns}"
        found = next((k for k in self.code.functions if k.name == name), None)
        if found:
            return found
        p = self.problem
        *outer, last = p.contracted
        tile = DotTile(
            rows,
            columns,
            self.plan.vector,
            last.size,
            row.a,
            lane.b,
            row.c,
            lane.c,
            p.a_type,
            p.b_type,
            p.c_type,
            p.a_extend,
            p.b_extend,
            tuple((d.size, d.a, d.b) for d in outer),
        )
        self.code.functions.append(dot_kernel(name, tile))
        return self.code.functions[-1]
