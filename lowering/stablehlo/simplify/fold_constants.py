"""Ops on constants become constants."""

from __future__ import annotations

import math

import numpy as np
from mlir import ir

from hlo.dialect.types import shape
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.replacing import replace
from hlo.lowering.stablehlo.constants import constant_of, dtype_of, is_splat, read_constant
from hlo.lowering.stablehlo.rewriting import each_op
from hlo.lowering.stablehlo.simplify.evaluation import ELEMENTWISE, EVALUATE, ON_COMPLEX, SAME_ELEMENT


@register_pass
@dataclass(frozen=True)
class FoldConstants(Pass):
    """Evaluates ops whose operands are constants, exact ones only.

    %0 = stablehlo.constant dense<2> : tensor<i32>
    %1 = stablehlo.add %0, %0 : tensor<i32>           becomes    %1 = stablehlo.constant dense<4> : tensor<i32>

    Splats stay splats of any size; other results have at most `limit` elements. What is implementation-defined
    (integer division by zero, floats beyond the range of an integer) is left to the target."""

    limit: int = 4096

    def run(self, module: ir.Module) -> None:
        known: dict[ir.Value, np.ndarray | None] = {}
        for op in each_op(module):
            name = op.operation.name.removeprefix("stablehlo.")
            if name == "constant":
                known[op.results[0]] = _read_small(op, self.limit)
            elif name in EVALUATE:
                self._fold(op, name, known)

    def _fold(self, op: ir.OpView, name: str, known: dict[ir.Value, np.ndarray | None]) -> None:
        """`known` has the constants seen so far; None stands for one that cannot be read."""
        operands = [x for x in map(known.get, op.operands) if x is not None]
        if len(operands) < len(op.operands) or dtype_of_result(op) is None:
            return
        if name not in ON_COMPLEX and any(x.dtype.kind == "c" for x in operands):
            return
        array = _evaluate(op, name, operands, self.limit)
        if array is None:
            return
        with ir.InsertionPoint(op), op.location:
            constant = constant_of(array, op.results[0].type)
        replace(op, [constant])
        known[constant] = array


def dtype_of_result(op: ir.OpView) -> np.dtype | None:
    t = op.results[0].type
    static = isinstance(t, ir.RankedTensorType) and t.has_static_shape
    return dtype_of(t.element_type) if static else None


def _read_small(op: ir.OpView, limit: int) -> np.ndarray | None:
    """A constant that is a splat or small; a large one is not even read."""
    t = op.results[0].type
    is_small = isinstance(t, ir.RankedTensorType) and t.has_static_shape and math.prod(t.shape) <= limit
    value = op.attributes["value"]
    return read_constant(op) if is_small or (isinstance(value, ir.DenseElementsAttr) and value.is_splat) else None


def _evaluate(op: ir.OpView, name: str, operands: list[np.ndarray], limit: int) -> np.ndarray | None:
    sizes = shape(op.results[0].type)
    splat = bool(operands) and all(is_splat(x) and x.size for x in operands)
    with np.errstate(all="ignore"):
        if splat and name in ELEMENTWISE:
            scalar = EVALUATE[name](op, *(np.asarray(x.flat[0], x.dtype) for x in operands))
            return None if scalar is None else np.broadcast_to(_typed(op, scalar), sizes)
        if splat and name in SAME_ELEMENT:
            return np.broadcast_to(np.asarray(operands[0].flat[0], operands[0].dtype), sizes)
        if math.prod(sizes) > limit:
            return None
        array = EVALUATE[name](op, *operands)
    return None if array is None else np.ascontiguousarray(_typed(op, array)).reshape(sizes)


def _typed(op: ir.OpView, array: np.ndarray) -> np.ndarray:
    """numpy widens some small types: the result is given its own again."""
    return np.asarray(array).astype(dtype_of_result(op), copy=False)
