"""Dimensions of size 1 that a reshape puts in go through what follows, for simplify-algebra: sums that keep their dimension,
groups of one head, leading axes that were only needed for broadcasting.

    %c = reshape %x : (8xf32) -> 8x1xf32          %r = rsqrt %x : 8xf32
    %r = rsqrt %c : 8x1xf32                becomes
    %b = broadcast_in_dim %r, dims = [0, 1]       %b = broadcast_in_dim %r, dims = [0]

Each pattern computes the op without its dimensions of size 1 and reshapes the result, where an operand is such a reshape; so
they move down until an op takes them in. Ops whose operands have the dimension from elsewhere (a batch of one) stay as they
are."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import compress
from typing import Any

from mlir import ir

from hlo.dialect import stablehlo
from hlo.dialect.attributes import DotDimensionNumbers
from hlo.dialect.stablehlo import BroadcastInDimOp, ConstantOp, DotGeneralOp, ReshapeOp, TransposeOp
from hlo.dialect.types import element_type, shape

ELEMENTWISE = (
    "abs", "add", "and", "atan2", "bitcast_convert", "cbrt", "ceil", "compare", "complex", "convert", "cosine",
    "count_leading_zeros", "divide", "exponential", "exponential_minus_one", "floor", "imag", "is_finite", "log",
    "log_plus_one", "logistic", "maximum", "minimum", "multiply", "negate", "not", "or", "popcnt", "power", "real",
    "reduce_precision", "remainder", "round_nearest_afz", "round_nearest_even", "rsqrt", "select", "shift_left",
    "shift_right_arithmetic", "shift_right_logical", "sign", "sine", "sqrt", "subtract", "tan", "tanh", "xor",
)  # fmt: skip
"""Ops that keep the shape of their operands; bitcasts between types of other sizes do not and are left alone."""


def pull_elementwise(op: Any) -> ir.Value | None:
    sizes = shape(op.results[0].type)
    if not _has_units(sizes) or any(shape(v.type) != sizes for v in op.operands):
        return None
    if not any(_added(v) is not None for v in op.operands) or not all(map(_can_drop, op.operands)):
        return None
    made = _again(op, [_dropped(v) for v in op.operands], _plain(sizes))
    return _reshaped(made, sizes)


def pull_transpose(op: Any) -> ir.Value | None:
    sizes = shape(op.operand.type)
    if _added(op.operand) is None:
        return None
    kept = [d for d, size in enumerate(sizes) if size != 1]
    permutation = [kept.index(d) for d in op.permutation if d in kept]
    operand = _dropped(op.operand)
    result_type = _type_like(op.result, [shape(operand.type)[d] for d in permutation])
    made = TransposeOp.create(operand, results=[result_type], permutation=permutation).results[0]
    return _reshaped(made, shape(op.result.type))


def pull_broadcast(op: Any) -> ir.Value | None:
    """One that repeats nothing is a reshape; others read the operand without the dimensions of size 1."""
    sizes, result = shape(op.operand.type), shape(op.result.type)
    dimensions = list(op.broadcast_dimensions)
    if not (_is_static(sizes) and _is_static(result)):
        return None
    if math.prod(sizes) == math.prod(result) and 0 not in result and dimensions == sorted(dimensions):
        return _reshaped(op.operand, result)
    if _added(op.operand) is None:
        return None
    kept = [at for at, size in zip(dimensions, sizes) if size != 1]
    operand = _dropped(op.operand)
    return BroadcastInDimOp.create(operand, results=[op.result.type], broadcast_dimensions=kept).results[0]


def pull_dot(op: Any) -> ir.Value | None:
    if all(_added(v) is None for v in (op.lhs, op.rhs)):
        return None
    n = op.dot_dimension_numbers
    lhs, rhs = (_renumbered(shape(v.type)) for v in (op.lhs, op.rhs))
    numbers = DotDimensionNumbers(
        lhs_batching_dimensions=lhs(n.lhs_batching_dimensions),
        rhs_batching_dimensions=rhs(n.rhs_batching_dimensions),
        lhs_contracting_dimensions=lhs(n.lhs_contracting_dimensions),
        rhs_contracting_dimensions=rhs(n.rhs_contracting_dimensions),
    )
    sizes = shape(op.result.type)
    made = DotGeneralOp.create(
        _dropped(op.lhs),
        _dropped(op.rhs),
        results=[_type_like(op.result, _plain(sizes))],
        dot_dimension_numbers=numbers,
        precision_config=op.precision_config,
        algorithm=op.algorithm,
    )
    return _reshaped(made.results[0], sizes)


SINGLE = ("add", "and", "maximum", "minimum", "multiply", "or", "xor")


def pull_reduce(op: Any) -> list[ir.Value] | None:
    """Dimensions of size 1 are not reduced: the result is what is left of the others, or the body applied once."""
    count = len(op.results)
    inputs, starts = list(op.operands)[:count], list(op.operands)[count:]
    sizes, reduced = shape(inputs[0].type), list(op.dimensions)
    if not _is_static(sizes) or not (any(sizes[d] == 1 for d in reduced) or any(_added(v) is not None for v in inputs)):
        return None
    results = [shape(r.type) for r in op.results]
    left = _renumbered(sizes)(reduced)
    if left:
        made = _again_reducing(op, [*map(_dropped, inputs), *starts], left, [_plain(s) for s in results])
        return [_reshaped(value, to) for value, to in zip(made, results, strict=True)]
    name = _single(op)
    if name is None or 0 in sizes:
        return None
    flat = _reshaped(inputs[0], results[0])
    start = BroadcastInDimOp.create(starts[0], results=[flat.type], broadcast_dimensions=[]).results[0]
    return [getattr(stablehlo, name).create(start, flat, results=[flat.type]).results[0]]


def _single(op: Any) -> str | None:
    """The class of the one op that a reduction's body applies to its two arguments, in their order."""
    block = op.regions[0].blocks[0]
    body = list(block.operations)
    if len(op.results) != 1 or len(body) != 2 or list(body[0].operands) != list(block.arguments):
        return None
    mnemonic = body[0].operation.name.removeprefix("stablehlo.")
    if mnemonic not in SINGLE or body[0].results[0].type != block.arguments[0].type:
        return None
    if list(body[1].operands) != list(body[0].results):
        return None
    same = (
        element_type(op.operands[0].type) == element_type(op.results[0].type) == element_type(block.arguments[0].type)
    )
    return f"{mnemonic.capitalize()}Op" if same else None


