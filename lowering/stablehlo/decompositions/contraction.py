"""Einstein summations as sums, dot_general and transposes; dot as dot_general. Used by decompose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from hlo.dialect.attributes import DotDimensionNumbers
from hlo.dialect.locations import diagnostic
from hlo.dialect.stablehlo import DotGeneralOp, DotOp, EinsumOp, UnaryEinsumOp
from hlo.dialect.stablehlo.contraction import einsum_labels
from hlo.dialect.types import element_type, shape, tensor
from hlo.errors import CompileError
from hlo.lowering.stablehlo.arithmetic import Tensor, constant, dot, iota, reduced, select, transposed
from hlo.lowering.stablehlo.decompositions.table import decomposes


@decomposes(EinsumOp)
def lower_einsum(op: EinsumOp) -> list[ir.Value]:
    """Labels of one operand only are summed first; labels of both are batching (in the result) or contracting."""
    (lhs, left), (rhs, right), out = _terms(op)
    lhs, left = _without_ones(lhs, left, rhs, right)
    rhs, right = _without_ones(rhs, right, lhs, left)
    lhs, left = _sum_others(lhs, left, right + out)
    rhs, right = _sum_others(rhs, right, left + out)
    batching = [c for c in left if c in right and c in out]
    contracting = [c for c in left if c in right and c not in out]
    contracted, batching_dims = (
        ([left.index(c) for c in kind], [right.index(c) for c in kind]) for kind in (contracting, batching)
    )
    free = [c for c in left if c not in right] + [c for c in right if c not in left]
    labels = "".join(batching + free)
    found = dot(Tensor(lhs), Tensor(rhs), contracted, batching_dims, element_type(op.result.type))
    return [transposed(found, [labels.index(c) for c in out]).value]


@decomposes(UnaryEinsumOp)
def lower_unary_einsum(op: UnaryEinsumOp) -> list[ir.Value]:
    (value, labels), out = _terms(op)
    value, labels = _sum_others(value, labels, out)
    return [transposed(Tensor(value), [labels.index(c) for c in out]).value]


def _terms(op: EinsumOp | UnaryEinsumOp) -> list[Any]:
    """Each operand with its labels, one letter a dimension, no letter twice; then the labels of the result."""
    sources, out = op.einsum_config.replace(" ", "").split("->")
    labels = [einsum_labels(term, len(shape(v.type))) for term, v in zip(sources.split(","), op.operands, strict=True)]
    out = einsum_labels(out, len(shape(op.result.type)))
    if len(set(out)) != len(out) or not set(out) <= set("".join(labels)):
        text = f"'{op.operation.name}' of \"{op.einsum_config}\": the result must have each of its labels from an operand, once"
        raise CompileError(diagnostic(op, text))
    return [*(_diagonal(v, term) for v, term in zip(op.operands, labels)), out]


def _diagonal(value: ir.Value, labels: str) -> tuple[ir.Value, str]:
    """Where a label is there twice, the elements with both indices equal."""
    for position, label in enumerate(labels):
        first = labels.index(label)
        if first == position:
            continue
        positions = tensor(shape(value.type), ir.IntegerType.get_signless(32))
        rows, columns = (iota(positions, d) for d in (first, position))
        only = select(rows.equals(columns), Tensor(value), constant(value.type, 0))
        return _diagonal(_sum(only.value, [position]), labels[:position] + labels[position + 1 :])
    return value, labels


def _without_ones(value: ir.Value, labels: str, other: ir.Value, others: str) -> tuple[ir.Value, str]:
    """Without the dimensions of size 1 that stand for any size of the other operand."""
    sizes = dict(zip(others, shape(other.type)))
    ones = [d for d, c in enumerate(labels) if shape(value.type)[d] == 1 and sizes.get(c, 1) != 1]
    if not ones:
        return value, labels
    return _sum(value, ones), "".join(c for d, c in enumerate(labels) if d not in ones)


def _sum_others(value: ir.Value, labels: str, kept: str) -> tuple[ir.Value, str]:
    """Sums over the dimensions whose labels nobody else has."""
    summed = [d for d, c in enumerate(labels) if c not in kept]
    if not summed:
        return value, labels
    remaining = "".join(c for c in labels if c in kept)
    return _sum(value, summed), remaining


def _sum(value: ir.Value, dimensions: Sequence[int]) -> ir.Value:
    return reduced(Tensor(value), dimensions).value


@decomposes(DotOp)
def lower_dot(op: DotOp) -> list[ir.Value]:
    """The last dimension of lhs with the first of rhs."""
    dimensions = DotDimensionNumbers(
        lhs_contracting_dimensions=(len(shape(op.lhs.type)) - 1,), rhs_contracting_dimensions=(0,)
    )
    attributes = {"precision_config": op.attributes["precision_config"]} if "precision_config" in op.attributes else {}
    return list(
        DotGeneralOp.create(
            op.lhs, op.rhs, results=[op.results[0].type], dot_dimension_numbers=dimensions, **attributes
        ).results
    )
