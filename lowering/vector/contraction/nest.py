"""The loops around the micro-kernel, as functions: `NAME` (pointers to A, B, C, scratch) and what it calls.

Packing comes first, whole operands at a time; then the parts of all threads. A part walks batch and outer dimensions,
then blocks: lanes, depth, rows; then tiles. Everything static is decided here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from hlo.lowering.vector.contraction.dots import MOST_COLUMNS, MOST_ROWS, DotTile, dot_kernel
from hlo.lowering.vector.contraction.function_text import POINTER, FunctionText
from hlo.lowering.vector.contraction.micro_kernel import Tile, byte_size, micro_kernel
from hlo.lowering.vector.contraction.packing import pack_panel
from hlo.lowering.vector.contraction.plan import LANE_BLOCK, ROW_BLOCK, Plan, count
from hlo.lowering.vector.contraction.problem import Dim, Problem

POINTERS = [("a", POINTER), ("b", POINTER), ("c", POINTER), ("scratch", POINTER)]


@dataclass
class Code:
    """The functions of a contraction, the entry last, and the bytes of scratch memory it wants."""

    functions: list[FunctionText]
    scratch: int = 0


@dataclass(frozen=True)
class Place:
    """Pointers into A, B and C at some indices."""

    a: str
    b: str
    c: str


def build(name: str, plan: Plan) -> Code:
    code = Code([])
    nest = (_DotNest if plan.mode == "dots" else _TileNest)(name, plan, code)
    entry = FunctionText(name, POINTERS)
    place = nest.pack(entry)
    part = nest.part()
    code.functions.append(part)
    _run_parts(entry, part, plan.threads, [place.a, place.b, place.c])
    code.functions.append(entry)
    return code


def _run_parts(f: FunctionText, part: FunctionText, threads: int, pointers: Sequence[str]) -> None:
    """Calls part(pointers, t) for every thread. The body of the parallel loop is that one call."""
    if threads == 1:
        return f.call(part, *pointers, 0)
    zero, one, end = (f.constant(str(n), "index") for n in (0, 1, threads))
    f.do(f"scf.parallel (%t) = ({zero}) to ({end}) step ({one}) {{")
    f.do("%t_i64 = arith.index_cast %t : index to i64")
    f.call(part, *pointers, "%t_i64")
    f.do("scf.reduce }")
    return None


class _Nest:
    """What both nests share: the outer loops and the share of a thread."""

    def __init__(self, name: str, plan: Plan, code: Code):
        self.name, self.plan, self.code = name, plan, code
        self.problem: Problem = plan.problem
        self.split: Dim | str | None = None

    def pack(self, f: FunctionText) -> Place:
        return Place("%a", "%b", "%c")

    def part(self) -> FunctionText:
        """part(a, b, c, thread): the thread's share of the outermost loop that is long enough."""
        f = FunctionText(f"{self.name}.part", [*POINTERS[:3], ("thread", "i64")])
        self.split = self._choose_split()
        self.outer(f, self.outer_dims(), Place("%a", "%b", "%c"))
        return f

    def outer_dims(self) -> list[Dim]:
        raise NotImplementedError

    def inner(self, f: FunctionText, place: Place) -> None:
        raise NotImplementedError

    def _choose_split(self) -> Dim | str | None:
        """The loop shared out among threads: an outer dimension with enough trips, else rows or lanes."""
        threads = self.plan.threads
        if threads == 1:
            return None
        fitting = [
            d for d in self.outer_dims() if d.size >= threads and (d.size % threads == 0 or d.size >= 4 * threads)
        ]
        if fitting:
            return fitting[0]
        rows = self.problem.rows[-1].size if self.problem.rows else 1
        lanes = self.problem.lanes[-1].size if self.problem.lanes else 1
        return "rows" if rows >= 2 * threads * self.plan.rows or rows >= lanes else "lanes"

    def share(self, f: FunctionText, which: Dim | str, size: int, unit: int) -> tuple[str | int, str | int]:
        """First and last (exclusive) index of this thread along a loop, in whole units."""
        if self.split is None or which is not self.split:
            return 0, size
        chunk = ceildiv(ceildiv(size, unit), self.plan.threads) * unit
        start = f.min(f.mul("%thread", chunk), size)
        return start, f.min(f.add(start, chunk), size)

    def outer(self, f: FunctionText, dims: list[Dim], place: Place) -> None:
        if not dims:
            return self.inner(f, place)
        dim, *rest = dims
        start, end = self.share(f, dim, dim.size, 1)
        with f.loop(start, end) as i:
            self.outer(f, rest, self.moved(f, place, dim, i))
        return None

    def moved(self, f: FunctionText, place: Place, dim: Dim, index: str | int) -> Place:
        p = self.problem
        return Place(
            f.offset(place.a, f.mul(index, dim.a), p.a_type),
            f.offset(place.b, f.mul(index, dim.b), p.b_type),
            f.offset(place.c, f.mul(index, dim.c), p.c_type),
        )


