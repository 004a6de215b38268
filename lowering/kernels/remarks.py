"""What was decided about each kernel, in words: `hlo-opt --remarks`.

model.mlir:7:8: remark: @mul_tanh_0: region of 2 ops (lines 6, 7), called once; loop over 4096x1024: ..."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import prod
from typing import Any

from mlir import ir

from hlo.dialect.locations import file_location, remark
from hlo.errors import Diagnostic
from hlo.lowering.finding import name_of
from hlo.lowering.kernel_calls import calls
from hlo.lowering.linalg.structured import is_elementwise
from hlo.lowering.target import Target, target
from hlo.lowering.vector.contraction.emit import scheduled_contraction
from hlo.lowering.vector.contraction.function_text import byte_size
from hlo.lowering.vector.contraction.problem import count
from hlo.lowering.vector.contraction.schedule import ContractionSchedule
from hlo.lowering.vector.region.graph import Stage
from hlo.lowering.vector.region.nest import Nest
from hlo.lowering.vector.region.plan import Plan
from hlo.lowering.vector.region.schedule import scheduled_region
from hlo.lowering.vector.rows.chains import Kernels
from hlo.lowering.vector.rows.schedule import checked_stages, scheduled_rows
from hlo.lowering.vector.rows.stages import BlockProduct

COMPUTING = ("linalg.generic", "tensor.insert_slice")
"""Ops that count as fused; fills, slices and reshapes are ways to read."""
SILENT = ("linalg.yield", "arith.constant")
"""Of the body of a linalg.generic, what computes nothing."""


def kernel_remarks(module: ir.Module) -> list[Diagnostic]:
    """One remark for each kernel of a module after the phase `kernels`, in order, at the location of its last op."""
    calls = _calls(module)
    kernels = [op for op in module.body.operations if "hlo.kernel" in op.operation.attributes]
    with module.context:
        texts = [_remark(kernel, calls[name_of(kernel)], target()) for kernel in kernels]
    return [remark(kernel, text) for kernel, text in zip(kernels, texts)]


def _remark(kernel: Any, calls: int, target: Target) -> str:
    kind = ir.StringAttr(kernel.operation.attributes["hlo.kernel"]).value
    fused = [op.operation for block in kernel.regions[0] for op in block if op.operation.name in COMPUTING]
    ops = [location for op in fused for location in _program_ops(op)]
    lines = sorted({location.start_line for location in ops if location is not None})
    where = f" (line{'s' * (len(lines) > 1)} {', '.join(map(str, lines))})" if lines else ""
    count = f" of {len(ops)} op{'s' * (len(ops) != 1)}{where}" if ops else ""
    how_often = "called once" if calls == 1 else f"called {calls} times"
    details = DETAILS.get(kind, lambda *_: [])(kernel, target)
    return "; ".join([f"@{name_of(kernel)}: {kind}{count}, {how_often}", *details])


def _program_ops(op: ir.Operation) -> list[ir.Location | None]:
    """Where the ops of the program stand that an op computes: those of a chain are in one linalg.generic."""
    inner = op.regions[0].blocks[0].operations if is_elementwise(op) else []
    found = {str(one): one for o in inner if o.operation.name not in SILENT and (one := file_location(o.location))}
    return list(found.values()) or [file_location(op.location)]


def _contraction(kernel: Any, target: Target) -> list[str]:
    return [describe(scheduled_contraction(kernel, target))]


def _region(kernel: Any, target: Target) -> list[str]:
    return _nests(scheduled_region(kernel, target))


def _nests(nests: list[tuple[Nest, Plan]]) -> list[str]:
    return [_stage(nest.stage, plan, nest.accesses.cost) for nest, plan in nests]


def _stage(stage: Stage, plan: Plan, cost: int) -> str:
    shape = "x".join(str(d.size) for d in stage.dims) or "one element"
    if stage.levels:
        sweeps = f"rows of {shape} in cache, {len(stage.levels)} sweeps for reductions and one for results"
    else:
        reduced = "x".join(str(d.size) for d in stage.reduction)
        sweeps = f"loop over {shape}" + (f", {reduced} of it reduced" if reduced else "")
    return f"{sweeps}: {_lanes(stage, plan)}, {cost} instruction{'' if cost == 1 else 's'} an element, {_threads(plan)}"


def _lanes(stage: Stage, plan: Plan) -> str:
    if plan.lanes is None:
        return "scalars"
    text = f"vectors of {plan.width} along dimension {stage.dims.index(plan.lanes)}"
    if plan.interleaved:
        text += f", {prod(d.size for d in plan.interleaved)} interleaved"
    if plan.stepped is None or plan.steps == 1:
        return text
    if plan.stepped is plan.lanes:
        return f"{text}, {plan.steps} at a time"
    return f"{text}, tiles of {plan.steps} along dimension {stage.dims.index(plan.stepped)}"


def _threads(plan: Plan) -> str:
    return f"up to {plan.parts} parts for threads" if plan.parts > 1 else "1 thread"


def _rows(kernel: Any, target: Target) -> list[str]:
    schedule = scheduled_rows(kernel, Kernels(kernel.operation.block))
    shared = f"{schedule.threads} threads" if schedule.threads > 1 else "1 thread"
    told = [f"blocks of {schedule.rows.size} of {'x'.join(map(str, schedule.rows.extents))} rows, {shared}"]
    for stage in checked_stages(kernel, target):
        told += [describe(stage.plan)] if isinstance(stage, BlockProduct) else _nests(stage)
    return told


DETAILS: dict[str, Callable[[Any, Target], list[str]]] = {
    "contraction": _contraction,
    "region": _region,
    "rows": _rows,
}
"""By the kind of a kernel. Others are said to be there, no more."""


def _calls(module: ir.Module) -> Counter[str]:
    """How often each function is called; what a layer calls, as often as all calls of the layer together."""
    own = {name_of(f): _called(f) for f in module.body.operations if f.operation.name == "func.func"}
    found: Counter[str] = sum(own.values(), Counter())
    for function in module.body.operations:
        if "hlo.layer" in function.operation.attributes:
            times = found[name_of(function)] - 1
            found.update({name: times * count for name, count in own[name_of(function)].items()})
    return found


def _called(function: Any) -> Counter[str]:
    return Counter(call.callee.value for call in calls(function))


# Contractions

LANES = {"n": "vectors along n", "batch": "vectors along a batch dimension", "k": "vectors along k"}
PACKINGS = {
    "none": "read in place",
    "rows": "packed by rows",
    "lanes": "packed",
    "words": "packed, transposed in registers",
    "gather": "packed from a table of offsets",
    "columns": "packed by columns",
}


def describe(plan: ContractionSchedule) -> str:
    """One phrase: the matmul, the tile, what is packed, blocks, threads."""
    p = plan.problem
    sizes = " x ".join(str(count(d)) for d in (p.batch, p.m, p.n, p.k) if d)
    parts = [f"contraction {sizes} of {p.a_type} and {p.b_type} to {p.c_type}: {LANES[plan.vectorize]}"]
    if plan.vectorize != "k":
        parts.append(f"{plan.unroll_m} x {plan.width} tiles")
        parts += [f"{name} {PACKINGS[way]}" for name, way in (("A", plan.pack_a), ("B", plan.pack_b))]
    elif plan.pack_b != "none":
        parts.append(f"{plan.unroll_m} x {plan.unroll_n} tiles, B {PACKINGS[plan.pack_b]}")
    if plan.dot_product > 1:
        parts.append(f"{'tile registers: ' * plan.multiplies_tiles}dot products of {plan.dot_product}")
    if plan.block_k:
        size = plan.block_k * plan.width * byte_size(plan.packed_type(p.b_type))
        panel = f"sums cut every {plan.block_k} (a panel of B: {size >> 10} KiB)"
        parts.append(f"{plan.block_k} rows of B at a time" if plan.pack_b == "none" else panel)
        parts += ["outside all other loops"] * plan.k_outside
    for name, block, element in (("rows", plan.block_m, p.a_type), ("columns", plan.block_n, p.b_type)):
        if block:
            depth = plan.block_k or (p.k[-1].size if p.k else 1)
            size = block * depth * byte_size(plan.packed_type(element))
            parts.append(f"blocks of {block} {name} ({size >> 10} KiB)")
    parts.append(f"{plan.parallel} divided among {plan.threads} parts for threads" if plan.threads > 1 else "1 thread")
    return ", ".join(parts)
