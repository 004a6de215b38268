"""What to do for a problem: which operand is A, where the lanes run, the tile, what is packed, blocks, threads."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace

from hlo.lowering.vector.contraction.dot_product import word_size
from hlo.lowering.vector.contraction.function_text import byte_size
from hlo.lowering.vector.contraction.problem import Dim, Problem
from hlo.lowering.vector.target import Target

PARALLEL_WORK = 1 << 20
"""Multiplications below which one thread is faster than starting more."""
MOST_ROWS = {32: {1: 16, 2: 14, 3: 8, 4: 6, 8: 2}, 16: {1: 8, 2: 6, 3: 4, 4: 2}}
"""By registers and vectors: rows * vectors accumulators, the vectors of B and a broadcast fit in the registers."""


PACKED_TILE = {32: (8, 2), 16: (6, 2)}
"""By registers: rows and vectors of tiles on packed panels. More accumulators than hide the latency of a multiply-add
measured slower: their loads and stores of C are longer stretches without any multiplication."""
PAGE = 1 << 12
"""Rows of B that far apart share a few sets of the first cache, and each is another page: packed from then on."""
FAR = 12
"""Times the second cache: operands that large are packed in any case; smaller ones are read in place as fast."""
FEW_ROWS = 128
"""Rows from which on a few left-over ones do not matter."""
DOT_ROWS = {2: 13, 4: 4}
"""By the elements that a dot product takes: rows of A from which on packing B for it pays."""
STREAMED = 4
"""Times the second cache: a B that is read in place and larger comes from memory. It is walked some rows at a time, each from end
to end, as memory likes it; sums are read and written again for that, so with more rows of A more rows of B are taken together."""
STREAMS = ((1, 8), (16, 16), (96, 64))
"""(most rows of A, rows of B at a time)."""
TILES_AHEAD = 4
"""How far B is fetched ahead while it streams; a single row of A leaves the processor's own prefetchers time enough."""


@dataclass(frozen=True)
class Plan:
    """`mode`: "lanes" (vectors along a lane dimension), "batch" (along a batch dimension), "dots" (along the contracted
    one, summed at the end). `a`, `b`: "place" (read where it is), or the way it is packed: "rows", "lanes", "words"
    (`packing.py`), "whole" (`whole_packing.py`). Blocks are in elements; 0: not cut."""

    problem: Problem
    mode: str
    lanes: int
    rows: int = 1
    vectors: int = 1
    a: str = "place"
    b: str = "place"
    depth_block: int = 0
    row_block: int = 0
    lane_block: int = 0
    threads: int = 1
    split: str = ""
    """The loop that threads share: "rows", "lanes", "outer N"."""
    ready_b: bool = False
    """B's panels are packed already, for the whole depth: other code calls `NAME.pack_b` when B changes."""
    group: int = 1
    """Elements that a dot-product instruction takes at once."""
    streamed: bool = False
    """B comes from memory, `depth_block` rows of it at a time, each walked from end to end."""

    @property
    def width(self) -> int:
        return self.vectors * self.lanes

    @property
    def ahead(self) -> int:
        """Tiles of B that are fetched ahead along its rows."""
        return TILES_AHEAD if self.streamed and count(self.problem.rows) > 1 else 0

    @property
    def header(self) -> bool:
        """Whether both operands are signed bytes: sums of B's columns correct for A's turned signs."""
        return self.group == 4 and self.problem.a_extend == "arith.extsi"

    def outer_dims(self, p: Problem) -> list[Dim]:
        """The loops around the blocks."""
        batch = p.batch[:-1] if self.mode == "batch" else p.batch
        lanes = p.lanes if self.mode == "batch" else p.lanes[:-1]
        return [*batch, *lanes, *p.rows[:-1]]


def count(dims: tuple[Dim, ...]) -> int:
    return math.prod(d.size for d in dims)


