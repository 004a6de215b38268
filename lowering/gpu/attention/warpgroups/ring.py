"""Boxes on their way to those that multiply them: stages of shared memory, filled by TMA in turns.

Each stage has two mbarriers: "full" ends a phase when all bytes of a box are there, "empty" when every consumer has read them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, memref, scf

from hlo.lowering.gpu.attention.warpgroups.boxes import ELEMENTS, Boxes
from hlo.lowering.gpu.attention.warpgroups.counts import count, is_odd, widened
from hlo.lowering.gpu.element import index_constant
from hlo.lowering.gpu.hopper_ops import WORKGROUP, Barriers, load_box
from hlo.lowering.gpu.tensor_maps import STARTS


@dataclass(frozen=True)
class Ring:
    """`first`: the number of its first barrier; `offset`: of the first stage in shared memory, in bytes; `starts`: of the input in the
    array that it is a part of."""

    boxes: Boxes
    stages: int
    barriers: Barriers
    first: int
    memory: ir.Value
    offset: int
    starts: Sequence[ir.Value] = ()

    def prepare(self, consumers: int) -> None:
        for stage in range(self.stages):
            self.barriers.init(index_constant(self.first + stage), 1)
            self.barriers.init(index_constant(self.first + self.stages + stage), consumers)

    def place(self, number: ir.Value) -> tuple[ir.Value, ir.Value]:
        """The stage that something is in, by its number in the order of loads, and the parity of the stage's turn."""
        if self.stages == 1:
            return index_constant(0), is_odd(number)
        stages = count(self.stages)
        return widened(arith.remui(number, stages)), is_odd(arith.divui(number, stages))

    def fill(self, number: ir.Value, descriptor: ir.Value, place: Callable[[str | int], ir.Value]) -> None:
        """Waits until the stage is empty and starts to copy. `place`: where in the input the first box begins, by the part of the
        contraction."""
        stage, turn = self.place(number)
        # before the first turn every stage is empty: waiting for the phase before the first returns at once
        self.barriers.wait(self._empty(stage), arith.xori(turn, arith.constant(turn.type, True)))
        full = arith.addi(stage, index_constant(self.first))
        self.barriers.expect(full, self.boxes.bytes)
        box, start = self.boxes.box, self.begin(stage)
        kind = ir.Type.parse(f"memref<{'x'.join(map(str, reversed(box.box)))}x{box.stored}, {WORKGROUP}>")
        for one in range(self.boxes.count):
            view = memref.view(kind, self.memory, arith.addi(start, index_constant(one * box.bytes)), [])
            load_box(descriptor, self._coordinates(one, place), self.barriers, full, view)

    def _coordinates(self, one: int, place: Callable[[str | int], ir.Value]) -> Sequence[ir.Value]:
        moved = "depth" if self.boxes.is_along_depth else "outer"
        further = index_constant(one * ELEMENTS)
        inside = [part for part in self.boxes.order if part != STARTS]
        return [*(arith.addi(place(p), further) if p == moved else place(p) for p in inside), *self.starts]

    def begin(self, stage: ir.Value) -> ir.Value:
        """Where a stage begins, in bytes."""
        return arith.addi(arith.muli(stage, index_constant(self.boxes.bytes)), index_constant(self.offset))

    def wait(self, number: ir.Value) -> ir.Value:
        """Until it is there; the stage."""
        stage, turn = self.place(number)
        self.barriers.wait(arith.addi(stage, index_constant(self.first)), turn)
        return stage

    def release(self, number: ir.Value, is_first: ir.Value) -> None:
        """The consumer has read it: one of its threads says so."""
        branch = scf.IfOp(is_first)
        with ir.InsertionPoint(branch.then_block):
            self.barriers.arrive(self._empty(self.place(number)[0]))
            scf.YieldOp([])

    def _empty(self, stage: ir.Value) -> ir.Value:
        return arith.addi(stage, index_constant(self.first + self.stages))
