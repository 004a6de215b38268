"""The blocked loops around tiles: vectors along a lane or a batch dimension.

    for lanes in lane blocks:                        (packed B: lane block x depth block, in the last cache)
      for depth in depth blocks:                     pack B
        for rows in row blocks:                      pack A (row block x depth block, in the second cache)
          for columns in tiles' widths:              (a panel of B stays in the first cache)
            for rows in tiles' heights:              micro-kernel

Blocks of depth may also be outermost, where all loops use the same blocks of both operands. With several contracted loops a block is some
iterations of one of them, with all of those inside it.

The rows, the lanes or an outer loop are divided among threads; each packs what it needs into scratch memory of its own, so that none waits.
Only large blocks of B that all rows use are packed by all threads together before they go through the tiles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from hlo.lowering.vector.contraction.function_text import External, FunctionText, part_of
from hlo.lowering.vector.contraction.gather_packing import fill_table, has_runs, tables_of
from hlo.lowering.vector.contraction.matrix_kernel import Registers, release
from hlo.lowering.vector.contraction.micro_kernel import Tile
from hlo.lowering.vector.contraction.nest import Code, Nest, Pointers, Span
from hlo.lowering.vector.contraction.packing import OFFSET, TABLES, Panel, pack_block
from hlo.lowering.vector.contraction.problem import Dim, ceildiv
from hlo.lowering.vector.contraction.routines import routine
from hlo.lowering.vector.contraction.schedule import ContractionSchedule

SLACK = 1 << 10
"""Bytes behind packed blocks, which the last stores may pass."""


@dataclass(frozen=True)
class DepthBlock:
    """Part of the contracted loops. `start`: its first iteration of all; `size`: its iterations; `depth`: those of the
    loop that a tile's kernel is told of."""

    start: str | int
    size: str | int
    depth: str | int

    def first(self, f: FunctionText) -> str:
        """Whether sums begin here."""
        return f.constant("true", "i1") if isinstance(self.start, int) else f.compare("eq", self.start, 0)


