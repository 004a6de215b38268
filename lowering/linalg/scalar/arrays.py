"""Small arrays in scalar code: a tensor that a function of elements makes is an array of scalars, and its ops are written out.

Before:  ^bb0(%a: tensor<f32>, %b: tensor<f32>):            After:  the larger of %a and %b, by arith.maximumf
           %0 = stablehlo.reshape %a : tensor<1xf32>
           %1 = stablehlo.reshape %b : tensor<1xf32>
           %2 = stablehlo.concatenate %0, %1, dim = 0
           %3 = stablehlo.reduce(%2 ...) applies stablehlo.maximum ..."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import arith

from hlo.dialect.types import element_type, is_float, is_tensor, shape
from hlo.lowering.linalg.constants import signless_elements
from hlo.lowering.linalg.rules import signless
from hlo.lowering.linalg.scalar.conversion import convert
from hlo.lowering.linalg.scalar.table import has_scalar, kind, mnemonic, scalar
from hlo.lowering.numbers import Number, constant, emit, select
from hlo.lowering.stablehlo.simplify.evaluation import EVALUATE, SAME_ELEMENT

LARGEST = 64
"""Elements of an array that is written out."""

MOST_STEPS = 256

Arrays = list[np.ndarray]


def fits(op: Any) -> bool:
    """Whether this module writes out an op."""
    sizes = [shape(v.type) for v in (*op.operands, *op.results) if is_tensor(v.type)]
    if any(prod(one) > LARGEST for one in sizes) or _steps(op) > MOST_STEPS:
        return False
    element = element_type(op.results[0].type)
    if is_float(element) and ir.FloatType(element).width < 16:  # a GPU's products of f8: scalar code has no such type
        return False
    if op.operation.name in RULES:
        return True
    return has_scalar(mnemonic(op)) and all(list(one) in ([], list(sizes[-1])) for one in sizes)


def _steps(op: Any) -> int:
    """How often the code of an op's function, or of a product, is repeated."""
    if op.operation.name == "stablehlo.sort":
        sizes = shape(op.results[0].type)
        return prod(sizes) * (sizes[op.dimension] - 1) // 2
    if op.operation.name == "stablehlo.dot_general":
        contracted = op.dot_dimension_numbers.lhs_contracting_dimensions
        return prod(shape(op.results[0].type)) * prod(shape(op.operands[0].type)[d] for d in contracted)
    return 0


def lower_arrays(block: Any, op: Any) -> list[Any]:
    """The new values of an op's results: arrays of scalars, scalars for rank 0. `block` knows those of the operands."""
    rule = RULES.get(op.operation.name, _elementwise)
    return [result if result.ndim else result.item() for result in rule(block, op)]


def elements_of(value: ir.Value) -> np.ndarray:
    """All elements of a tensor."""
    sizes = list(ir.RankedTensorType(value.type).shape)
    result = np.empty(sizes, object)
    for index in np.ndindex(*sizes):
        indices = [arith.constant(ir.IndexType.get(), i) for i in index]
        result[index] = emit("tensor.extract", value.type.element_type, value, *indices)
    return result


def as_array(value: Any) -> np.ndarray:
    if isinstance(value, np.ndarray):
        return value
    result = np.empty((), object)
    result[()] = value
    return result


def _operands(block: Any, op: Any) -> Arrays:
    return [as_array(block[v]) for v in op.operands]


def _each(sizes: Sequence[int], element: Callable[..., ir.Value]) -> np.ndarray:
    result = np.empty(tuple(sizes), object)
    for index in np.ndindex(*sizes):
        result[index] = element(*index)
    return result


def _elementwise(block: Any, op: Any) -> Arrays:
    """Operands of rank 0 among arrays (select, clamp) go with each element."""
    operands, sizes = _operands(block, op), shape(op.results[0].type)
    return [_each(sizes, lambda *i: scalar(op, *(a[i] if a.ndim else a.item() for a in operands)))]


def _constant(block: Any, op: Any) -> Arrays:
    value = signless_elements(op)
    return [elements_of(emit("arith.constant", value.type, attributes={"value": value}))]


def _iota(block: Any, op: Any) -> Arrays:
    element, i64 = element_type(op.results[0].type), ir.IntegerType.get_signless(64)
    sizes, d = shape(op.results[0].type), op.iota_dimension
    return [_each(sizes, lambda *i: convert(constant(i64, i[d]), i64, element))]


def _moved(block: Any, op: Any) -> Arrays:
    """Ops that only move elements do to scalars what they do to numbers."""
    moved = EVALUATE[mnemonic(op)](op, *_operands(block, op))
    assert moved is not None, "where elements go is always known"
    return [moved]


