"""How partial results of a reduction are merged, read from the body of its linalg.generic.

"op"          every result is `accumulator OP something` with an associative OP: partial results start with OP's
              neutral value and are merged by OP
              (a maximum of small floats, which are computed in f32, is carried in f32: rounding it loses nothing)
"monoid"      the body combines a state with an element of the same types (argmax): neighbours are merged by the body
              itself, in order, as it need not commute (the first of equal maxima, of several NaNs); lanes without an
              element are left out, and the initial value counts once
"sequential"  anything else: one accumulator, element after element"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from typing import Any

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.copying import attributes_of
from hlo.lowering.finding import made_by
from hlo.lowering.linalg.iteration import Index, apply_map
from hlo.lowering.linalg.structured import FLOAT_SUMS, maps_of, reads_index
from hlo.lowering.vector.region.code import Code
from hlo.lowering.vector.region.evaluate import BodyOp, Evaluator, read_block
from hlo.lowering.vector.region.memory import Tile
from hlo.lowering.vector.region.number import Number
from hlo.lowering.vector.region.padding import fill_of, is_fill, is_padding
from hlo.lowering.vector.region.positions import without_comparisons


def _signed_limit(sign: int) -> Callable[[ir.Type], int]:
    return lambda t: (2 ** (t.width - 1) - 1) if sign > 0 else -(2 ** (t.width - 1))


NEUTRAL: dict[str, Callable[[Any], float | int]] = {
    "arith.addf": lambda t: -0.0,
    "complex.add": lambda t: -0.0,
    "arith.mulf": lambda t: 1.0,
    "arith.maximumf": lambda t: -math.inf,
    "arith.maxnumf": lambda t: -math.inf,
    "arith.minimumf": lambda t: math.inf,
    "arith.minnumf": lambda t: math.inf,
    "arith.addi": lambda t: 0,
    "arith.muli": lambda t: 1,
    "arith.andi": lambda t: -1,
    "arith.ori": lambda t: 0,
    "arith.xori": lambda t: 0,
    "arith.maxsi": _signed_limit(-1),
    "arith.minsi": _signed_limit(1),
    "arith.maxui": lambda t: 0,
    "arith.minui": lambda t: -1,
}
"""The neutral element of each associative and commutative op (0 + -0 is 0, so that a float sum begins with -0); of complex numbers each part."""


def neutral_of(name: str, kind: ir.Type) -> ir.Attribute:
    """The neutral element of an op on numbers of this type; of complex numbers, as complex.constant has it."""
    return constant_of(kind, NEUTRAL[name](kind))


def constant_of(kind: ir.Type, number: float | int) -> ir.Attribute:
    """A number of a type; of a complex one both parts."""
    if isinstance(kind, ir.ComplexType):
        return ir.ArrayAttr.get([ir.FloatAttr.get(kind.element_type, number)] * 2)
    return ir.FloatAttr.get(kind, number) if isinstance(kind, ir.FloatType) else ir.IntegerAttr.get(kind, int(number))


def _constant_in(evaluator: Evaluator, kind: ir.Type, attribute: ir.Attribute) -> Number:
    if isinstance(kind, ir.ComplexType):
        return evaluator.code.op("complex.constant", [kind], [], {"value": attribute})[0]
    return evaluator.code.constant(attribute)


@dataclass
class Combiner:
    kind: str
    op: ir.Operation
    merging: list[ir.Operation]
    """Of kind "op": the op that makes each result."""

    @property
    def splittable(self) -> bool:
        return self.kind != "sequential"

    @property
    def is_sum(self) -> bool:
        return self.kind == "op" and all(m.name in (*FLOAT_SUMS, "arith.addi") for m in self.merging)

    @property
    def is_float_sum(self) -> bool:
        return self.kind == "op" and all(m.name in FLOAT_SUMS for m in self.merging)

    @property
    def waits(self) -> bool:
        """Whether each element waits long for the one before it: maxima and minima that look for NaN. Along a long row one vector of
        them is slower than several partial results (AMD EPYC, Zen 5, f32: 0.29 of the speed for rows of 100x6, 1.8 to 1.9
        for 5x7 and 12x7)."""
        return self.kind == "op" and any(m.name in ("arith.maximumf", "arith.minimumf") for m in self.merging)

    def is_extreme_in(self, code: Code, width: int) -> bool:
        """Whether it is a maximum or a minimum that one instruction takes of vectors of so many lanes."""
        return self.kind == "op" and all(code.has_extreme(m.name, m.results[0].type, width) for m in self.merging)

    @property
    def in_order(self) -> bool:
        return self.kind == "monoid"

    def starts(self, evaluator: Evaluator, index: Index, tile: Tile) -> Iterator[list[Number]]:
        """What each result begins with, as it is carried, at an index of the loops."""
        count = len(self.op.results)
        for number, (operand, one) in enumerate(zip(list(self.op.operands)[-count:], maps_of(self.op)[-count:])):
            numbers = evaluator.value(operand, apply_map(one, index), tile)
            yield [self._carried(evaluator, number, x) for x in numbers]

    def _carried(self, evaluator: Evaluator, number: int, result: Number) -> Number:
        """Small floats may be in f32."""
        kind = self.op.results[number].type.element_type
        wide = self.merging[number].results[0].type if self.kind == "op" else kind
        return result if wide == kind else evaluator.code.op("arith.extf", [wide], [result])[0]

    def finished(self, evaluator: Evaluator, number: int, state: Number) -> Number:
        """The result that a state stands for."""
        kind = self.op.results[number].type.element_type
        return state if state.element == kind else evaluator.code.op("arith.truncf", [kind], [state])[0]

    def body(self) -> list[BodyOp]:
        """The ops that join a state and an element: without those that narrow and widen what is carried in f32."""
        body, arguments = read_block(self.op.regions[0].blocks[0]), list(self.op.regions[0].blocks[0].arguments)
        for number, merging in enumerate(self.merging):
            narrowing = body[-1].operands[number]
            if narrowing == merging.results[0]:
                continue
            accumulator = arguments[len(arguments) - len(self.merging) + number]
            (widening,) = [use.owner.operation for use in accumulator.uses]
            body = [b for b in body if b.op not in (widening, narrowing.owner)]
            body[-1].operands[number] = merging.results[0]
            (joining,) = [b for b in body if b.op == merging]
            joining.operands = [accumulator if v == widening.results[0] else v for v in joining.operands]
        return body

    def body_in_order(self) -> list[BodyOp]:
        """The same where the state of a kind "monoid" has all elements in front of this one, in order."""
        return without_comparisons(self.op, self.body()) if self.kind == "monoid" else self.body()

    def neutral(self, evaluator: Evaluator, number: int) -> Number | None:
        """What partial results of a kind "op" start with."""
        if self.kind != "op":
            return None
        name, kind = self.merging[number].name, self.merging[number].results[0].type
        return _constant_in(evaluator, kind, neutral_of(name, kind))

    def elements(self, evaluator: Evaluator, index: Index, tile: Tile) -> list[list[Number]]:
        """Of a kind "monoid": the inputs at an index of the loops, as states of one element each. Those that the body does not use are not read, and
        no access tells where they are: 0 stands for them, as no result depends on it."""
        inputs = evaluator.generic_inputs(self.op, index, tile)
        kinds = [result.type.element_type for result in self.op.results]
        return [x or [_constant_in(evaluator, k, constant_of(k, 0))] for x, k in zip(inputs, kinds, strict=True)]

    def neutral_padding(self) -> ir.Operation | None:
        """The padded array that is reduced, if what is around its source does not change the result."""
        if self.kind != "op" or len(self.merging) != 1:
            return None
        (merging,), view, block = self.merging, self.op.opview, self.op.regions[0].blocks[0]
        made, start = view.inputs[0].owner, view.outputs[0].owner
        if block.arguments[0] not in list(merging.operands) or not is_padding(made) or not is_fill(start):
            return None
        padding, first = fill_of(made), start.operands[0]
        if padding != first and (_constant(padding) is None or _constant(padding) != _constant(first)):
            return None
        number = _number(padding)
        return made if merging.name in IDEMPOTENT or number == NEUTRAL[merging.name](padding.type) else None

    def merge(self, evaluator: Evaluator, a: list[Number], b: list[Number]) -> list[Number]:
        """Two states into one; `a` comes first."""
        if self.kind == "op":
            return [
                evaluator.code.op(m.name, [m.results[0].type], [x, y], attributes_of(m))[0]
                for m, x, y in zip(self.merging, a, b)
            ]
        inputs = [[x] for x in b]
        results = evaluator.generic_body(self.op, (), Tile({}), inputs, [[x] for x in a])
        return [
            evaluator.code.splat(r[0], x.width) for r, x in zip(results, a)
        ]  # one that no state decides is a scalar


IDEMPOTENT = {name for name in NEUTRAL if name.split(".")[1][:3] in ("max", "min", "and", "ori")}


def _constant(value: ir.Value) -> ir.Attribute | None:
    op = made_by(value, "arith.constant", "complex.constant")
    return None if op is None else op.attributes["value"]


def _number(value: ir.Value) -> float | int | None:
    """A constant; of a complex one what both parts are."""
    attribute = _constant(value)
    if isinstance(attribute, ir.ArrayAttr):
        parts = {part.value for part in attribute}
        return parts.pop() if len(parts) == 1 else None
    return attribute.value if isinstance(attribute, (ir.FloatAttr, ir.IntegerAttr)) else None


def combiner_of(op: ir.Operation, may_be_wide: Collection[str] = IDEMPOTENT) -> Combiner:
    """The combiner of a linalg.generic with reduction dimensions."""
    block = op.regions[0].blocks[0]
    inputs = len(op.opview.inputs)
    arguments = list(block.arguments)
    elements, accumulators = arguments[:inputs], arguments[inputs:]
    results = list(block.operations[-1].operands)
    merges = [merge_of(r, a, may_be_wide) for r, a in zip(results, accumulators)]
    if all(merges):
        return Combiner("op", op, [m[0] for m in merges if m is not None])
    same_types = [e.type for e in elements] == [a.type for a in accumulators]
    maps = [op.opview.indexing_maps[k] for k in range(inputs)]
    if same_types and not reads_index(op) and all(m == maps[0] for m in maps):
        return Combiner("monoid", op, [])
    return Combiner("sequential", op, [])


def merge_of(
    result: ir.Value, accumulator: ir.Value, may_be_wide: Collection[str]
) -> tuple[ir.Operation, ir.Value] | None:
    """The op `accumulator OP x` that makes a result, if neither is used elsewhere, and x. `may_be_wide`: ops that may work on a wider type,
    from which the result is rounded."""
    owner, users = made_by(result), _users(accumulator)
    if owner is not None and owner.name == "arith.truncf" and (wide := made_by(owner.operands[0])) is not None:
        is_wide = [user.name for user in users] == ["arith.extf"] and wide.name in may_be_wide
        return merge_of(wide.results[0], users[0].results[0], ()) if is_wide else None
    if owner is None or owner.name not in NEUTRAL or users != [owner] or len(_users(result)) != 1:
        return None
    (other,) = [v for v in owner.operands if v != accumulator]
    return owner, other


def _users(value: ir.Value) -> list[ir.Operation]:
    return [use.owner.operation for use in value.uses]
