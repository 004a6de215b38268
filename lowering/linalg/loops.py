"""Index arithmetic and structured loops for kernels that are written as loops over scalars.

An index is an `ir.Value` of type index or a Python int; arithmetic on ints happens here, so that what is known when
compiling leaves no code. Loop bodies are Python functions from the loop's values to the values it carries on:

    total, = for_loop(0, n, lambda i, acc: [arith.addf(acc, tensor.extract(x, [i]))], [zero])"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import Any

from mlir import ir
from mlir.dialects import arith, complex, scf, tensor

from hlo.dialect.types import is_complex, is_float
from hlo.lazy_dataclasses import dataclass

Index = Any
"""ir.Value of type index, or int."""


def index(value: Index) -> ir.Value:
    """The index as a value."""
    if isinstance(value, int):
        return arith.constant(ir.IndexType.get(), value)
    return value


def add(a: Index, b: Index) -> Index:
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    if isinstance(a, int):
        a, b = b, a
    if isinstance(b, int) and b == 0:
        return a
    return arith.addi(index(a), index(b))


def sub(a: Index, b: Index) -> Index:
    if isinstance(b, int):
        return add(a, -b)
    return arith.subi(index(a), index(b))


def mul(a: Index, b: Index) -> Index:
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    if isinstance(a, int):
        a, b = b, a
    if isinstance(b, int) and b in (0, 1):
        return a if b else 0
    return arith.muli(index(a), index(b))


def divided(number: Index, by: int) -> tuple[Index, Index]:
    """Quotient and remainder of an index that is not negative."""
    if isinstance(number, int) or by == 1:
        return (number, 0) if by == 1 else divmod(number, by)
    divisor = index(by)
    return arith.divui(number, divisor), arith.remui(number, divisor)


def minimum(a: Index, b: Index) -> Index:
    if isinstance(a, int) and isinstance(b, int):
        return min(a, b)
    return arith.minsi(index(a), index(b))


def maximum(a: Index, b: Index) -> Index:
    if isinstance(a, int) and isinstance(b, int):
        return max(a, b)
    return arith.maxsi(index(a), index(b))


def clamp(value: Index, low: Index, high: Index) -> Index:
    return minimum(maximum(value, low), high)


def less(a: Index, b: Index) -> ir.Value:
    return arith.cmpi(arith.CmpIPredicate.slt, index(a), index(b))


def within(value: Index, extent: Index) -> ir.Value:
    """0 <= value < extent, in one comparison."""
    return arith.cmpi(arith.CmpIPredicate.ult, index(value), index(extent))


def all_of(conditions: Sequence[ir.Value]) -> ir.Value:
    """The conjunction; true for none."""
    if not conditions:
        return arith.constant(ir.IntegerType.get_signless(1), 1)
    result = conditions[0]
    for condition in conditions[1:]:
        result = arith.andi(result, condition)
    return result


def to_index(value: ir.Value, unsigned: bool = False) -> ir.Value:
    """An integer of a program as an index; `unsigned` as its StableHLO type says."""
    if not unsigned:
        return arith.index_cast(ir.IndexType.get(), value)
    if value.type.width == 64:
        value = arith.minui(value, arith.constant(value.type, 2**63 - 1))
    return arith.index_castui(ir.IndexType.get(), value)


def extract(source: ir.Value, position: Sequence[Index]) -> ir.Value:
    return tensor.extract(source, [index(i) for i in position])


def insert(value: ir.Value, into: ir.Value, position: Sequence[Index]) -> ir.Value:
    return tensor.insert(value, into, [index(i) for i in position])


def load(arrays: Sequence[ir.Value], position: Sequence[Index]) -> list[ir.Value]:
    """The elements of several arrays at one index."""
    return [extract(array, position) for array in arrays]


def store(values: Sequence[ir.Value], arrays: Sequence[ir.Value], position: Sequence[Index]) -> list[ir.Value]:
    """The arrays with these elements at one index."""
    return [insert(value, into, position) for value, into in zip(values, arrays, strict=True)]


def zero(element_type: ir.Type) -> ir.Value:
    """The zero of a signless integer, index, float or complex type."""
    return scalar(element_type, 0)


def scalar(element_type: ir.Type, value: Any) -> ir.Value:
    """A scalar constant of any element type."""
    if is_complex(element_type):
        part = ir.ComplexType(element_type).element_type
        parts = [ir.FloatAttr.get(part, float(p)) for p in (value.real, value.imag)]
        return complex.constant(element_type, ir.ArrayAttr.get(parts))
    if is_float(element_type):
        return arith.constant(element_type, float(value))
    return arith.constant(element_type, int(value))


Body = Callable[..., Sequence[ir.Value]]


def for_loop(
    start: Index, stop: Index, body: Body, carried: Sequence[ir.Value] = (), step: Index = 1, mark: str = ""
) -> list[ir.Value]:
    """`body(i, *carried)` for i in range(start, stop, step); returns what is carried out of it. `mark`: an attribute that the loop has."""
    loop = scf.ForOp(index(start), index(stop), index(step), list(carried))
    if mark:
        loop.attributes[mark] = ir.UnitAttr.get()
    with ir.InsertionPoint(loop.body):
        scf.YieldOp(list(body(loop.induction_variable, *loop.inner_iter_args)))
    return list(loop.results)


def while_loop(
    start: Sequence[ir.Value], condition: Callable[..., ir.Value], body: Callable[..., Sequence[ir.Value]]
) -> list[ir.Value]:
    """`body` of the carried values while `condition` of them is true; returns what is carried out."""
    types = [v.type for v in start]
    loop = scf.WhileOp(types, list(start))
    before, after = (region.blocks.append(*types) for region in (loop.before, loop.after))
    with ir.InsertionPoint(before):
        scf.ConditionOp(condition(*before.arguments), list(before.arguments))
    with ir.InsertionPoint(after):
        scf.YieldOp(list(body(*after.arguments)))
    return list(loop.results)


def nest(
    extents: Sequence[int], body: Callable[..., Sequence[ir.Value]], carried: Sequence[ir.Value]
) -> list[ir.Value]:
    """`body(position, *carried)` for every position of an index space, the last dimension innermost. A dimension of
    size 1 has no loop: its index is the int 0."""

    def level(position: list[Index], *values: ir.Value) -> list[ir.Value]:
        dimension = len(position)
        if dimension == len(extents):
            return list(body(position, *values))
        if extents[dimension] == 1:
            return level([*position, 0], *values)
        return for_loop(0, extents[dimension], lambda i, *inner: level([*position, i], *inner), values)

    return level([], *carried)


PARALLEL, INDEPENDENT, BLOCKS = "hlo.parallel", "hlo.independent", "hlo.blocks"
"""Attributes of a loop whose iterations do not depend on each other. What an independent one is given to write
temporary values into is there for each iteration anew; a parallel one has all memory in common with what comes before
and after it. An iteration of one of blocks is for many threads together."""

ATOMIC = "hlo.atomic"
"""Attribute of a parallel loop of which several iterations may update one element, in any order."""


def flat_nest(
    extents: Sequence[int], body: Callable[..., Sequence[ir.Value]], carried: Sequence[ir.Value], mark: str = ""
) -> list[ir.Value]:
    """As nest, in one loop over all positions. `mark`: an attribute that it has."""

    def iteration(number: ir.Value, *values: ir.Value) -> Sequence[ir.Value]:
        return body(positions(number, extents), *values)

    return for_loop(0, prod(extents), iteration, carried, mark=mark)


parallel_nest = partial(flat_nest, mark=PARALLEL)
"""For a body whose iterations neither read nor write what another one writes: they are divided among many threads.
Neighbours take neighbours of the last dimension."""

independent_nest = partial(flat_nest, mark=INDEPENDENT)
"""The same for a body that has temporaries among what is carried."""

block_nest = partial(flat_nest, mark=BLOCKS)
"""The same for a body of shared loops: a block of threads for each iteration. Only those write into what is carried."""

shared_loop = partial(for_loop, mark=PARALLEL)
"""A for_loop that many threads go through together, whose iterations neither read nor write what another one writes:
they are divided among them, and they go on when all are done."""


def positions(number: Index, extents: Sequence[int]) -> list[Index]:
    """The indices of an element in an index space, from its number in row-major order."""
    found: list[Index] = []
    wide = [d for d, size in enumerate(extents) if size != 1]
    for d in reversed(range(len(extents))):
        if extents[d] == 1:
            found.insert(0, 0)
        elif d == wide[0]:
            found.insert(0, number)
        else:
            number, own = divided(number, extents[d])
            found.insert(0, own)
    return found


def position_values(number: ir.Value, extents: Sequence[int]) -> list[ir.Value]:
    """The same as values."""
    return [index(one) for one in positions(number, extents)]


def linear(position: Sequence[Index], extents: Sequence[int]) -> Index:
    """The number of an element in row-major order."""
    number: Index = 0
    for i, size in zip(position, extents, strict=True):
        number = add(mul(number, size), i)
    return number


def first_trips(extents: Sequence[int]) -> int:
    """The iterations of the outermost loop of a nest; 1 without loops."""
    return next((n for n in extents if n != 1), 1)


def if_else(
    condition: ir.Value,
    types: Sequence[ir.Type],
    then: Callable[[], Sequence[ir.Value]],
    otherwise: Callable[[], Sequence[ir.Value]],
) -> list[ir.Value]:
    """The values of one of two branches."""
    op = scf.IfOp(condition, list(types), has_else=True)
    for block, branch in ((op.then_block, then), (op.else_block, otherwise)):
        with ir.InsertionPoint(block):
            scf.YieldOp(list(branch()))
    return list(op.results)


def changed_if(
    condition: ir.Value, values: Sequence[ir.Value], then: Callable[[], Sequence[ir.Value]]
) -> list[ir.Value]:
    """The values, or where the condition is true those of `then()`."""
    return if_else(condition, [v.type for v in values], then, lambda: values)


def both(first: ir.Value, second: Callable[[], ir.Value]) -> ir.Value:
    """Whether both are true; the second one is computed where the first is."""
    truth = ir.IntegerType.get_signless(1)
    return if_else(first, [truth], lambda: [second()], lambda: [arith.constant(truth, 0)])[0]


def switch(
    number: ir.Value, types: Sequence[ir.Type], branches: Sequence[Callable[[], Sequence[ir.Value]]]
) -> list[ir.Value]:
    """The values of the branch with a number, of the last one if there is none: a chain of scf.if."""

    def choose(first: int) -> Sequence[ir.Value]:
        if first == len(branches) - 1:
            return branches[first]()
        is_this = arith.cmpi(arith.CmpIPredicate.eq, number, arith.constant(number.type, first))
        return if_else(is_this, types, branches[first], lambda: choose(first + 1))

    return list(choose(0))


def shape(value: ir.Value | ir.Type) -> list[int]:
    """The sizes of a ranked tensor (or of its type)."""
    return list(ir.RankedTensorType(value if isinstance(value, ir.Type) else value.type).shape)


def element(value: ir.Value | ir.Type) -> ir.Type:
    """The element type of a ranked tensor (or of its type)."""
    return ir.RankedTensorType(value if isinstance(value, ir.Type) else value.type).element_type


@dataclass(frozen=True)
class Lines:
    """The lines of arrays of a shape along one dimension: a number for each line, and for each element of it."""

    extents: tuple[int, ...]
    dimension: int

    @property
    def length(self) -> int:
        return self.extents[self.dimension]

    @property
    def others(self) -> tuple[int, ...]:
        return self.extents[: self.dimension] + self.extents[self.dimension + 1 :]

    @property
    def count(self) -> int:
        return prod(self.others)

    def at(self, line: Index, k: Index) -> list[Index]:
        outer = positions(line, self.others)
        return [*outer[: self.dimension], k, *outer[self.dimension :]]
