"""What a stage reads and writes: every memory access as an affine position in its loop dimensions, and how much
arithmetic an element takes. The plan is made from this."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import field
from typing import Any

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.finding import is_used, made_by
from hlo.lowering.linalg.iteration import ZERO, Affine, Dim, Index, apply_map, flatten, invert_permutation
from hlo.lowering.linalg.structured import FLOAT_SUMS, reduces
from hlo.lowering.vector.region.complex_lanes import is_in_lanes, parts_of
from hlo.lowering.vector.region.graph import VIEWS, Stage, source_index
from hlo.lowering.vector.region.padding import Bound, bounds_of, is_padding, may_fail
from hlo.lowering.vector.region.rolls import Roll, roll_of

FREE = {"linalg.yield": 0, "scf.yield": 0, "arith.constant": 0, "linalg.index": 0}
COSTLY = FREE | {
    "arith.divf": 4,
    "arith.divsi": 20,
    "arith.divui": 20,
    "arith.remsi": 20,
    "arith.remui": 20,
    "arith.remf": 20,
    "complex.add": 2,
}
MATH_COST = 20
BRANCHES = {"math.sin", "math.cos", "math.tan"}
"""Ops that branch where an angle is large (expand_math.py)."""
CHEAP_MATH = {"math.absf", "math.absi", "math.fma", "math.copysign", "math.floor", "math.ceil", "math.roundeven"}


@dataclass(frozen=True)
class Access:
    """A read of `value`, or (`stored`) a write of that result."""

    position: Affine
    element: ir.Type
    value: ir.Value | None = None
    stored: int | None = None

    @property
    def is_store(self) -> bool:
        return self.stored is not None


@dataclass(frozen=True)
class LookUp:
    """A read at computed indices. `along`: the last index, where it is a loop's or a sum of them; `others`: the loops on which what
    is computed depends."""

    along: Affine
    others: frozenset[Dim]
    element: ir.Type


@dataclass
class Accesses:
    """`pinned`: dimensions that a body looks at (linalg.index), which cannot be joined with others. `scalar_only`: some
    body op exists for scalars only. `branches`: some body op branches, so that the instructions of several vectors are
    not mixed, and all values of a step are kept across the branches. `elements`: the types that take part."""

    accesses: list[Access] = field(default_factory=list)
    pinned: set[Dim] = field(default_factory=set)
    elements: set[ir.Type] = field(default_factory=set)
    scalar_only: bool = False
    branches: bool = False
    look_ups: list[LookUp] = field(default_factory=list)
    cost: int = 0
    bounds: list[Bound] = field(default_factory=list)
    """Of reads of padded arrays and rolls, those that may fail; their dimensions are pinned."""
    rolls: set[ir.Operation] = field(default_factory=set)
    """Of which the reads of one side are among the accesses."""
    bodies: set[Any] = field(default_factory=set)
    """The linalg.generics that are evaluated."""


def op_cost(name: str) -> int:
    """Roughly, vector instructions."""
    if name.startswith("math.") and name not in CHEAP_MATH:
        return MATH_COST
    return COSTLY.get(name, 1)


def loops_in(op: ir.Operation) -> int:
    """How many loops a linalg.generic has."""
    return len(op.attributes["iterator_types"])


def stage_accesses(stage: Stage, in_memory: Collection[ir.Value]) -> Accesses:
    found = Accesses()
    visitor = _Visitor(found, in_memory)
    index = tuple(map(Affine.of, stage.dims))
    for op in stage.generics:
        visitor.generic(op, index, accumulates=True)
    for store in stage.stores:
        visitor.store(store)
        if not reduces(store.value.owner):
            visitor.value(store.value, store.at)
    return found


class _Visitor:
    def __init__(self, found: Accesses, in_memory: Collection[ir.Value]):
        self.found = found
        self.in_memory = in_memory
        self.seen: set[Any] = set()

    def store(self, store: Any) -> None:
        self.add(store.type, store.index, stored=store.to)

    def add(self, type: Any, index: Index, value: ir.Value | None = None, stored: int | None = None) -> None:
        self.found.accesses.append(Access(flatten(index, type.shape), type.element_type, value, stored))
        self.element(type.element_type)

    def element(self, element: ir.Type) -> None:
        self.found.elements.add(element)

    def value(self, value: ir.Value, index: Index) -> None:
        type = value.type
        if not isinstance(type, ir.RankedTensorType) or not self.is_new((value, index)):
            return
        if value in self.in_memory:
            self.add(type, index, value=value)
            return
        op = value.owner
        name = op.name
        self.element(type.element_type)
        if name == "linalg.generic":
            number = len(op.operands) - len(op.results) + value.result_number
            dims = invert_permutation(op.attributes["indexing_maps"][number].value, index)  # None for reductions
            if dims is not None:
                self.generic(op, tuple(dims))
        elif name in VIEWS:
            self.value(op.operands[0], source_index(op, index))
        elif (roll := roll_of(op)) is not None:
            self.rolled(op, roll, index)
        elif is_padding(op):
            self.padding(op, index)

    def padding(self, op: ir.Operation, index: Index) -> None:
        bounds = bounds_of(op, index)
        self.found.bounds += [bound for bound in bounds if may_fail(bound)]
        self.found.pinned.update(dim for bound in bounds if not bound.is_whole for dim, _ in bound.position.terms)
        self.value(op.operands[0], tuple(bound.coordinate or bound.position for bound in bounds))

    def rolled(self, op: ir.Operation, roll: Roll, index: Index) -> None:
        self.found.rolls.add(op)
        position = index[roll.dim]
        bound = roll.longer(position)
        self.found.bounds += [bound] if may_fail(bound) else []
        self.found.pinned.update(dim for dim, _ in position.terms)
        distance = -roll.shift if bound.position != position else roll.size - roll.shift
        self.value(roll.source, roll.moved(index, distance))

    def is_new(self, what: tuple[Any, Index]) -> bool:
        """Whether it is seen for the first time; hashes it once."""
        count = len(self.seen)
        self.seen.add(what)
        return len(self.seen) > count

    def generic(self, op: ir.Operation, dims: Index, accumulates: bool = False) -> None:
        if not self.is_new((op, dims)):
            return
        self.found.bodies.add(op)
        block = op.regions[0].blocks[0]
        operands = list(op.operands)[: len(op.operands) - len(op.results) if accumulates else None]
        for operand, attribute, argument in zip(operands, op.attributes["indexing_maps"], block.arguments):
            if is_used(argument):
                self.value(operand, apply_map(attribute.value, dims))
        for inner in block.operations:
            self.body_op(inner.operation, dims)

    def body_op(self, op: ir.Operation, dims: Index) -> None:
        name = op.name
        self.found.cost += op_cost(name)
        self.found.scalar_only |= not is_in_lanes(op)
        self.found.branches |= name in BRANCHES and made_by(op.operands[0], "arith.extf") is None
        for result in op.results:
            self.element(parts_of(result.type)[1] if name in FLOAT_SUMS else result.type)
        if name == "linalg.index":
            self.found.pinned.update(d for d, _ in dims[ir.IntegerAttr(op.attributes["dim"]).value].terms)
        elif name == "tensor.extract":
            self.found.look_ups.append(_look_up(op, dims))
        elif name == "scf.if":
            for region in op.regions:
                for inner in region.blocks[0].operations:
                    self.body_op(inner.operation, dims)
        elif len(op.regions):
            self.found.scalar_only = True


def _look_up(op: ir.Operation, dims: Index) -> LookUp:
    """What a tensor.extract reads in the body of a linalg.generic at this index."""
    *computed, last = list(op.operands)[1:] or [op.operands[0]]
    along, rest = _sum_of(last, dims)
    return LookUp(along, frozenset().union(rest, *(_loops_of(v, dims) for v in computed)), op.results[0].type)


def _sum_of(value: ir.Value, dims: Index) -> tuple[Affine, frozenset[Dim]]:
    """An index in the body of a linalg.generic: a position that is affine in the loops, and the loops on which what is
    added to it depends."""
    made = made_by(value, "linalg.index", "arith.addi")
    if made is None:
        return ZERO, _loops_of(value, dims)
    if made.name == "linalg.index":
        return dims[ir.IntegerAttr(made.attributes["dim"]).value], frozenset()
    (a, in_a), (b, in_b) = (_sum_of(one, dims) for one in made.operands)
    return a + b, in_a | in_b


def _loops_of(value: ir.Value, dims: Index) -> frozenset[Dim]:
    """The loops on which a value in the body of a linalg.generic depends: none for one from outside."""
    if isinstance(value.type, ir.RankedTensorType):
        return frozenset()
    op = made_by(value)
    if op is None:
        generic = ir.BlockArgument(value).owner.owner
        if generic.name != "linalg.generic":
            return frozenset() if generic.name == "func.func" else _named(dims)
        return _named(apply_map(generic.attributes["indexing_maps"][ir.BlockArgument(value).arg_number].value, dims))
    if op.name == "linalg.index":
        return _named(dims[ir.IntegerAttr(op.attributes["dim"]).value : ir.IntegerAttr(op.attributes["dim"]).value + 1])
    return _named(dims) if len(op.regions) else frozenset().union(*(_loops_of(v, dims) for v in op.operands))


def _named(index: Index) -> frozenset[Dim]:
    return frozenset(dim for one in index for dim, _ in one.terms)
