"""The function that reduce, reduce_window and scatter are given: it combines N accumulators with N values, and its
types say in which element type the accumulation runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from hlo.dialect.regions import returned_types, signature_error
from hlo.dialect.types import (
    bit_width,
    element_type,
    is_bool,
    is_complex,
    is_float,
    is_integer,
    is_quantized,
    is_tensor,
    is_unsigned,
    rank,
    tensor,
)


def is_promotable(a: ir.Type, b: ir.Type) -> bool:
    """Whether every value of element type `a` may be held in `b`: one kind, and as many bits or more; of quantized types,
    one expressed type and signedness as well. https://openxla.org/stablehlo/spec (is_promotable)"""
    if a == b:
        return True
    if is_quantized(a) and is_quantized(b):
        return _is_promotable_quantized(a, b)
    for kind in (is_bool, is_integer, is_float, is_complex):
        if kind(a) and kind(b):
            return is_unsigned(a) == is_unsigned(b) and bit_width(a) <= bit_width(b)
    return False


def _is_promotable_quantized(a: Any, b: Any) -> bool:
    return (a.expressed_type, a.is_signed) == (b.expressed_type, b.is_signed) and bit_width(a) <= bit_width(b)


def is_accumulator(a: ir.Type, b: ir.Type) -> bool:
    """Whether products of element type `a` may be summed in `b`: of its kind and as wide, or integers in floats, or unsigned
    ones in wider signed ones."""
    is_wider = is_unsigned(a) and is_integer(b) and bit_width(a) < bit_width(b)
    return is_promotable(a, b) or (is_integer(a) and (is_wider or is_float(b)))


def reducer_error(name: str, region: ir.Region, inputs: Sequence[ir.Type]) -> str | None:
    """Whether the function has type (E0, ..., E0, ...) -> (E0, ...), 0-dimensional, and each input element type is
    promotable to its E."""
    wanted = _accumulators(returned_types(region), inputs) or [tensor([], element_type(t)) for t in inputs]
    return signature_error(name, region, [*wanted, *wanted], wanted)


def _accumulators(returned: Sequence[ir.Type], inputs: Sequence[ir.Type]) -> list[ir.Type] | None:
    legal = len(returned) == len(inputs) and all(
        is_tensor(r) and rank(r) == 0 and is_promotable(element_type(i), element_type(r))
        for r, i in zip(returned, inputs)
    )
    return list(returned) if legal else None


def accumulator_elements(regions: Sequence[Any], inputs: Sequence[ir.Type]) -> list[ir.Type]:
    """Element types of the results: those that the function returns; those of the inputs for an op without its region
    (yet)."""
    if len(regions) and len(regions[0].blocks) and len(regions[0].blocks[0].operations):
        returned = returned_types(regions[0])
        if len(returned) == len(inputs):
            return [element_type(t) for t in returned]
    return [element_type(t) for t in inputs]