def _dynamic_slice(block: Any, op: Any) -> Arrays:
    """A choice among all slices; starts are clamped."""
    x, *starts = _operands(block, op)
    sizes = shape(op.results[0].type)
    for d, start in enumerate(starts):
        last = x.shape[d] - sizes[d]
        choices = [x.take(range(n, n + sizes[d]), axis=d) for n in range(last + 1)]
        x = choices[0]
        is_unsigned = not element_type(op.operands[1 + d].type).is_signless
        for n in range(1, last + 1):
            reaches = Number(start.item()).compare("uge" if is_unsigned else "sge", n)
            x = _each(x.shape, lambda *i: _chosen(reaches, choices[n][i], x[i]))  # noqa: B023 (called at once)
    return [x]


def _chosen(condition: Number, on_true: ir.Value, on_false: ir.Value) -> ir.Value:
    return select(condition, Number(on_true), Number(on_false)).value


def _reduce(block: Any, op: Any) -> Arrays:
    arrays, count = _operands(block, op), len(op.results)
    inputs, inits = arrays[:count], arrays[count:]
    dimensions = sorted(op.dimensions)
    kept = [d for d in range(inputs[0].ndim) if d not in dimensions]
    results = [np.empty([x.shape[d] for d in kept], object) for x in inputs]
    for index in np.ndindex(*results[0].shape):
        found = [init.item() for init in inits]
        for rest in product(*(range(inputs[0].shape[d]) for d in dimensions)):
            position = tuple(dict(zip([*kept, *dimensions], [*index, *rest]))[d] for d in range(inputs[0].ndim))
            found = block.branch(op.regions[0].blocks[0], [*found, *(x[position] for x in inputs)])
        for result, value in zip(results, found, strict=True):
            result[index] = value
    return results


def _dot_general(block: Any, op: Any) -> Arrays:
    """Products are summed in the result's type, in the order of the contracted elements."""
    numbers, element = op.dot_dimension_numbers, element_type(op.results[0].type)
    lhs, rhs = (_converted(x, v.type, element) for x, v in zip(_operands(block, op), op.operands, strict=True))
    lhs = _in_order(lhs, numbers.lhs_batching_dimensions, numbers.lhs_contracting_dimensions)
    rhs = _in_order(rhs, numbers.rhs_batching_dimensions, numbers.rhs_contracting_dimensions)
    table, wrap = kind(element)
    result = np.empty((len(lhs), lhs.shape[1], rhs.shape[1]), object)
    for b, i, j in np.ndindex(*result.shape):
        total = wrap(_zero(element))
        for x, y in zip(lhs[b, i], rhs[b, j], strict=True):
            total = table["add"](total, table["multiply"](wrap(x), wrap(y)))
        result[b, i, j] = _narrowed(total, element)
    return [result.reshape(shape(op.results[0].type))]


def _narrowed(total: Any, element: ir.Type) -> ir.Value:
    """Sums of floats narrower than f32 are rounded once."""
    value = total.value
    return value if value.type == signless(element) else convert(value, value.type, element)


def _zero(element: ir.Type) -> ir.Value:
    i64 = ir.IntegerType.get_signless(64)
    return convert(constant(i64, 0), i64, element)


def _converted(x: np.ndarray, t: ir.Type, element: ir.Type) -> np.ndarray:
    return _each(x.shape, lambda *i: convert(x[i], element_type(t), element))


def _in_order(x: np.ndarray, batching: Sequence[int], contracting: Sequence[int]) -> np.ndarray:
    """Batch, what is left, what is contracted, each as one dimension."""
    others = [d for d in range(x.ndim) if d not in (*batching, *contracting)]
    groups = [list(batching), others, list(contracting)]
    return x.transpose([d for g in groups for d in g]).reshape([prod(x.shape[d] for d in g) for g in groups])


def _sort(block: Any, op: Any) -> Arrays:
    """Each element moves down past those that it comes before: stable, as many comparisons as pairs."""
    arrays = [x.copy() for x in _operands(block, op)]
    rows = [np.moveaxis(x, op.dimension, -1) for x in arrays]
    for index in np.ndindex(*rows[0].shape[:-1]):
        columns = [row[index] for row in rows]
        for end in range(len(columns[0]) - 1, 0, -1):
            for n in range(end):
                pairs = [c[k] for c in columns for k in (n + 1, n)]
                swaps = Number(block.branch(op.regions[0].blocks[0], pairs)[0])
                for c in columns:
                    c[n], c[n + 1] = _chosen(swaps, c[n + 1], c[n]), _chosen(swaps, c[n], c[n + 1])
    return arrays


def _map(block: Any, op: Any) -> Arrays:
    operands = _operands(block, op)
    body = op.regions[0].blocks[0]
    return [_each(operands[0].shape, lambda *i: block.branch(body, [x[i] for x in operands])[0])]


RULES: dict[str, Callable[[Any, Any], Arrays]] = {
    "stablehlo.constant": _constant,
    "stablehlo.dot_general": _dot_general,
    "stablehlo.dynamic_slice": _dynamic_slice,
    "stablehlo.iota": _iota,
    "stablehlo.map": _map,
    "stablehlo.reduce": _reduce,
    "stablehlo.sort": _sort,
    **{f"stablehlo.{name}": _moved for name in (*SAME_ELEMENT, "concatenate")},
}
"""By op name."""
