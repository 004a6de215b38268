"""What to do for a problem: which operand is A, where the lanes run, the tile, what is packed, blocks, threads."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hlo.lowering.vector.contraction.micro_kernel import byte_size
from hlo.lowering.vector.contraction.problem import Dim, Problem
from hlo.lowering.vector.target import Target

L1, L2 = 32 << 10, 1 << 20
DEPTH_BLOCK, ROW_BLOCK, LANE_BLOCK = 256, 512, 2048
PARALLEL_WORK = 1 << 20
"""Multiplications below which one thread is faster than starting more."""
MOST_ROWS = {32: {1: 16, 2: 14, 3: 8, 4: 6, 8: 2}, 16: {1: 8, 2: 6, 3: 4, 4: 2}}
"""By registers and vectors: rows * vectors accumulators, the vectors of B and a broadcast fit in the registers."""


@dataclass(frozen=True)
class Plan:
    """`mode`: "lanes" (vectors along a lane dimension), "batch" (along a batch dimension), "dots" (along the contracted
    one, summed at the end)."""

    problem: Problem
    mode: str
    lanes: int
    rows: int = 1
    vectors: int = 1
    pack_a: bool = False
    pack_b: bool = False
    depth_block: int = 0
    """0: the walk along the contracted dimension is not cut."""
    threads: int = 1

    @property
    def width(self) -> int:
        return self.vectors * self.lanes


def count(dims: tuple[Dim, ...]) -> int:
    return math.prod(d.size for d in dims)


def plan(problem: Problem, target: Target) -> Plan | None:
    """The best plan; None when no operand order has unit-stride vectors (other code must do it)."""
    lanes = target.vector_bits // 8 // byte_size(problem.c_type)
    candidates = [c for p in (problem, problem.swap()) for c in _modes(p, lanes)]
    if not candidates:
        return None
    _, mode, chosen = min(candidates, key=lambda c: c[0])
    return _detailed(chosen, mode, lanes, target)


def _modes(p: Problem, lanes: int) -> list[tuple[float, str, Problem]]:
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
    threads = target.threads if work >= PARALLEL_WORK else 1
    if mode == "dots":
        return Plan(p, mode, lanes, threads=threads)
    registers = 32 if target.vector_bits == 512 else 16
    across = p.lanes[-1].size if mode == "lanes" else p.batch[-1].size
    along = p.rows[-1].size if p.rows else 1
    pack_b, pack_a, block = _packing(p, mode, along, across)
    rows, vectors = best_tile(along, across, lanes, registers, a_is_vector=mode == "batch", packed=pack_b)
    return Plan(p, mode, lanes, rows, vectors, pack_a, pack_b, block, threads)


def _packing(p: Problem, mode: str, along: int, across: int) -> tuple[bool, bool, int]:
    """Whether B and A are packed, and the block of the contracted dimension. A packed operand is read and written once
    more: worth it from some number of uses on; necessary where lanes of B are not contiguous."""
    if mode == "batch":
        return False, False, 0
    depth = count(p.contracted)
    size = byte_size(p.c_type)
    strided = p.lanes[-1].b != 1
    single = len(p.contracted) <= 1
    large = (count(p.rows) + count(p.lanes)) * depth * size > 12 * L2
    pack_b = strided or (single and along > 128 and across > 128 and large)
    a = p.contracted[-1].a if p.contracted else 1
    pack_a = single and len(p.rows) == 1 and along > 16 and across > 32 and (a != 1 or (pack_b and large))
    block = DEPTH_BLOCK if pack_b and single and depth > DEPTH_BLOCK * 2 else 512 if single and depth > 1024 else 0
    return pack_b, pack_a, block


def best_tile(along: int, across: int, lanes: int, registers: int, a_is_vector: bool, packed: bool) -> tuple[int, int]:
    """Rows and vectors of the tile with the fewest cycles for one k of the whole matrix: two multiplications and two loads a
    cycle, at least four cycles a tile (latency), left-over rows and columns in tiles of their own."""
    most = MOST_ROWS[registers]

    def tile(rows: int, vectors: int) -> float:
        loads = rows * (vectors if a_is_vector else 1) + vectors
        return max(rows * vectors / 2, loads / 2, 4)

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