def ceildiv(x: int, y: int) -> int:
    return -(-x // y)


@functools.lru_cache(1 << 12)
def plan(problem: Problem, target: Target) -> Plan | None:
    """The best plan; None when no operand order has unit-stride vectors (other code must do it)."""
    lanes = target.vector_bits // 8 // byte_size(problem.c_type)
    candidates = [c for p in (problem, problem.swap()) for c in _modes(p, lanes, target)]
    if not candidates:
        return None
    _, mode, chosen = min(candidates, key=lambda c: c[0])
    return _detailed(chosen, mode, lanes, target)


def _modes(p: Problem, lanes: int, target: Target) -> list[tuple[float, str, Problem]]:
    """Ways to run one operand order with their cost (relative time of a multiplication)."""
    found: list[tuple[float, str, Problem]] = []
    if p.lanes and p.lanes[-1].c == 1:
        size = p.lanes[-1].size
        use = size / (-(-size // lanes) * lanes)
        rows = count(p.rows)
        cost = 1 / use + (0 if p.lanes[-1].b == 1 else 40 / (rows + 1)) + 0.5 / min(rows, 8)
        found.append((cost, "lanes", p))
    if p.batch and p.batch[-1].a == p.batch[-1].b == p.batch[-1].c == 1:
        size = p.batch[-1].size
        found.append((1.5 * -(-size // lanes) * lanes / size, "batch", p))
    if p.contracted and p.contracted[-1].a == p.contracted[-1].b == 1 and not p.swapped:
        depth = p.contracted[-1].size
        found.append((2.0 + 4.0 * lanes / depth, "dots", p))
    return found


def _detailed(p: Problem, mode: str, lanes: int, target: Target) -> Plan:
    work = count(p.batch) * count(p.rows) * count(p.lanes) * count(p.contracted)
    start = Plan(p, mode, lanes, threads=target.threads if work >= PARALLEL_WORK else 1)
    if mode == "dots":
        return replace(start, split=_split(start, 4, 4))
    across = p.lanes[-1].size if mode == "lanes" else p.batch[-1].size
    along = p.rows[-1].size if p.rows else 1
    packing = _packing(start, along, across, target)
    rows, vectors = best_tile(along, across, lanes, target.registers, mode == "batch")
    if packing.b != "place" and along >= FEW_ROWS and across >= 2 * lanes:
        rows, vectors = PACKED_TILE[target.registers]
    return _with_blocks(replace(packing, rows=rows, vectors=vectors), target)


def _packing(start: Plan, along: int, across: int, target: Target) -> Plan:
    """Whether A and B are packed. A packed operand is read and written once more: worth it from some number of uses on;
    necessary where lanes of B are not contiguous, and for words of dot products."""
    p = start.problem
    if start.mode == "batch":
        return start
    depth, lane = p.contracted[-1] if p.contracted else Dim(1, 0, 0, 0), p.lanes[-1]
    simple = len(p.contracted) <= 1 and 1 in (lane.b, depth.b) and all(d.b for d in start.outer_dims(p))
    if not simple:
        return replace(start, b="place" if lane.b == 1 else "whole")
    b_packed, a_packed = ("lanes" if lane.b == 1 else "words"), {1: "rows"}.get(depth.a, "lanes")
    a_can = depth.a == 1 or (bool(p.rows) and p.rows[-1].a == 1)
    group = word_size(p, target)
    if group > 1 and a_can and along >= DOT_ROWS[group] and across >= start.lanes and depth.size >= 4 * group:
        return replace(start, a=a_packed, b=b_packed, group=group)
    size = byte_size(p.b_type)
    large = (count(p.rows) + count(p.lanes)) * depth.size * size > FAR * target.l2
    aliased = depth.b * size % PAGE == 0 and depth.size * lane.size * size > target.l2 // 2
    pack_b = lane.b != 1 or (along > 96 and (large or aliased))
    pays = bool(p.contracted) and (depth.a != 1 or (pack_b and _is_far(p, target)))
    pack_a = a_can and along > 16 and across > 96 and pays
    return replace(start, a=a_packed if pack_a else "place", b=b_packed if pack_b else "place")


def _is_far(p: Problem, target: Target) -> bool:
    """Whether A does not stay in the second cache beside the rest."""
    return count(p.rows) * count(p.contracted) * byte_size(p.a_type) > target.l2 // 2


def _with_blocks(plan: Plan, target: Target) -> Plan:
    p = plan.problem
    depth = count(p.contracted) if len(p.contracted) <= 1 else 0
    packed = plan.b in ("lanes", "words")
    block = 0
    if packed:
        fit = target.l1 * 2 // 3 // (plan.width * byte_size(p.b_type)) // 64 * 64
        block = _even(depth, max(fit, 64))
    elif streams := _streams(plan, target):
        plan, block = replace(plan, streamed=True), streams
    elif depth > 1024:
        block = 512
    row_block = lane_block = 0
    if plan.a != "place":
        row_block = max(target.l2 // 2 // ((block or depth) * byte_size(p.a_type)) // plan.rows, 1) * plan.rows
    if packed:
        lane_block = max(target.l3 // 8 // ((block or depth) * byte_size(p.b_type)) // plan.width, 1) * plan.width
    plan = replace(plan, depth_block=block, row_block=row_block, lane_block=lane_block)
    return replace(plan, split=_split(plan, plan.rows, plan.width))


def _streams(plan: Plan, target: Target) -> int:
    """Rows of B that are walked together; 0 where B is not streamed."""
    p = plan.problem
    if plan.mode != "lanes" or plan.b != "place" or len(p.contracted) != 1 or p.lanes[-1].b != 1 or p.batch:
        return 0
    if count(p.lanes) * count(p.contracted) * byte_size(p.b_type) <= STREAMED * target.l2:
        return 0
    return next((streams for most, streams in STREAMS if count(p.rows) <= most), 0)


def with_ready_b(plan: Plan, target: Target) -> Plan:
    """The plan for a product whose B stays the same from one call to the next, if it is small enough to keep."""
    p = plan.problem
    if plan.b not in ("lanes", "words") or any(d.b for d in plan.outer_dims(p)):
        return plan
    size = count(p.lanes) * count(p.contracted) * byte_size(p.b_type)
    if size > target.l3 // 4 or (plan.header and plan.depth_block):
        return plan
    return replace(plan, ready_b=True, lane_block=0)


def _even(size: int, most: int) -> int:
    """Blocks of about equal size, none larger than `most`; 0: one block."""
    parts = -(-size // most)
    return 0 if parts <= 1 else -(-size // parts // 64) * 64


def _split(plan: Plan, height: int, width: int) -> str:
    """The loop shared out among threads: an outer dimension with enough trips, else rows or lanes."""
    p, threads = plan.problem, plan.threads
    if threads == 1:
        return ""
    for n, d in enumerate(plan.outer_dims(p)):
        if d.size >= threads and (d.size % threads == 0 or d.size >= 4 * threads):
            return f"outer {n}"
    rows = p.rows[-1].size if p.rows else 1
    lanes = (p.lanes[-1].size if p.lanes else 1) if plan.mode != "batch" else p.batch[-1].size

    def longest(size: int, unit: int) -> float:
        return ceildiv(ceildiv(size, unit), threads) * unit / size

    by_rows = longest(rows, height) + (4 * threads / rows if plan.b != "place" else 0)
    by_lanes = longest(lanes, width) + (4 * threads / lanes if plan.a != "place" else 0)
    return "rows" if by_rows <= by_lanes else "lanes"


def best_tile(along: int, across: int, lanes: int, registers: int, a_is_vector: bool) -> tuple[int, int]:
    """Rows and vectors of the tile with the fewest cycles for one k of the whole matrix: two multiplications and two loads a
    cycle, at least five cycles a tile (eight sums barely hide four cycles of latency), left-over rows and columns in tiles of
    their own."""
    most = MOST_ROWS[registers]

    def tile(rows: int, vectors: int) -> float:
        loads = rows * (vectors if a_is_vector else 1) + vectors
        return max(rows * vectors / 2, loads / 2, 5)

    def strip(rows: int, vectors: int) -> float:
        return along // rows * tile(rows, vectors) + (tile(along % rows, vectors) if along % rows else 0)

    def cost(rows: int, vectors: int) -> float:
        full, rest = divmod(across, vectors * lanes)
        total = full * strip(rows, vectors) + (strip(rows, -(-rest // lanes)) if rest else 0)
        traffic = 1 + 0.08 * vectors / rows * (along > rows)
        return total * traffic * (1 + 0.01 * (4 - vectors))

    tiles = [
        (cost(rows, vectors), rows, vectors)
        for vectors, limit in most.items()
        if vectors * lanes < across + lanes
        for rows in range(min(along, 4), min(limit, along) + 1)
    ]
    _, rows, vectors = min(tiles)
    return rows, vectors
