"""What a kernel makes of elements that are computed again: sums of them times a right input, up to the result in memory.

An f32 that may not be rounded is a sum of three bf16, which hold it exactly: its first 8 bits, the next 8, the last 8. Products of
bf16 are exact in f32, so the sum of three products is what one of f32 by bf16 gives, but for the rounding of sums."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from mlir import ir
from mlir.dialects import arith, math

from hlo.lowering.gpu.attention.evaluate import Evaluator
from hlo.lowering.gpu.attention.expressions import Node, is_apply
from hlo.lowering.gpu.attention.mma_kernel import HALVES, rounded_pair
from hlo.lowering.gpu.attention.online_softmax import f32
from hlo.lowering.gpu.attention.outputs import Finish
from hlo.lowering.gpu.attention.plan import DEPTH, STAGES
from hlo.lowering.gpu.attention.steps import Places
from hlo.lowering.gpu.contraction.block import Block
from hlo.lowering.gpu.contraction.shared_tiles import SharedTile
from hlo.lowering.gpu.contraction.tensor_cores import Instruction, N, add_products, right_fragment
from hlo.lowering.gpu.control_flow import index_constant
from hlo.lowering.gpu.element import Values
from hlo.lowering.gpu.recompute.plan import RecomputedPlan

FIRST_BITS = -(1 << 16)
"""Of an f32: those that a bf16 has."""


def terms_of(values: Sequence[ir.Value], count: int) -> list[list[ir.Value]]:
    """By value, the last term first: small products are added first. One term is the value, to be rounded."""
    return list(zip(*(_split(v) for v in values)))[::-1] if count == 3 else [list(values)]  # type: ignore[return-value]


def _split(value: ir.Value) -> tuple[ir.Value, ir.Value, ir.Value]:
    first = _first(value)
    is_infinite = arith.cmpf(arith.CmpFPredicate.OEQ, math.absf(value), f32(float("inf")))
    rest = arith.select(is_infinite, f32(0.0), arith.subf(value, first))
    second = _first(rest)
    return first, second, arith.subf(rest, second)


def _first(value: ir.Value) -> ir.Value:
    i32 = ir.IntegerType.get_signless(32)
    bits = arith.andi(arith.bitcast(i32, value), arith.constant(i32, FIRST_BITS))
    return arith.bitcast(value.type, bits)


class End:
    """One contraction of a kernel. `number`: in the plan."""

    def __init__(self, plan: RecomputedPlan, number: int, values: Values, memory: ir.Value):
        self.plan, self.memory = plan.ends[number], memory
        self.end = self.plan.attention
        self.block = Block(self.end.values, plan.tiles, (plan.cut.queries, self.plan.width), values)
        places = Places(self.end.values, self.end.parts, plan.cut.queries, plan.cut.keys)
        self.batch = places.along(self.end.values.batch, self.block.batch)
        side, place, self.is_shared = plan.inputs.ends[number]
        self.right = SharedTile(side, self.block, memory, STAGES, place)

    @property
    def expression(self) -> Node:
        """Of an element: the fragment is rounded."""
        whole = self.end.expression
        return whole.operands[0] if is_apply(whole, "arith.truncf") else whole

    @property
    def count(self) -> int:
        """Of sums of a thread: a fragment of the result."""
        return self.plan.width // N * 4

    def copy(self, stage: ir.Value, first: ir.Value) -> None:
        """Starts to copy the right input, if no factor has it."""
        if not self.is_shared:
            self.right.copy(stage, first, self.plan.threads)

    def add(
        self, lane: ir.Value, stage: ir.Value, elements: Sequence[ir.Value], sums: Sequence[ir.Value]
    ) -> list[ir.Value]:
        """The sums of elements times the right input so far."""
        name, found = self.end.kind, list(sums)
        instruction, kind = Instruction(name, name, "f32", DEPTH), ir.Type.parse(name)
        for part in range(self.plan.cut.keys // DEPTH):
            eight = list(elements[8 * part : 8 * part + 8])
            terms = terms_of(eight, self.end.terms)
            lefts = [[rounded_pair(kind, *one[2 * n : 2 * n + 2]) for n in range(4)] for one in terms]
            right = partial(right_fragment, self.right, stage, lane, part=part)
            add_products(instruction, [lefts], right, -(-self.end.values.n // N), found)
        return found

    def finish(
        self, lane: ir.Value, corner: ir.Value, sums: Sequence[ir.Value], evaluator: Evaluator, result: ir.Value
    ) -> None:
        """Through shared memory, which all warps have read, to the result."""
        ir.Operation.create("gpu.barrier")
        places = [(half, column) for column in range(0, self.plan.width, N) for half in HALVES]
        self.plan.result.write(self.memory, lane, (corner, index_constant(0)), places, sums)
        ir.Operation.create("gpu.barrier")
        Finish(self.plan, self.block, self.batch, evaluator, result).emit(self.memory)  # type: ignore[arg-type]
