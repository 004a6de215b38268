"""The pass `multiply-steps-together`: matmuls of a while loop whose steps have the same matrix become one, in front of
the loop or behind it."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
from mlir import ir

from hlo.dialect.definition import Op
from hlo.dialect.stablehlo import DotGeneralOp, WhileOp
from hlo.dialect.types import bit_width, element_type, shape, tensor
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.copying import cloned_with
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.replacing import replace as replace_op
from hlo.lowering.stablehlo.arithmetic import (
    Tensor,
    constant,
    convert,
    part_along,
    put_along,
    reshaped,
    transposed,
)
from hlo.lowering.stablehlo.constants import known_scalar, read_constant
from hlo.lowering.stablehlo.rewriting import defining, each_op
from hlo.lowering.stablehlo.simplify.evaluation import evaluated

MOST_BYTES = 4 << 20
"""Of what memory holds for all steps: programs go in steps to need less of it, too."""
LEAST_PRODUCTS, FEW_ROWS = 40, 4
"""Products for each element that is kept: fewer take less time than writing and reading it. Rows of a step, up to which they do not."""
MOST_STEPS = 1 << 20
"""What is known of them is looked at one by one."""


@register_pass
class MultiplyStepsTogether(Pass):
    """Multiplies what all steps read of an array by their common matrix in front of the loop, and what they write into one behind it.

    while(%i = 0) cond %i < 50 do {                       %all = dot_general %xs, %w
      %x = dynamic_slice %xs, %i, 0                       while(%i = 0) cond %i < 50 do {
      %p = dot_general %x, %w                   becomes     %p = dynamic_slice %all, %i, 0

      %p = dot_general %x, %w                               %r = dynamic_update_slice %xs, %x, %i, 0
      %r = dynamic_update_slice %ps, %p, %i, 0            }
    }                                                     %ps = dot_general %xs, %w

    Sums are those of the steps. A matmul of few rows takes the time of reading its matrix, which one of all rows reads once."""

    def run(self, module: ir.Module) -> None:
        for op in each_op(module):
            loop = _counting(op) if isinstance(op, WhileOp) else None
            if loop is not None:
                for inner in list(loop.body.operations):
                    if isinstance(inner, DotGeneralOp):
                        _multiply_before(loop, inner)
                for position in range(len(loop.op.results)):
                    _multiply_behind(loop, position)


@dataclass(frozen=True)
class _Loop:
    """A loop that counts its steps: `counters` are the scalars of a step that it counts, and what they are, step by step."""

    op: WhileOp
    steps: int
    counters: dict[ir.Value, np.ndarray]

    @property
    def body(self) -> ir.Block:
        return self.op.body.blocks[0]

    def is_outside(self, value: ir.Value) -> bool:
        owner = value.owner
        return self.body != (owner if isinstance(owner, ir.Block) else owner.operation.block)

    def is_worth(self, op: DotGeneralOp, side: int, kept: ir.Type, count: int) -> bool:
        """Whether it saves time to multiply `count` parts at once, the operands at a side, and `count` values of a type
        may be kept for it."""
        numbers, sizes = op.dot_dimension_numbers, shape(op.operands[side].type)
        summed = (numbers.lhs_contracting_dimensions, numbers.rhs_contracting_dimensions)[side]
        length = prod(sizes[d] for d in summed)
        enough = prod(shape(op.result.type)) * length >= LEAST_PRODUCTS * prod(shape(kept))
        saves = enough or prod(sizes) <= FEW_ROWS * length
        bits = count * prod(shape(kept)) * bit_width(element_type(kept))
        # A batch of products stays: those of one step would lie apart.
        return saves and not numbers.lhs_batching_dimensions and 0 < bits <= 8 * MOST_BYTES and 1 < count <= self.steps

    def reaches_all(self, index: ir.Value, count: int) -> bool:
        """Whether the parts of one element that steps have, at this index, are all `count` elements."""
        found = self._values(index, dict(self.counters))
        return found is not None and set(np.clip(found, 0, count - 1).flat) == set(range(count))

    def _values(self, value: ir.Value, known: dict[ir.Value, np.ndarray | None]) -> np.ndarray | None:
        """What a scalar is, step by step; None where it depends on more than the counter."""
        if value not in known:
            known[value] = None
            op: Any = None if isinstance(value.owner, ir.Block) else value.owner.operation.opview
            if op is not None and op.operation.name == "stablehlo.constant":
                known[value] = read_constant(op)
            elif isinstance(op, Op) and op.ELEMENTWISE:
                known[value] = evaluated(op, [self._values(v, known) for v in op.operands])
        return known[value]


def _counting(loop: WhileOp) -> _Loop | None:
    """A loop that goes on while a counter is below a constant."""
    condition, body = loop.cond.blocks[0], loop.body.blocks[0]
    test = defining(condition.operations[-1].operands[0], "compare")
    if test is None or test.comparison_direction != "LT" or test.lhs not in list(condition.arguments):
        return None
    counted = {n: c for n in range(len(body.arguments)) if (c := _counter(loop, n)) is not None}
    limit, counter = known_scalar(test.rhs), counted.get(list(condition.arguments).index(test.lhs))
    if limit is None or counter is None or counter[1] <= 0:
        return None
    first, by = map(int, counter)
    steps = -(-(int(limit) - first) // by)
    if not 0 < steps <= MOST_STEPS or first + steps * by > np.iinfo(limit.dtype).max:
        return None
    with np.errstate(all="ignore"):
        numbers = {n: first + by * np.arange(steps).astype(first.dtype) for n, (first, by) in counted.items()}
    return _Loop(loop, steps, {body.arguments[n]: found for n, found in numbers.items()})


def _counter(loop: WhileOp, position: int) -> tuple[np.ndarray, np.ndarray] | None:
    """The first value of an integer that is carried, and what each step adds to it; None where they are not known."""
    argument = loop.body.blocks[0].arguments[position]
    after = defining(loop.body.blocks[0].operations[-1].operands[position], "add")
    if after is None or shape(argument.type) or after.lhs != argument:
        return None
    first, by = known_scalar(loop.operands[position]), known_scalar(after.rhs)
    return None if first is None or by is None or first.dtype.kind not in "iu" else (first, by)


@dataclass(frozen=True)
class _Form:
    """What reshapes and conversions make of a value: the element types that it is converted to, in turn, and its shape at the end."""

    elements: tuple[ir.Type, ...]
    sizes: tuple[int, ...]

    def of_all(self, values: Tensor) -> Tensor:
        """The same, of the values of all steps; they are side by side in the first dimension."""
        for element in self.elements:
            values = convert(values, element)
        return reshaped(values, [values.shape[0], *self.sizes])


def _source(value: ir.Value) -> tuple[ir.Value, _Form]:
    """What a value is made of by reshapes and conversions alone."""
    sizes, elements = tuple(shape(value.type)), []
    while (op := defining(value, "reshape") or defining(value, "convert")) is not None:
        if op.operation.name == "stablehlo.convert":
            elements.append(element_type(value.type))
        value = op.operands[0]
    return value, _Form(tuple(reversed(elements)), sizes)


def _multiply_before(loop: _Loop, op: DotGeneralOp) -> None:
    """In front of the loop, if in each step one operand is a part of an array, and the other the same."""
    for side, factor in enumerate(op.operands):
        source, form = _source(factor)
        part = defining(source, "dynamic_slice")
        if part is None or not loop.is_outside(op.operands[1 - side]) or not loop.is_outside(part.operand):
            continue
        count, *sizes = shape(part.operand.type) or [0]
        if list(part.slice_sizes) != [1, *sizes] or not loop.is_worth(op, side, op.result.type, count):
            continue
        with ir.InsertionPoint(loop.op), op.location:
            product, dimension = _product(op, side, form.of_all(Tensor(part.operand)))
        with ir.InsertionPoint(op), op.location:
            mine = part_along(product, dimension, Tensor(part.start_indices[0]), 1)
            replace_op(op, [reshaped(mine, shape(op.result.type)).value])
        return


def _multiply_behind(loop: _Loop, position: int) -> None:
    """Behind the loop, if in each step one operand is the same, and the product becomes a part of an array that no step
    reads. The array of the other operands takes its place."""
    update = _written_part(loop, position)
    if update is None:
        return
    source, form = _source(update.update)
    op = defining(source, "dot_general")
    if op is None:
        return
    result, kind = loop.op.results[position], loop.op.results[position].type
    for side, factor in enumerate(map(Tensor, op.operands)):
        others, count = op.operands[1 - side], shape(kind)[0]
        if (
            loop.is_outside(factor.value)
            or not loop.is_outside(others)
            or not loop.is_worth(op, side, factor.type, count)
        ):
            continue
        _write_instead(loop, position, update, factor)
        with ir.InsertionPoint.after(loop.op.operation), op.location:
            product, dimension = _product(op, side, Tensor(result))
            steps_first = [dimension, *(d for d in range(len(product.shape)) if d != dimension)]
            whole = reshaped(form.of_all(transposed(product, steps_first)), shape(kind))
        result.replace_all_uses_except(whole.value, product.value.owner.operation)
        return


def _written_part(loop: _Loop, position: int) -> Any:
    """The op with which each step writes its part of a carried array, in its first dimension, if steps only write it, all of it."""
    before, inside = (region.blocks[0].arguments[position] for region in (loop.op.cond, loop.op.body))
    update = defining(loop.body.operations[-1].operands[position], "dynamic_update_slice")
    if update is None or update.operand != inside or not shape(inside.type):
        return None
    if [len(list(value.uses)) for value in (before, inside, update.result)] != [0, 1, 1]:
        return None
    count, *sizes = shape(inside.type)
    fits = shape(update.update.type) == (1, *sizes) and loop.reaches_all(update.start_indices[0], count)
    return update if fits else None


def _write_instead(loop: _Loop, position: int, update: Any, part: Tensor) -> None:
    """Makes the loop carry an array of such parts, and write these."""
    carried = [region.blocks[0].arguments[position] for region in (loop.op.cond, loop.op.body)]
    kept = tensor([shape(update.operand.type)[0], *part.shape], part.element)
    with ir.InsertionPoint(loop.op), update.location:
        loop.op.operands[position] = constant(kept, 0).value
    for value in (loop.op.results[position], *carried):
        value.set_type(kept)
    with ir.InsertionPoint(update), update.location:
        start, whole = Tensor(update.start_indices[0]), reshaped(part, [1, *part.shape])
        replace_op(update, [put_along(Tensor(carried[1]), 0, start, whole).value])


def _product(op: DotGeneralOp, side: int, factors: Tensor) -> tuple[Tensor, int]:
    """The matmul with one operand's values of all steps, side by side in its first dimension; and which of the result's that is."""
    numbers = op.dot_dimension_numbers
    names = [f"{'lr'[side]}hs_{kind}_dimensions" for kind in ("batching", "contracting")]
    moved = {name: tuple(d + 1 for d in getattr(numbers, name)) for name in names}
    *_, labels = numbers.labels(len(shape(op.lhs.type)), len(shape(op.rhs.type)))
    dimension = sum(kind == "batch" or (kind == "m" and side == 1) for kind, _ in labels)
    sizes = list(shape(op.result.type))
    sizes.insert(dimension, factors.shape[0])
    operands = [factors.value if n == side else value for n, value in enumerate(op.operands)]
    made = cloned_with(op, operands, [tensor(sizes, element_type(op.result.type))])
    made.attributes["dot_dimension_numbers"] = DotGeneralOp.dot_dimension_numbers.kind.encode(replace(numbers, **moved))
    return Tensor(made.result), dimension
