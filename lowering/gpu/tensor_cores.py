"""A tile multiplied by tensor cores: mma.sync m16n8k16 on bf16 or f16 with f32 sums (sm_80 and later).

Layout of the fragments, by lane: PTX ISA, "Matrix Fragments for mma.m16n8k16"."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, llvm, vector

from hlo.lowering.gpu.element import Element, index_constant

Start = Callable[[ir.Value, ir.Value], ir.Value]
Store = Callable[[ir.Value, ir.Value, ir.Value], None]

WARP = 32
M, N, K = 16, 8, 16
"""Of one instruction."""

SPACE = 8
"""Elements between rows in shared memory: with rows of 40 elements, the eight rows that a warp reads at once are in different banks."""


@dataclass(frozen=True)
class TensorCoreTile:
    """`m` x `n` results by `warps_m` x `warps_n` warps, `k` steps at a time. `kind`: "bf16" or "f16"."""

    m: int
    n: int
    warps_m: int
    warps_n: int
    kind: str
    k: int = 32

    @staticmethod
    def for_sizes(m: int, n: int, element: ir.Type) -> TensorCoreTile:
        """Larger tiles read less memory for each result; small problems need small ones, so that there are enough blocks."""
        kind = str(element)
        if m * n >= 1 << 20:
            return TensorCoreTile(128, 128, 2, 4, kind)
        return TensorCoreTile(64, 64, 2, 2, kind) if m * n >= 1 << 16 else TensorCoreTile(32, 32, 1, 2, kind)

    @property
    def threads(self) -> int:
        return self.warps_m * self.warps_n * WARP

    @property
    def row_stride(self) -> int:
        return self.k + SPACE

    @property
    def blocks(self) -> list[tuple[int, int]]:
        """Where in a warp's part of the tile each instruction's result is."""
        return [(i, j) for i in range(0, self.m // self.warps_m, M) for j in range(0, self.n // self.warps_n, N)]

    def _places(self, thread: ir.Value) -> tuple[ir.Value, ir.Value, ir.Value, ir.Value]:
        """The warp's first row and column; the lane's group (of four) and its number in it."""
        warp, lane = arith.divui(thread, index_constant(WARP)), arith.remui(thread, index_constant(WARP))
        across = index_constant(self.warps_n)
        row = arith.muli(arith.divui(warp, across), index_constant(self.m // self.warps_m))
        column = arith.muli(arith.remui(warp, across), index_constant(self.n // self.warps_n))
        return row, column, arith.divui(lane, index_constant(4)), arith.remui(lane, index_constant(4))

    def _results(self, thread: ir.Value) -> list[tuple[ir.Value, ir.Value]]:
        """Rows and columns of the lane's results: four for each instruction."""
        row, column, group, member = self._places(thread)
        top, first = arith.addi(row, group), arith.addi(column, arith.muli(member, index_constant(2)))
        return [
            (arith.addi(top, index_constant(i + half)), arith.addi(first, index_constant(j + side)))
            for i, j in self.blocks
            for half in (0, 8)
            for side in (0, 1)
        ]

    def start(self, load: Start, thread: ir.Value) -> list[ir.Value]:
        """The values that the sums begin with."""
        return [load(row, column) for row, column in self._results(thread)]

    def multiply(
        self, element: Element, left: ir.Value, right: ir.Value, thread: ir.Value, sums: list[ir.Value]
    ) -> list[ir.Value]:
        """Adds the product of both tiles in shared memory."""
        row, column, group, member = self._places(thread)
        top, side = arith.addi(row, group), arith.addi(column, group)
        pair = arith.muli(member, index_constant(2))
        sums = list(sums)
        for step in range(0, self.k, K):
            k = arith.addi(pair, index_constant(step))
            a = {i: self._fragment(left, top, k, ((i, 0), (i + 8, 0), (i, 8), (i + 8, 8))) for i, _ in self.blocks}
            b = {j: self._fragment(right, side, k, ((j, 0), (j, 8))) for _, j in self.blocks}
            for number, (i, j) in enumerate(self.blocks):
                sums[4 * number : 4 * number + 4] = self._mma(a[i], b[j], sums[4 * number : 4 * number + 4])
        return sums

    def _fragment(
        self, shared: ir.Value, row: ir.Value, k: ir.Value, places: tuple[tuple[int, int], ...]
    ) -> list[ir.Value]:
        """Two neighbours along k at each place, as one register."""
        found = []
        for down, along in places:
            indices = [arith.addi(row, index_constant(down)), arith.addi(k, index_constant(along))]
            kind = ir.VectorType.get([2], ir.MemRefType(shared.type).element_type)
            load = vector.LoadOp(kind, shared, indices)
            load.operation.attributes["alignment"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 4)
            found.append(self._register(load.result))
        return found

    def _register(self, pair: ir.Value) -> ir.Value:
        """mma.sync takes two bf16 as an i32, two f16 as a vector."""
        if self.kind == "f16":
            return pair
        i32 = ir.IntegerType.get_signless(32)
        return vector.extract(vector.bitcast(ir.VectorType.get([1], i32), pair), [], [0])

    def _mma(self, a: list[ir.Value], b: list[ir.Value], sums: list[ir.Value]) -> list[ir.Value]:
        f32 = ir.F32Type.get()
        result = ir.Type.parse("!llvm.struct<(f32, f32, f32, f32)>")
        attributes = {
            "shape": ir.Attribute.parse(f"#nvvm.shape<m = {M}, n = {N}, k = {K}>"),
            "layoutA": ir.Attribute.parse("#nvvm.mma_layout<row>"),
            "layoutB": ir.Attribute.parse("#nvvm.mma_layout<col>"),
            "multiplicandAPtxType": ir.Attribute.parse(f"#nvvm.mma_type<{self.kind}>"),
            "multiplicandBPtxType": ir.Attribute.parse(f"#nvvm.mma_type<{self.kind}>"),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([4, 2, 4]),
        }
        made = ir.Operation.create(
            "nvvm.mma.sync", results=[result], operands=[*a, *b, *sums], attributes=attributes
        ).results[0]
        return [llvm.extractvalue(f32, made, ir.DenseI64ArrayAttr.get([n])) for n in range(4)]

    def finish(self, sums: list[ir.Value], thread: ir.Value, store: Store) -> None:
        for (row, column), value in zip(self._results(thread), sums, strict=True):
            store(row, column, value)


def fits_tensor_cores(op: ir.Operation) -> bool:
    """Both inputs bf16 or both f16, and the sum in f32."""
    kinds = [str(ir.MemRefType(v.type).element_type) for v in op.operands]
    return kinds[0] == kinds[1] and kinds[0] in ("bf16", "f16") and kinds[2] == "f32"
