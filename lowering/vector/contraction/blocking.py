"""The sizes of a contraction's schedule: the tile of registers, blocks for the caches, the loop that is divided among threads."""

from __future__ import annotations

from dataclasses import replace

from hlo.lowering.target import Target
from hlo.lowering.vector.contraction.function_text import byte_size
from hlo.lowering.vector.contraction.problem import Problem, ceildiv, count, multiplications
from hlo.lowering.vector.contraction.schedule import (
    TOGETHER,
    ContractionSchedule,
    even_block,
    fits_dots,
    fitting_rows,
    gathered,
)

PARALLEL_WORK, FULL_BYTES = 1 << 20, 4
"""Multiplications, in full vectors of elements of four bytes, below which one thread is faster than starting more."""
PAGE = 1 << 12
"""Rows of B at such a distance share a few sets of the first cache, and each is another page: packed from then on."""
MOST_VECTORS = 8
"""Of a tile."""
STREAMED = 4
"""Times the second cache: a B that is read in place and larger comes from memory. It is walked some rows at a time, each from end
to end, as memory likes it; sums are read and written again for that, so with more rows of A more rows of B are taken together."""
STREAMS = ((1, 8), (16, 16), (96, 64))
"""(most rows of A, rows of B at a time)."""
MOST_BLOCKS = 1024
"""Of k, whose sums are added to one another: each addition rounds."""
LEAST_BLOCK = 128
"""Iterations of a block of k, so that reading and writing sums again takes little time compared with them."""
TILES_AHEAD = 4
"""How far B is fetched ahead while it streams; a single row of A leaves the processor's own prefetchers time enough."""
MISS, MISS_OF_BYTE = 8.0, 0.02
"""Cycles that a step along k takes at least where rows of B miss the first cache, and those of each byte: with rows of 1024, 2048, 3072 or 4096
f32 tiles of 8x2 run at 0.72 to 0.78 of the speed of 8x3, with rows of 1000 or 1280 at 0.97 to 1.0 (AMD EPYC, Zen 5, AVX-512)."""
READ, PACKED = 4, 8
"""What each thread loses by reading a whole operand as the others do, or by packing it (alone, or a part of it that the
others then read from its caches), times threads, in rows (or columns) of the other one."""
PARTS = 4
"""Parts for each thread, where more parts pack no more: a thread whose core is slower takes fewer of them."""
UNEVEN, MOVED = 0.02, 24
"""The share of its time that a contraction loses where each thread has one part only; what those lose that read C by
rows if it was computed by columns, in contracted elements."""


# Tiles of registers


