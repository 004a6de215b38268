"""What the fields of a contraction's schedule may be, for its problem and a processor."""

from __future__ import annotations

from math import prod

from hlo.environment import MOST_THREADS
from hlo.lowering.vector.contraction.function_text import byte_size
from hlo.lowering.vector.contraction.plan import can_gather, can_pack_columns, ways
from hlo.lowering.vector.contraction.problem import ceildiv
from hlo.lowering.vector.contraction.schedule import (
    MOST_DOT_ROWS,
    MOST_TILES,
    ContractionSchedule,
    dot_products,
    dot_words,
    dots_in_place,
    fits_dots,
    most_dot_columns,
)
from hlo.lowering.vector.schedule import ScheduleError, between, multiple, one_of, vector_widths
from hlo.lowering.vector.target import TILE_ROWS, Target

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
    most = (registers - 1 - s.unroll_n) // s.unroll_n // parts
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
