"""Which linalg ops become kernels of contractions: on a CPU those that have a plan and are more than short sums, on a GPU those that have
rows, columns and k."""

from __future__ import annotations

from mlir import ir

from hlo.lowering.linalg.structured import maps_of, reduces
from hlo.lowering.target import Target
from hlo.lowering.vector.contraction.emit import contraction_plan, starts_from_zero
from hlo.lowering.vector.contraction.problem import count, match_contraction
from hlo.lowering.vector.contraction.schedule import vector_of


def is_contraction(op: ir.Operation, target: Target) -> bool:
    """Whether the target's code for contractions takes an op on tensors."""
    if target.is_gpu:
        from hlo.lowering.gpu.contraction.problem import problem_of  # programs for a CPU do without

        return problem_of(op) is not None and starts_from_zero(op.operands[2])
    return contraction_plan(op, target) is not None and not _is_short_sum(op, target)


def _is_short_sum(op: ir.Operation, target: Target) -> bool:
    """Whether short rows of a matrix meet one vector, or few that make results of their own: kernels of regions read
    such rows as they are, and need no packed copy. Windows that overlap along two loops, channel by channel, stay
    contractions, which load a weight once for many of them; small floats do, which are summed as f32 there alone."""
    problem = match_contraction(op)
    if problem is None or problem.c_type in ("f16", "bf16"):
        return False
    wide = problem if count(problem.n) >= count(problem.m) else problem.swap()
    few, terms = count(wide.m), count(wide.k)
    steps = {d.b for d in wide.k}
    if wide.batch and sum(d.b in steps for d in wide.n) > 1:
        return False
    apart = bool(wide.n) and wide.n[-1].c == 1 and wide.n[-1].b != 1
    return terms > 1 and few * terms <= vector_of(problem, target) and (few == 1 or apart)


def computes_what_is_read_once(op: ir.Operation) -> bool:
    """Whether one product has each element of an operand of complex numbers that is computed element by element, as a
    conjugate is: kernels of regions compute it where they read it, and no array of it is written."""
    problem = match_contraction(op)
    if problem is None or problem.parts == 1:
        return False
    uses = count(problem.n), count(problem.m)
    return any(number == 1 and is_computed(value) for number, value in zip(uses, op.operands))


def is_computed(value: ir.Value) -> bool:
    """Element by element, for one reader."""
    owner = value.owner
    return (
        not isinstance(owner, ir.Block)
        and owner.name == "linalg.generic"
        and not reduces(owner)
        and len(list(value.uses)) == 1
    )


def reads_contiguously(op: ir.Operation, number: int) -> bool:
    """Whether an operand's elements are adjacent along one of the contraction's loops, which is how a GPU copies tiles."""
    from hlo.lowering.gpu.contraction.problem import innermost, problem_of

    return problem_of(op) is not None and innermost(maps_of(op)[number]) is not None
