"""Kernels of the kind "attention", forward and backward: each is one launch.

Which op of a kernel reads the scores, and how, is recorded when it is formed (`READS_SCORES`); the other contractions are its factors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mlir import ir

from hlo.lowering.gpu.attention.plan import NotByWarpgroupsError, TilePlan, WarpgroupPlan
from hlo.lowering.gpu.attention.recognise import Attention, attention_of, backward_of
from hlo.lowering.gpu.attention.tile_kernel import TileKernel
from hlo.lowering.gpu.attention.warpgroup_kernel import WarpgroupKernel
from hlo.lowering.gpu.contraction.problem import problem_of
from hlo.lowering.gpu.launches import Launch, Values, one_launch
from hlo.lowering.target import Target

READS_SCORES = "hlo.reads_scores"
"""Of the last op of a kernel: "softmax", or "elements" of any expression of the scores (in gradients)."""


def attention_code(kernel: Any, name: str, target: Target) -> ir.Module:
    """A module with the function `name` on memrefs (arguments, then the results), which launches the gpu.func in the module's
    gpu.module @gpu. `target`: what it is to run on."""
    plan = _plan(_attention(kernel), target)

    def emit(values: Values, results: Sequence[ir.Value], maps: Sequence[ir.Value]) -> None:
        result, *statistics = results
        values = {**values, **dict(zip([one.value for one in plan.attention.statistics], statistics, strict=True))}
        code = WarpgroupKernel(plan, values, maps) if isinstance(plan, WarpgroupPlan) else TileKernel(plan, values)
        code.emit(result)

    return one_launch(kernel, name, Launch(plan.grid, plan.decision, emit, maps=plan.maps, registers=plan.registers))


def _plan(found: Attention, target: Target) -> TilePlan | WarpgroupPlan:
    """By warpgroups where the target has them, and they can do it."""
    if not target.wgmma or found.softmax is None:
        return TilePlan.of(found, target)
    try:
        return WarpgroupPlan.of(found, target)
    except NotByWarpgroupsError as error:
        return TilePlan.of(found, target, str(error))


def is_as_quick(kernel: Any, other: Any, target: Target) -> bool:
    """Whether a kernel is written in the same way as another one."""
    return type(_plan(_attention(kernel), target)) is type(_plan(_attention(other), target))


def _attention(kernel: Any) -> Attention:
    """As it is recorded in the kernel."""
    *ops, end = [op.operation for op in kernel.regions[0].blocks[0].operations]
    (last,) = (op for op in ops if READS_SCORES in op.attributes)
    factors = [op.results[0] for op in ops if op != last and problem_of(op) is not None]
    if ir.StringAttr(last.attributes[READS_SCORES]).value != "softmax":
        return backward_of(last, factors, ())
    found = attention_of(last, factors)
    assert found is not None, "what the pass form-attention has found"
    by_value = {one.value: one for one in found.statistics}
    return replace(found, statistics=tuple(by_value[v] for v in list(end.operands)[1:]))
