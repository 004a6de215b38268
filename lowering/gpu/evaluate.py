"""Code of expressions: the scalar ops of an element, at coordinates that are values of the gpu.func; and what the program makes of a
contraction's sums element by element: bias, activation, residual, conversion, and the stores.

    %t = contraction (%a, %b);  %r = linalg.generic tanh(%t + %bias)        r(i, j) = tanh(t(i, j) + bias(j)): t is nowhere in memory

Every element of an output is an expression of the sum at its own index (`Output`). Whoever holds sums, one or a few
along the columns, gives them to `Epilogue.emit`: contractions, 16 bytes of an output at a time, and attention, the
pairs that a thread has of a fragment."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from mlir import ir
from mlir.dialects import arith, llvm, memref, vector

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.copying import cloned_with
from hlo.lowering.expressions.nodes import (
    Apply,
    Constant,
    Coordinates,
    Element,
    Index,
    Node,
    Product,
    is_apply,
    is_zero,
    reachable,
)
from hlo.lowering.expressions.reader import Reader
from hlo.lowering.gpu.accesses import row_multiple, view_of
from hlo.lowering.gpu.launches import Values
from hlo.lowering.gpu.threads import common_width, load_several, store_several
from hlo.lowering.linalg.loops import add, index
from hlo.lowering.linalg.structured import dimensions_of, is_plain, nest_of, reduces


def as_float(kind: ir.Type, value: ir.Value) -> ir.Value:
    """A float, widened or rounded to a type."""
    if value.type == kind:
        return value
    return (arith.extf if ir.FloatType(kind).width > ir.FloatType(value.type).width else arith.truncf)(kind, value)


def as_f32(value: ir.Value) -> ir.Value:
    return as_float(ir.F32Type.get(), value)


def f32(value: float) -> ir.Value:
    return arith.constant(ir.F32Type.get(), value)


LOG2_E = 1.4426950408889634


def exponential(x: ir.Value) -> ir.Value:
    """e to the x, for x up to 0: one instruction after a product. (s - m) log2 e, not s log2 e - m log2 e, which would
    overflow for the lowest scores that masks use."""
    power = arith.mulf(x, f32(LOG2_E))
    return llvm.call_intrinsic(x.type, "llvm.nvvm.ex2.approx.ftz.f", [power], [], [])


At = Mapping[int, ir.Value]
"""By symbol, where an element is."""


class Evaluator:
    """Writes at the insertion point; the same expression at the same coordinates is computed once. `values`: the memory
    that elements are read from, by tensor. `known`: what has been computed, by expression and coordinates, which must
    still be in scope. `is_fast`: fewer instructions for what each element of a large product has, as in the forward
    kernel: exponentials of f32 by one instruction after a product, quotients by a number that a row (or a column)
    divides as products with its inverse, which is computed once."""

    def __init__(self, values: Values, known: Mapping[Hashable, ir.Value] | None = None, is_fast: bool = False):
        self.values, self.is_fast = values, is_fast
        self.known = dict(known or {})

    def inner(self) -> Evaluator:
        """For a region inside the one that this writes to."""
        return Evaluator(self.values, self.known, self.is_fast)

    def prepare(self, node: Node, at: At) -> None:
        """Computes the largest parts that depend on the symbols of `at` alone."""
        if not node.has_product and node.free <= set(at):
            if any(isinstance(one, Element) for one in reachable(node)):
                self.value(node, at, {})
            return
        for operand in node.operands:
            self.prepare(operand, at)
        if self.is_fast and _divides_by_vector(node) and node.operands[1].free <= set(at):
            self._inverse(node.operands[1], at)

    def read_neighbours(self, node: Node, symbol: int, neighbours: Sequence[At]) -> None:
        """Reads the elements that neighbours in memory are at these coordinates, which follow each other along a symbol: all with one
        access. The first is at a multiple of their number."""
        for one in reachable(node):
            if isinstance(one, Element) and row_multiple(one.value, one.coordinates, symbol) % len(neighbours) == 0:
                keys = [_key(one, at) for at in neighbours]
                if keys[0] not in self.known:
                    first = indices(one.coordinates, neighbours[0])
                    self.known.update(zip(keys, load_several(self.values[one.value], first, len(neighbours))))

    def value(self, node: Node, at: At, given: dict[Node, ir.Value]) -> ir.Value:
        """`given`: the values of contractions here, to which is added what is computed from them."""
        if node in given:
            return given[node]
        if node.has_product:
            given[node] = self._computed(node, at, given)
            return given[node]
        key = _key(node, at)
        if key not in self.known:
            self.known[key] = self._computed(node, at, given)
        return self.known[key]

    def _computed(self, node: Node, at: At, given: dict[Node, ir.Value]) -> ir.Value:
        if isinstance(node, Constant):
            return arith.ConstantOp(node.kind, node.attribute).result
        if isinstance(node, Element):
            return memref.load(self.values[node.value], indices(node.coordinates, at))
        if isinstance(node, Index):
            return indices([node.symbol], at)[0]
        assert isinstance(node, Apply), node
        if self.is_fast and _is_f32(node) and is_apply(node, "math.exp"):
            return exponential(self.value(node.operands[0], at, given))
        if self.is_fast and _divides_by_vector(node):
            return arith.mulf(self.value(node.operands[0], at, given), self._inverse(node.operands[1], at))
        operands = [self.value(o, at, given) for o in node.operands]
        if self.is_fast and is_apply(node, "arith.truncf") and node.has_product and str(node.kind) in ROUND:
            return _rounded(node.kind, operands[0])
        return cloned_with(node.op, operands, [node.kind]).results[0]

    def _inverse(self, divisor: Node, at: At) -> ir.Value:
        if (key := (INVERSE, *_key(divisor, at))) not in self.known:
            value = self.value(divisor, at, {})
            self.known[key] = llvm.call_intrinsic(value.type, INVERSE, [value], [], [])
        return self.known[key]


def _key(node: Node, at: At) -> tuple[Node, tuple[ir.Value, ...]]:
    return node, tuple(at[s] for s in sorted(node.free))


def indices(coordinates: Sequence[int | None], at: At) -> list[ir.Value]:
    """Of an element whose coordinates are symbols."""
    return [index(0) if symbol is None else at[symbol] for symbol in coordinates]


ROUND = {"bf16": "llvm.nvvm.ff2bf16x2.rn", "f16": "llvm.nvvm.ff2f16x2.rn"}
"""Two f32 to nearest, the second one in the low half: one instruction where other arithmetic is, while that of a single f32 is where
exponentials are, which sm_90 has four times fewer of."""


INVERSE = "llvm.nvvm.rcp.approx.ftz.f"
"""1 / x: one instruction, of an error of one unit in the last place."""


def _is_f32(node: Node) -> bool:
    """Of what contractions give."""
    return node.has_product and node.kind == ir.F32Type.get()


def _divides_by_vector(node: Node) -> bool:
    return _is_f32(node) and is_apply(node, "arith.divf") and not node.operands[1].has_product


def _rounded(kind: ir.Type, value: ir.Value) -> ir.Value:
    if value.type != ir.F32Type.get():
        return arith.truncf(kind, value)
    both = llvm.call_intrinsic(ir.VectorType.get([2], kind), ROUND[str(kind)], [f32(0.0), value], [], [])
    return vector.extract(both, [], [0])


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
            store_several(memory, position, found)

    def _started(self, evaluator: Evaluator, at: At, total: ir.Value) -> ir.Value:
        """A sum with what it begins with."""
        start = self.outputs.start
        if start is None:
            return total
        add = arith.addf if isinstance(total.type, ir.FloatType) else arith.addi
        return add(evaluator.value(start, at, {}), total)
