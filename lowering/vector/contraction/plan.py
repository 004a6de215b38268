"""The schedule of a contraction is chosen: which operand is A, the loop in vectors, what is packed; then its sizes (`blocking.py`). And what the
fields of one may be, for its problem and a processor."""

from __future__ import annotations

import functools
from dataclasses import replace
from math import inf, prod

from hlo.environment import MOST_THREADS
from hlo.lowering.kernels.schedule import ScheduleError, between, multiple, one_of, vector_widths
from hlo.lowering.target import TILE_ROWS, Target
from hlo.lowering.vector.contraction.blocking import (
    FULL_BYTES,
    PARALLEL_WORK,
    best_tile,
    dot_tile,
    rows_collide,
    shared,
    with_blocks,
)
from hlo.lowering.vector.contraction.function_text import byte_size
from hlo.lowering.vector.contraction.problem import Problem, ceildiv, count, multiplications, whole
from hlo.lowering.vector.contraction.schedule import (
    MOST_DOT_COLUMNS,
    MOST_DOT_ROWS,
    MOST_TILES,
    ContractionSchedule,
    by_columns,
    can_pack_a,
    dot_products,
    dot_words,
    dots_in_place,
    fits_dots,
    fitting_rows,
    gathered,
    gathered_dots,
    most_dot_columns,
    packed_dots,
    table_dims,
    vector_of,
)

MOST_OFFSET = 1 << 31
"""Of B's elements: the instructions that gather take offsets of 32 bits."""
LEFT_OVER, SHORT_WORK = 0.01, 1 << 24
"""The share of its time that a contraction of fewer multiplications may lose to do without left-over rows, or columns:
their micro-kernels take a quarter of its compile time each."""
FAR = 12
"""Times the second cache: operands that large are packed in any case; smaller ones are read in place as fast."""
COLLIDING, FULL_BITS = 16, 512
"""Rows of A from which on B is packed where its rows collide in the first cache, with vectors of fewer bits: 1.3 times as fast with 16 rows, 1.5 with
64, 0.96 with 12 (code for AVX2 on AMD EPYC, Zen 5)."""
FEW_ROWS = 128
"""Rows from which on a few left-over ones do not matter."""
DEEP = 256
"""Columns and contracted elements from which on the rows of B are on more pages than the processor keeps translations
of: with many rows of A it is packed."""
ALONG_K, WORDS_ALONG_K = (2.0, 4.0), ((0.8, 3.5), (3.6, 9.0))
"""Dot products: the cost of a multiplication, and of summing a vector at the end. Words of them: beside code that packs
and extends B, and code that packs it for such instructions."""
BY_COLUMNS, COLD = (1.15, 4.0, 32.0), 1 << 15
"""The same where B is packed for it: also the cost of packing an element, in rows of A; and of more code, which is not
in the caches at first, in multiplications."""
EXTENDED = 12, 32
"""Rows of A from which on A, and B, are packed if they are of a narrower type than C: extended once each, and not in every tile."""
LOADED, GATHERED = 4, 1.5
"""What packing a vector costs, in multiplications of one: loaded as it is, or gathered, by elements."""


@functools.lru_cache(1 << 8)
def plan(problem: Problem, target: Target) -> ContractionSchedule | None:
    """The best plan; None when no operand order has unit-stride vectors (other code must do it)."""
    lanes = vector_of(problem, target)
    candidates = [c for p in (problem, problem.swap()) for c in ways(p, target)]
    if not candidates:
        return None
    time, mode, chosen = min(candidates, key=lambda c: c[0])
    return _detailed(chosen, mode, time, lanes, target)


def cost(problem: Problem, target: Target) -> float:
    """Of the best way to run a problem that has a plan: the time of a multiplication, relative to that of one in full vectors."""
    return min(c[0] for p in (problem, problem.swap()) for c in ways(p, target))


