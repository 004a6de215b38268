"""A plan in words."""

from __future__ import annotations

from hlo.lowering.vector.contraction.function_text import byte_size
from hlo.lowering.vector.contraction.problem import count
from hlo.lowering.vector.contraction.schedule import ContractionSchedule

LANES = {"n": "vectors along n", "batch": "vectors along a batch dimension", "k": "vectors along k"}
PACKINGS = {
    "none": "read in place",
    "rows": "packed by rows",
    "lanes": "packed",
    "words": "packed, transposed in registers",
    "gather": "packed from a table of places",
    "whole": "packed as a whole beforehand",
}


def describe(plan: ContractionSchedule) -> str:
    """One line: the product, the tile, what is packed, blocks, threads."""
    p = plan.problem
    sizes = " x ".join(str(count(d)) for d in (p.batch, p.rows, p.lanes, p.contracted) if d)
    parts = [f"contraction {sizes} of {p.a_type} and {p.b_type} to {p.c_type}: {LANES[plan.vectorize]}"]
    if plan.vectorize != "k":
        parts.append(f"{plan.unroll_m} x {plan.width} tiles")
        parts += [f"{name} {PACKINGS[way]}" for name, way in (("A", plan.pack_a), ("B", plan.pack_b))]
    if plan.dot_product > 1:
        parts.append(f"dot products of {plan.dot_product}")
    if plan.block_k:
        size = plan.block_k * plan.width * byte_size(p.b_type)
        panel = f"sums cut every {plan.block_k} (a panel of B: {size >> 10} KiB)"
        parts.append(f"{plan.block_k} rows of B at a time" if plan.pack_b == "none" else panel)
        parts += ["outside all other loops"] * plan.k_outside
    for name, block, element in (("rows", plan.block_m, p.a_type), ("columns", plan.block_n, p.b_type)):
        if block:
            depth = plan.block_k or (p.contracted[-1].size if p.contracted else 1)
            parts.append(f"blocks of {block} {name} ({block * depth * byte_size(element) >> 10} KiB)")
    parts.append(f"{plan.threads} threads share {plan.parallel}" if plan.threads > 1 else "1 thread")
    return ", ".join(parts)
