"""The neighbours of a schedule: those that differ in one decision. Many are not allowed; whoever tries them checks."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from mlir import ir

from hlo.lowering.kernels.schedule import plain_value

Fields = dict[str, Any]

UNROLLED = (1, 2, 3, 4, 6, 8, 12, 14, 16)
VECTORS = (64, 32, 16, 8, 4, 2)
FIRST_BLOCK = 256
"""Elements of a loop's block where it was not cut."""


def fields_of(schedule: ir.Attribute) -> Fields:
    """A schedule as Python values, its parts too."""
    return {named.name: _fields(plain_value(named.attr)) for named in ir.DictAttr(schedule)}


def _fields(value: Any) -> Any:
    if isinstance(value, ir.Attribute):
        return fields_of(value)
    return [_fields(one) for one in value] if isinstance(value, list) else value


def neighbours(schedule: Fields, threads: int) -> Iterator[Fields]:
    """In a fixed order, none twice, without the schedule itself. `threads`: what the program runs on."""
    seen = [schedule]
    of_kind = _of_rows if "rows" in schedule else _of_nests if "stages" in schedule else _of_contraction
    for one in of_kind(schedule, threads):
        if one not in seen:
            seen.append(one)
            yield one


def _of_contraction(s: Fields, threads: int) -> Iterator[Fields]:
    for changes in _changes_of_contraction(s, threads):
        yield _with_whole_blocks({**s, **changes})


def _changes_of_contraction(s: Fields, threads: int) -> Iterator[Fields]:
    for n in (1, 2, 3, 4):
        yield from ({"unroll_m": m, "unroll_n": n} for m in reversed(UNROLLED))
    for m in (s["unroll_m"] - 1, s["unroll_m"] + 1):
        yield {"unroll_m": m}
    yield from ({"vector": width} for width in VECTORS)
    yield from _changes_of_packing()
    for block in ("block_k", "block_n", "block_m"):
        size = s[block] or FIRST_BLOCK
        yield from ({block: value} for value in (0, size // 2, size, size * 2))
    yield {"k_outside": not s["k_outside"]}
    yield from ({"prefetch_b": ahead} for ahead in (0, 2, 4, 8, 16))
    yield {"threads": 1, "parallel": "none"}
    yield from ({"threads": threads, "parallel": loop} for loop in ("n", "m", "outer 0", "outer 1"))
    yield {"swap_operands": not s["swap_operands"]}
    for way, packed in (("n", "none"), ("batch", "none"), ("k", "none"), ("k", "columns")):
        yield {
            "vectorize": way,
            "pack_a": "none",
            "pack_b": packed,
            "block_k": 0,
            "block_m": 0,
            "block_n": 0,
            "k_outside": False,
        }


def _changes_of_packing() -> Iterator[Fields]:
    for a in ("none", "rows", "lanes"):
        yield from ({"pack_a": a, "pack_b": b} for b in ("none", "lanes", "words", "gather"))
    yield from ({"dot_product": size} for size in (1, 2, 4, 32, 64))


def _with_whole_blocks(s: Fields) -> Fields:
    """Blocks are multiples of tiles."""
    units = {"block_k": s["dot_product"], "block_m": s["unroll_m"], "block_n": s["unroll_n"] * s["vector"]}
    return {**s, **{block: -(-s[block] // unit) * unit for block, unit in units.items() if unit > 0}}


def _of_rows(s: Fields, threads: int) -> Iterator[Fields]:
    """Another block has other loops in all stages, so blocks stay."""
    yield from ({**s, "threads": parts} for parts in (1, threads))
    for n, stage in enumerate(s["stages"]):
        yield from ({**s, "stages": [*s["stages"][:n], one, *s["stages"][n + 1 :]]} for one in neighbours(stage, 1))


def _of_nests(s: Fields, threads: int) -> Iterator[Fields]:
    for n, stage in enumerate(s["stages"]):
        for changes in _changes_of_stage(stage, threads):
            yield {"stages": [*s["stages"][:n], {**stage, **changes}, *s["stages"][n + 1 :]]}


def _changes_of_stage(stage: Fields, threads: int) -> Iterator[Fields]:
    loops = [f"d{n}" for n in range(len(stage["loops"]))]
    for loop in (stage["vectorize"], *loops):
        own = stage["interleave"] if loop == stage["vectorize"] else 1
        for width in VECTORS:
            yield from (_vectors(loop, width, loop, unroll, own) for unroll in (4, 8, 2, 1, 16))
            yield from (_vectors(loop, width, other, width, 1) for other in loops if other != loop)
    for number, size in enumerate(stage["loops"]):
        yield _vectors(loops[number], stage["vector"], loops[number], 1, prod(stage["loops"][number + 1 :]))
        yield {"unroll_loop": loops[number], "unroll": size, "interleave": 1}
        yield {"peel": [1 - p if n == number else p for n, p in enumerate(stage["peel"])]}
    yield from ({"threads": parts} for parts in (1, threads, 2 * threads, 4 * threads, 8 * threads))
    yield {"phases": [1 for _ in loops]}


def _vectors(vectorize: str, vector: int, unroll_loop: str, unroll: int, interleave: int) -> Fields:
    return {
        "vectorize": vectorize,
        "vector": vector,
        "unroll_loop": unroll_loop,
        "unroll": unroll,
        "interleave": interleave,
    }
