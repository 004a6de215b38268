"""Custom calls that stand for ops, mostly with shapes as operands, as `jax.export` prints them. Used by specialize-shapes."""

from __future__ import annotations

import itertools
from typing import Any

from mlir import ir

from hlo.dialect.stablehlo import ReduceWindowOp, RngBitGeneratorOp
from hlo.dialect.types import element_type, tensor
from hlo.errors import CompileError
from hlo.lowering.linalg.rules import located
from hlo.lowering.stablehlo.shapes.called_functions import copy_body
from hlo.lowering.stablehlo.shapes.known import DynamicOp, Rule
from hlo.lowering.stablehlo.shapes.top_k_calls import lower_approx_top_k, lower_top_k


def lower_assertion(dynamic: DynamicOp) -> list[ir.Value] | None:
    """A condition on shapes: nothing if it holds."""
    holds, *values = (dynamic.integers(v) for v in dynamic.op.operands)
    if holds is None:
        return None
    if not holds[0]:
        raise CompileError(located(dynamic.op, _message(dynamic.op, [v[0] if v else "?" for v in values])))
    return []


def _message(op: Any, values: list[Any]) -> str:
    if "error_message" not in op.attributes:
        return "shape assertion failed"
    text = ir.StringAttr(op.attributes["error_message"]).value
    for number, value in enumerate(values):
        text = text.replace(f"{{{number}}}", str(value))
    return text


def lower_reduce_window(dynamic: DynamicOp) -> list[ir.Value] | None:
    """Operands: inputs, initial values, window sizes, strides, base dilations, window dilations, paddings."""
    op = dynamic.op
    *arrays, sizes, strides, base, window, padding = op.operands
    known = dynamic.all_integers(sizes, strides, base, window, padding)
    if known is None:
        return None
    if min(itertools.chain(*known[:4]), default=1) < 1:
        raise CompileError(located(op, f"sizes, strides and dilations of windows must be positive, found {known[:4]}"))
    pairs = [known[4][i : i + 2] for i in range(0, len(known[4]), 2)]
    made = ReduceWindowOp.create(
        *arrays,
        results=[v.type for v in arrays[: len(op.results)]],
        window_dimensions=known[0],
        window_strides=known[1],
        base_dilations=known[2],
        window_dilations=known[3],
        padding=ir.Attribute.parse(f"dense<{pairs}> : tensor<{len(pairs)}x2xi64>"),
    )
    copy_body(op, made)
    for result, t in zip(made.results, made.infer() or [], strict=True):
        result.set_type(t)
    return list(made.results)


def lower_rng_bit_generator(dynamic: DynamicOp) -> list[ir.Value] | None:
    """Operands: the state, the sizes of the bits."""
    op = dynamic.op
    state, sizes = op.operands
    known = dynamic.integers(sizes)
    if known is None:
        return None
    if min(known, default=0) < 0:
        raise CompileError(located(op, f"sizes of the bits must not be negative, found {known}"))
    types = [op.results[0].type, tensor(known, element_type(op.results[1].type))]
    return list(RngBitGeneratorOp.create(state, results=types, rng_algorithm=op.attributes["rng_algorithm"]).results)


DYNAMIC_CALLS: dict[str, Rule] = {
    "shape_assertion": lower_assertion,
    "stablehlo.dynamic_reduce_window": lower_reduce_window,
    "stablehlo.dynamic_rng_bit_generator": lower_rng_bit_generator,
    "stablehlo.dynamic_top_k": lower_top_k,
    "stablehlo.dynamic_approx_top_k": lower_approx_top_k,
    "ApproxTopK": lower_approx_top_k,
}
"""By call_target_name."""
