"""A multistage pipeline of boxes that TMA brings to shared memory: a stage has an mbarrier that ends a phase when its boxes are there,
and one that does when all consumers have told that they have read them.

Steps are counted through all tiles of a block, by indices, or by numbers of 32 bits where threads keep many of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import arith

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.gpu.contraction.box_operands import BoxOperand
from hlo.lowering.gpu.device_functions import starts_of
from hlo.lowering.gpu.grid import Values
from hlo.lowering.gpu.hopper_ops import Barriers, descriptor_of
from hlo.lowering.gpu.tensor_maps import STARTS, Source
from hlo.lowering.gpu.threads import where
from hlo.lowering.linalg.loops import add, index, mul

At = Callable[[Source], ir.Value]
"""Where the first box of an input begins, by what its coordinates count."""


@dataclass(frozen=True)
class Input:
    """`descriptor`: of its tensor map; `starts`: of the input in the array that it is a part of."""

    operand: BoxOperand
    descriptor: ir.Value
    starts: Sequence[ir.Value] = ()


def inputs_of(operands: Sequence[tuple[ir.Value, BoxOperand]], maps: Sequence[ir.Value], values: Values) -> list[Input]:
    """Of tensors in boxes. `maps`: their tensor maps, as the gpu.func has them; `values`: memory, by tensor."""
    both = zip(operands, maps, strict=True)
    return [Input(one, descriptor_of(pointer, one.box), starts_of(value, values)) for (value, one), pointer in both]


@dataclass(frozen=True)
class BoxRing:
    """`inputs`: behind each other in a stage; `first`: the number of the first barrier; `offset`: of the first stage in shared memory, in
    bytes."""

    inputs: Sequence[Input]
    stages: int
    barriers: Barriers
    first: int
    memory: ir.Value
    offset: int = 0

    @property
    def stage_bytes(self) -> int:
        return sum(one.operand.bytes for one in self.inputs)

    def prepare(self, consumers: int) -> None:
        for stage in range(self.stages):
            self.barriers.init(index(self.first + stage), 1)
            self.barriers.init(index(self.first + self.stages + stage), consumers)

    def begin(self, stage: ir.Value, number: int = 0) -> ir.Value:
        """Where the so many-th input of a stage begins, in bytes."""
        before = self.offset + sum(one.operand.bytes for one in self.inputs[:number])
        return add(mul(stage, self.stage_bytes), before)

    def fill(self, step: ir.Value, coordinates: Sequence[At]) -> None:
        """Waits until the stage of a step is empty and starts to copy. `coordinates`: by input."""
        stage, parity = self._stage(step)
        # before the first iteration every stage is empty: waiting for the phase before the first returns at once
        self.barriers.wait(self._empty(stage), arith.xori(parity, arith.constant(parity.type, True)))
        full = self._full(stage)
        self.barriers.expect(full, sum(one.operand.loaded_bytes for one in self.inputs))
        for number, (one, at) in enumerate(zip(self.inputs, coordinates)):
            one.operand.load(
                one.descriptor, self.barriers, full, self.memory, self.begin(stage, number), _with_starts(one, at)
            )

    def wait(self, step: ir.Value) -> ir.Value:
        """Until its boxes are there; the stage."""
        stage, parity = self._stage(step)
        self.barriers.wait(self._full(stage), parity)
        return stage

    def release(self, step: ir.Value, is_first: ir.Value) -> None:
        """The consumer has read it: one of its threads says so."""
        with where(is_first):
            self.barriers.arrive(self._empty(self._stage(step)[0]))

    def _stage(self, step: ir.Value) -> tuple[ir.Value, ir.Value]:
        """The stage that a step is in, and the parity of the stage's phase."""
        if self.stages == 1:
            return index(0), is_odd(step)
        stages = arith.constant(step.type, self.stages)
        return widened(arith.remui(step, stages)), is_odd(arith.divui(step, stages))

    def _full(self, stage: ir.Value) -> ir.Value:
        return add(stage, self.first)

    def _empty(self, stage: ir.Value) -> ir.Value:
        return add(stage, self.first + self.stages)


def _with_starts(one: Input, at: At) -> At:
    return lambda source: one.starts[source[1]] if isinstance(source, tuple) and source[0] == STARTS else at(source)


def widened(number: ir.Value) -> ir.Value:
    """As an index."""
    return number if isinstance(number.type, ir.IndexType) else arith.index_castui(ir.IndexType.get(), number)


def is_odd(number: ir.Value) -> ir.Value:
    one, zero = (arith.constant(number.type, n) for n in (1, 0))
    return arith.cmpi(arith.CmpIPredicate.ne, arith.andi(number, one), zero)
