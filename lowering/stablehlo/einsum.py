"""Einstein summations as sums, dot_general and transposes. Used by decompose."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from hlo.dialect.attributes import DotDimensionNumbers
from hlo.dialect.stablehlo import AddOp, DotGeneralOp, EinsumOp, ReduceOp, ReturnOp, TransposeOp, UnaryEinsumOp
from hlo.dialect.types import element_type, is_float, shape, tensor
from hlo.errors import CompileError
from hlo.lowering.linalg.rules import located
from hlo.lowering.stablehlo.arithmetic import constant


def lower_einsum(op: EinsumOp) -> list[ir.Value]:
    """Labels of one operand only are summed first; labels of both are batching (in the result) or contracting."""
    (left, right), out = _parse(op)
    lhs, left = _sum_others(op.lhs, left, right + out)
    rhs, right = _sum_others(op.rhs, right, left + out)
    batching = [c for c in left if c in right and c in out]
    contracting = [c for c in left if c in right and c not in out]
    dimensions = DotDimensionNumbers(
        lhs_batching_dimensions=tuple(map(left.index, batching)),
        rhs_batching_dimensions=tuple(map(right.index, batching)),
        lhs_contracting_dimensions=tuple(map(left.index, contracting)),
        rhs_contracting_dimensions=tuple(map(right.index, contracting)),
    )
    free = [c for c in left if c not in right] + [c for c in right if c not in left]
    labels = "".join(batching + free)
    sizes = dict(zip(left, shape(lhs.type))) | dict(zip(right, shape(rhs.type)))
    product_type = tensor([sizes[c] for c in labels], element_type(op.result.type))
    product = DotGeneralOp.create(lhs, rhs, results=[product_type], dot_dimension_numbers=dimensions)
    return [_transpose(product.results[0], labels, out)]


def lower_unary_einsum(op: UnaryEinsumOp) -> list[ir.Value]:
    (labels,), out = _parse(op)
    value, labels = _sum_others(op.operand, labels, out)
    return [_transpose(value, labels, out)]


def _parse(op: EinsumOp | UnaryEinsumOp) -> tuple[list[str], str]:
    """The labels of the operands and of the result, one letter a dimension."""
    sources, out = op.einsum_config.replace(" ", "").split("->")
    labels = sources.split(",")
    if "." in op.einsum_config or any(len(set(one)) != len(one) for one in (*labels, out)):
        reason = "ellipses and diagonals (a label twice) are not supported"
        raise CompileError(located(op, f"'{op.operation.name}' of \"{op.einsum_config}\": {reason}"))
    return labels, out


def _sum_others(value: ir.Value, labels: str, kept: str) -> tuple[ir.Value, str]:
    """Sums over the dimensions whose labels nobody else has."""
    summed = [d for d, c in enumerate(labels) if c not in kept]
    if not summed:
        return value, labels
    remaining = "".join(c for c in labels if c in kept)
    return _sum(value, summed), remaining


def _sum(value: ir.Value, dimensions: Sequence[int]) -> ir.Value:
    element = element_type(value.type)
    scalar = tensor([], element)
    result_type = tensor([s for d, s in enumerate(shape(value.type)) if d not in dimensions], element)
    zero = constant(scalar, 0.0 if is_float(element) else 0)
    reduce = ReduceOp.create(value, zero.value, results=[result_type], dimensions=dimensions)
    block = reduce.regions[0].blocks.append(scalar, scalar, arg_locs=[reduce.location] * 2)
    with ir.InsertionPoint(block):
        ReturnOp.create(AddOp.create(*block.arguments, results=[scalar]).results[0], results=[])
    return reduce.results[0]


def _transpose(value: ir.Value, labels: str, out: str) -> ir.Value:
    if labels == out:
        return value
    permutation = [labels.index(c) for c in out]
    sizes = [shape(value.type)[d] for d in permutation]
    result_type = tensor(sizes, element_type(value.type))
    return TransposeOp.create(value, results=[result_type], permutation=permutation).results[0]
