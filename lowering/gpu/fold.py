"""What a reduction's body does to its elements: parts of the result that threads have are folded into one.

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


class Fold:
    """A state is a list of values: a part of the result of each output, perhaps more. `leaves`: by output, what is folded of an element.
    `in_order`: whether the left one of two states must come first."""

    leaves: list[ir.Value]
    in_order: bool

    @property
    def kinds(self) -> list[ir.Type]:
        """Types of a state that is known to hold an element: what is kept in memory of it."""
        return [v.type for v in self.leaves]

    def start(self) -> list[ir.Value]:
        """The state of no elements."""
        raise NotImplementedError

    def terms(self, element: Element, loaded: Sequence[ir.Value | None] = ()) -> list[ir.Value]:
        """What is folded of the element at an index."""
        return element.computed(self.leaves, loaded)

    def of_terms(self, terms: Sequence[ir.Value]) -> list[ir.Value]:
        """The state of one element (or that which memory keeps)."""
        return list(terms)

    def combine(self, left: Sequence[ir.Value], right: Sequence[ir.Value]) -> list[ir.Value]:
        raise NotImplementedError

    def bound(self, values: Values) -> Fold:
        """The same, in a function that has the values of what the body uses from outside."""
        return self

    def finish(self, initial: Sequence[ir.Value], total: Sequence[ir.Value]) -> list[ir.Value]:
        """The results, from what the outputs held and the state of all elements."""
        raise NotImplementedError


@dataclass(frozen=True)
class Merges(Fold):
    """Every output is merged by an associative and commutative op with a neutral value: `ops`, in types that may be wider than those of the
    outputs."""

    ops: list[ir.Operation]
    leaves: list[ir.Value]
    in_order = False

    def start(self) -> list[ir.Value]:
        return [arith.ConstantOp(k, neutral_of(op.name, k)).result for op, k in zip(self.ops, self.kinds)]

    def combine(self, left: Sequence[ir.Value], right: Sequence[ir.Value]) -> list[ir.Value]:
        return [
            ir.Operation.create(op.name, results=[a.type], operands=[a, b]).results[0]
            for op, a, b in zip(self.ops, left, right)
        ]

    def finish(self, initial: Sequence[ir.Value], total: Sequence[ir.Value]) -> list[ir.Value]:
        wide = [v if v.type == kind else arith.extf(kind, v) for v, kind in zip(initial, self.kinds)]
        merged = zip(initial, self.combine(wide, total))
        return [v if v.type == old.type else arith.truncf(old.type, v) for old, v in merged]


@dataclass(frozen=True)
class Monoid(Fold):
    """The body combines a state with an element of the same types. It has no neutral value: the last value of a state
    tells whether there is an element in it."""

    op: ir.Operation
    leaves: list[ir.Value]
    outside: Values = field(default_factory=dict)
    in_order = True

    def start(self) -> list[ir.Value]:
        return [*(zero(kind) for kind in self.kinds), _boolean(False)]

    def of_terms(self, terms: Sequence[ir.Value]) -> list[ir.Value]:
        return [*terms, _boolean(True)]

    def combine(self, left: Sequence[ir.Value], right: Sequence[ir.Value]) -> list[ir.Value]:
        *a, has_a = left
        *b, has_b = right
        both = self._applied(a, b)
        mixed = [arith.select(has_a, one, other) for one, other in zip(both, b)]
        return [*(arith.select(has_b, m, x) for m, x in zip(mixed, a)), arith.ori(has_a, has_b)]

    def bound(self, values: Values) -> Fold:
        return replace(self, outside=values)

    def finish(self, initial: Sequence[ir.Value], total: Sequence[ir.Value]) -> list[ir.Value]:
        return self.combine([*initial, _boolean(True)], total)[:-1]

    def _applied(self, left: Sequence[ir.Value], right: Sequence[ir.Value]) -> list[ir.Value]:
        block = self.op.regions[0].blocks[0]
        *_, end = block.operations
        pairs = zip([*_carried(block, len(self.leaves)), *self.leaves], [*left, *right])
        known = {**self.outside, **dict(pairs)}
        return copied_slice(block, list(end.operands), known)


def _boolean(value: bool) -> ir.Value:
    return arith.constant(ir.IntegerType.get_signless(1), int(value))


def _carried(block: ir.Block, outputs: int) -> list[ir.Value]:
    return list(block.arguments)[-outputs:]


# Which fold a body is


def fold_of(op: ir.Operation, inputs: int) -> Fold | None:
    """The fold of a linalg.generic with reduction dimensions; None if only one element after the other will do."""
    block = op.regions[0].blocks[0]
    carried = list(block.arguments)[inputs:]
    *_, end = block.operations
    merges = [merge_of(value, argument, NEUTRAL) for value, argument in zip(end.operands, carried)]
    if all(merges) and all(isinstance(v.type, ir.IntegerType | ir.FloatType) for v in carried):
        found = [m for m in merges if m is not None]
        return Merges([op for op, _ in found], [term for _, term in found])
    leaves = _leaves(block, carried, list(end.operands), _dependent(block, carried))
    return Monoid(op, leaves) if leaves is not None else None


def _dependent(block: ir.Block, carried: Sequence[ir.Value]) -> set[ir.Value]:
    """Values that are computed from what is carried."""
    found = set(carried)
    for op in block.operations:
        if any(v in found for v in operands_within(op.operation)):
            found.update(op.results)
    return found


def _leaves(
    block: ir.Block, carried: list[ir.Value], results: list[ir.Value], dependent: set[ir.Value]
) -> list[ir.Value] | None:
    """By output, the value of the element that the body combines with what is carried; None if that is not to be seen."""
    kinds = {v.type for v in carried}
    needed: dict[ir.Value, None] = {}
    waiting = [v for op in block.operations for v in operands_within(op.operation) if _is_used_by(op, dependent)]
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


def _paired(needed: list[ir.Value], carried: list[ir.Value], results: list[ir.Value]) -> list[ir.Value] | None:
    """One value of the element for each output; what is left is paired with what is left."""
    found = {n: v for n, pair in enumerate(zip(results, carried)) for v in _partners(*pair, needed)}
    left = set(needed) - set(found.values())
    missing = [n for n in range(len(carried)) if n not in found]
    if len(missing) == 1 and len(left) == 1:
        found[missing[0]] = left.pop()
    if left or len(needed) != len(carried) or len(found) != len(carried):
        return None
    pairs = [found[n] for n in range(len(carried))]
    return pairs if all(v.type == c.type for v, c in zip(pairs, carried)) else None


def _is_used_by(op: ir.OpView, dependent: set[ir.Value]) -> bool:
    """Whether the op computes something from what is carried, or is the end."""
    return any(v in dependent for v in op.results) or op.operation.name == "linalg.yield"


def _belongs_to(value: ir.Value, block: ir.Block) -> bool:
    if isinstance(value.owner, ir.Block):
        return value.owner == block
    return value.owner.operation.block == block and value.owner.name != "arith.constant"


def _partners(result: ir.Value, carried: ir.Value, needed: list[ir.Value]) -> list[ir.Value]:
    """Of values of the element: the one that the result's op takes in addition to what is carried, or the only one of its type."""
    of_type = [v for v in needed if v.type == carried.type]
    if len(of_type) == 1:
        return of_type
    operands = [] if isinstance(result.owner, ir.Block) else list(result.owner.operands)
    others = [v for v in of_type if v in operands]
    return others if len(others) == 1 and carried in operands else []
