"""Quantized element types: what they say of a tensor, and the clauses that speak of them.

https://openxla.org/stablehlo/spec#types. Clauses of ops have the numbers of the specification's current edition; they
follow those of non-quantized tensors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from mlir import ir
from mlir.dialects import quant

from hlo.dialect.clauses import same_elements_error
from hlo.dialect.types import element_type, is_quantized, is_tensor, rank, shape, storage_parts, tensor


def is_per_axis(t: ir.Type) -> bool:
    """Whether the elements of a tensor have parameters for each index of one dimension."""
    return isinstance(element_type(t), quant.UniformQuantizedPerAxisType)


def has_quantized(*types: ir.Type) -> bool:
    return any(is_quantized(element_type(t)) for t in types)


def all_quantized(*types: ir.Type) -> bool:
    return all(is_quantized(element_type(t)) for t in types)


def axis(t: ir.Type) -> int:
    """The quantized dimension of a tensor with per-axis quantization."""
    return element_type(t).quantized_dimension  # type: ignore[attr-defined]


def expressed(t: ir.Type) -> ir.Type:
    """The float type that quantized elements express; of other elements, their own type."""
    element: Any = element_type(t)
    return element.expressed_type if is_quantized(element) else element


def storage(t: ir.Type) -> str:
    """The storage type: `i8` is signed, `u8` is not."""
    element: Any = element_type(t)
    return f"{'i' if element.is_signed else 'u'}{element.storage_type_integral_width}"


def zero_points(t: ir.Type) -> list[int]:
    element: Any = element_type(t)
    return list(element.zero_points) if is_per_axis(t) else [element.zero_point]


def with_axis(element: Any, dimension: int, repeats: int = 1) -> ir.Type:
    """The same per-axis parameters for another dimension; one pair of them may be repeated."""
    return quant.UniformQuantizedPerAxisType.get(
        element.flags,
        element.storage_type,
        element.expressed_type,
        list(element.scales) * repeats,
        list(element.zero_points) * repeats,
        dimension,
        element.storage_type_min,
        element.storage_type_max,
    )


def broadcast_type(operand: ir.Type, sizes: Sequence[int], dimensions: Sequence[int]) -> ir.Type:
    """The operand's type in other sizes: a quantized dimension goes where broadcast_dimensions puts it, and its scale is
    repeated when it is one."""
    element = element_type(operand)
    if not is_per_axis(operand):
        return tensor(sizes, element)
    dimension = dimensions[axis(operand)]
    return tensor(sizes, with_axis(element, dimension, sizes[dimension] if shape(operand)[axis(operand)] == 1 else 1))


def reshaped_type(operand: ir.Type, sizes: Sequence[int]) -> ir.Type:
    """The operand's type in other sizes: a quantized dimension is the one with as many elements before and along it."""
    element = element_type(operand)
    if not is_per_axis(operand):
        return tensor(sizes, element)
    around = _around(shape(operand), axis(operand))
    candidates = [d for d in range(len(sizes)) if _around(sizes, d) == around]
    return tensor(sizes, with_axis(element, candidates[0])) if candidates else tensor(sizes, element)


_STORAGE_WIDTHS = (2, 4, 8, 16, 32)


def type_error(t: ir.Type) -> str | None:
    """Clauses of quantized types that MLIR does not check. C1 (storage narrower than the expressed type) is not asked
    for: frameworks quantize sums to i32 with f32."""
    if isinstance(t, ir.TupleType):
        return next((e for i in range(t.num_types) if (e := type_error(t.get_type(i)))), None)
    element: Any = element_type(t) if is_tensor(t) else None
    if not isinstance(element, quant.QuantizedType):
        return None
    if not is_quantized(element):
        allowed = (
            "!quant.uniform<storage:expressed, scale:zero_point>, or one with a scale for each index of a dimension"
        )
        return f"quantized type: must be {allowed}, found {element}"
    if element.storage_type_integral_width not in _STORAGE_WIDTHS or element.storage_type.is_signed:
        return f"quantized type: storage must be iN or uN with N of {_STORAGE_WIDTHS}, found {element}"
    low, high = element.storage_type_min, element.storage_type_max
    outside = next((z for z in zero_points(t) if not low <= z <= high), None)
    if outside is not None:
        return f"quantized type (C8): zero points must be in [{low}, {high}], found {outside}"
    return _axis_error(t, element) if is_per_axis(t) else None


