"""Which linalg ops become kernels of contractions: on a CPU those that have a plan, on a GPU those that have rows, columns and k."""

from __future__ import annotations

from mlir import ir

from hlo.lowering.linalg.structured import maps_of
from hlo.lowering.vector.contraction.emit import contraction_plan, starts_from_zero
from hlo.lowering.vector.target import Target


def is_contraction(op: ir.Operation, target: Target) -> bool:
    """Whether the target's code for contractions takes an op on tensors."""
    if target.is_gpu:
        from hlo.lowering.gpu.contraction.problem import problem_of  # programs for a CPU do without

        return problem_of(op) is not None and starts_from_zero(op.operands[2])
    return contraction_plan(op, target) is not None


def reads_contiguously(op: ir.Operation, number: int) -> bool:
    """Whether an operand's elements are adjacent along one of the contraction's loops, which is how a GPU copies tiles."""
    from hlo.lowering.gpu.contraction.problem import innermost, problem_of

    return problem_of(op) is not None and innermost(maps_of(op)[number]) is not None
