"""What a kernel makes of elements that are computed again: sums of them times a right input, up to the result in memory."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from hlo.lowering.gpu.attention.evaluate import Evaluator
from hlo.lowering.gpu.attention.expressions import Node, is_apply
from hlo.lowering.gpu.attention.finish import Finish
from hlo.lowering.gpu.attention.kernel import HALVES
from hlo.lowering.gpu.attention.places import Places
from hlo.lowering.gpu.attention.plan import DEPTH, STAGES
from hlo.lowering.gpu.contraction.block import Block
from hlo.lowering.gpu.contraction.shared_tiles import SharedTile
from hlo.lowering.gpu.contraction.tensor_cores import Instruction, N, fragment
from hlo.lowering.gpu.element import Values, index_constant
from hlo.lowering.gpu.recompute.plan import Plan
from hlo.lowering.gpu.recompute.terms import rounded, terms_of


class End:
    """One contraction of a kernel. `number`: in the plan."""

    def __init__(self, plan: Plan, number: int, values: Values, memory: ir.Value):
        self.plan, self.memory = plan.ends[number], memory
        self.end = self.plan.attention
        self.block = Block(self.end.values, plan.tiles, (plan.cut.queries, self.plan.width), values)
        self.places = Places(self.end.values, self.end.parts, self.block, plan.cut.queries, plan.cut.keys)
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
            lefts = [[rounded(kind, *one[2 * n : 2 * n + 2]) for n in range(4)] for one in terms]
            for pair in range(0, -(-self.end.values.n // N), 2):
                right = self._fragment(lane, stage, pair * N, part)
                for half in range(2):
                    at = slice(4 * (pair + half), 4 * (pair + half) + 4)
                    for left in lefts:
                        found[at] = instruction.emit(left, right[2 * half : 2 * half + 2], found[at])
        return found

    def _fragment(self, lane: ir.Value, stage: ir.Value, first: int, part: int) -> list[ir.Value]:
        tile = self.right
        return fragment(tile, stage, lane, index_constant(0), first, part, tile.side.is_along_depth)

    def finish(
        self, lane: ir.Value, corner: ir.Value, sums: Sequence[ir.Value], evaluator: Evaluator, result: ir.Value
    ) -> None:
        """Through shared memory, which all warps have read, to the result."""
        ir.Operation.create("gpu.barrier")
        places = [(half, column) for column in range(0, self.plan.width, N) for half in HALVES]
        self.plan.result.write(self.memory, lane, (corner, index_constant(0)), places, sums)
        ir.Operation.create("gpu.barrier")
        Finish(self.plan, self.block, self.places.batch, evaluator, result).emit(self.memory)  # type: ignore[arg-type]
