"""A consumer: 64 queries of a tile, scores by wgmma, their softmax in registers, weights from registers times values.

    scores 0; softmax
    for each further step: start its scores; start sums += weights x values of the step before; wait for the scores; softmax;
                           wait for the sums; scale them
    sums += weights x values of the last step

A thread has two rows, at a distance of eight, and of each eight columns two neighbours (PTX ISA, "Register Fragments", matrix D)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from mlir import ir
from mlir.dialects import arith, llvm, nvvm

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.gpu.attention.combiners import Row, add_scores, flat, scaled, unflat
from hlo.lowering.gpu.attention.plan import BYTES, INSTRUCTION_K
from hlo.lowering.gpu.attention.thread_rows import ThreadRows, rounded_pairs
from hlo.lowering.gpu.contraction.block import FRAGMENT_ROWS, fragment_position
from hlo.lowering.gpu.contraction.box_operands import ROWS
from hlo.lowering.gpu.contraction.problem import MatrixTypes
from hlo.lowering.gpu.contraction.tensor_cores import word_of
from hlo.lowering.gpu.evaluate import Evaluator, f32
from hlo.lowering.gpu.hopper import Multiplier, start_products, wait_for_products, widened
from hlo.lowering.gpu.threads import equals, fields, structure
from hlo.lowering.linalg.loops import add, for_loop, if_else, index, mul, sub
from hlo.lowering.numbers import i32

if TYPE_CHECKING:
    from hlo.lowering.gpu.attention.warpgroup_kernel import Tile, WarpgroupKernel


@dataclass(frozen=True)
class State:
    """Between two steps: a thread's rows, the weights of the step before as inputs, the sums without it."""

    rows: list[Row]
    weights: list[ir.Value]
    sums: list[ir.Value]

    @property
    def flat(self) -> list[ir.Value]:
        """What loops carry."""
        return [*flat(self.rows), *self.weights, *self.sums]

    def unflat(self, values: Sequence[ir.Value]) -> State:
        """Of the same sizes."""
        rows, others = unflat(values, len(self.rows))
        return State(rows, others[: len(self.weights)], others[len(self.weights) :])