class _TileNest(_Nest):
    """Vectors along a lane or a batch dimension."""

    def __init__(self, name: str, plan: Plan, code: Code):
        super().__init__(name, plan, code)
        p = plan.problem
        self.depth = count(p.contracted)
        self.row = p.rows[-1] if p.rows else Dim(1, 0, 0, 0)
        self.lane = p.lanes[-1] if plan.mode == "lanes" else p.batch[-1]
        self.kernels: dict[tuple[int, bool], FunctionText] = {}

    def outer_dims(self) -> list[Dim]:
        p = self.problem
        batch = p.batch if self.plan.mode == "lanes" else p.batch[:-1]
        lanes = p.lanes[:-1] if self.plan.mode == "lanes" else p.lanes
        return [*batch, *lanes, *p.rows[:-1]]

    # packing: afterwards the problem's strides are those of the packed arrays

    def pack(self, f: FunctionText) -> Place:
        a, b = "%a", "%b"
        if self.plan.pack_b:
            b = self._pack_operand(f, "b", self.plan.width, self.lane)
        if self.plan.pack_a:
            a = self._pack_operand(f, "a", self.plan.rows, self.row)
        return Place(a, b, "%c")

    def _pack_operand(self, f: FunctionText, which: str, width: int, dim: Dim) -> str:
        """Packs A or B into the scratch memory; returns its new pointer."""
        p = self.problem
        element = p.b_type if which == "b" else p.a_type
        stride = lambda d: getattr(d, which)
        outer = [d for d in self.outer_dims() if stride(d)]
        depths = tuple((d.size, stride(d)) for d in p.contracted)
        pack = pack_panel(f"{self.name}.pack_{which}", element, width, self.plan.lanes, stride(dim), depths)
        packed = packed_strides([d.size for d in outer], -(-dim.size // width) * width * self.depth)
        part = self._pack_part(which, element, width, dim, outer, packed, pack)
        self.code.functions += [pack, part]
        target = f.offset("%scratch", self.code.scratch, "i8")
        total = (packed[0] * outer[0].size if outer else -(-dim.size // width) * width * self.depth) * byte_size(
            element
        )
        self.code.scratch += -(-total // 64) * 64 + 64
        _run_parts(f, part, self.plan.threads, [f"%{which}", target])
        self._use_packed(which, width, dim, outer, packed)
        return target

    def _pack_part(self, which, element, width, dim, outer, packed, pack) -> FunctionText:
        """part(source, target, thread): the thread's panels."""
        f = FunctionText(
            f"{self.name}.pack_{which}.part", [("source", POINTER), ("target", POINTER), ("thread", "i64")]
        )
        panels = -(-dim.size // width)

        def walk(dims, steps, source, target):
            if dims:
                with f.loop(0, dims[0].size) as i:
                    walk(
                        dims[1:],
                        steps[1:],
                        f.offset(source, f.mul(i, getattr(dims[0], which)), element),
                        f.offset(target, f.mul(i, steps[0]), element),
                    )
                return
            chunk = -(-panels // self.plan.threads)
            start = f.min(f.mul("%thread", chunk), panels) if self.plan.threads > 1 else 0
            end = f.min(f.add(start, chunk), panels) if self.plan.threads > 1 else panels
            with f.loop(start, end) as panel:
                f.call(
                    pack,
                    f.offset(source, f.mul(panel, width * getattr(dim, which)), element),
                    f.offset(target, f.mul(panel, width * self.depth), element),
                    f.sub(dim.size, f.mul(panel, width)),
                )

        walk(outer, packed, "%source", "%target")
        return f

    def _use_packed(self, which: str, width: int, dim: Dim, outer: list[Dim], packed: list[int]) -> None:
        """Puts the packed strides in the problem. Along rows (lanes) only whole panels are stepped over."""
        new = {id(d): s for d, s in zip(outer, packed)}
        new[id(dim)] = self.depth
        inner = packed_strides([d.size for d in self.problem.contracted], width)
        new.update({id(d): s for d, s in zip(self.problem.contracted, inner)})
        change = lambda dims: tuple(replace(d, **{which: new.get(id(d), getattr(d, which))}) for d in dims)
        p = self.problem
        self.problem = replace(
            p, batch=change(p.batch), rows=change(p.rows), lanes=change(p.lanes), contracted=change(p.contracted)
        )
        self.row = self.problem.rows[-1] if self.problem.rows else self.row
        self.lane = self.problem.lanes[-1] if self.plan.mode == "lanes" else self.problem.batch[-1]

    # the tiles

    def inner(self, f: FunctionText, place: Place) -> None:
        plan = self.plan
        last = self.problem.contracted[-1] if self.problem.contracted else Dim(1, 0, 0, 0)
        block = plan.depth_block or last.size
        lane_start, lane_end = self.share(f, "lanes", self.lane.size, plan.width)
        row_start, row_end = self.share(f, "rows", self.row.size, plan.rows)
        lane_block = LANE_BLOCK // plan.width * plan.width if plan.pack_b and plan.depth_block else self.lane.size
        row_block = ROW_BLOCK // plan.rows * plan.rows if plan.pack_a else self.row.size
        with f.loop(lane_start, lane_end, lane_block) as jc:
            with f.loop(0, last.size, block) as pc:
                depth = f.min(f.sub(last.size, pc), block)
                first = f.compare("eq", pc, 0) if plan.depth_block else f.constant("true", "i1")
                here = Place(
                    f.offset(place.a, f.mul(pc, last.a), self.problem.a_type),
                    f.offset(place.b, f.mul(pc, last.b), self.problem.b_type),
                    place.c,
                )
                with f.loop(row_start, row_end, row_block) as ic:
                    rows = (ic, f.min(f.add(ic, row_block), row_end))
                    lanes = (jc, f.min(f.add(jc, lane_block), lane_end))
                    self._tiles(f, here, rows, lanes, depth, first)

    def _tiles(self, f, place, rows, lanes, depth, first) -> None:
        """Whole tiles, then left-over columns and rows, each with a kernel of its own."""
        plan = self.plan

        def strip(j, width_left: bool) -> None:
            at = self.moved(f, place, self.lane, j)
            call = lambda i, height: f.call(
                self._kernel(height, width_left),
                *vars(self.moved(f, at, self.row, i)).values(),
                depth,
                first,
                f.sub(self.lane.size, j),
                self.problem.contracted[-1].b if self.problem.contracted else 0,
                self.row.c,
            )
            self._strips(
                f,
                rows,
                self.row.size,
                plan.rows,
                lambda i: call(i, plan.rows),
                lambda i: call(i, self.row.size % plan.rows),
            )

        self._strips(f, lanes, self.lane.size, plan.width, lambda j: strip(j, False), lambda j: strip(j, True))

    def _strips(self, f, span, size: int, step: int, whole: Callable, rest: Callable) -> None:
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
        vectors = -(-(self.lane.size % plan.width) // plan.lanes) if masked else plan.vectors
        *outer, last = p.contracted or (Dim(1, 0, 0, 0),)
        return Tile(
            rows,
            vectors,
            plan.lanes,
            a_row=1 if plan.pack_a else self.row.a,
            a_depth=plan.rows if plan.pack_a else last.a,
            a_type=p.a_type,
            b_type=p.b_type,
            c_type=p.c_type,
            a_extend=p.a_extend,
            b_extend=p.b_extend,
            outer=tuple((d.size, d.a, d.b) for d in outer),
            a_is_vector=plan.mode == "batch",
            masked=masked,
            b_padded=plan.pack_b,
            accumulates=bool(plan.depth_block),
        )


class _DotNest(_Nest):
    """Vectors along the contracted dimension."""

    def outer_dims(self) -> list[Dim]:
        p = self.problem
        return [*p.batch, *p.lanes[:-1], *p.rows[:-1]]

    def inner(self, f: FunctionText, place: Place) -> None:
        p = self.problem
        row = p.rows[-1] if p.rows else Dim(1, 0, 0, 0)
        lane = p.lanes[-1] if p.lanes else Dim(1, 0, 0, 0)
        rows, columns = min(MOST_ROWS, row.size), min(MOST_COLUMNS, lane.size)
        for j, width in self._ranges(f, "lanes", lane.size, columns):
            for i, height in self._ranges(f, "rows", row.size, rows):
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
            self.plan.lanes,
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


def ceildiv(x: int, y: int) -> int:
    return -(-x // y)


def packed_strides(sizes: Sequence[int], innermost: int) -> list[int]:
    """Row-major strides of dimensions around blocks of `innermost` elements."""
    strides, step = [], innermost
    for size in reversed(sizes):
        strides.append(step)
        step *= size
    return strides[::-1]