def _axis_error(t: ir.Type, element: Any) -> str | None:
    if axis(t) >= rank(t):
        return f"quantized type (C12): quantized dimension must be in [0, {rank(t)}), found {axis(t)} in {t}"
    size, count = shape(t)[axis(t)], len(list(element.scales))
    if size >= 0 and size != count:  # an unknown size is negative
        return f"quantized type (C13): dimension {axis(t)} has size {size} and must have as many scales, found {count}"
    return None


def moved_elements_error(operand: ir.Type, result: ir.Type, *, parameters: bool = True) -> str | None:
    """Whether elements that are only moved keep their type. A quantized dimension may be another one; with
    `parameters=False`, the scales and zero points along it too."""
    if not has_quantized(operand, result):
        return same_elements_error("operand and result", [operand, result])
    before, after = (_moved_parts(t, parameters) for t in (operand, result))
    if before == after:
        return None
    names = "storage type, expressed type, scales and zero points"
    found = f"{element_type(operand)} and {element_type(result)}"
    return f"operand and result must have the same {names}, found {found}"


def _moved_parts(t: ir.Type, parameters: bool) -> tuple[Any, ...]:
    """What of an element type has to stay when elements move."""
    element: Any = element_type(t)
    if not is_quantized(element):
        return (element,)
    kept = storage_parts(element), element.expressed_type, is_per_axis(t)
    if is_per_axis(t):
        return (*kept, tuple(element.scales), tuple(element.zero_points)) if parameters else kept
    return (*kept, element.scale, element.zero_point)


def same_storage_error(**types: ir.Type) -> str | None:
    return _same_error("storage type", {name: storage(t) for name, t in types.items()})


def same_expressed_error(**types: ir.Type) -> str | None:
    return _same_error("expressed type", {name: expressed(t) for name, t in types.items()})


def _same_error(what: str, found: Mapping[str, object]) -> str | None:
    if len(set(found.values())) == 1:
        return None
    *most, last = found
    return f"{', '.join(most)} and {last} must have one {what}, found {', '.join(map(str, found.values()))}"


def reshape_error(operand: ir.Type, result: ir.Type) -> str | None:
    """Whether as many elements stand before, along and behind the quantized dimensions of both."""
    if not (is_per_axis(operand) and is_per_axis(result)):
        return None
    found = [_around(shape(t), axis(t)) for t in (operand, result)]
    if found[0] == found[1] or any(s < 0 for t in (operand, result) for s in shape(t)):
        return None
    return (
        "sizes before, at and behind the quantized dimension must be the same in operand and result, "
        f"found {found[0]} and {found[1]}"
    )


def _around(sizes: Sequence[int], dimension: int) -> list[int]:
    return [math.prod(sizes[:dimension]), sizes[dimension], math.prod(sizes[dimension + 1 :])]


def weights_error(lhs: ir.Type, rhs: ir.Type, result: ir.Type) -> str | None:
    """Whether lhs and result are both quantized or both not, and rhs is (dot_general, convolution)."""
    if not has_quantized(lhs, rhs, result):
        return None
    if all_quantized(lhs) == all_quantized(result) and all_quantized(rhs):
        return None
    return f"rhs must be quantized, and result if and only if lhs is, found {lhs}, {rhs} and {result}"


def per_tensor_error(lhs: ir.Type, rhs: ir.Type, result: ir.Type) -> str | None:
    """Whether the result of quantized operands is quantized per axis only when rhs is."""
    if not has_quantized(lhs) or is_per_axis(rhs) or not is_per_axis(result):
        return None
    return f"result must be per-tensor quantized as rhs is, found {result}"


def axis_error(name: str, t: ir.Type, wanted: int, reason: str) -> str | None:
    if not is_per_axis(t) or axis(t) == wanted:
        return None
    return f"the quantized dimension of {name} must be {wanted} ({reason}), found {axis(t)}"


def broadcast_axis_error(operand: ir.Type, result: ir.Type, dimensions: Sequence[int]) -> str | None:
    """Whether the quantized dimension of an operand is found where it is broadcast to, with one scale repeated when the
    operand has one."""
    if not (is_per_axis(operand) and is_per_axis(result)):
        return None
    before, after = element_type(operand), element_type(result)
    error = axis_error("result", result, dimensions[axis(operand)], "where broadcast_dimensions puts that of operand")
    if error:
        return error
    kept, found = ([*zip(t.scales, t.zero_points)] for t in (before, after))  # type: ignore[attr-defined]
    if shape(operand)[axis(operand)] != 1:
        return None if kept == found else f"scales and zero points of result must be {kept}, found {found}"
    if all(pair == kept[0] for pair in found):
        return None
    return f"scales and zero points of result must all be those of operand's one, found {found}"
