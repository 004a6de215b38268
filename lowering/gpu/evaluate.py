"""Code of expressions: the scalar ops of an element, at coordinates that are values of the gpu.func."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from mlir import ir
from mlir.dialects import arith, llvm, memref, vector

from hlo.lowering.copying import cloned_with
from hlo.lowering.expressions.nodes import Apply, Constant, Element, Index, Node, is_apply, reachable
from hlo.lowering.gpu.accesses import row_multiple
from hlo.lowering.gpu.grid import Values
from hlo.lowering.gpu.wide_access import load_several
from hlo.lowering.linalg.loops import index


def as_type(kind: ir.Type, value: ir.Value) -> ir.Value:
    """A float, widened or rounded to a type."""
    if value.type == kind:
        return value
    return (arith.extf if ir.FloatType(kind).width > ir.FloatType(value.type).width else arith.truncf)(kind, value)


def as_f32(value: ir.Value) -> ir.Value:
    return as_type(ir.F32Type.get(), value)


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
