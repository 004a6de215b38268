"""What a reduction's body does to its elements: parts of the result that threads have are combined.

    ^bb0(%in: f32, %out: f32):  %0 = arith.mulf %in, %in; %1 = arith.addf %out, %0; linalg.yield %1
is a sum of terms %0: each thread begins with -0, and the threads' parts are added.

    ^bb0(%in: bf16, %out: bf16):  %0 = arith.extf %out; %1 = arith.extf %in; %2 = arith.addf %0, %1; %3 = arith.truncf %2
is a sum in f32 that is rounded once: at its end.

    ^bb0(%x: f32, %i: i32, %max: f32, %at: i32):  {comparisons and selects of both}
combines pairs with pairs by the body itself, in the order of the elements (the specification's reductions need not commute)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from mlir import ir
from mlir.dialects import arith

from hlo.lowering.gpu.element import Element, Values, copied_slice, operands_within
from hlo.lowering.linalg.loops import zero
from hlo.lowering.vector.region.combine import NEUTRAL, merge_of, neutral_of


@dataclass(frozen=True)
class Combiner:
    """`leaves`: by output, what is combined of an element. `merges`: by output an associative and commutative op with a neutral value, in a type that
    may be wider than the output's. Without them the body of `op` combines a state with an element of the same types, and the left one of two
    states must come first (`in_order`).

    A state is a list of values, a part of the result of each output. The last value of an ordered one, which has no neutral value, tells whether there is an
    element in it. `outside`: what the body uses from outside, in the function that is written."""

    op: ir.Operation
    leaves: list[ir.Value]
    merges: list[ir.Operation] = field(default_factory=list)
    outside: Values = field(default_factory=dict)

    @property
    def in_order(self) -> bool:
        return not self.merges

    @property
    def kinds(self) -> list[ir.Type]:
        """Types of a state that is known to hold an element: what is kept in memory of it."""
        return [v.type for v in self.leaves]

    def bound(self, values: Values) -> Combiner:
        """The same, in a function that has the values of what the body uses from outside."""
        return replace(self, outside=values)

    def start(self) -> list[ir.Value]:
        """The state of no elements."""
        if self.in_order:
            return [*(zero(kind) for kind in self.kinds), _boolean(False)]
        return [arith.ConstantOp(k, neutral_of(op.name, k)).result for op, k in zip(self.merges, self.kinds)]

    def terms(self, element: Element, loaded: Sequence[ir.Value | None] = ()) -> list[ir.Value]:
        """What is combined of the element at an index."""
        return element.computed(self.leaves, loaded)

    def of_terms(self, terms: Sequence[ir.Value]) -> list[ir.Value]:
        """The state of one element (or that which memory keeps)."""
        return [*terms, _boolean(True)] if self.in_order else list(terms)

    def combine(self, left: Sequence[ir.Value], right: Sequence[ir.Value]) -> list[ir.Value]:
        if self.merges:
            return [
                ir.Operation.create(op.name, results=[a.type], operands=[a, b]).results[0]
                for op, a, b in zip(self.merges, left, right)
            ]
        *a, has_a = left
        *b, has_b = right
        block, count = self.op.regions[0].blocks[0], len(self.leaves)
        *_, end = block.operations
        pairs = dict(zip([*list(block.arguments)[-count:], *self.leaves], [*a, *b]))
        both = copied_slice(block, list(end.operands), {**self.outside, **pairs})
        mixed = [arith.select(has_a, one, other) for one, other in zip(both, b)]
        return [*(arith.select(has_b, m, x) for m, x in zip(mixed, a)), arith.ori(has_a, has_b)]

    def finish(self, initial: Sequence[ir.Value], total: Sequence[ir.Value]) -> list[ir.Value]:
        """The results, from what the outputs held and the state of all elements."""
        if self.in_order:
            return self.combine([*initial, _boolean(True)], total)[:-1]
        wide = [v if v.type == kind else arith.extf(kind, v) for v, kind in zip(initial, self.kinds)]
        merged = zip(initial, self.combine(wide, total))
        return [v if v.type == old.type else arith.truncf(old.type, v) for old, v in merged]


def _boolean(value: bool) -> ir.Value:
    return arith.constant(ir.IntegerType.get_signless(1), int(value))


# Which combiner a body is


def combiner_of(op: ir.Operation, inputs: int) -> Combiner | None:
    """The combiner of a linalg.generic with reduction dimensions; None if only one element after the other will do."""
    block = op.regions[0].blocks[0]
    carried = list(block.arguments)[inputs:]
    *_, end = block.operations
    merges = [merge_of(value, argument, NEUTRAL) for value, argument in zip(end.operands, carried)]
    if all(merges) and all(isinstance(v.type, ir.IntegerType | ir.FloatType) for v in carried):
        found = [m for m in merges if m is not None]
        return Combiner(op, [term for _, term in found], [merge for merge, _ in found])
    leaves = _leaves(block, carried, list(end.operands))
    return Combiner(op, leaves) if leaves is not None else None


def _leaves(block: ir.Block, carried: list[ir.Value], results: list[ir.Value]) -> list[ir.Value] | None:
    """By output, the value of the element that the body combines with what is carried; None if that is not to be seen."""
    dependent = set(carried)
    waiting: list[ir.Value] = []
    for op in block.operations:
        used = operands_within(op.operation)
        if any(v in dependent for v in used):
            dependent.update(op.results)
        if any(v in dependent for v in op.results) or op.operation.name == "linalg.yield":
            waiting += used
    kinds, needed = {v.type for v in carried}, dict[ir.Value, None]()
    while waiting:
        value = waiting.pop()
        if value in dependent or value in needed or not _belongs_to(value, block):
            continue
        if value.type in kinds:
            needed[value] = None
        elif isinstance(value.owner, ir.Block) or value.owner.name == "linalg.index" or len(value.owner.regions):
            return None
        else:
            waiting.extend(value.owner.operands)
    return _paired(list(needed), carried, results)


def _belongs_to(value: ir.Value, block: ir.Block) -> bool:
    if isinstance(value.owner, ir.Block):
        return value.owner == block
    return value.owner.operation.block == block and value.owner.name != "arith.constant"


def _paired(needed: list[ir.Value], carried: list[ir.Value], results: list[ir.Value]) -> list[ir.Value] | None:
    """One value of the element for each output: the only one of its type, or that which the result's op takes in addition to what is carried; what
    is left is paired with what is left."""
    found: dict[int, ir.Value] = {}
    for number, (result, old) in enumerate(zip(results, carried)):
        of_type = [v for v in needed if v.type == old.type]
        operands = [] if isinstance(result.owner, ir.Block) else list(result.owner.operands)
        if len(of_type) > 1 and old in operands:
            of_type = [v for v in of_type if v in operands]
        if len(of_type) == 1:
            found[number] = of_type[0]
    left = set(needed) - set(found.values())
    missing = [n for n in range(len(carried)) if n not in found]
    if len(missing) == 1 and len(left) == 1:
        found[missing[0]] = left.pop()
    if left or len(needed) != len(carried) or len(found) != len(carried):
        return None
    pairs = [found[n] for n in range(len(carried))]
    return pairs if all(v.type == c.type for v, c in zip(pairs, carried)) else None