def best_tile(
    along: int,
    across: int,
    lanes: int,
    registers: int,
    a_is_vector: bool,
    left_over: float = 0.0,
    parts: int = 1,
    missed: int = 0,
) -> tuple[int, int]:
    """Rows and vectors of the tile with the fewest cycles for one k of the whole matrix: two multiplications and two loads a
    cycle, at least five cycles a tile (eight sums barely hide four cycles of latency), left-over rows and columns in tiles of
    their own. `left_over`: the share that these may cost without any; `parts`: rows of sums for each row; `missed`: the bytes of a
    vector of B where rows of B miss the first cache (`rows_collide`), else 0."""

    def tile(rows: int, vectors: int) -> float:
        rows *= parts
        loads = rows * (vectors if a_is_vector else 1) + vectors
        miss = MISS + MISS_OF_BYTE * vectors * missed if missed else 0.0
        return max(rows * vectors / 2, loads / 2, miss, 5)

    def strip(rows: int, vectors: int) -> float:
        return along // rows * tile(rows, vectors) + (tile(along % rows, vectors) if along % rows else 0)

    def cost(rows: int, vectors: int) -> float:
        full, rest = divmod(across, vectors * lanes)
        total = full * strip(rows, vectors) + (strip(rows, -(-rest // lanes)) if rest else 0)
        traffic = 1 + 0.08 * vectors / (rows * parts) * (along > rows)
        kernels = (1 + left_over * (along % rows > 0)) * (1 + left_over * (rest > 0 and full > 0))
        return total * traffic * (1 + 0.01 * (4 - vectors)) * kernels

    tiles = [
        (cost(rows, vectors), rows, vectors)
        for vectors in range(1, MOST_VECTORS + 1)
        if vectors * lanes < across + lanes
        for rows in range(
            min(along, 4 // parts), min(fitting_rows(vectors, registers, parts), registers // 2 // parts, along) + 1
        )
    ]
    _, rows, vectors = min(tiles)
    return rows, vectors


def rows_collide(p: Problem) -> bool:
    """Whether rows of B lie whole pages apart."""
    stride = abs(p.k[-1].b) * byte_size(p.b_type) if p.k else 0
    return stride > 0 and stride % PAGE == 0


def dot_tile(along: int, across: int, registers: int) -> tuple[int, int]:
    """Rows and columns of dot products with the fewest cycles for a vector along k of the whole matrix: two
    multiplications and two loads a cycle, of which a row of A, across two lines of the cache, is two; at least four
    cycles a tile, the latency of a multiplication. All tiles have one size."""

    def cost(rows: int, columns: int) -> float:
        each = max(rows * columns / 2, rows + columns / 2, 4) + 0.5
        return ceildiv(along, rows) * ceildiv(across, columns) * each

    fitting = [
        (cost(rows, columns), -rows * columns, rows, columns)
        for rows in range(1, min(along, registers) + 1)
        for columns in range(1, min(across, registers) + 1)
        if fits_dots(rows, columns, registers)
    ]
    return min(fitting)[2:]


# Blocks for the caches


def with_blocks(plan: ContractionSchedule, target: Target) -> ContractionSchedule:
    if plan.pack_b == "gather":
        return _with_gathered_blocks(plan, target)
    p = plan.problem
    depth = count(p.k) if len(p.k) <= 1 else 0
    a_size, b_size = (byte_size(plan.packed_type(t)) for t in (p.a_type, p.b_type))
    packed = plan.pack_b in ("lanes", "words")
    block = 0
    if packed:
        fit = target.l1 * 2 // 3 // (plan.width * b_size) // 64 * 64
        block = even_block([d.size for d in p.k], max(fit, 64), 64)
    elif streams := _streams(plan, target):
        block = streams
        plan = replace(plan, prefetch_b=TILES_AHEAD if count(p.m) > 1 else 0)
    elif depth > 1024:
        block = 512
    elif len(p.k) > 1:
        block = _cut_in_place(plan, target)
        plan = replace(plan, k_outside=bool(block))
    row_block = lane_block = 0
    if plan.pack_a != "none":
        row_block = max(target.l2 // 2 // ((block or depth) * a_size) // plan.unroll_m, 1) * plan.unroll_m
    if packed:
        lane_block = max(target.l3 // 8 // ((block or depth) * b_size) // plan.width, 1) * plan.width
    return _divided(replace(plan, block_k=block, block_m=row_block, block_n=lane_block))


def _with_gathered_blocks(plan: ContractionSchedule, target: Target) -> ContractionSchedule:
    """A panel of B and the rows of A that it meets stay in the first cache, a block of panels and one of A in the
    second. Sums that do not stay in the second one are not read and written again for the first one's sake."""
    p, half = plan.walked, target.l2 // 2
    m, n, _ = plan.inner_dims(p)
    sizes, b_size, a_size = [d.size for d in p.k], byte_size(plan.packed_type(p.b_type)), byte_size(p.a_type)
    far = count(p.m) * n.size * byte_size(p.c_type) > half
    fit = (half if far else target.l1 * 2 // 3) // (plan.width * b_size)
    block = even_block(sizes, max(fit, 64), plan.vector)
    depth = block or count(p.k)
    lane_block = max(half // (depth * b_size) // plan.width, 1) * plan.width
    row_block = max(half // (depth * a_size) // plan.unroll_m, 1) * plan.unroll_m
    plan = replace(
        plan,
        block_k=block,
        block_n=lane_block if lane_block < n.size else 0,
        block_m=row_block if row_block < m.size else 0,
    )
    return _divided(plan)


def _cut_in_place(plan: ContractionSchedule, target: Target) -> int:
    """Blocks of several contracted loops for operands that are read where they are, so that a block of them stays in
    the second cache while all other loops go through it; 0 where that does not save memory traffic: sums are read and
    written again for each block."""
    p, cache = plan.problem, target.l2 // 2
    if plan.vectorize != "n" or any(d.b and d.a for d in plan.outer_dims(p)):
        return 0
    depth, operands = count(p.k), _bytes_of(p, "a") + _bytes_of(p, "b")
    block = even_block([d.size for d in p.k], max(depth * cache // operands, LEAST_BLOCK), plan.vector)
    if not block or _is_streamed(p, block, cache):
        return 0
    sums = count(p.m) * count(p.n) * byte_size(p.c_type)
    saved = _traffic(plan, cache) - operands - (2 * sums * ceildiv(depth, block) if sums > cache else 0)
    return block if saved > operands // 2 else 0


def _is_streamed(p: Problem, block: int, cache: int) -> bool:
    """Whether rows of a large A lie along k, each on pages of its own, so that blocks would be pieces too short for the
    processor's prefetchers."""
    size, run = byte_size(p.a_type), gathered(p).k[-1]
    far = bool(p.m) and p.m[-1].a * size >= PAGE and _bytes_of(p, "a") > cache
    return far and abs(run.a) == 1 and block < run.size and block * size < PAGE


def _bytes_of(p: Problem, operand: str) -> int:
    """From the first element of A or B to the last."""
    dims = (*p.batch, *p.m, *p.n, *p.k)
    size = byte_size(p.a_type if operand == "a" else p.b_type)
    return (1 + sum((d.size - 1) * abs(getattr(d, operand)) for d in dims)) * size


def _traffic(plan: ContractionSchedule, cache: int) -> int:
    """Bytes of both operands that come from behind a cache when the contracted loops are not cut."""
    p, depth = plan.problem, count(plan.problem.k)
    rows, lanes = (d.size for d in plan.inner_dims(p)[:2])
    trips, size = count(plan.outer_dims(p)), byte_size(p.b_type)
    if depth * (plan.unroll_m + plan.width) * size > cache:
        tiles = ceildiv(rows, plan.unroll_m) * ceildiv(lanes, plan.width)
        return trips * tiles * depth * (plan.unroll_m + plan.width) * size
    if depth * (rows + lanes) * size > cache:
        return trips * depth * (ceildiv(lanes, plan.width) * rows + lanes) * size
    return 0


def _streams(plan: ContractionSchedule, target: Target) -> int:
    """Rows of B that are walked together; 0 where B is not streamed."""
    p = plan.problem
    if plan.vectorize != "n" or plan.pack_b != "none" or len(p.k) != 1 or p.n[-1].b != 1 or p.batch:
        return 0
    if count(p.n) * count(p.k) * byte_size(p.b_type) <= STREAMED * target.l2:
        return 0
    depth = count(p.k)
    least = ceildiv(depth, MOST_BLOCKS)
    together = next((streams for most, streams in STREAMS if count(p.m) <= most), 0)
    if together and least > together:
        together = ceildiv(least, 16) * 16
    return together if together < depth else 0


def with_ready_b(plan: ContractionSchedule, target: Target) -> ContractionSchedule:
    """The plan for a product whose B stays the same from one call to the next, if it is small enough to keep."""
    p = plan.problem
    if plan.pack_b not in ("lanes", "words") or any(d.b for d in plan.outer_dims(p)):
        return plan
    size = count(p.n) * count(p.k) * byte_size(plan.packed_type(p.b_type))
    if size > target.l3 // 4 or (plan.header and plan.block_k):
        return plan
    return replace(plan, keep_b=True, block_n=0)


# Threads


def _divided(plan: ContractionSchedule) -> ContractionSchedule:
    """The plan with its loops divided among threads."""
    plan = shared(plan, plan.unroll_m, plan.width)
    if not plan.packs_b_together:
        return plan
    p, rows = plan.walked, plan.inner_dims(plan.walked)[0].size
    work = multiplications(p)
    parts = min(PARTS * plan.threads, work // PARALLEL_WORK, rows // (PARTS * plan.unroll_m))
    return replace(plan, threads=max(parts, plan.threads))


def shared(plan: ContractionSchedule, height: int, width: int) -> ContractionSchedule:
    """The plan with the loop that is shared out among threads: an outer dimension with enough trips, else rows or lanes."""
    p, threads = plan.walked, plan.threads
    if threads == 1:
        return plan
    for n, d in enumerate(plan.outer_dims(p)):
        if d.size >= threads and (d.size % threads == 0 or d.size >= 4 * threads):
            return replace(plan, parallel=f"outer {n}")
    rows, lanes = (d.size for d in plan.inner_dims(p)[:2])
    together, numbers = replace(plan, parallel="m").packs_b_together, p.parts
    lost = (READ if plan.pack_b == "none" else PACKED) * threads / (rows * numbers)
    lost += _lost_waiting(plan) if together else 0
    found = [(_longest(rows, height, threads, threads) + lost, "m", threads)]
    for parts in (threads, 2 * threads) if together else (threads,):
        lost = (READ if plan.pack_a == "none" and not together else PACKED) * parts / (lanes * numbers)
        lost += UNEVEN * (together and parts == threads) + MOVED / max(count(p.k) * numbers, MOVED)
        found.append((_longest(lanes, width, threads, parts) + lost, "n", parts))
    _, loop, parts = min(found, key=lambda way: way[0])
    return replace(plan, parallel=loop, threads=parts)


def _longest(size: int, unit: int, threads: int, parts: int) -> float:
    """The largest share of a loop that a thread has, when each takes the next part as soon as it can."""
    step, taken = ceildiv(ceildiv(size, unit), parts) * unit, [0] * threads
    for start in range(0, size, step):
        taken[taken.index(min(taken))] += min(step, size - start)
    return max(taken) / size


def _lost_waiting(plan: ContractionSchedule) -> float:
    """The share of its time that a contraction loses where threads wait for each other before and after each block."""
    m, n, _ = plan.inner_dims(plan.walked)
    work = m.size * min(n.size, plan.block_n or n.size) * (plan.block_k or count(plan.walked.k))
    return TOGETHER * FULL_BYTES / byte_size(plan.problem.c_type) / (work * plan.problem.parts)
