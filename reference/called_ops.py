"""Custom calls that stand for ops: those of jax.lax.approx_max_k and, with sizes as operands, of jax.export."""

from __future__ import annotations

from collections.abc import Callable
from functools import cmp_to_key, partial
from typing import Any

import numpy as np
from mlir import ir

from hlo.dialect.locations import diagnostic
from hlo.errors import CompileError
from hlo.reference.chlo.structured import largest
from hlo.reference.random import random_bits
from hlo.reference.reduction import reduced_windows


def evaluate_shape_assertion(call, holds, *values):
    if not holds:
        raise CompileError(diagnostic(call.op, f"shape assertion failed: {[int(v) for v in values]}"))
    return []


def evaluate_dynamic_top_k(call, operand, k):
    return largest(operand, int(k), call.dtype(1))


def evaluate_dynamic_rng_bit_generator(call, state, shape):
    algorithm = str(call.op.operation.attributes["rng_algorithm"]).strip('"')
    return random_bits(call.op, algorithm, state, tuple(int(n) for n in shape), call.dtype(1))


def evaluate_dynamic_reduce_window(call, *operands):
    """Operands: arrays, initial values, window sizes, strides, base dilations, window dilations, paddings."""
    *arrays, padding = operands[:-5] + operands[-1:]
    amounts = sizes, strides, base, dilations = [[int(n) for n in of_one] for of_one in operands[-5:-1]]
    if min((n for of_one in amounts for n in of_one), default=1) < 1:
        text = f"sizes, strides and dilations of windows must be positive, found {amounts}"
        raise CompileError(diagnostic(call.op, text))
    (reducer,) = call.called_computations
    apply = partial(call.apply_function, reducer)
    return reduced_windows(apply, arrays, sizes, strides, base, dilations, padding.astype(int).tolist())


def evaluate_approx_top_k(call, *operands):
    """The first of a stable sort by the comparator, along one dimension."""
    count = len(call.op.operation.results)
    options = ir.DictAttr(call.op.operation.attributes["mhlo.backend_config"])
    dimension = ir.IntegerAttr(options["reduction_dim"]).value
    rows = [np.moveaxis(x, dimension, -1) for x in operands[:count]]
    kept = _kept(call, operands[2 * count :], options, dimension)
    (comparator,) = call.called_computations
    results = [np.zeros((*r.shape[:-1], kept), r.dtype) for r in rows]
    for index in np.ndindex(rows[0].shape[:-1]):
        order = _sorted(call, comparator, [r[index] for r in rows])[:kept]
        for result, row in zip(results, rows):
            result[index] = row[index][order]
    return [np.moveaxis(r, -1, dimension) for r in results]


def _kept(call: Any, extra: tuple, options: Any, dimension: int) -> int:
    """How many results there are along the dimension."""
    sizes = ir.RankedTensorType(call.op.operation.results[0].type).shape
    if sizes[dimension] >= 0:
        return sizes[dimension]
    if call.call_target_name == "stablehlo.dynamic_approx_top_k":
        return int(extra[0])
    return int(extra[0][dimension]) if extra else ir.IntegerAttr(options["top_k"]).value


def _sorted(call: Any, comparator: str, columns: list[np.ndarray]) -> list[int]:
    def before(i: int, j: int) -> int:
        def is_before(a: int, b: int) -> bool:
            return bool(call.function(comparator, [c[k] for c in columns for k in (a, b)])[0])

        return -1 if is_before(i, j) else int(is_before(j, i))

    return sorted(range(len(columns[0])), key=cmp_to_key(before))


CALLED_OPS: dict[str, Callable[..., Any]] = {
    "ApproxTopK": evaluate_approx_top_k,
    "shape_assertion": evaluate_shape_assertion,
    "stablehlo.dynamic_approx_top_k": evaluate_approx_top_k,
    "stablehlo.dynamic_reduce_window": evaluate_dynamic_reduce_window,
    "stablehlo.dynamic_rng_bit_generator": evaluate_dynamic_rng_bit_generator,
    "stablehlo.dynamic_top_k": evaluate_dynamic_top_k,
}
"""By call_target_name."""