def _again(op: Any, operands: Sequence[ir.Value], sizes: Sequence[int]) -> ir.Value:
    """The same op on other operands."""
    attributes = {name: op.attributes[name] for name in op.attributes}
    result_type = _type_like(op.results[0], sizes)
    made = ir.Operation.create(op.operation.name, results=[result_type], operands=operands, attributes=attributes)
    return made.results[0]


def _again_reducing(
    op: Any, operands: Sequence[ir.Value], dimensions: Sequence[int], results: Sequence[Sequence[int]]
) -> list[ir.Value]:
    copy = op.operation.clone()
    for n, value in enumerate(operands):
        copy.operands[n] = value
    copy.attributes["dimensions"] = ir.DenseI64ArrayAttr.get(list(dimensions))
    for result, sizes in zip(copy.results, results, strict=True):
        result.set_type(_type_like(result, sizes))
    return list(copy.results)


def _is_static(sizes: Sequence[int]) -> bool:
    return all(size >= 0 for size in sizes)


def _has_units(sizes: Sequence[int]) -> bool:
    return _is_static(sizes) and 1 in sizes


def _plain(sizes: Sequence[int]) -> list[int]:
    return [size for size in sizes if size != 1]


def _renumbered(sizes: Sequence[int]) -> Callable[[Sequence[int]], tuple[int, ...]]:
    """From dimensions of a shape to those of the shape without its ones."""
    kept = [d for d, size in enumerate(sizes) if size != 1]
    return lambda dimensions: tuple(kept.index(d) for d in dimensions if d in kept)


def _type_like(value: ir.Value, sizes: Sequence[int]) -> ir.Type:
    return ir.RankedTensorType.get(list(sizes), element_type(value.type))


def _added(value: ir.Value) -> Any:
    """The reshape that gives a value its dimensions of size 1, or moves them, or None."""
    op = _maker(value, ReshapeOp)
    if op is None or not _has_units(shape(value.type)) or not _is_static(shape(op.operands[0].type)):
        return None
    before, after = shape(op.operands[0].type), shape(value.type)
    return op if _plain(before) == _plain(after) or before.count(1) < after.count(1) else None


def _maker(value: ir.Value, kind: Any) -> Any:
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.name != kind.OPERATION_NAME:
        return None
    return owner.opview


def _can_drop(value: ir.Value) -> bool:
    """Whether a value without its dimensions of size 1 costs nothing: reshapes, numbers, and broadcasts made anew."""
    constant = _maker(value, ConstantOp)
    if constant is not None:
        return bool(getattr(constant.attributes["value"], "is_splat", False))
    return _added(value) is not None or _maker(value, BroadcastInDimOp) is not None


def _dropped(value: ir.Value) -> ir.Value:
    sizes = shape(value.type)
    if not _has_units(sizes):
        return value
    constant, broadcast = _maker(value, ConstantOp), _maker(value, BroadcastInDimOp)
    if constant is not None:
        return _dropped_constant(value, constant)
    if broadcast is not None:
        return _dropped_broadcast(value, broadcast)
    added = _added(value)
    return _reshaped(value if added is None else added.operands[0], _plain(sizes))


def _dropped_constant(value: ir.Value, op: Any) -> ir.Value:
    made = _type_like(value, _plain(shape(value.type)))
    attribute = op.attributes["value"]
    if not getattr(attribute, "is_splat", False):
        return _reshaped(value, _plain(shape(value.type)))
    number = ir.DenseElementsAttr.get_splat(made, attribute.get_splat_value())
    return ConstantOp.create(results=[made], value=number).results[0]


def _dropped_broadcast(value: ir.Value, op: Any) -> ir.Value:
    kept = [size != 1 for size in shape(op.operand.type)]
    operand = _reshaped(op.operand, list(compress(shape(op.operand.type), kept)))
    dimensions = _renumbered(shape(value.type))(list(compress(op.broadcast_dimensions, kept)))
    made = _type_like(value, _plain(shape(value.type)))
    return BroadcastInDimOp.create(operand, results=[made], broadcast_dimensions=dimensions).results[0]


def _reshaped(value: ir.Value, sizes: Sequence[int]) -> ir.Value:
    if shape(value.type) == list(sizes):
        return value
    return ReshapeOp.create(value, results=[_type_like(value, sizes)]).results[0]


UNIT_PATTERNS: dict[str, tuple[Callable[[Any], Any], ...]] = {
    **{f"stablehlo.{name}": (pull_elementwise,) for name in ELEMENTWISE},
    "stablehlo.broadcast_in_dim": (pull_broadcast,),
    "stablehlo.dot_general": (pull_dot,),
    "stablehlo.reduce": (pull_reduce,),
    "stablehlo.transpose": (pull_transpose,),
}
"""By op name, for simplify-algebra."""
