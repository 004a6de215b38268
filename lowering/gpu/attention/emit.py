"""Kernels of the kinds "attention" and "recomputed": each is one launch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from mlir import ir

from hlo.lowering.gpu.attention.mma_kernel import Kernel
from hlo.lowering.gpu.attention.plan import Plan
from hlo.lowering.gpu.attention.recognise import Attention, attention_of
from hlo.lowering.gpu.attention.thread_kernel import ThreadKernel, ThreadPlan
from hlo.lowering.gpu.attention.warpgroups.kernel import WarpgroupKernel
from hlo.lowering.gpu.attention.warpgroups.plan import NotByWarpgroupsError, WarpgroupPlan
from hlo.lowering.gpu.contraction.problem import problem_of
from hlo.lowering.gpu.device_functions import one_launch
from hlo.lowering.gpu.element import Values
from hlo.lowering.gpu.recompute.kernel import RecomputedKernel
from hlo.lowering.gpu.recompute.plan import RecomputedPlan
from hlo.lowering.gpu.recompute.recognise import Recomputed, recomputed_of


def attention_code(kernel: Any, name: str, arch: str) -> ir.Module:
    """A module with the function `name` on memrefs (arguments, then the result), which launches the gpu.func in the module's
    gpu.module @gpu. `arch`: what it is to run on."""
    plan = _plan(_attention(kernel), arch)
    return one_launch(kernel, name, plan, partial(_emit, plan))


def _plan(found: Attention, arch: str) -> Plan | WarpgroupPlan:
    """By warpgroups where the architecture has them, and they can do it."""
    if found.is_exact:
        return ThreadPlan.of(found)
    if arch != "sm_90a":
        return Plan.of(found)
    try:
        return WarpgroupPlan.of(found)
    except NotByWarpgroupsError as error:
        return replace(Plan.of(found), reason=str(error))


def is_as_quick(kernel: Any, other: Any, arch: str) -> bool:
    """Whether a kernel is written in the same way as another one."""
    return type(_plan(_attention(kernel), arch)) is type(_plan(_attention(other), arch))


def _emit(plan: Plan | WarpgroupPlan, values: Values, results: Sequence[ir.Value], maps: Sequence[ir.Value]) -> None:
    result, *statistics = results
    values = {**values, **dict(zip([one.value for one in plan.attention.statistics], statistics, strict=True))}
    if isinstance(plan, WarpgroupPlan):
        WarpgroupKernel(plan, values, maps).emit(result)
    elif isinstance(plan, ThreadPlan):
        ThreadKernel(plan, values).emit(result)
    else:
        Kernel(plan, values).emit(result)


def _attention(kernel: Any) -> Attention:
    *ops, end = kernel.regions[0].blocks[0].operations
    _, *wanted = end.operands
    for op in ops:
        found = attention_of(op.operation, is_alone=False)
        if found is not None:
            by_value = {one.value: one for one in found.statistics}
            return replace(found, statistics=tuple(by_value[v] for v in wanted))
    raise AssertionError("a kernel of kind attention is one")


LAST = "hlo.recomputes"
"""Marks the op of a kernel that the others are computed again for."""


def recomputed_code(kernel: Any, name: str, arch: str) -> ir.Module:
    """A module with the function `name` on memrefs (arguments, then the result), which launches the gpu.func in the module's
    gpu.module @gpu. `arch`: any one has the instructions."""
    plan = RecomputedPlan.of(_recomputed(kernel))

    def body(values: Values, results: Sequence[ir.Value], maps: Sequence[ir.Value]) -> None:
        RecomputedKernel(plan, values).emit(results[0])

    return one_launch(kernel, name, plan, body)


def _recomputed(kernel: Any) -> Recomputed:
    ops = [op.operation for op in kernel.regions[0].blocks[0].operations]
    (last,) = (op for op in ops if LAST in op.attributes)
    factors = [op.results[0] for op in ops if op != last and problem_of(op) is not None]
    return recomputed_of(last, factors, ())