def ways(p: Problem, target: Target) -> list[tuple[float, str, Problem]]:
    """Ways to run one operand order with their cost (relative time of a multiplication)."""
    lanes, found = vector_of(p, target), list[tuple[float, str, Problem]]()
    if p.n and p.n[-1].c == 1 and (_is_simple(p) or p.n[-1].b == 1 or can_gather(p)):
        found.append((min(_cost_in_place(p, lanes), _cost_gathered(p, target)), "n", p))
    if p.batch and p.batch[-1].a == p.batch[-1].b == p.batch[-1].c == 1:
        size = p.batch[-1].size
        found.append((1.5 * -(-size // lanes) * lanes / size, "batch", p))
    if p.k and p.k[-1].a == p.k[-1].b == 1 and not p.swapped:
        found.append((_cost_along_k(p, target), "k", p))
    elif can_pack_columns(p, target) and p.k[-1].b != 1:
        found.append((_cost_by_columns(p, target), "k", p))
    return found


def can_pack_columns(p: Problem, target: Target) -> bool:
    """Whether vectors may be along k once B's columns are packed: floating-point numbers, of which A's are contiguous.
    The last ones of a row are read with a mask."""
    return target.masked_bits > 0 and bool(p.k) and p.k[-1].a == 1 and p.c_type in ("f32", "f64")


def _cost_by_columns(p: Problem, target: Target) -> float:
    lanes, (each, sums, packed) = vector_of(p, target), BY_COLUMNS
    run = by_columns(p, lanes).k[-1].size
    return each * whole(run, lanes) / run + sums * lanes / count(p.k) + packed / count(p.m) + COLD / multiplications(p)


def _cost_along_k(p: Problem, target: Target) -> float:
    """Of dot products. Where instructions multiply words, compared with code that packs B: it has such instructions too, or not."""
    word, lanes = max(dot_words(p, target)), vector_of(p, target)
    each, sums = ALONG_K if word == 1 else WORDS_ALONG_K[packed_dots(p, target) > 1]
    return each + sums * lanes * word / p.k[-1].size


def _cost_in_place(p: Problem, lanes: int) -> float:
    """Of vectors along n, B being read where it is, or packed in its order."""
    rows, copied = count(p.m) * p.parts, p.n[-1].b != 1
    if copied and not _is_simple(p):
        return inf
    return _unused(p, lanes) + (40 / (rows + 1) if copied else 0) + 0.5 / min(rows, 8)


def _cost_gathered(p: Problem, target: Target) -> float:
    """The same where B is packed from tables. Each row of A uses what is packed."""
    if not can_gather(p):
        return inf
    lanes, rows, run = vector_of(p, target), count(p.m) * p.parts, p.n[-1]
    together = 0.0 if run.b != 1 else 1.0 if run.size % lanes == 0 else max(run.size - lanes + 1, 0) / run.size
    packing = together * LOADED + (1 - together) * GATHERED * lanes
    return _unused(gathered(p), lanes) * _share_of_words(p, target) + packing / rows + 0.5 / min(rows, 8)


def _share_of_words(p: Problem, target: Target) -> float:
    """Of the multiplications of a contraction, where instructions multiply words of B packed from tables: the others are done at once."""
    dots = gathered_dots(p, target)
    walk = gathered(p).k[-1].size if dots > 1 else 1
    return whole(walk, dots) / walk / dots


def _unused(p: Problem, lanes: int) -> float:
    """What vectors along n multiply in addition to what is wanted."""
    size = p.n[-1].size
    return -(-size // lanes) * lanes / size


def _is_simple(p: Problem) -> bool:
    """Whether panels of B can be packed without tables."""
    return len(p.k) <= 1 and 1 in (p.n[-1].b, p.k[-1].b if p.k else 0)


def can_gather(p: Problem) -> bool:
    """Whether tables of offsets reach all of B that panels are packed from."""
    if not p.n or p.n[-1].c != 1:
        return False
    inner, contracted = table_dims(p)
    return sum((d.size - 1) * abs(d.b) for d in (*inner, *contracted)) < MOST_OFFSET


def _detailed(p: Problem, mode: str, time: float, lanes: int, target: Target) -> ContractionSchedule:
    """`time`: of a multiplication, relative to that of one in full vectors, where an instruction has one for each lane."""
    work = multiplications(p)
    in_words = (max(dot_words(p, target)) if mode == "k" else packed_dots(p, target)) > 1
    is_long = work * (1 if in_words else time) * byte_size(p.c_type) >= PARALLEL_WORK * FULL_BYTES
    start = ContractionSchedule(p, mode, lanes, threads=target.threads if is_long else 1)
    m, n, _ = start.inner_dims(p)
    if mode == "k":
        if p.k[-1].b != 1:
            by_column = replace(start, pack_b="columns")
            unroll_m, unroll_n = dot_tile(m.size, n.size, target.registers)
            return replace(shared(by_column, unroll_m, unroll_n), unroll_m=unroll_m, unroll_n=unroll_n)
        unroll_m = _even(m.size, MOST_DOT_ROWS)
        unroll_n = _even(n.size, most_dot_columns(unroll_m, p))
        divided = shared(start, MOST_DOT_ROWS, MOST_DOT_COLUMNS)
        return replace(divided, unroll_m=unroll_m, unroll_n=unroll_n, dot_product=max(dot_words(p, target)))
    along = m.size
    packing = _packing(start, count(p.m) * p.parts, n.size * p.parts, target)
    across = packing.inner_dims(packing.walked)[1].size
    missed = lanes * byte_size(p.b_type) if mode == "n" and packing.pack_b == "none" and rows_collide(p) else 0
    left_over = LEFT_OVER if work < SHORT_WORK else 0.0
    rows, vectors = best_tile(along, across, lanes, target.registers, mode == "batch", left_over, p.parts, missed)
    if packing.multiplies_tiles:
        rows, vectors = min(along, MOST_TILES * TILE_ROWS), min(ceildiv(across, lanes), MOST_TILES)
    elif packing.pack_b != "none" and along * p.parts >= FEW_ROWS and across >= target.packed_tile[1] * lanes:
        rows, vectors = target.packed_tile[0] // p.parts, target.packed_tile[1]
    return with_blocks(replace(packing, unroll_m=rows, unroll_n=vectors), target)


def _even(size: int, most: int) -> int:
    """The height of tiles, at most so many, that leave few rows over: 6 rows are two tiles of 3."""
    return ceildiv(size, ceildiv(size, most))


def _packing(start: ContractionSchedule, along: int, across: int, target: Target) -> ContractionSchedule:
    """Whether A and B are packed. A packed operand is read and written once more: profitable from some number of uses on;
    necessary where lanes of B are not contiguous, and for words of dot products. `along`, `across`: rows and columns, of
    the parts of complex numbers."""
    p = start.problem
    if start.vectorize == "batch":
        return start
    _, lane, depth = start.inner_dims(p)
    is_simple = _is_simple(p)
    if not is_simple or len(table_dims(p)[0]) > 1:
        gathers = _cost_gathered(p, target) < _cost_in_place(p, start.vector)
        if gathers:
            return replace(start, pack_b="gather", dot_product=gathered_dots(p, target))
        if not is_simple:
            return start
    b_packed, a_packed = ("lanes" if lane.b == 1 else "words"), {1: "rows"}.get(depth.a, "lanes")
    a_can = can_pack_a(p)
    dots = packed_dots(p, target)
    if dots > 1:
        return replace(start, pack_a=a_packed, pack_b=b_packed, dot_product=dots)
    if (p.a_extend or p.b_extend) and a_can and along >= EXTENDED[0] and across >= 2 * start.vector:
        pack_b = lane.b != 1 or along >= EXTENDED[1]
        return replace(start, pack_a=a_packed, pack_b=b_packed if pack_b else "none")
    size = byte_size(p.b_type)
    large = (count(p.m) + count(p.n)) * depth.size * size > FAR * target.l2
    often = along >= FEW_ROWS and min(across, depth.size) >= DEEP
    pack_b = lane.b != 1 or often or (along > 96 and large) or _missed_often(p, along, target)
    is_profitable = bool(p.k) and (depth.a != 1 or (pack_b and _is_far(p, target)))
    pack_a = a_can and along > 16 and across > 96 and is_profitable
    return replace(start, pack_a=a_packed if pack_a else "none", pack_b=b_packed if pack_b else "none")


def _missed_often(p: Problem, along: int, target: Target) -> bool:
    """Whether rows of B miss the first cache so often that it is to be packed. With vectors of 512 bits, a tile's products take as long as a
    miss: then it is only where the second cache is missed as well."""
    if not rows_collide(p):
        return False
    if target.vector_bits < FULL_BITS:
        return along >= COLLIDING
    return along > 96 and p.k[-1].size * abs(p.k[-1].b) * byte_size(p.b_type) > target.l2 // 2


def _is_far(p: Problem, target: Target) -> bool:
    """Whether A does not stay in the second cache with the rest."""
    return count(p.m) * count(p.k) * byte_size(p.a_type) > target.l2 // 2


# What the fields of a schedule may be

MOST_BLOCK = 1 << 40
MOST_AHEAD = 64


def check_schedule(s: ContractionSchedule, target: Target, may_keep_b: bool = False) -> None:
    """Raises ScheduleError for the first field that this problem and processor do not allow. `may_keep_b`: other code packs B."""
    widest = target.vector_bits // 8 // byte_size(s.problem.c_type)
    one_of("vectorize", s.vectorize, [way for _, way, _ in ways(s.problem, target)])
    one_of("vector", s.vector, [widest] if s.dot_product > 1 else vector_widths(widest) or [1])
    _check_packing(s, target)
    _check_tile(s, target)
    _check_blocks(s)
    between("threads", s.threads, 1, MOST_THREADS)
    one_of("parallel", s.parallel, _shareable(s) if s.threads > 1 else ["none"])
    keeps = may_keep_b and s.pack_b in ("lanes", "words") and not (s.header and s.block_k)
    one_of("keep_b", s.keep_b, [False, True] if keeps else [False])
    between("prefetch_b", s.prefetch_b, 0, 0 if s.vectorize == "k" or s.multiplies_tiles else MOST_AHEAD)


def _check_packing(s: ContractionSchedule, target: Target) -> None:
    a, b = ["none"], ["none"]
    m, n, k = s.inner_dims(s.problem)  # loops cannot be walked as a packing has them that is not allowed
    if s.vectorize == "n":
        one_k = len(s.problem.k) <= 1
        a += ["rows"] * (one_k and k.a == 1) + ["lanes"] * (one_k and m.a == 1)
        b = ["none"] * (n.b == 1) + ["lanes"] * (one_k and n.b == 1) + ["words"] * (one_k and k.b == 1)
        b += ["gather"] * can_gather(s.problem)
    if s.vectorize == "k":
        b = ["none"] * (k.a == k.b == 1) + ["columns"] * can_pack_columns(s.problem, target)
    one_of("pack_a", s.pack_a, a)
    one_of("pack_b", s.pack_b, b)
    if s.vectorize == "k":
        one_of("dot_product", s.dot_product, dot_words(s.problem, target))
        return
    words = s.pack_a != "none" and s.pack_b in ("lanes", "words")
    in_place = dots_in_place(s.problem, target) if s.pack_a == "none" and s.pack_b == "gather" else []
    one_of("dot_product", s.dot_product, [1, *(dot_products(s.problem, target) if words else in_place)])


def _check_tile(s: ContractionSchedule, target: Target) -> None:
    m, n, _ = s.inner_dims(s.walked)
    if s.pack_b == "columns":
        between("unroll_m", s.unroll_m, 1, min((target.registers - 1) // 2, m.size))
        most = max(
            columns for columns in range(1, target.registers) if fits_dots(s.unroll_m, columns, target.registers)
        )
        between("unroll_n", s.unroll_n, 1, min(most, n.size))
        return
    if s.vectorize == "k":
        between("unroll_m", s.unroll_m, 1, min(MOST_DOT_ROWS, m.size))
        between("unroll_n", s.unroll_n, 1, min(most_dot_columns(s.unroll_m, s.problem), n.size))
        return
    if s.multiplies_tiles:
        between("unroll_m", s.unroll_m, 1, min(m.size, MOST_TILES * TILE_ROWS))
        between("unroll_n", s.unroll_n, 1, min(ceildiv(n.size, s.vector), MOST_TILES))
        return
    registers, parts = target.registers, s.problem.parts
    between("unroll_n", s.unroll_n, 1, min(ceildiv(n.size, s.vector), (registers - 1) // (1 + parts)))
    most = fitting_rows(s.unroll_n, registers, parts)
    between("unroll_m", s.unroll_m, 1, min(m.size, most), f" ({s.unroll_n} vectors each, {registers} registers)")


def _check_blocks(s: ContractionSchedule) -> None:
    tiled, sizes = s.vectorize != "k", [d.size for d in s.walked.k]
    is_cut_inside = s.cut is not None and s.cut.level == len(sizes) - 1
    unit = s.dot_product if is_cut_inside else 1
    multiple("block_k", s.block_k, unit, (sizes[-1] if len(sizes) == 1 else prod(sizes)) if tiled and sizes else 0)
    if s.block_k and s.cut is None:
        raise ScheduleError(
            "block_k", s.block_k, f"0, or whole iterations of one of the loops {' x '.join(map(str, sizes))}"
        )
    one_of(
        "k_outside",
        s.k_outside,
        [False, True] if s.block_k and s.pack_a == s.pack_b == "none" else [False],
    )
    multiple("block_m", s.block_m, s.unroll_m, MOST_BLOCK if tiled else 0)
    multiple("block_n", s.block_n, s.width, MOST_BLOCK if tiled and not s.keep_b else 0)


def _shareable(s: ContractionSchedule) -> list[str]:
    return ["m", "n", *(f"outer {n}" for n in range(len(s.outer_dims(s.walked))))]
