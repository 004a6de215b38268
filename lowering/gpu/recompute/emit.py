"""Kernels of kind "recomputed": one launch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from hlo.lowering.gpu.attention.plan import most_registers
from hlo.lowering.gpu.contraction.problem import problem_of
from hlo.lowering.gpu.device_functions import one_launch
from hlo.lowering.gpu.element import Values
from hlo.lowering.gpu.recompute.kernel import Kernel
from hlo.lowering.gpu.recompute.pair import pair_of
from hlo.lowering.gpu.recompute.plan import Plan
from hlo.lowering.gpu.recompute.recognise import Recomputed, recomputed_of

LAST = "hlo.recomputes"
"""Marks the op of a kernel that the others are computed again for."""


def recomputed_code(kernel: Any, name: str, arch: str) -> ir.Module:
    """A module with the function `name` on memrefs (arguments, then the result), which launches the gpu.func in the module's
    gpu.module @gpu. `arch`: any one has the instructions."""
    plan = Plan.of(_recomputed(kernel))

    def body(values: Values, results: Sequence[ir.Value], maps: Sequence[ir.Value]) -> None:
        Kernel(plan, values).emit(results)

    return one_launch(kernel, name, plan, body, registers=most_registers(plan.grid))


def _recomputed(kernel: Any) -> Recomputed:
    *ops, end = (op.operation for op in kernel.regions[0].blocks[0].operations)
    ends = [op for op in ops if LAST in op.attributes]
    factors = [op.results[0] for op in ops if op not in ends and problem_of(op) is not None]
    if len(ends) == 1:
        return recomputed_of(ends[0], factors, ())
    one, other = ends
    found = pair_of([one, other], factors, ())
    return found if found.root == end.operands[0] else pair_of([other, one], factors, ())
