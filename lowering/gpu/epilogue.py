"""What the program makes of a contraction's sums element by element: bias, activation, residual, conversion, and the stores.

    %t = contraction (%a, %b);  %r = linalg.generic tanh(%t + %bias)        r(i, j) = tanh(t(i, j) + bias(j)): t is nowhere in memory

Every element of an output is an expression of the sum at its own index (`Output`). Whoever holds sums, one or a few
along the columns, gives them to `Epilogue.emit`: contractions, 16 bytes of an output at a time, and attention, the
pairs that a thread has of a fragment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlir import ir
from mlir.dialects import arith, memref

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.expressions.nodes import Coordinates, Element, Node, Product, is_zero, reachable
from hlo.lowering.expressions.reader import Reader
from hlo.lowering.gpu.accesses import row_multiple, view_of
from hlo.lowering.gpu.evaluate import At, Evaluator, indices
from hlo.lowering.gpu.grid import Values
from hlo.lowering.gpu.wide_access import common_width, store_several
from hlo.lowering.linalg.loops import add
from hlo.lowering.linalg.structured import dimensions_of, is_plain, nest_of, reduces


@dataclass(frozen=True)
class Output:
    """The element of `value` at the symbols `coordinates` is `node`."""

    value: ir.Value
    coordinates: Coordinates
    node: Node


@dataclass(frozen=True)
class Outputs:
    """What is stored, as expressions of `sum`. `start`: what is added to a sum; None for 0."""

    sum: Product
    all: tuple[Output, ...]
    start: Node | None = None

    @property
    def nodes(self) -> list[Node]:
        """All expressions, with what they are made of."""
        roots = [one.node for one in self.all] + ([self.start] if self.start is not None else [])
        return [node for root in roots for node in reachable(root)]


def outputs_of(op: ir.Operation, sizes: Mapping[int, int], returned: Sequence[ir.Value]) -> Outputs | None:
    """In a kernel: the values that it returns, each made of a contraction's result of the same index. None where one is not. `sizes`: of
    the contraction's parallel dimensions, which are the symbols."""
    (result,) = op.results
    written = nest_of(op).maps[-1]
    if not is_plain(written):
        return None
    coordinates = dimensions_of(written)
    found = _made_of(result, coordinates)
    if any(v not in found for v in returned):
        return None
    reader = Reader(sizes, (), in_kernel=True)
    start = reader.node(op.operands[2], coordinates)
    total = reader.set_product(op, coordinates)
    given = None if is_zero(start) else start
    outputs = Outputs(total, tuple(Output(v, found[v], reader.node(v, found[v])) for v in returned), given)
    is_whole = not reader.splits and all(_is_in_memory(one.value) for one in outputs.nodes if isinstance(one, Element))
    return outputs if is_whole else None


def _made_of(result: ir.Value, coordinates: Coordinates) -> dict[ir.Value, Coordinates]:
    """A value, and all that ops make of it element by element, with the coordinates of an element."""
    found = {result: coordinates}
    waiting = [result]
    while waiting:
        value = waiting.pop()
        for use in value.uses:
            made = made_by_user(use.owner.operation, use.operand_number, found[value])
            waiting += [one for one in made if one not in found]
            found.update(made)
    return found


def made_by_user(op: ir.Operation, number: int, coordinates: Coordinates) -> dict[ir.Value, Coordinates]:
    """The results of an op each of whose elements is made of one of its operand's, with their coordinates from the operand's."""
    if op.name != "linalg.generic" or reduces(op) or number >= (nest := nest_of(op)).inputs:
        return {}
    if not nest.maps[number].is_permutation:
        return {}
    symbols = dict(zip(dimensions_of(nest.maps[number]), coordinates))
    outputs = zip(op.results, nest.maps[nest.inputs :])
    return {made: tuple(symbols[d] for d in dimensions_of(one)) for made, one in outputs if one.is_permutation}


def _is_in_memory(value: ir.Value) -> bool:
    """An argument of the kernel, or seen in one."""
    view = view_of(value)
    return view is not None and not view.low and isinstance(view.source.owner, ir.Block)


class Epilogue:
    """Writes the code. `inner`: the symbol along which sums that are given together follow each other, `size` of them;
    `values`: memory, by tensor."""

    def __init__(self, outputs: Outputs, inner: int, size: int, values: Values):
        self.outputs, self.inner, self.size, self.values = outputs, inner, size, values

    def width(self, most: int) -> int:
        """How many neighbours one access has, of what is stored, and of what is read in contiguous rows. `most`: a multiple of it."""
        stored = [(one.value, one.coordinates) for one in self.outputs.all]
        read = [(one.value, one.coordinates) for one in self.outputs.nodes if isinstance(one, Element)]
        rows = [row_multiple(*one, self.inner) for one in stored]
        if 1 in rows:
            return 1
        used = [one for one in read if row_multiple(*one, self.inner) != 1]
        kinds = [value.type.element_type for value, _ in (*stored, *used)]
        return common_width(kinds, [self.size, most, *rows, *(row_multiple(*one, self.inner) for one in used)])

    def emit(self, at: At, sums: Sequence[ir.Value]) -> None:
        """`at`: by symbol the index of the first sum; several are as many as `width` allows."""
        evaluator, inner = Evaluator(self.values), self.inner
        lanes = [{**at, inner: add(at[inner], lane)} if lane else at for lane in range(len(sums))]
        if len(sums) > 1:
            for one in self.outputs.all:
                evaluator.read_neighbours(one.node, inner, lanes)
        given: list[dict[Node, ir.Value]] = [
            {self.outputs.sum: self._started(evaluator, *one)} for one in zip(lanes, sums)
        ]
        for one in self.outputs.all:
            found = [evaluator.value(one.node, lane, computed) for lane, computed in zip(lanes, given)]
            memory, position = self.values[one.value], indices(one.coordinates, at)
            if len(found) > 1:
                store_several(memory, position, found)
            else:
                memref.store(found[0], memory, position)

    def _started(self, evaluator: Evaluator, at: At, total: ir.Value) -> ir.Value:
        """A sum with what it begins with."""
        start = self.outputs.start
        if start is None:
            return total
        add = arith.addf if isinstance(total.type, ir.FloatType) else arith.addi
        return add(evaluator.value(start, at, {}), total)
