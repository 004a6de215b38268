"""Dimensions of size 1 that a reshape puts in go through what follows, for simplify-algebra: sums that keep their dimension,
groups of one head, leading axes that were only needed for broadcasting.

    %c = reshape %x : (8xf32) -> 8x1xf32          %r = rsqrt %x : 8xf32
    %r = rsqrt %c : 8x1xf32                becomes
    %b = broadcast_in_dim %r, dims = [0, 1]       %b = broadcast_in_dim %r, dims = [0]

Each pattern computes the op without its dimensions of size 1 and reshapes the result, where an operand is such a reshape; so
they move down until an op takes them in. Dimensions that operands have from elsewhere (a batch of one) stay as they are."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from itertools import compress
from typing import Any

from mlir import ir

from hlo.dialect.definition import OPS
from hlo.dialect.elements import splat_of
from hlo.dialect.stablehlo import BroadcastInDimOp, ConstantOp, DotGeneralOp, ReduceOp, TransposeOp
from hlo.dialect.types import element_type, shape
from hlo.lowering.copying import cloned_with, remade
from hlo.lowering.stablehlo.arithmetic import Tensor, broadcast, dot, reshaped, transposed
from hlo.lowering.stablehlo.rewriting import combining_op, defining
from hlo.lowering.stablehlo.simplify.table import simplifies


@simplifies(*(op for op in OPS.values() if op.DIALECT == "stablehlo" and op.ELEMENTWISE))
def pull_elementwise(op: Any) -> ir.Value | None:
    sizes = shape(op.results[0].type)
    if 1 not in sizes or not _is_static(sizes) or any(shape(v.type) != sizes for v in op.operands):
        return None
    gone = _common(op.operands)
    if not gone:
        return None
    made = _again(op, [_dropped(v, gone) for v in op.operands], _without(sizes, gone))
    return _reshaped(made, sizes)


@simplifies(TransposeOp)
def pull_transpose(op: Any) -> ir.Value | None:
    gone = _inserted(op.operand)
    if not gone:
        return None
    permutation = _renumbered(op.operand, gone)(op.permutation)
    made = transposed(Tensor(_dropped(op.operand, gone)), permutation)
    return reshaped(made, shape(op.result.type)).value


@simplifies(BroadcastInDimOp)
def pull_broadcast(op: Any) -> ir.Value | None:
    """One that repeats nothing is a reshape; others read the operand without the dimensions of size 1."""
    sizes, result = shape(op.operand.type), shape(op.result.type)
    dimensions = list(op.broadcast_dimensions)
    if not (_is_static(sizes) and _is_static(result)):
        return None
    if math.prod(sizes) == math.prod(result) and 0 not in result and dimensions == sorted(dimensions):
        return _reshaped(op.operand, result)
    gone = _inserted(op.operand)
    if not gone:
        return _with_removed(op, dimensions)
    kept = [at for d, at in enumerate(dimensions) if d not in gone]
    return broadcast(Tensor(_dropped(op.operand, gone)), result, kept).value


def _with_removed(op: Any, dimensions: Sequence[int]) -> ir.Value | None:
    """The broadcast of what the operand was before a reshape took dimensions of size 1 from it: it repeats them as well, along
    dimensions of the result between those of their neighbours."""
    reshape = defining(op.operand, "reshape")
    if reshape is None:
        return None
    source = reshape.operands[0]
    before, left = list(shape(source.type)), list(zip(shape(op.operand.type), dimensions))
    found: list[int] = []
    for size in before:
        if left and size == left[0][0]:
            found.append(left.pop(0)[1])
        elif size == 1:
            found.append(found[-1] + 1 if found else 0)
        else:
            return None
    if left or not found or sorted(set(found)) != found or found[-1] >= len(shape(op.result.type)):
        return None
    return broadcast(Tensor(source), shape(op.result.type), found).value


@simplifies(DotGeneralOp)
def pull_dot(op: Any) -> ir.Value | None:
    n = op.dot_dimension_numbers
    labels = n.labels(len(shape(op.lhs.type)), len(shape(op.rhs.type)))[:2]
    inserted = {labels[side][d] for side, v in enumerate((op.lhs, op.rhs)) for d in _inserted(v)}
    if not inserted:
        return None
    lhs, rhs = ({d for d, label in enumerate(one) if label in inserted} for one in labels)
    left, right = _renumbered(op.lhs, lhs), _renumbered(op.rhs, rhs)
    made = dot(
        Tensor(_dropped(op.lhs, lhs)),
        Tensor(_dropped(op.rhs, rhs)),
        (left(n.lhs_contracting_dimensions), right(n.rhs_contracting_dimensions)),
        (left(n.lhs_batching_dimensions), right(n.rhs_batching_dimensions)),
        element_type(op.result.type),
        precision_config=op.precision_config,
        algorithm=op.algorithm,
    )
    return reshaped(made, shape(op.result.type)).value


SINGLE = frozenset(f"stablehlo.{name}" for name in ("add", "and", "maximum", "minimum", "multiply", "or", "xor"))


@simplifies(ReduceOp)
def pull_reduce(op: Any) -> list[ir.Value] | None:
    """Dimensions of size 1 are not reduced: the result is what is left of the others, or the body applied once."""
    count = len(op.results)
    inputs, starts = list(op.operands)[:count], list(op.operands)[count:]
    sizes, reduced = shape(inputs[0].type), list(op.dimensions)
    if not _is_static(sizes):
        return None
    gone = _common(inputs) | {d for d in reduced if sizes[d] == 1}
    if not gone:
        return None
    results = [shape(r.type) for r in op.results]
    left = _renumbered(inputs[0], gone)(reduced)
    if left:
        to = _without(sizes, gone | set(reduced))
        made = reduced_again(op, [*(_dropped(v, gone) for v in inputs), *starts], left, [to] * count)
        return [_reshaped(value, to) for value, to in zip(made, results, strict=True)]
    combiner = combining_op(op.body.blocks[0]) if count == 1 else None
    if combiner is None or combiner.operation.name not in SINGLE or 0 in sizes:
        return None
    if len({element_type(v.type) for v in (*op.operands, *op.results, *combiner.results)}) > 1:
        return None
    flat = _reshaped(inputs[0], results[0])
    start = broadcast(Tensor(starts[0]), results[0]).value
    return [remade(combiner, [start, flat], [flat.type]).result]


def _again(op: Any, operands: Sequence[ir.Value], sizes: Sequence[int]) -> ir.Value:
    """The same op on other operands."""
    return remade(op, operands, [_type_like(op.results[0], sizes)]).results[0]


def reduced_again(
    op: Any, operands: Sequence[ir.Value], dimensions: Sequence[int], results: Sequence[Sequence[int]]
) -> list[ir.Value]:
    types = [_type_like(result, sizes) for result, sizes in zip(op.results, results, strict=True)]
    copy = cloned_with(op, operands, types)
    copy.attributes["dimensions"] = ir.DenseI64ArrayAttr.get(list(dimensions))
    return list(copy.results)


def _is_static(sizes: Sequence[int]) -> bool:
    return all(size >= 0 for size in sizes)


def _without(sizes: Sequence[int], gone: Collection[int]) -> list[int]:
    return [size for d, size in enumerate(sizes) if d not in gone]


def _renumbered(value: ir.Value, gone: Collection[int]) -> Callable[[Sequence[int]], tuple[int, ...]]:
    """From dimensions of a value to those of the value without some; these are left out."""
    kept = [d for d in range(len(shape(value.type))) if d not in gone]
    return lambda dimensions: tuple(kept.index(d) for d in dimensions if d in kept)


def _type_like(value: ir.Value, sizes: Sequence[int]) -> ir.Type:
    return ir.RankedTensorType.get(list(sizes), element_type(value.type))


def _inserted(value: ir.Value) -> set[int]:
    """The dimensions of size 1 that a reshape gives a value: all but those in front and behind that stay as they are."""
    op = defining(value, "reshape")
    if op is None:
        return set()
    before, after = list(shape(op.operands[0].type)), list(shape(value.type))
    if not (_is_static(before) and _is_static(after)):
        return set()
    front = _same(before, after)
    back = _same(before[front:][::-1], after[front:][::-1])
    return {d for d in range(front, len(after) - back) if after[d] == 1}


def _same(a: Sequence[int], b: Sequence[int]) -> int:
    """How many elements two sequences begin with alike."""
    differing = (n for n, (x, y) in enumerate(zip(a, b)) if x != y)
    return next(differing, min(len(a), len(b)))


def _common(values: Sequence[ir.Value]) -> set[int]:
    """The dimensions that reshapes insert into all of the values that are not made anew at no cost."""
    found = [_inserted(v) for v in values if not _is_free(v)]
    return set.intersection(*found) if found else set()


def _is_free(value: ir.Value) -> bool:
    """Numbers and broadcasts, made anew in another shape."""
    constant = defining(value, "constant")
    if constant is not None:
        return bool(getattr(constant.attributes["value"], "is_splat", False))
    return defining(value, "broadcast_in_dim") is not None


def _dropped(value: ir.Value, gone: Collection[int]) -> ir.Value:
    """The value without some dimensions of size 1."""
    sizes = _without(shape(value.type), gone)
    if _is_free(value):
        constant = defining(value, "constant")
        return with_shape(value, constant, sizes) if constant is not None else _broadcast(value, gone)
    reshape = defining(value, "reshape")
    return _reshaped(value if reshape is None else reshape.operands[0], sizes)


def with_shape(value: ir.Value, op: Any, sizes: Sequence[int]) -> ir.Value:
    """A splat constant, which an op makes, in another shape."""
    made = _type_like(value, sizes)
    return ConstantOp.create(results=[made], value=splat_of(op.attributes["value"], made)).results[0]


def _broadcast(value: ir.Value, gone: Collection[int]) -> ir.Value:
    """The broadcast that makes a value, without some dimensions of the result, which are of size 1 in the operand too."""
    op = defining(value, "broadcast_in_dim")
    kept = [at not in gone for at in op.broadcast_dimensions]
    operand = _reshaped(op.operand, list(compress(shape(op.operand.type), kept)))
    dimensions = _renumbered(value, gone)(list(compress(op.broadcast_dimensions, kept)))
    return broadcast(Tensor(operand), _without(shape(value.type), gone), dimensions).value


def _reshaped(value: ir.Value, sizes: Sequence[int]) -> ir.Value:
    return reshaped(Tensor(value), sizes).value
