"""Attention of f32 that the program allows to be rounded to tf32 (an `algorithm` of both products): mma.sync on 8 elements of the
depth.

A lane has neighbouring keys 2t, 2t + 1 of the scores, and needs t and t + 4 of the weights (PTX ISA, "Matrix Fragments for
mma.m16n8k8"). The order of a sum is free: its keys 2t and 2t + 1 are taken as t and t + 4, of the values too."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, vector

from hlo.lowering.gpu.attention.kernel import Kernel
from hlo.lowering.gpu.attention.plan import MOST_REGISTERS, Cut, Plan
from hlo.lowering.gpu.attention.recognise import Attention
from hlo.lowering.gpu.contraction.shared_tiles import Side, side_of
from hlo.lowering.gpu.contraction.simt import TURNED
from hlo.lowering.gpu.contraction.tensor_cores import ENOUGH_BLOCKS, N
from hlo.lowering.gpu.element import aligned, index_constant

CUTS = {32: (Cut(4, 1, 64), Cut(4, 1, 32)), 64: (Cut(8, 1, 64), Cut(4, 1, 32)), 128: (Cut(4, 1, 32),)}
"""By elements of a head, at most so many: what registers and 99 KiB of shared memory hold, largest first."""


class RoundedPlan(Plan):
    """Values lie in shared memory as they do in memory: who reads them takes single elements."""

    @staticmethod
    def of(attention: Attention) -> RoundedPlan:
        p = attention.scores
        cuts = next(found for most, found in CUTS.items() if max(p.k, attention.values.n) <= most)
        enough = (cut for cut in cuts if p.batches * -(-p.m // cut.queries) >= ENOUGH_BLOCKS)
        return RoundedPlan(attention, next(enough, cuts[-1]))

    @property
    def unit(self) -> str:
        return "mma.sync on tf32"

    @property
    def registers(self) -> int:
        """All: what a block leaves of shared memory is not enough for many others."""
        return MOST_REGISTERS

    @property
    def v(self) -> Side:
        p = self.attention.values
        return side_of(p, p.right, self.width, self.cut.keys, TURNED)


class RoundedKernel(Kernel):
    """The code of a block of threads."""

    def _left(self, weights: Sequence[ir.Value], number: int) -> list[ir.Value]:
        """The weights' fragment is one of scores: rows and rows + 8 of the first key, then of the second."""
        return [_single(weights[4 * number + place]) for place in (0, 2, 1, 3)]

    def _right(self, stage: ir.Value, first: int, part: int) -> list[ir.Value]:
        """For two instructions, eight columns each: two neighbouring keys of the lane's column."""
        column = arith.divui(self.lane, index_constant(4))
        pair = arith.muli(arith.remui(self.lane, index_constant(4)), index_constant(2))
        key = arith.addi(pair, index_constant(part * self.plan.depth))
        columns = [arith.addi(column, index_constant(first + half * N)) for half in range(2)]
        if self.v.side.is_along_depth:
            read = [self._read(stage, one, key, 2) for one in columns]
            return [_single(vector.extract(both, [], [n])) for both in read for n in range(2)]
        keys = [key, arith.addi(key, index_constant(1))]
        return [self._read(stage, one, column, 1) for column in columns for one in keys]

    def _read(self, stage: ir.Value, row: ir.Value, first: ir.Value, count: int) -> ir.Value:
        """Neighbours in a row of shared memory."""
        chunk = index_constant(self.v.side.chunk)
        place = arith.addi(self.v.swizzled(row, arith.divui(first, chunk)), arith.remui(first, chunk))
        kind = ir.VectorType.get([count], ir.F32Type.get())
        return aligned(vector.LoadOp(kind, self.v.memory, [stage, row, place]), kind).results[0]


def _single(value: ir.Value) -> ir.Value:
    return vector.from_elements(ir.VectorType.get([1], value.type), [value])
