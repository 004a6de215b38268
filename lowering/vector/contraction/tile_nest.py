"""The blocked loops around tiles: vectors along a lane or a batch dimension.

    for lanes in lane blocks:                        (packed B: lane block x depth block, in the last cache)
      for depth in depth blocks:                     pack B
        for rows in row blocks:                      pack A (row block x depth block, in the second cache)
          for columns in tiles' widths:              (a panel of B stays in the first cache)
            for rows in tiles' heights:              micro-kernel

Threads share the rows or the lanes; each packs what it needs into scratch memory of its own, so that none waits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hlo.lowering.vector.contraction.function_text import FunctionText
from hlo.lowering.vector.contraction.micro_kernel import Tile, micro_kernel
from hlo.lowering.vector.contraction.nest import Code, Nest, Place
from hlo.lowering.vector.contraction.packing import Panel, pack_block
from hlo.lowering.vector.contraction.problem import Dim
from hlo.lowering.vector.contraction.schedule import ContractionSchedule
from hlo.lowering.vector.contraction.whole_packing import pack_whole_b

Span = tuple["str | int", "str | int"]
SLACK = 256
"""Bytes behind packed blocks, which the last stores may pass."""


class TileNest(Nest):
    def __init__(self, name: str, plan: ContractionSchedule, code: Code):
        super().__init__(name, plan, code)
        self._find_dims()
        self.kernels: dict[tuple[int, bool], FunctionText] = {}
        self.panel_a = self._panel_a() if plan.pack_a != "none" else None
        self.panel_b = self._panel_b() if plan.pack_b in ("lanes", "words") else None
        self.packs: dict[str, FunctionText] = {}

    def _find_dims(self) -> None:
        p = self.problem
        self.row = p.rows[-1] if p.rows else Dim(1, 0, 0, 0)
        self.lane = p.lanes[-1] if self.plan.vectorize == "n" else p.batch[-1]
        self.depth = p.contracted[-1] if p.contracted else Dim(1, 0, 0, 0)

    # packing

    def pack(self, f: FunctionText) -> Place:
        if self.plan.pack_b != "whole":
            return Place("%a", "%b", "%c")
        b, self.problem = pack_whole_b(self, f, self.lane, self.outer_dims())
        self._find_dims()
        return Place("%a", b, "%c")

    def _panel_a(self) -> Panel:
        p, plan = self.problem, self.plan
        flip = p.a_type == "i8" and plan.dot_product > 1 and p.a_extend == "arith.extsi"
        return self._panel(p.a_type, plan.unroll_m, self.row.a, self.depth.a, plan.pack_a, flip=flip)

    def _panel_b(self) -> Panel:
        p, plan = self.problem, self.plan
        panel = self._panel(p.b_type, plan.width, self.lane.b, self.depth.b, plan.pack_b, header=plan.header)
        unit = plan.vector * plan.dot_product
        return replace(panel, block=-(-self.depth.size // unit) * unit) if plan.keep_b else panel

    def pack_ready(self) -> tuple[str, int]:
        """The name of the function (source, target, depth, columns) that packs the whole of B, and the bytes of that."""
        assert self.panel_b is not None
        panels = -(-self.lane.size // self.plan.width)
        return self._pack_function("b", self.panel_b).name, panels * self.panel_b.bytes + SLACK

    def _panel(self, element: str, width: int, across: int, along: int, kind: str, **extra: bool) -> Panel:
        plan = self.plan
        unit = plan.vector * plan.dot_product
        block = -(-min(plan.block_k or self.depth.size, self.depth.size) // unit) * unit
        rest = self.depth.size % plan.dot_product
        return Panel(element, width, plan.vector, plan.dot_product, block, across, along, kind, rest, **extra)

    def enter(self, f: FunctionText) -> None:
        """Places in the thread's own scratch memory."""
        plan, size = self.plan, 0
        panels = {
            "b": (self.panel_b, self.longest_share("n", self.lane.size, plan.width), plan.block_n),
            "a": (self.panel_a, self.longest_share("m", self.row.size, plan.unroll_m), plan.block_m),
        }
        offsets = {}
        for name, (panel, extent, block) in panels.items():
            if panel is not None and not (name == "b" and plan.keep_b):
                self.packs[name], offsets[name] = self._pack_function(name, panel), size
                size += -(-min(extent, block or extent) // panel.width) * panel.bytes + SLACK
                size += -size % 64
        mine = f.offset("%scratch", f.add(f.mul("%thread", size), self.code.scratch), "i8")
        self.places = {name: f.offset(mine, offset, "i8") for name, offset in offsets.items()}
        self.code.scratch += size * plan.threads

    def _pack_function(self, which: str, panel: Panel) -> FunctionText:
        functions = pack_block(f"{self.name}.pack_{which}", panel)
        self.code.functions += functions
        return functions[-1]

    # blocks

    def inner(self, f: FunctionText, place: Place) -> None:
        plan, p = self.plan, self.problem
        lanes, rows = (
            self.share(f, "n", self.lane.size, plan.width),
            self.share(f, "m", self.row.size, plan.unroll_m),
        )
        block = plan.block_k or self.depth.size
        with f.loop(*lanes, plan.block_n or self.lane.size) as j:
            with f.loop(0, self.depth.size, block) as k:
                depth = f.min(f.sub(self.depth.size, k), block)
                first = f.compare("eq", k, 0) if plan.block_k else f.constant("true", "i1")
                here = Place(
                    f.offset(place.a, f.mul(k, self.depth.a), p.a_type),
                    f.offset(place.b, f.mul(k, plan.width if plan.keep_b else self.depth.b), p.b_type),
                    place.c,
                )
                lane_end = f.min(f.add(j, plan.block_n), lanes[1]) if plan.block_n else lanes[1]
                if "b" in self.packs:
                    source = f.offset(here.b, f.mul(j, self.lane.b), p.b_type)
                    f.call(self.packs["b"], source, self.places["b"], depth, f.sub(lane_end, j))
                with f.loop(*rows, plan.block_m or self.row.size) as i:
                    row_end = f.min(f.add(i, plan.block_m), rows[1]) if plan.block_m else rows[1]
                    if self.panel_a is not None:
                        source = f.offset(here.a, f.mul(i, self.row.a), p.a_type)
                        f.call(self.packs["a"], source, self.places["a"], depth, f.sub(row_end, i))
                    self._tiles(f, here, (i, row_end), (j, lane_end), depth, first)

    # tiles

    def _tiles(self, f: FunctionText, place: Place, rows: Span, lanes: Span, depth: str | int, first: str) -> None:
        """Whole tiles, then left-over columns and rows, each with a kernel of its own."""
        plan = self.plan

        def strip(j: str | int, width_left: bool) -> None:
            def call(i: str | int, height: int) -> None:
                a, b, c = self._tile_places(f, place, rows[0], lanes[0], i, j)
                columns, steps = f.sub(self.lane.size, j), (self._b_depth(), self.row.c)
                f.call(self._kernel(height, width_left), a, b, c, depth, first, columns, *steps)

            left = self.row.size % plan.unroll_m
            self._strips(
                f, rows, self.row.size, plan.unroll_m, lambda i: call(i, plan.unroll_m), lambda i: call(i, left)
            )

        self._strips(f, lanes, self.lane.size, plan.width, lambda j: strip(j, False), lambda j: strip(j, True))

    def _tile_places(
        self, f: FunctionText, place: Place, i0: str | int, j0: str | int, i: str | int, j: str | int
    ) -> tuple[str, str, str]:
        """Pointers of the tile at (i, j), in blocks that begin at (i0, j0)."""
        p = self.problem
        at = self.moved(f, self.moved(f, place, self.lane, j), self.row, i)
        a, b = at.a, at.b
        if self.panel_a is not None:
            a = f.offset(self.places["a"], f.mul(f.sub(i, i0), self.panel_a.step), p.a_type)
        if self.panel_b is not None:
            start, j0 = (place.b, 0) if self.plan.keep_b else (self.places["b"], j0)
            b = f.offset(start, f.mul(f.sub(j, j0), self.panel_b.step), p.b_type)
        return a, b, at.c

    def _b_depth(self) -> int:
        return self.plan.width * self.plan.dot_product if self.panel_b is not None else self.depth.b

    def _strips(self, f, span: Span, size: int, step: int, whole: Callable, rest: Callable) -> None:
        start, end = span
        main = size // step * step
        if main:
            with f.loop(start, f.min(end, main), step) as i:
                whole(i)
        if size > main:
            if isinstance(end, int):
                if end == size:
                    rest(main)
                return
            with f.when(f.compare("eq", end, size)):
                rest(main)

    def _kernel(self, rows: int, masked: bool) -> FunctionText:
        if (rows, masked) not in self.kernels:
            kernel = micro_kernel(f"{self.name}.tile_{rows}{'_edge' * masked}", self._tile(rows, masked))
            self.kernels[rows, masked] = kernel
            self.code.functions.append(kernel)
        return self.kernels[rows, masked]

    def _tile(self, rows: int, masked: bool) -> Tile:
        p, plan = self.problem, self.plan
        vectors = -(-(self.lane.size % plan.width) // plan.vector) if masked else plan.unroll_n
        *outer, _ = p.contracted or (self.depth,)
        a_row, a_depth = self._a_strides()
        return Tile(
            rows,
            vectors,
            plan.vector,
            a_row=a_row,
            a_depth=a_depth,
            a_type=p.a_type,
            b_type=p.b_type,
            c_type=p.c_type,
            a_extend=p.a_extend,
            b_extend=p.b_extend,
            group=plan.dot_product,
            header=plan.width if plan.header else 0,
            outer=tuple((d.size, d.a, d.b) for d in outer),
            a_is_vector=plan.vectorize == "batch",
            masked=masked,
            b_padded=plan.pack_b != "none",
            accumulates=bool(plan.block_k),
            ahead=plan.prefetch_b,
        )

    def _a_strides(self) -> tuple[int, int]:
        """From one row to the next, from one word to the next."""
        plan = self.plan
        if self.panel_a is None:
            return self.row.a, self.depth.a * plan.dot_product
        return (
            (self.panel_a.block, plan.dot_product)
            if plan.pack_a == "rows"
            else (plan.dot_product, plan.unroll_m * plan.dot_product)
        )
