"""What a reduction's body combines with: an associative op with a neutral value, so that threads can share the work.

    ^bb0(%in: f32, %out: f32):  %0 = arith.mulf %in, %in; %1 = arith.addf %out, %0; linalg.yield %1
is a sum: each thread starts with 0, and the threads' parts are added."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

LOWEST, HIGHEST = "lowest", "highest"

NEUTRAL: dict[str, int | float | str] = {
    "arith.addf": -0.0,
    "arith.addi": 0,
    "arith.mulf": 1,
    "arith.muli": 1,
    "arith.maximumf": LOWEST,
    "arith.maxnumf": LOWEST,
    "arith.minimumf": HIGHEST,
    "arith.minnumf": HIGHEST,
    "arith.maxsi": LOWEST,
    "arith.minsi": HIGHEST,
    "arith.maxui": 0,
    "arith.minui": -1,
    "arith.ori": 0,
    "arith.xori": 0,
    "arith.andi": -1,
}
"""The neutral value of each op that a body may combine with (0 + -0 is 0, so that a float sum begins with -0)."""


@dataclass(frozen=True)
class Combiner:
    """`name`: the op; `kind`: the element type."""

    name: str
    kind: ir.Type

    def neutral(self) -> ir.Attribute:
        value = NEUTRAL[self.name]
        if isinstance(self.kind, ir.IntegerType):
            width = self.kind.width
            bounds = {LOWEST: -(1 << (width - 1)), HIGHEST: (1 << (width - 1)) - 1}
            return ir.IntegerAttr.get(self.kind, bounds[value] if isinstance(value, str) else int(value))
        bounds = {LOWEST: float("-inf"), HIGHEST: float("inf")}
        return ir.FloatAttr.get(self.kind, bounds[value] if isinstance(value, str) else float(value))

    def apply(self, left: ir.Value, right: ir.Value) -> ir.Value:
        return ir.Operation.create(self.name, results=[self.kind], operands=[left, right]).results[0]


def combiners_of(op: ir.Operation, inputs: int) -> list[Combiner] | None:
    """One for each output of a linalg.generic; None if a body combines in another way."""
    block = op.regions[0].blocks[0]
    carried = list(block.arguments)[inputs:]
    *_, end = block.operations
    found = [_combiner(value, argument) for value, argument in zip(end.operands, carried)]
    return [c for c in found if c is not None] if all(found) else None


def _combiner(value: ir.Value, carried: ir.Value) -> Combiner | None:
    """The op that makes the result out of the carried value, which nothing else uses."""
    if isinstance(value.owner, ir.Block) or value.owner.name not in NEUTRAL or len(list(carried.uses)) != 1:
        return None
    if carried not in list(value.owner.operands) or not isinstance(value.type, ir.IntegerType | ir.FloatType):
        return None
    return Combiner(value.owner.name, value.type)
