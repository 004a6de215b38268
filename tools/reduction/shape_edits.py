"""Smaller sizes: every dimension of one size gets another, in types, constants, and attributes that hold sizes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from mlir import ir

from hlo.dialect.elements import make_elements, read_elements
from hlo.dialect.types import element_type, is_tensor, tensor
from hlo.dialect.types import shape as shape_of
from hlo.tools.differential.isolate import set_type
from hlo.tools.reduction.edits import Thunk, all_ops, edit

SIZES = ("slice_sizes", "limit_indices", "window_dimensions", "fft_length", "broadcast_sizes")


@edit
def shrink_sizes(module: ir.Module) -> Iterator[Thunk]:
    sizes = {n for op in all_ops(module) for r in op.results if is_tensor(r.type) for n in shape_of(r.type)}
    for old in sorted(sizes, reverse=True):
        for new in sorted({1, 2, old // 2, old - 1}):
            if 0 < new < old:
                yield _resized(module, old, new)


def _resized(module: ir.Module, old: int, new: int) -> Thunk:
    def apply() -> None:
        for op in all_ops(module):
            _resize_attributes(op, old, new)
            _resize_values(op.results, old, new)
            _resize_blocks(op, old, new)
        for function in module.body.operations:
            if function.operation.name == "func.func":
                _resize_blocks(function.operation, old, new)
                set_type(function)

    return apply


def _resize_blocks(op: ir.Operation, old: int, new: int) -> None:
    for region in op.regions:
        for block in region.blocks:
            _resize_values(block.arguments, old, new)


def _resize_values(values: Any, old: int, new: int) -> None:
    for value in values:
        if is_tensor(value.type) and old in shape_of(value.type):
            value.set_type(tensor([new if n == old else n for n in shape_of(value.type)], element_type(value.type)))


def _resize_attributes(op: ir.Operation, old: int, new: int) -> None:
    if op.name == "stablehlo.constant":
        array = read_elements(op.attributes["value"])
        if array is not None and old in array.shape:
            kept = np.ascontiguousarray(array[tuple(slice(new if n == old else n) for n in array.shape)])
            kind = tensor(kept.shape, element_type(op.results[0].type))
            with op.context:
                op.attributes["value"] = make_elements(kept, kind)
    for name in SIZES:
        if name in op.attributes and isinstance(op.attributes[name], ir.DenseI64ArrayAttr):
            numbers = [new if n == old else n for n in ir.DenseI64ArrayAttr(op.attributes[name])]
            op.attributes[name] = ir.DenseI64ArrayAttr.get(numbers, context=op.context)
