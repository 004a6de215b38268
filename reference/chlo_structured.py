"""chlo ops with broadcasting, and those that are no functions of elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from hlo.dialect.chlo import broadcasting, structured
from hlo.reference import chlo_functions, conversion  # noqa: F401  (their ops are looked up here)
from hlo.reference.data_movement import evaluate_constant
from hlo.reference.elementwise import ordered_bits
from hlo.reference.table import evaluates
from hlo.reference.values import is_float, narrow, wide
from hlo.runtime.attributes import python_value

evaluates(structured.ConstantOp)(evaluate_constant)


def _register_broadcasts() -> None:
    for op in vars(broadcasting).values():
        name = getattr(op, "MNEMONIC", "")
        if name.startswith("broadcast_"):
            inner = name.removeprefix("broadcast_")
            dialect = "stablehlo" if f"stablehlo.{inner}" in evaluates else "chlo"
            evaluates(op)(_broadcasting(evaluates[f"{dialect}.{inner}"]))


def _broadcasting(inner: Any) -> Any:
    """The op without broadcasting on operands of one shape; numpy aligns the last dimensions, as chlo does."""

    def evaluate(call: Any, *operands: np.ndarray) -> np.ndarray:
        dims = getattr(call.op, "broadcast_dimensions", None)
        rank = max(x.ndim for x in operands)
        if dims is not None:
            operands = tuple(_placed(x, dims, rank) for x in operands)
        return inner(call, *np.broadcast_arrays(*operands))

    return evaluate


def _placed(x: np.ndarray, dims: Any, rank: int) -> np.ndarray:
    if x.ndim == rank:
        return x
    shape = [1] * rank
    for source, target in enumerate(dims):
        shape[target] = x.shape[source]
    return x.reshape(shape)


_register_broadcasts()


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
