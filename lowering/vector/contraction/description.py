"""A plan in words."""

from __future__ import annotations

from hlo.lowering.vector.contraction.function_text import byte_size
from hlo.lowering.vector.contraction.plan import Plan, count

MODES = {"lanes": "vectors along columns", "batch": "vectors along a batch dimension", "dots": "vectors along the sum"}
PACKINGS = {
    "place": "read in place",
    "rows": "packed by rows",
    "lanes": "packed",
    "words": "packed, transposed in registers",
    "whole": "packed as a whole beforehand",
}


def describe(plan: Plan) -> str:
    """One line: the product, the tile, what is packed, blocks, threads."""
    p = plan.problem
    sizes = " x ".join(str(count(d)) for d in (p.batch, p.rows, p.lanes, p.contracted) if d)
    parts = [f"contraction {sizes} of {p.a_type} and {p.b_type} to {p.c_type}: {MODES[plan.mode]}"]
    if plan.mode != "dots":
        parts.append(f"{plan.rows} x {plan.width} tiles")
        parts += [f"{name} {PACKINGS[way]}" for name, way in (("A", plan.a), ("B", plan.b))]
    if plan.group > 1:
        parts.append(f"dot products of {plan.group}")
    if plan.depth_block:
        size = plan.depth_block * plan.width * byte_size(p.b_type)
        panel = f"sums cut every {plan.depth_block} (a panel of B: {size >> 10} KiB)"
        parts.append(f"{plan.depth_block} rows of B at a time" if plan.streamed else panel)
    for name, block, element in (("rows", plan.row_block, p.a_type), ("columns", plan.lane_block, p.b_type)):
        if block:
            depth = plan.depth_block or (p.contracted[-1].size if p.contracted else 1)
            parts.append(f"blocks of {block} {name} ({block * depth * byte_size(element) >> 10} KiB)")
    parts.append(f"{plan.threads} threads share {plan.split}" if plan.split else "1 thread")
    return ", ".join(parts)
