"""Custom calls for the largest elements by a comparator, as `jax.lax.approx_max_k` and `jax.export` print them. Used by
specialize-shapes. Approximate calls may give any answer of a certain recall; here it is the exact one.

%v, %i = stablehlo.custom_call @ApproxTopK(%x, %positions, %least, %none) {called_computations = [@greater], ...}
    becomes a stablehlo.sort of %x and %positions by the body of @greater, and slices of its results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from hlo.dialect.chlo.structured import TopKOp
from hlo.dialect.stablehlo import SliceOp, SortOp
from hlo.dialect.types import DYNAMIC, element_type, shape, tensor
from hlo.errors import CompileError
from hlo.lowering.linalg.rules import located
from hlo.lowering.stablehlo.shapes.called_functions import copy_body
from hlo.lowering.stablehlo.shapes.known import DynamicOp


def lower_top_k(dynamic: DynamicOp) -> list[ir.Value] | None:
    """stablehlo.dynamic_top_k(operand, k)."""
    operand, k = dynamic.op.operands
    known = dynamic.integers(k)
    if known is None:
        return None
    _check_count(dynamic.op, known[0], shape(operand.type)[-1])
    sizes = [*shape(operand.type)[:-1], known[0]]
    types = [tensor(sizes, element_type(r.type)) for r in dynamic.op.results]
    return list(TopKOp.create(operand, results=types, k=known[0]).results)


def lower_approx_top_k(dynamic: DynamicOp) -> list[ir.Value] | None:
    """Operands: arrays, an initial value for each, and sizes of results that are not known otherwise."""
    op = dynamic.op
    arrays = list(op.operands)[: len(op.results)]
    dimension = ir.IntegerAttr(_option(op, "reduction_dim")).value
    sizes = _kept(dynamic, shape(arrays[0].type), dimension)
    if sizes is None or DYNAMIC in shape(arrays[0].type):
        return None
    _check_count(op, sizes[dimension], shape(arrays[0].type)[dimension])
    sort = SortOp.create(*arrays, results=[v.type for v in arrays], dimension=dimension, is_stable=True)
    copy_body(op, sort)
    return [_leading(v, sizes) for v in sort.results]


def _check_count(op: Any, count: int, size: int) -> None:
    if not 0 <= count <= size and size != DYNAMIC:
        raise CompileError(located(op, f"{count} elements cannot be the largest of {size}"))


def _kept(dynamic: DynamicOp, sizes: Sequence[int], dimension: int) -> list[int] | None:
    """The sizes of the results. What is not aggregated is as long as the type or a size operand says."""
    op = dynamic.op
    written, count = list(shape(op.results[0].type)), len(op.results)
    if DYNAMIC not in written:
        return written
    extra = list(op.operands)[2 * count :]
    if ir.StringAttr(op.attributes["call_target_name"]).value == "stablehlo.dynamic_approx_top_k":
        number = dynamic.integers(extra[0])
    elif extra:
        of_result = dynamic.integers(extra[0])
        number = None if of_result is None else [of_result[dimension]]
    else:
        number = [ir.IntegerAttr(_option(op, "top_k")).value]
    return None if number is None else [number[0] if d == dimension else n for d, n in enumerate(sizes)]


def _option(op: Any, name: str) -> ir.Attribute:
    return ir.DictAttr(op.attributes["mhlo.backend_config"])[name]


def _leading(value: ir.Value, sizes: list[int]) -> ir.Value:
    made = SliceOp.create(
        value,
        results=[tensor(sizes, element_type(value.type))],
        start_indices=[0] * len(sizes),
        limit_indices=sizes,
        strides=[1] * len(sizes),
    )
    return made.results[0]
