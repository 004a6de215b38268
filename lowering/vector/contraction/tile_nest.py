"""The blocked loops around tiles: vectors along a lane or a batch dimension.

    for columns in blocks of n:                      (packed B: a block of n x a block of k, in the last cache)
      for k in blocks:                               pack B
        for rows in blocks of m:                     pack A (a block of m x a block of k, in the second cache)
          for columns in tiles' widths:              (a panel of B stays in the first cache)
            for rows in tiles' heights:              micro-kernel

Blocks of k may also be outermost, where all loops use the same blocks of both operands. With several contracted loops a block is some
iterations of one of them, with all of those inside it.

The rows, the columns or an outer loop are divided among threads; each packs what it needs into scratch memory of its own, so that none waits.
Only large blocks of B that all rows use are packed by all threads together before they go through the tiles."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from itertools import accumulate

from hlo.lowering.vector.contraction.function_text import External, FunctionText, part_of
from hlo.lowering.vector.contraction.gather_packing import Table, fill_table, has_runs, tables_of
from hlo.lowering.vector.contraction.matrix_kernel import Registers, configured
from hlo.lowering.vector.contraction.micro_kernel import Tile
from hlo.lowering.vector.contraction.nest import Code, Depth, Inner, Loop, Nest, Place
from hlo.lowering.vector.contraction.packing import OFFSET, TABLES, Panel, pack_block
from hlo.lowering.vector.contraction.problem import Dim, ceildiv, whole
from hlo.lowering.vector.contraction.routines import routine
from hlo.lowering.vector.contraction.schedule import ContractionSchedule, Cut

SLACK = 1 << 10
"""Bytes behind packed blocks, which the last stores may pass."""


class TileNest(Nest):
    def __init__(self, name: str, plan: ContractionSchedule, code: Code):
        super().__init__(name, plan, code, plan.width)
        self.panel_a = self._panel_a() if plan.pack_a != "none" else None
        self.panel_b = self._panel_b() if plan.pack_b in ("lanes", "words", "gather") else None
        self.packs: dict[str, FunctionText] = {}
        self.places: dict[str, tuple[int, int]] = {}

    def loops(self) -> list[Loop]:
        plan, packs_b = self.plan, self.panel_b is not None and not self.plan.keep_b
        own: list[Loop] = [loop for dim, loop in self.outer_loops() if dim.b or not packs_b]
        same_b: list[Loop] = [loop for dim, loop in self.outer_loops() if not dim.b and packs_b]
        columns: list[Loop] = [*own, partial(self.own_range, "n"), partial(self.blocks, "n", plan.block_n)]
        blocks = [*self._cut_loops(), *columns] if plan.k_outside else [*columns, *self._cut_loops()]
        if plan.packs_b_together:
            blocks = [*blocks, self._pack_together, self.part]
        else:
            blocks = [self.part, *blocks, *[self._pack_columns] * packs_b]
        rows: list[Loop] = [partial(self.own_range, "m"), *same_b, partial(self.blocks, "m", plan.block_m)]
        rows += [self._pack_rows] * (plan.pack_a != "none")
        tables: list[Loop] = [self._fill_tables] * (plan.pack_b == "gather")
        tiles: list[Loop] = [self._begin_sums, partial(self.tiles, "n"), partial(self.tiles, "m")]
        return [*tables, *blocks, *rows, *tiles]

    # packing

    def _panel_a(self) -> Panel:
        p, plan = self.problem, self.plan
        types, kind = (p.a_type, p.a_extend), self._kind_of_a()
        return self._panel(types, plan.unroll_m, self.row.a, self.depth.a, kind, flip=plan.header)

    def _kind_of_a(self) -> str:
        """Each row of a tile is contiguous along k."""
        plan = self.plan
        return "turned" if plan.multiplies_tiles and plan.pack_a == "lanes" else plan.pack_a

    def _panel_b(self) -> Panel:
        p, plan = self.problem, self.plan
        types = p.b_type, p.b_extend
        panel = self._panel(types, plan.width, self.lane.b, self.depth.b, plan.pack_b, header=plan.header)
        unit = plan.vector * plan.word
        return replace(panel, block=-(-self.depth.size // unit) * unit) if plan.keep_b else panel

    def pack_ready(self) -> tuple[str, int]:
        """The name of the function (source, target, depth, columns) that packs the whole of B, and the bytes of that."""
        assert self.panel_b is not None
        panels = -(-self.lane.size // self.plan.width)
        return self._pack_function("b", self.panel_b).name, panels * self.panel_b.bytes + SLACK

    def _panel(self, types: tuple[str, str], width: int, across: int, along: int, kind: str, **extra: bool) -> Panel:
        """`types`: that of the operand's elements, and the op that extends them."""
        plan, (source, extend) = self.plan, types
        element = moved_type(plan.packed_type(source))
        source = moved_type(source)
        unit = plan.vector * plan.word
        depth = plan.packed_depth() if kind == "gather" else self.depth.size
        block = -(-min(self._packed_block() or depth, depth) // unit) * unit + (unit if kind == "gather" else 0)
        rest = self.depth.size % plan.word
        extend = extend if element != source else ""
        whole = plan.dot_product // plan.word
        return Panel(
            kind,
            element,
            width,
            plan.vector,
            plan.word,
            block,
            across,
            along,
            rest,
            source=source,
            extend=extend,
            whole=whole,
            runs=kind == "gather" and has_runs(plan),
            **extra,
        )

    def _packed_block(self) -> int:
        """Elements along k of a packed block; 0: all of them."""
        cut = self.plan.cut
        return cut.count * self.plan.packed_depth(cut.level) if cut else 0

    def write(self, f: FunctionText) -> None:
        self._divide_scratch()
        super().write(f)

    def _divide_scratch(self) -> None:
        """Places of the tables, and of the packed blocks: what a thread packs has one for each of them."""
        plan = self.plan
        self.tables = list(accumulate((t.bytes for t in self._tables()), initial=self.code.scratch))
        self.code.scratch = self.tables.pop()
        for name, role, panel, block in (
            ("b", "n", self.panel_b, plan.block_n),
            ("a", "m", self.panel_a, plan.block_m),
        ):
            if panel is not None and not (name == "b" and plan.keep_b):
                extent, together = self.longest_range(role), name == "b" and plan.packs_b_together
                size = whole(ceildiv(min(extent, block or extent), panel.width) * panel.bytes + SLACK, 64)
                self.packs[name] = self._pack_function(name, panel)
                self.places[name] = self.code.scratch, 0 if together else size
                self.code.scratch += size * (1 if together else plan.threads)

    def _tables(self) -> list[Table]:
        return tables_of(self.plan) if self.plan.pack_b == "gather" else []

    def _fill_tables(self, f: FunctionText, at: Place, inner: Inner) -> None:
        """B's offsets along n, and along the contracted loops, in scratch memory that all threads read."""
        for start, table in zip(self.tables, self._tables()):
            fill_table(f, f.offset("%scratch", start, "i8"), table)
        inner(f, at)

    def _packed(self, f: FunctionText, name: str) -> str:
        """Where the packed block of an operand is."""
        start, of_thread = self.places[name]
        return f.offset("%scratch", f.add(f.mul("%thread", of_thread), start), "i8")

    def _pack_function(self, which: str, panel: Panel) -> FunctionText:
        f = pack_block(f"{self.name}.pack_{which}", panel, routine("panel", panel.of_any_shape()))
        self.code.functions.append(f)
        return f

    def _pack_columns(self, f: FunctionText, at: Place, inner: Inner) -> None:
        self._pack_b(f, at, 0, f.sub(at.n.end, at.n.start))
        inner(f, at)

    def _pack_together(self, f: FunctionText, at: Place, inner: Inner) -> None:
        self.in_parts(f, "pack", at, self._pack_share)
        inner(f, at)

    def _pack_share(self, f: FunctionText, at: Place) -> None:
        """Packs a thread's share of the panels of B."""
        plan, extent = self.plan, self.lane.size
        share = ceildiv(ceildiv(min(extent, plan.block_n or extent), plan.width), plan.threads) * plan.width
        columns = f.sub(at.n.end, at.n.start)
        first = f.min(f.mul("%thread", share), columns)
        self._pack_b(f, at, first, f.min(f.sub(columns, first), share))

    def _pack_b(self, f: FunctionText, at: Place, first: str | int, columns: str | int) -> None:
        """Packs so many columns from a first one on, which begins a panel of the block."""
        assert self.panel_b is not None
        column = f.add(at.n.start, first)
        source = f.offset(at.b, f.mul(column, self.lane.b), self.problem.b_type)
        target = f.offset(self._packed(f, "b"), f.mul(first, self.panel_b.step), self.panel_b.element)
        f.call(self.packs["b"], source, target, at.k.size, columns, *self._table_pointers(f, column, at.k.start))

    def _table_pointers(self, f: FunctionText, j: str | int, k: str | int) -> list[str]:
        """Where the tables of a block begin; a panel without runs gets those along k twice."""
        starts = [f.offset("%scratch", table, "i8") for table in (self.tables + self.tables[-1:])[: len(TABLES)]]
        return [f.offset(start, index, OFFSET) for start, index in zip(starts, (j, k, k))]

    def _pack_rows(self, f: FunctionText, at: Place, inner: Inner) -> None:
        source = f.offset(at.a, f.mul(at.m.start, self.row.a), self.problem.a_type)
        f.call(self.packs["a"], source, self._packed(f, "a"), at.k.depth, f.sub(at.m.end, at.m.start))
        inner(f, at)

    # blocks of k

    def whole_depth(self) -> Depth:
        whole = self.plan.packed_depth() if self.plan.pack_b == "gather" else self.depth.size
        return Depth(0, whole, self.depth.size)

    def _cut_loops(self) -> list[Loop]:
        """The contracted loops outside of the one that is cut, iteration by iteration, and that in blocks."""
        cut = self.plan.cut
        return [partial(self._cut_loop, cut, level) for level in range(cut.level + 1)] if cut else []

    def _cut_loop(self, cut: Cut, level: int, f: FunctionText, at: Place, inner: Inner) -> None:
        dim, inside, step = self.problem.k[level], self.plan.packed_depth(level), cut.count if level == cut.level else 1
        with f.loop(0, dim.size, step) as k:
            here = self._deeper(f, at, dim, k)
            start = f.add(at.k.start, f.mul(k, inside))
            depth = f.min(f.sub(dim.size, k), step) if level == cut.level else 1
            inner(f, replace(here, k=Depth(start, f.mul(depth, inside), depth)))

    def _deeper(self, f: FunctionText, at: Place, dim: Dim, k: str | int) -> Place:
        p, step = self.problem, self.plan.width if self.plan.keep_b else dim.b
        a = f.offset(at.a, f.mul(k, dim.a), p.a_type)
        b_type = self.plan.packed_type(p.b_type) if self.plan.keep_b else p.b_type
        return replace(at, a=a, b=f.offset(at.b, f.mul(k, step), b_type))

    # tiles

    def _begin_sums(self, f: FunctionText, at: Place, inner: Inner) -> None:
        start = at.k.start
        is_first = f.constant("true", "i1") if isinstance(start, int) else f.compare("eq", start, 0)
        inner(f, replace(at, is_first=is_first))

    def around_tiles(self, f: FunctionText, at: Place, role: str, count: int) -> AbstractContextManager[None]:
        """Tile registers have the sizes of what they hold."""
        if role == "n" or not self.plan.multiplies_tiles:
            return nullcontext()
        return configured(f, routine("registers", Registers(count, at.n.size, self.plan.vector)))

    def kernel_call(self, f: FunctionText, at: Place) -> None:
        p = self.problem
        a, b, c = self._tile_pointers(f, at)
        numbers = f.sub(self.lane.size, at.n.at), *self._a_strides(), self._b_depth(), self.row.c
        columns, *steps = (f.mul(n, p.parts) for n in numbers)
        kernel = self._kernel(at.m.size, at.n.size < self.plan.width)
        f.call(kernel, a, b, c, at.k.depth, at.is_first, columns, *steps)

    def _tile_pointers(self, f: FunctionText, at: Place) -> tuple[str, str, str]:
        """Where the tile is in A, B and C, or in packed blocks."""
        here = self.moved(f, self.moved(f, at, self.lane, at.n.at), self.row, at.m.at)
        a, b = here.a, here.b
        if self.panel_a is not None:
            a = f.offset(
                self._packed(f, "a"), f.mul(f.sub(at.m.at, at.m.start), self.panel_a.step), self.panel_a.element
            )
        if self.panel_b is not None:
            start, first = (at.b, 0) if self.plan.keep_b else (self._packed(f, "b"), at.n.start)
            b = f.offset(start, f.mul(f.sub(at.n.at, first), self.panel_b.step), self.panel_b.element)
        return a, b, here.c

    def _b_depth(self) -> int:
        return self.plan.width * self.plan.word if self.panel_b is not None else self.depth.b

    def _kernel(self, rows: int, masked: bool) -> External:
        return routine("matrix" if self.plan.multiplies_tiles else "tile", self._tile(rows, masked))

    def _tile(self, rows: int, masked: bool) -> Tile:
        """The code of a window of one channel is that of one shape, for the strides of its loops: it knows all strides, since what
        computes pointers from them takes as long as some of the few sums. (AMD EPYC, Zen 5: five depthwise convolutions in
        two dimensions take 0.67 to 0.97 of the time.)"""
        p, plan = self.problem, self.plan
        vectors = -(-(self.lane.size % plan.width) // plan.vector) if masked else plan.unroll_n
        outer, depth = self._loops_of_tile()
        is_short = bool(outer) and plan.vectorize == "batch"
        a_row, a_depth = self._a_strides()
        is_known = is_short or (plan.multiplies_tiles and self.panel_a is not None)
        a_type, a_extend = self._types_in_tile(self.panel_a, p.a_type, p.a_extend)
        b_type, b_extend = self._types_in_tile(self.panel_b, p.b_type, p.b_extend)
        return Tile(
            rows,
            vectors,
            plan.vector * p.parts,
            a_type,
            b_type,
            part_of(p.c_type),
            a_row=a_row * p.parts if is_known or a_row == plan.word else 0,
            a_depth=a_depth * p.parts if is_known or a_depth == plan.word else 0,
            b_depth=self._b_depth() * p.parts if is_short else 0,
            a_extend=a_extend,
            b_extend=b_extend,
            columns=(self.lane.size % plan.width if masked else plan.width) if plan.multiplies_tiles else 0,
            group=plan.word,
            header=plan.width if plan.header else 0,
            outer=outer,
            depth=depth,
            a_is_vector=plan.vectorize == "batch",
            masked=masked,
            b_padded=plan.pack_b != "none",
            accumulates=bool(plan.block_k),
            ahead=plan.prefetch_b,
            complex=p.parts > 1,
            half_word=plan.word > 1 and self.panel_a is None and self.depth.size % plan.word > 0,
        )

    def _loops_of_tile(self) -> tuple[tuple[tuple[int, int, int], ...], int]:
        """The contracted loops of a tile's kernel outside the innermost, and the size of that (0: an argument)."""
        plan, dims = self.plan, self.problem.k or (self.depth,)
        cut = plan.cut
        first = cut.level if cut else 0
        steps = [plan.packed_depth(n) * plan.width if plan.pack_b == "gather" else d.b for n, d in enumerate(dims)]
        parts = self.problem.parts
        loops = [(d.size, d.a * parts, step * parts) for d, step in zip(dims, steps)][first:-1]
        if cut and loops:
            return ((0, *loops[0][1:]), *loops[1:]), dims[-1].size
        return tuple(loops), 0

    def _a_strides(self) -> tuple[int, int]:
        """From one row to the next, from one word to the next."""
        plan = self.plan
        if self.panel_a is None:
            return self.row.a, self.depth.a * plan.word
        if plan.multiplies_tiles:
            return plan.dot_product, plan.unroll_m * plan.word
        if plan.pack_a == "lanes":
            return plan.word, plan.unroll_m * plan.word
        return self.panel_a.block, plan.word

    def _types_in_tile(self, panel: Panel | None, element: str, extend: str) -> tuple[str, str]:
        """The type of an operand's numbers that a tile's kernel reads, and the op that extends them: packed ones are extended already."""
        kind = part_of(self.plan.packed_type(element) if panel else element)
        return kind, "" if panel and panel.extend else extend


def moved_type(element: str) -> str:
    """As what packing moves elements: of complex numbers words of 64 bits, or two of them."""
    return {"complex<f32>": "f64", "complex<f64>": "f64x2"}.get(element, element)