class Consumer(Multiplier):
    """`result`: the memory that is written."""

    def __init__(self, kernel: WarpgroupKernel, result: ir.Value):
        super().__init__(kernel)
        self.kernel, self.plan, self.result = kernel, kernel.plan, result
        row, self.column = fragment_position(self.lane)
        self.row = add(mul(self.number, ROWS), add(mul(self.warp, ROWS // 4), row))
        self.kind = str(self.plan.scores.element_type(self.plan.scores.right))

    def emit(self, tile: Tile) -> ir.Value:
        """The code of a tile; how many steps it takes."""
        kernel, plan = self.kernel, self.plan
        batch = kernel.coordinates.along(plan.values.batch, tile.batch)
        numbers = [add(tile.row, add(self.row, half)) for half in FRAGMENT_ROWS]
        self.rows = ThreadRows(
            plan.attention, kernel.coordinates, Evaluator(kernel.values), batch, numbers, self.column
        )
        self.rows.prepare()
        kernel.q.wait(tile.iteration)
        state, taken = self._steps(tile, self._begin(tile))
        kernel.q.release(tile.iteration, kernel.is_first)
        sums = self._end(tile, taken, state)
        inverses = (row.inverse() for row in state.rows)  # all lanes take part
        self.rows.write(self.result, sums, inverses)
        self.rows.write_statistics(state.rows, equals(self.column, 0))
        return taken

    # Steps

    def _begin(self, tile: Tile) -> State:
        """The first one."""
        stage = self.kernel.k.wait(tile.done)
        scores = self._start_scores(stage)
        wait_for_products(0)
        self.kernel.k.release(tile.done, self.kernel.is_first)
        rows, _, weights = self._softmax([Row.start()] * len(FRAGMENT_ROWS), scores, i32(0))
        return State(rows, self._inputs(weights), [f32(0.0)] * (self.plan.width // 2))

    def _steps(self, tile: Tile, state: State) -> tuple[State, ir.Value]:
        """Those whose keys the tile sees; then, where a row needs them, the others. How many there were."""
        one = i32(1)
        if not self.plan.is_sometimes_all:
            return self._loop(tile, one, tile.seen, state), tile.seen

        def iteration(number: ir.Value, taken: ir.Value, *before: ir.Value) -> list[ir.Value]:
            is_first = arith.cmpi(arith.CmpIPredicate.eq, number, i32(0))
            start = arith.select(is_first, one, tile.seen)
            after = self._loop(tile, start, taken, state.unflat(before))

            def all_steps() -> list[ir.Value]:
                self.kernel.rest.tell(tile, after.rows, self)
                return [self.kernel.rest.steps(tile)]

            return [*if_else(is_first, [taken.type], all_steps, lambda: [taken]), *after.flat]

        taken, *after = for_loop(i32(0), i32(2), iteration, [tile.seen, *state.flat], one)
        return state.unflat(after), taken

    def _loop(self, tile: Tile, start: ir.Value, end: ir.Value, state: State) -> State:
        step = lambda number, *values: self._step(tile, number, state.unflat(values)).flat
        return state.unflat(for_loop(start, end, step, state.flat, i32(1)))

    def _step(self, tile: Tile, step: ir.Value, state: State) -> State:
        kernel, number = self.kernel, add(tile.done, step)
        before = sub(number, i32(1))
        stage = kernel.k.wait(number)
        order = sub(before, tile.iteration)  # the first steps of tiles are in no order
        kernel.order.wait(self.number, order)
        scores = self._start_scores(stage)
        sums = self._start_sums(kernel.v.wait(before), state)
        kernel.order.pass_on(self.number, kernel.is_first)
        wait_for_products(1)
        kernel.k.release(number, kernel.is_first)
        rows, factors, weights = self._softmax(state.rows, scores, step)
        all_before([row.total for row in rows])
        wait_for_products(0)
        kernel.v.release(before, kernel.is_first)
        found = ordered(fields(sums))
        found = scaled(found, factors)
        return State(rows, self._inputs(weights), found)

    def _end(self, tile: Tile, taken: ir.Value, state: State) -> list[ir.Value]:
        """The sums with the last step."""
        last = add(tile.done, sub(taken, i32(1)))
        sums = self._start_sums(self.kernel.v.wait(last), state)
        wait_for_products(0)
        self.kernel.v.release(last, self.kernel.is_first)
        return ordered(fields(sums))

    # Products

    def _start_scores(self, stage: ir.Value) -> ir.Value:
        """Of a step: a structure."""
        plan, q = self.plan, self.kernel.q.matrix(index(0), 0, mul(self.number, self.plan.q.rows))
        k = self.kernel.k.matrix(stage)
        both = ordered([q.descriptor, k.descriptor])  # their sums with a part's position are not kept from step to step
        q, k = (replace(one, descriptor=descriptor) for one, descriptor in zip((q, k), both))
        types = MatrixTypes(self.kind, self.kind, "f32", BYTES)
        return start_products(types, plan.cut.keys, q, k, -(-plan.scores.k // INSTRUCTION_K))

    def _start_sums(self, stage: ir.Value, state: State) -> ir.Value:
        """Weights times values, added to the sums: a structure."""
        v = self.kernel.v.matrix(stage)
        parts = [v.part(part) for part in range(self.plan.cut.keys // INSTRUCTION_K)]
        nvvm.wgmma_fence_aligned()
        sums = multiply(self.kind, state.weights, parts, state.sums, not v.operand.is_k_major)
        nvvm.wgmma_commit_group_sync_aligned()
        return sums

    # Softmax

    def _softmax(
        self, rows: Sequence[Row], products: ir.Value, step: ir.Value
    ) -> tuple[list[Row], list[ir.Value], list[ir.Value]]:
        """The rows with the scores of a step, the factors of their sums so far, the weights. `products`: a structure."""
        plan, first = self.plan, mul(widened(step), self.plan.cut.keys)
        scored = {plan.attention.dot: ordered(fields(products))}
        scores = self.rows.computed(plan.attention.expression, scored, first, f32(float("-inf")))
        return add_scores(rows, scores)

    def _inputs(self, weights: Sequence[ir.Value]) -> list[ir.Value]:
        """Fragments of sums as those of left inputs: two neighbours of a row become one register, for 16 columns four."""
        return [word_of(both) for both in rounded_pairs(ir.Type.parse(self.kind), weights)]


# wgmma with its left input in registers, which the NVVM dialect of this wheel does not have: PTX in the text of the module.
#
# A thread has four registers of two elements of the left input for each 16 elements of k: PTX ISA, "Register Fragments and
# Shared Memory Matrix Layouts", matrix A of m64k16. They are the fragments of sums, converted.


REGISTERS = {"f32": "f", "i32": "r", "i64": "l"}
"""By type, as constraints have them."""

FRAGMENT = 4
"""Registers of the left input of an instruction."""


def multiply(
    kind: str, lefts: Sequence[ir.Value], descriptors: Sequence[ir.Value], sums: Sequence[ir.Value], is_transposed: bool
) -> ir.Value:
    """Starts sums + left x right, with an instruction for each descriptor of a right input; the sums are safe after a wait.
    `kind`: bf16 or f16; `lefts`: i32 registers; `is_transposed`: the right input does not lie along k."""
    count = len(sums)
    columns, first = 2 * count, 2 * count  # results and the sums that are tied to them come first
    results = ", ".join(f"${n}" for n in range(count))
    lines = []
    for number in range(len(descriptors)):
        registers = ", ".join(f"${first + FRAGMENT * number + n}" for n in range(FRAGMENT))
        right = f"${first + len(lefts) + number}"
        lines.append(
            f"wgmma.mma_async.sync.aligned.m64n{columns}k16.f32.{kind}.{kind} "
            f"{{{results}}}, {{{registers}}}, {right}, p, 1, 1, {int(is_transposed)};"
        )
    text = "\n".join(["{", ".reg .pred p;", "setp.ne.b32 p, 1, 0;", *lines, "}"])
    inputs = ["r"] * len(lefts) + ["l"] * len(descriptors)
    return _assembly(text, sums, [*lefts, *descriptors], inputs)


def ordered(values: Sequence[ir.Value]) -> list[ir.Value]:
    """The same values; what uses them comes behind this point, what makes them before it."""
    return fields(_assembly("", values, [], []))


def _assembly(text: str, changed: Sequence[ir.Value], inputs: Sequence[ir.Value], kinds: Sequence[str]) -> ir.Value:
    """A structure of the values `changed`: f32, i32 or i64."""
    letters = [REGISTERS[str(v.type)] for v in changed]
    constraints = ",".join([*(f"={letter}" for letter in letters), *map(str, range(len(changed))), *kinds])
    result = structure([v.type for v in changed])
    return llvm.inline_asm(result, [*changed, *inputs], text, constraints, has_side_effects=True)


BEFORE = """{
.reg .pred p;
.reg .b32 a;
mov.b32 a, 0;
setp.lt.f32 p, $0, 0f00000000;
@p st.volatile.shared.f32 [a], $0;
}"""
"""A store that never happens, and that the assembler lets nothing pass by which waits for products."""


def all_before(values: Sequence[ir.Value]) -> None:
    """What makes these f32, none of which is negative, comes before the next wait. Without it the assembler puts the wait first
    and all that nothing else depends on behind it, so that nothing is done while products are computed."""
    one, *others = values
    for other in others:
        one = arith.minimumf(one, other)
    llvm.inline_asm(None, [one], BEFORE, "f", has_side_effects=True)
