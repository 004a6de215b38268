"""CHLO ops that are no functions of elements."""

from __future__ import annotations

import numpy as np

from hlo.dialect.chlo import structured
from hlo.reference.constants import evaluate_constant
from hlo.reference.selection import ordered_bits
from hlo.reference.table import evaluates
from hlo.reference.values import is_float, narrow, wide
from hlo.runtime.custom_calls.attributes import python_value

evaluates(structured.ConstantOp)(evaluate_constant)


@evaluates(structured.ConstantLikeOp)
def evaluate_constant_like(call, operand):
    return np.full(operand.shape, python_value(call.value), call.dtype())


@evaluates(structured.TopKOp)
def evaluate_top_k(call, operand):
    return largest(operand, call.k, call.dtype(1))


def largest(operand: np.ndarray, k: int, position_type: np.dtype) -> list[np.ndarray]:
    """The largest first, equal ones in their order; floats in the total order, complex numbers in the lexicographic one."""
    if operand.dtype.kind == "c":
        order = np.lexsort((-operand.imag, -operand.real), axis=-1)[..., :k]
    else:
        keys = ordered_bits(operand) if is_float(operand.dtype) else wide(operand)
        order = np.argsort(~keys, axis=-1, kind="stable")[..., :k]
    return [np.take_along_axis(operand, order, -1), narrow(order, position_type)]


@evaluates(structured.ScanOp)
def evaluate_scan(call, *operands):
    """One step an index of the dimension: slices and carries in, slices and carries out."""
    dimension, count, made_count = call.dimension, len(call.op.inputs), len(call.op.outputs)
    inputs, carries = operands[:count], list(operands[count:])
    sizes = [x.shape[dimension] for x in inputs] + [call.shape(i)[dimension] for i in range(made_count)]
    steps = range(call.scan_dim_size if call.scan_dim_size is not None else sizes[0])
    outputs = [np.zeros(call.shape(i), call.dtype(i)) for i in range(made_count)]
    for step in reversed(steps) if call.is_reverse else steps:
        results = call.run(0, *(np.take(x, step, dimension) for x in inputs), *carries)
        carries = results[made_count:]
        for output, part in zip(outputs, results):
            np.moveaxis(output, dimension, 0)[step] = part
    return [*outputs, *carries]
