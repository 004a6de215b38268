"""The pass `widen-operands`: small floats that a contraction reads where they are, again and again, become f32 once, in front of it.

Before:  %c = linalg.generic {C += ext(A) * ext(B)} ins(%a, %b : tensor<8x30x30x64xf16>, ...)
After:   %w = linalg.generic {ext} ins(%a)     %c = linalg.generic {C += A * ext(B)} ins(%w, %b : tensor<8x30x30x64xf32>, ...)

A number that all lanes multiply takes one instruction to load if it is an f32, which the multiplication does itself; of f16 it takes three
more. Panels that are packed have f32 already, and pairs of bf16 are multiplied as they are."""

from __future__ import annotations

from math import prod

from mlir import ir
from mlir.dialects import arith

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.kernels.read_transposed import reductions
from hlo.lowering.linalg.structured import elementwise, plain_sizes
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.target import target
from hlo.lowering.vector.contraction.choice import is_contraction
from hlo.lowering.vector.contraction.emit import contraction_plan
from hlo.lowering.vector.contraction.problem import ceildiv
from hlo.lowering.vector.contraction.schedule import ContractionSchedule

SMALL = ("f16", "bf16")
LEAST_READS, OF_VECTORS = 4, 8
"""How often each element has to be read for a copy of it in f32: as a number that all lanes multiply, or in a vector, which one instruction
more converts."""


@register_pass
@dataclass(frozen=True)
class WidenOperands(Pass):
    """Converts small floats that contractions would convert many times."""

    target: str = "host"

    def run(self, module: ir.Module) -> None:
        processor, known = target(self.target), dict[tuple[ir.Block, ir.Value], ir.Value]()
        for op in reductions(module):
            if len(op.operands) != 3 or not _has_small_inputs(op) or not is_contraction(op, processor):
                continue
            plan = contraction_plan(op, processor)
            for number in _read_often(op, plan) if plan is not None else ():
                _widen(op, number, known)


def _has_small_inputs(op: ir.Operation) -> bool:
    return any(str(ir.RankedTensorType(v.type).element_type) in SMALL for v in list(op.operands)[:2])


def _read_often(op: ir.Operation, plan: ContractionSchedule) -> list[int]:
    """The operands of small floats that are read in place, of each element many times."""
    p = plan.problem
    if plan.vectorize == "k" or plan.dot_product != 1 or p.c_type != "f32":
        return []
    (m, n, _), iterations = plan.inner_dims(plan.walked), prod(size or 1 for size in plain_sizes(op))
    of_a = iterations // n.size * (n.size if plan.vectorize == "batch" else ceildiv(n.size, plan.width))
    of_b = iterations // m.size * ceildiv(m.size, plan.unroll_m)
    least_of_a = OF_VECTORS if plan.vectorize == "batch" else LEAST_READS
    operands = (
        (p.a_type, plan.pack_a, of_a, least_of_a, int(p.swapped)),
        (p.b_type, plan.pack_b, of_b, OF_VECTORS, int(not p.swapped)),
    )
    return [
        number
        for kind, packing, reads, least, number in operands
        if kind in SMALL and packing == "none" and reads >= least * _elements(op, number)
    ]


def _elements(op: ir.Operation, number: int) -> int:
    return prod(ir.RankedTensorType(op.operands[number].type).shape)


def _widen(op: ir.Operation, number: int, known: dict[tuple[ir.Block, ir.Value], ir.Value]) -> None:
    """Gives a contraction an operand in f32. `known`: by block, the operands that have been widened there."""
    value, block = op.operands[number], op.regions[0].blocks[0]
    place = (op.block, value)
    if place not in known:
        wide = ir.F32Type.get()
        with op.location, ir.InsertionPoint(op):
            kind = ir.RankedTensorType.get(ir.RankedTensorType(value.type).shape, wide)
            known[place] = elementwise([value], kind, lambda x: arith.extf(wide, x))
    argument = block.arguments[number]
    (extension,) = [use.owner.operation for use in argument.uses]
    argument.set_type(ir.F32Type.get())
    extension.results[0].replace_all_uses_with(argument)
    extension.erase()
    op.operands[number] = known[place]
