"""What becomes of a contraction's sums: bias, activation, residual, conversion, all at the indices of the sum, then the store.

    contraction -> %t;  linalg.generic tanh(%t + bias) -> %r        %t is never in memory if nothing else reads it

Followers are elementwise ops whose indices are those of the contraction's results. A thread takes one result, or 16 bytes of
neighbours: what followers read is then loaded as vectors too."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from mlir import ir

from hlo.lowering.gpu.contraction.problem import Problem
from hlo.lowering.gpu.element import (
    Element,
    Values,
    computed_lanes,
    fitting_width,
    store_lanes,
    vectors_at,
)
from hlo.lowering.gpu.nest import Nest, nest_of, uses_index
from hlo.lowering.memory.storage import element_bytes


@dataclass(frozen=True)
class Follower:
    """An elementwise op after a contraction. `dimensions`: the contraction's dimension for each of its own."""

    op: ir.Operation
    nest: Nest
    dimensions: tuple[int, ...]


def follower(op: ir.Operation, problem: Problem, at_results: Collection[ir.Value]) -> Follower | None:
    """The op, if it works on the contraction's results each at its indices. `at_results`: memory with an element a result: the
    contraction's and that of followers before this one."""
    if op.name != "linalg.generic":
        return None
    nest = nest_of(op)
    if nest.reduction or uses_index(op) or len(nest.parallel) != len(problem.nest.parallel):
        return None
    source = next((n for n, v in enumerate(list(op.operands)[: nest.inputs]) if v in at_results), None)
    dimensions = _dimensions(nest.maps[source], problem) if source is not None else None
    if dimensions is None:
        return None
    found = Follower(op, nest, dimensions)
    return found if all(_is_at_results(found, n, problem, at_results) for n in range(len(op.operands))) else None


def _dimensions(one: ir.AffineMap, problem: Problem) -> tuple[int, ...] | None:
    """By dimension of an op that reads the results through this map: the contraction's dimension."""
    found: dict[int, int] = {}
    for mine, theirs in zip(one.results, problem.nest.maps[2].results, strict=True):
        if not isinstance(mine, ir.AffineDimExpr) or not isinstance(theirs, ir.AffineDimExpr):
            return None
        found[mine.position] = theirs.position
    rank = len(problem.nest.parallel)
    return tuple(found[d] for d in range(rank)) if len(found) == rank else None


def _is_at_results(found: Follower, number: int, problem: Problem, at_results: Collection[ir.Value]) -> bool:
    """An operand that holds results is used at the result's indices; an output is such memory and nothing more."""
    value = found.op.operands[number]
    is_output = number >= found.nest.inputs
    if value in at_results:
        return not is_output and _dimensions(found.nest.maps[number], problem) == found.dimensions
    reads_itself = is_output and any(found.op.regions[0].blocks[0].arguments[number].uses)
    return not reads_itself and (not is_output or found.nest.maps[number].is_permutation)


class Epilogue:
    """Writes the code. `element`: the contraction, whose indices are set before `emit`; `hidden`: memory that nothing but the
    followers reads, and that need not be written."""

    def __init__(
        self,
        problem: Problem,
        element: Element,
        followers: Sequence[Follower],
        hidden: Collection[ir.Value],
        values: Values,
    ):
        self.problem, self.element, self.hidden = problem, element, hidden
        self.followers = [
            (one, Element(one.op, one.nest, [values.get(v, v) for v in one.op.operands], values)) for one in followers
        ]

    @property
    def inner(self) -> int:
        """The contraction's dimension along which neighbours are taken."""
        return self.problem.columns[-1]

    def width(self, most: int) -> int:
        """How many neighbours along the columns a thread takes: outputs are contiguous there, and `most` is their number in a
        tile's row."""
        outputs = self._outputs()
        if not all(element.is_vector(number, along) for element, number, along in outputs):
            return 1
        used = [*outputs, *(one for one in self._inputs() if one[0].is_vector(*one[1:]))]
        widest = max((element_bytes(element.operands[n].type.element_type) for element, n, _ in used), default=1)
        multiples = (element.multiple(number, along) for element, number, along in used)
        return fitting_width(widest, self.problem.nest.sizes[self.inner], most, *multiples)

    def _outputs(self) -> list[tuple[Element, int, int]]:
        """What is written: the element of the op, the number of the operand, the op's dimension along the columns."""
        found = [] if self.problem.op.operands[2] in self.hidden else [(self.element, 2, self.inner)]
        for one, element in self.followers:
            along = one.dimensions.index(self.inner)
            found += [(element, n, along) for n in element.outputs if one.op.operands[n] not in self.hidden]
        return found

    def _inputs(self) -> list[tuple[Element, int, int]]:
        """What followers read, in the same way."""
        return [
            (element, n, one.dimensions.index(self.inner))
            for one, element in self.followers
            for n in range(element.nest.inputs)
            if one.op.operands[n] not in self.hidden
        ]

    def emit(self, sums: Sequence[ir.Value]) -> None:
        """At the contraction's indices: `sums` are the results there and of its neighbours along the columns."""
        for element, number, lanes in self.written(sums):
            store_lanes(element, number, lanes, element.along(number))

    def written(self, sums: Sequence[ir.Value]) -> Iterator[tuple[Element, int, Sequence[ir.Value]]]:
        """What is to be stored: the element of the op, the number of the operand, its value there and of its neighbours."""
        known = {self.problem.op.operands[2]: list(sums)}
        if self.problem.op.operands[2] not in self.hidden:
            yield self.element, 2, sums
        for one, element in self.followers:
            for mine, theirs in enumerate(one.dimensions):
                element.place[mine] = self.element.place[theirs]
            yield from self._follow(one, element, known, len(sums))

    def _follow(
        self, one: Follower, element: Element, known: dict[ir.Value, list[ir.Value]], width: int
    ) -> Iterator[tuple[Element, int, Sequence[ir.Value]]]:
        along = one.dimensions.index(self.inner)
        given = [known.get(v) for v in list(one.op.operands)[: one.nest.inputs]]
        loaded = vectors_at(element, width, along, given) if width > 1 else lambda _: [None] * len(given)

        def inputs(lane: int) -> list[ir.Value | None]:
            return [v[lane] if v else vector for v, vector in zip(given, loaded(lane))]

        for number, lanes in zip(element.outputs, computed_lanes(element, along, width, inputs)):
            known[one.op.operands[number]] = list(lanes)
            if one.op.operands[number] not in self.hidden:
                yield element, number, lanes
