"""Reductions whose accumulators have another element type than their operands.

The specification lets a reduction's function compute in a wider type than that of the operands (`is_promotable`); such operands
are converted first, so that everything behind this pass meets reductions of one type. And the sum of many small floats needs more
digits than its terms have: 300,000 ones added up one by one in bf16 are 256. So reductions of floats of less than 32 bits are
carried in f32 and rounded once, as XLA does on all its targets."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir

from hlo.dialect.stablehlo import (
    AllReduceOp,
    CollectiveReduceOp,
    ReduceOp,
    ReduceScatterOp,
    ReduceWindowOp,
    ScatterOp,
    SelectAndScatterOp,
)
from hlo.dialect.types import element_type, is_narrow_float, is_quantized, rank, with_element
from hlo.lowering.copying import remade
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.stablehlo.arithmetic import Tensor, bitcast, convert
from hlo.lowering.stablehlo.constants import constant_of, known_scalar
from hlo.lowering.stablehlo.rewriting import nested_blocks, rewrite_each

ROUNDING = frozenset(
    f"stablehlo.{name}"
    for name in (
        "add",
        "cbrt",
        "divide",
        "exponential",
        "exponential_minus_one",
        "log",
        "log_plus_one",
        "logistic",
        "multiply",
        "power",
        "rsqrt",
        "sqrt",
        "subtract",
        "tanh",
    )
)
"""Elementwise ops whose results are rounded to their type."""

EXACT = frozenset(
    f"stablehlo.{name}"
    for name in ("abs", "and", "compare", "constant", "maximum", "minimum", "negate", "not", "or", "select", "xor")
)
"""Ops of a reduction's function that mean the same in a wider type."""


@register_pass
class WidenAccumulators(Pass):
    """Converts what reductions read to the type of their accumulators, which is f32 for smaller floats where the function rounds.

    %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add : (bf16) -> bf16    becomes

    %1 = stablehlo.convert %x : bf16 -> f32
    %2 = stablehlo.reduce(%1 init: %w) applies stablehlo.add : (f32) -> f32
    %0 = stablehlo.convert %2 : f32 -> bf16

    Scatters keep the type of their operand, which they update in place; so do reductions whose function itself converts."""

    def run(self, module: ir.Module) -> None:
        rewrite_each(module, tuple(READ), _widened)


def _all_but_indices(op: ScatterOp) -> list[int]:
    count = len(op.inputs)
    return [*range(count), *range(count + 1, 2 * count + 1)]


def _source(op: SelectAndScatterOp) -> list[int]:
    """Of operand, source and initial value the last two: windows select among elements of the operand's type."""
    return [1, 2]


def _everything(op: Any) -> list[int]:
    return list(range(len(op.operands)))


def _all_but_roots(op: CollectiveReduceOp) -> list[int]:
    return list(range(len(op.values)))


READ = {
    AllReduceOp: _everything,
    CollectiveReduceOp: _all_but_roots,
    ReduceScatterOp: _everything,
    ReduceOp: _everything,
    ReduceWindowOp: _everything,
    ScatterOp: _all_but_indices,
    SelectAndScatterOp: _source,
}
"""Which operands of an op its function is given, in the order of the results, once or several times over. Collectives that are left
here are those of one process."""


def _widened(op: Any) -> list[ir.Value] | None:
    *_, block = nested_blocks(op)
    results = [element_type(r.type) for r in op.results]
    carried = [accumulator(block, t) for t in results] if isinstance(op, (ReduceOp, ReduceWindowOp)) else results
    widens = carried != results
    operands = list(op.operands)
    for position, number in enumerate(READ[type(op)](op)):
        operands[number] = _converted(operands[number], carried[position % len(carried)])
    if operands == list(op.operands):
        return None
    types = [with_element(r.type, t) for r, t in zip(op.results, carried, strict=True)]
    wide = remade(op, operands, types)
    for number, old in enumerate(list(nested_blocks(op))):
        if widens:
            retype(old, wide.regions[number])
        else:
            old.append_to(wide.regions[number])
    return [convert(Tensor(r), t).value for r, t in zip(wide.results, results, strict=True)]


def _converted(value: ir.Value, element: ir.Type) -> ir.Value:
    """A value in another element type; a number of a small float type that is known as a constant of f32. Of quantized elements, the
    stored integers are converted (the specification's is_promotable)."""
    if is_quantized(element) and element != element_type(value.type):
        stored = bitcast(Tensor(value), _stored(element_type(value.type)))
        return bitcast(convert(stored, _stored(element)), element).value
    is_wanted = not rank(value.type) and is_narrow_float(element_type(value.type)) and isinstance(element, ir.F32Type)
    number = known_scalar(value) if is_wanted else None
    if number is None:
        return convert(Tensor(value), element).value
    return constant_of(number.astype(np.float32), with_element(value.type, element))


def _stored(element: Any) -> ir.Type:
    make = ir.IntegerType.get_signless if element.is_signed else ir.IntegerType.get_unsigned
    return make(element.storage_type_integral_width)


def accumulator(block: ir.Block, element: ir.Type) -> ir.Type:
    """The type that a reduction with a function carries elements of a type in: f32 where the function rounds smaller floats,
    and does nothing that depends on their type otherwise."""
    *ops, _ = block.operations
    names = {op.operation.name for op in ops}
    rounds = bool(names & ROUNDING) and names <= ROUNDING | EXACT
    return ir.F32Type.get() if rounds and is_narrow_float(element) else element


def _wide(t: ir.Type) -> ir.Type:
    return with_element(t, ir.F32Type.get()) if is_narrow_float(element_type(t)) else t


def retype(block: ir.Block, region: ir.Region) -> None:
    """Gives `region` the function with f32 instead of smaller floats. What it reads from outside, and its constants, are converted."""
    arguments = list(block.arguments)
    new = region.blocks.append(*[_wide(a.type) for a in arguments], arg_locs=[a.location for a in arguments])
    values = dict(zip(arguments, new.arguments))

    def read(value: ir.Value) -> ir.Value:
        return values[value] if value in values else _converted(value, element_type(_wide(value.type)))

    with ir.InsertionPoint(new):
        for op in block.operations:
            with op.location:
                if op.operation.name == "stablehlo.constant":
                    values[op.result] = read(op.operation.clone().result)
                    continue
                made = remade(op, [read(v) for v in op.operands], [_wide(r.type) for r in op.results])
                values.update(zip(op.results, made.results))