class TileNest(Nest):
    def __init__(self, name: str, plan: ContractionSchedule, code: Code):
        super().__init__(name, plan, code)
        self.row, self.lane, self.depth = plan.inner_dims(self.problem)
        self.panel_a = self._panel_a() if plan.pack_a != "none" else None
        self.panel_b = self._panel_b() if plan.pack_b in ("lanes", "words", "gather") else None
        self.packs: dict[str, FunctionText] = {}
        self.places: dict[str, tuple[int, int]] = {}

    # packing

    def begin(self, f: FunctionText) -> None:
        """B's offsets along n, and along the contracted loops, in scratch memory that all threads read."""
        if self.plan.pack_b != "gather":
            return
        tables = []
        for table in tables_of(self.plan):
            tables.append(self.code.scratch)
            fill_table(f, f.offset("%scratch", self.code.scratch, "i8"), table)
            self.code.scratch += table.bytes
        self.tables = tables + tables[-1:] * (len(TABLES) - len(tables))

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
        if self.plan.packs_b_together:
            self.walk(f, Pointers("%a", "%b", "%c"))
        else:
            super().write(f)

    def _divide_scratch(self) -> None:
        """Places of the packed blocks: what a thread packs has one for each of them."""
        plan = self.plan
        panels = {
            "b": (self.panel_b, self.longest_thread_range("n", self.lane.size, plan.width), plan.block_n),
            "a": (self.panel_a, self.longest_thread_range("m", self.row.size, plan.unroll_m), plan.block_m),
        }
        for name, (panel, extent, block) in panels.items():
            if panel is not None and not (name == "b" and plan.keep_b):
                self.packs[name] = self._pack_function(name, panel)
                size = -(-min(extent, block or extent) // panel.width) * panel.bytes + SLACK
                size += -size % 64
                together = name == "b" and plan.packs_b_together
                self.places[name] = self.code.scratch, 0 if together else size
                self.code.scratch += size * (1 if together else plan.threads)

    def _packed(self, f: FunctionText, name: str) -> str:
        """Where the packed block of an operand is."""
        start, of_thread = self.places[name]
        return f.offset("%scratch", f.add(f.mul("%thread", of_thread), start), "i8")

    def _pack_function(self, which: str, panel: Panel) -> FunctionText:
        f = pack_block(f"{self.name}.pack_{which}", panel, routine("panel", panel.of_any_shape()))
        self.code.functions.append(f)
        return f

    # blocks

    def walk(self, f: FunctionText, pointers: Pointers) -> None:
        if not self.plan.k_outside:
            return super().walk(f, pointers)
        inner: Callable[[Pointers, DepthBlock], None] = lambda here, k: self._lane_blocks(
            f, here, lambda j: self._block(f, here, j, k)
        )
        self._depth_blocks(f, pointers, lambda at, k: self.outer(f, self.around(), at, lambda here: inner(here, k)))
        return None

    def inner(self, f: FunctionText, pointers: Pointers) -> None:
        self._lane_blocks(
            f, pointers, lambda j: self._depth_blocks(f, pointers, lambda at, k: self._block(f, at, j, k))
        )

    def around(self) -> list[tuple[int, Dim]]:
        return [(n, d) for n, d in super().around() if d.b or "b" not in self.packs]

    def _within(self) -> list[tuple[int, Dim]]:
        """The loops, around those of m, that use the same panels of B."""
        return [(n, d) for n, d in super().around() if not d.b and "b" in self.packs]

    def _lane_blocks(self, f: FunctionText, pointers: Pointers, body: Callable[[Span], None]) -> None:
        plan = self.plan
        lanes = self.thread_range(f, "n", self.lane.size, plan.width)
        with self.blocks(f, lanes, "n", self.lane.size, plan.width, plan.block_n) as block:
            body(block)

    def _depth_blocks(self, f: FunctionText, pointers: Pointers, body: Callable[[Pointers, DepthBlock], None]) -> None:
        dims, cut = self.problem.k, self.plan.cut
        if cut is None:
            whole = self.plan.packed_depth() if self.plan.pack_b == "gather" else self.depth.size
            return body(pointers, DepthBlock(0, whole, self.depth.size))

        def walk(level: int, here: Pointers, start: str | int) -> None:
            dim, inside = dims[level], self.plan.packed_depth(level)
            with f.loop(0, dim.size, cut.count if level == cut.level else 1) as k:
                at, now = self._deeper(f, here, dim, k), f.add(start, f.mul(k, inside))
                if level < cut.level:
                    walk(level + 1, at, now)
                else:
                    depth = f.min(f.sub(dim.size, k), cut.count)
                    body(at, DepthBlock(now, f.mul(depth, inside), depth))

        return walk(0, pointers, 0)

    def _deeper(self, f: FunctionText, pointers: Pointers, dim: Dim, k: str | int) -> Pointers:
        p, step = self.problem, self.plan.width if self.plan.keep_b else dim.b
        a = f.offset(pointers.a, f.mul(k, dim.a), p.a_type)
        b_type = self.plan.packed_type(p.b_type) if self.plan.keep_b else p.b_type
        return Pointers(a, f.offset(pointers.b, f.mul(k, step), b_type), pointers.c)

    def _block(self, f: FunctionText, here: Pointers, lanes: Span, k: DepthBlock) -> None:
        """Packs what is packed by blocks, and goes through the tiles."""
        if self.plan.packs_b_together:
            indices = *lanes, k.start, k.size, k.depth
            self.in_parts(
                f,
                "pack",
                here,
                indices,
                lambda part, at, i: self._pack_share(part, at, (i[0], i[1]), DepthBlock(*i[2:])),
            )
            self.in_parts(
                f,
                "part",
                here,
                indices,
                lambda part, at, i: self._block_rows(part, at, (i[0], i[1]), DepthBlock(*i[2:])),
            )
            return
        if "b" in self.packs:
            self._pack_b(f, here, lanes, 0, f.sub(lanes[1], lanes[0]), k)
        self._block_rows(f, here, lanes, k)

    def _pack_share(self, f: FunctionText, here: Pointers, lanes: Span, k: DepthBlock) -> None:
        """Packs a thread's share of the panels of B."""
        plan, extent = self.plan, self.lane.size
        share = ceildiv(ceildiv(min(extent, plan.block_n or extent), plan.width), plan.threads) * plan.width
        columns = f.sub(lanes[1], lanes[0])
        first = f.min(f.mul("%thread", share), columns)
        self._pack_b(f, here, lanes, first, f.min(f.sub(columns, first), share), k)

    def _pack_b(
        self, f: FunctionText, here: Pointers, lanes: Span, first: str | int, columns: str | int, k: DepthBlock
    ) -> None:
        """Packs so many columns from a first one on, which begins a panel of the block."""
        assert self.panel_b is not None
        at = f.add(lanes[0], first)
        source = f.offset(here.b, f.mul(at, self.lane.b), self.problem.b_type)
        target = f.offset(self._packed(f, "b"), f.mul(first, self.panel_b.step), self.panel_b.element)
        f.call(self.packs["b"], source, target, k.size, columns, *self._table_pointers(f, at, k.start))

    def _block_rows(self, f: FunctionText, here: Pointers, lanes: Span, k: DepthBlock) -> None:
        rows = self.thread_range(f, "m", self.row.size, self.plan.unroll_m)
        self.outer(f, self._within(), here, lambda at: self._rows(f, at, rows, lanes, k))

    def _rows(self, f: FunctionText, here: Pointers, rows: Span, lanes: Span, k: DepthBlock) -> None:
        plan, p = self.plan, self.problem
        with self.blocks(f, rows, "m", self.row.size, plan.unroll_m, plan.block_m) as (i, row_end):
            if self.panel_a is not None:
                source = f.offset(here.a, f.mul(i, self.row.a), p.a_type)
                f.call(self.packs["a"], source, self._packed(f, "a"), k.depth, f.sub(row_end, i))
            self._tiles(f, here, (i, row_end), lanes, k)

    def _table_pointers(self, f: FunctionText, j: str | int, k: str | int) -> list[str]:
        """Where the tables of a block begin."""
        if self.plan.pack_b != "gather":
            return []
        starts = [f.offset("%scratch", table, "i8") for table in self.tables]
        return [f.offset(start, index, OFFSET) for start, index in zip(starts, (j, k, k))]

    # tiles

    def _tiles(self, f: FunctionText, pointers: Pointers, rows: Span, lanes: Span, k: DepthBlock) -> None:
        p, plan, first = self.problem, self.plan, k.first(f)

        def tile(i: str | int, j: str | int, height: int, width: int) -> None:
            a, b, c = self._tile_pointers(f, pointers, rows[0], lanes[0], i, j)
            numbers = f.sub(self.lane.size, j), *self._a_strides(), self._b_depth(), self.row.c
            columns, *steps = (f.mul(n, p.parts) for n in numbers)
            f.call(self._kernel(height, width < plan.width), a, b, c, k.depth, first, columns, *steps)

        self.tiles(f, (rows, self.row.size, plan.unroll_m), (lanes, self.lane.size, plan.width), tile)

    @contextmanager
    def tiles_of_size(self, f: FunctionText, height: int, width: int) -> Iterator[None]:
        """Tile registers have the sizes of what they hold."""
        if not self.plan.multiplies_tiles:
            yield
            return
        f.call(routine("registers", Registers(height, width, self.plan.vector)))
        yield
        release(f)

    def _tile_pointers(
        self, f: FunctionText, pointers: Pointers, i0: str | int, j0: str | int, i: str | int, j: str | int
    ) -> tuple[str, str, str]:
        """Pointers of the tile at (i, j), in blocks that begin at (i0, j0)."""
        at = self.moved(f, self.moved(f, pointers, self.lane, j), self.row, i)
        a, b = at.a, at.b
        if self.panel_a is not None:
            a = f.offset(self._packed(f, "a"), f.mul(f.sub(i, i0), self.panel_a.step), self.panel_a.element)
        if self.panel_b is not None:
            start, j0 = (pointers.b, 0) if self.plan.keep_b else (self._packed(f, "b"), j0)
            b = f.offset(start, f.mul(f.sub(j, j0), self.panel_b.step), self.panel_b.element)
        return a, b, at.c

    def _b_depth(self) -> int:
        return self.plan.width * self.plan.word if self.panel_b is not None else self.depth.b

    def _kernel(self, rows: int, masked: bool) -> External:
        return routine("matrix" if self.plan.multiplies_tiles else "tile", self._tile(rows, masked))

    def _tile(self, rows: int, masked: bool) -> Tile:
        p, plan = self.problem, self.plan
        vectors = -(-(self.lane.size % plan.width) // plan.vector) if masked else plan.unroll_n
        outer, depth = self._loops_of_tile()
        a_row, a_depth = self._a_strides()
        in_tiles = plan.multiplies_tiles and self.panel_a is not None
        a_type, a_extend = self._types_in_tile(self.panel_a, p.a_type, p.a_extend)
        b_type, b_extend = self._types_in_tile(self.panel_b, p.b_type, p.b_extend)
        return Tile(
            rows,
            vectors,
            plan.vector * p.parts,
            a_type,
            b_type,
            part_of(p.c_type),
            a_row=a_row * p.parts if in_tiles or a_row == plan.word else 0,
            a_depth=a_depth * p.parts if in_tiles or a_depth == plan.word else 0,
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
