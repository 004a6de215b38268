"""Sets of types that operands and results may have, with the words that error messages use for them, and the
comparisons between types that know dynamic sizes and quantized elements.

A `TypeSet` is closed under `|`. Element types are MLIR's: f32, i1, ui8, complex<f32>, ..."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from mlir import ir
from mlir.dialects import quant

from hlo.lazy_dataclasses import dataclass

DYNAMIC = ir.ShapedType.get_dynamic_size()
"""The size that MLIR gives a `?` dimension."""

INTEGER_WIDTHS = (2, 4, 8, 16, 32, 64)


@dataclass(frozen=True)
class TypeSet:
    description: str
    accepts: Callable[[ir.Type], bool]
    irdl: str = "!builtin.tensor"
    """The IRDL base that holds all of it ("" when IRDL cannot say it: irdl.any)."""
    only: tuple[str, ...] = ()
    """All types of the set, as MLIR writes them, where they are few."""

    def __or__(self, other: TypeSet) -> TypeSet:
        irdl = self.irdl if self.irdl == other.irdl else ""
        return TypeSet(
            f"{self.description} or {other.description}",
            lambda t: self.accepts(t) or other.accepts(t),
            irdl,
        )


def is_tensor(t: ir.Type) -> bool:
    return isinstance(t, ir.RankedTensorType)


def element_type(t: ir.Type) -> ir.Type:
    """The element type of a tensor; any other type is its own."""
    return ir.ShapedType(t).element_type if is_tensor(t) else t


def shape(t: ir.Type) -> tuple[int, ...]:
    """The sizes of a tensor; DYNAMIC stands for `?`."""
    return tuple(ir.RankedTensorType(t).shape)


def rank(t: ir.Type) -> int:
    return ir.RankedTensorType(t).rank


def tensor(sizes: Sequence[int], element: ir.Type, encoding: ir.Attribute | None = None) -> ir.RankedTensorType:
    """A tensor type; sizes may be DYNAMIC."""
    return ir.RankedTensorType.get(list(sizes), element, encoding, loc=ir.Location.unknown(element.context))


def with_element(t: ir.Type, element: ir.Type) -> ir.RankedTensorType:
    """The tensor type `t` with other elements; shape and bounds stay."""
    return tensor(shape(t), element, ir.RankedTensorType(t).encoding)


def is_bool(t: ir.Type) -> bool:
    return isinstance(t, ir.IntegerType) and t.width == 1 and t.is_signless


def is_integer(t: ir.Type) -> bool:
    """iN is signed, uiN unsigned; upstream knows no siN."""
    return isinstance(t, ir.IntegerType) and t.width in INTEGER_WIDTHS and not t.is_signed


def is_signed(t: ir.Type) -> bool:
    return is_integer(t) and ir.IntegerType(t).is_signless


def is_unsigned(t: ir.Type) -> bool:
    return isinstance(t, ir.IntegerType) and (t.is_unsigned or is_bool(t))


def is_float(t: ir.Type) -> bool:
    return isinstance(t, ir.FloatType) and not isinstance(t, _FOREIGN_FLOATS)


_FOREIGN_FLOATS = tuple(
    cls for name in ("FloatTF32Type", "F80Type", "F128Type") if (cls := getattr(ir, name, None)) is not None
)


def is_narrow_float(t: ir.Type) -> bool:
    """Whether elements are floats of less than 32 bits, whose sums need a wider type."""
    return is_float(t) and bit_width(t) < 32


def is_complex(t: ir.Type) -> bool:
    return isinstance(t, ir.ComplexType) and isinstance(ir.ComplexType(t).element_type, (ir.F32Type, ir.F64Type))


def is_quantized(t: ir.Type) -> bool:
    """!quant.any and calibrated types are not StableHLO's."""
    return isinstance(t, (quant.UniformQuantizedType, quant.UniformQuantizedPerAxisType))


def is_per_tensor(t: ir.Type) -> bool:
    """A quantized element type with one scale and zero point."""
    return isinstance(t, quant.UniformQuantizedType)


def is_per_axis(t: ir.Type) -> bool:
    """A quantized element type with a scale and zero point for each index of one dimension: for few ops."""
    return isinstance(t, quant.UniformQuantizedPerAxisType)


def is_element(t: ir.Type) -> bool:
    """An element type of the specification."""
    return is_float(t) or is_bool(t) or is_integer(t) or is_complex(t) or is_quantized(t)


def bit_width(t: ir.Type) -> int:
    """Bits of one element; of a quantized one, those of its storage."""
    if isinstance(t, ir.ComplexType):
        return 2 * bit_width(t.element_type)
    if isinstance(t, quant.QuantizedType):
        return t.storage_type_integral_width
    return t.width  # type: ignore[attr-defined]


def bytes_of(t: ir.Type) -> int:
    """Of a tensor of known sizes, each of whose elements has whole bytes."""
    return prod(shape(t)) * -(-bit_width(element_type(t)) // 8)


def tuple_types(t: ir.Type) -> list[ir.Type]:
    members = ir.TupleType(t)
    return [members.get_type(i) for i in range(members.num_types)]


def tensor_of(description: str, *predicates: Callable[[ir.Type], bool]) -> TypeSet:
    """Tensors whose element type satisfies one of the predicates."""
    return TypeSet(
        f"tensor of {description} type",
        lambda t: is_tensor(t) and any(p(element_type(t)) for p in predicates),
    )


def scalar_of(tensors: TypeSet) -> TypeSet:
    """Those of the tensors that have no dimensions."""
    return TypeSet(f"0-dimensional {tensors.description}", lambda t: tensors.accepts(t) and rank(t) == 0)


def vector_of(tensors: TypeSet) -> TypeSet:
    """Those of the tensors that have one dimension."""
    return TypeSet(f"1-dimensional {tensors.description}", lambda t: tensors.accepts(t) and rank(t) == 1)


def static_vector_of(tensors: TypeSet) -> TypeSet:
    """Those of one dimension whose size is known."""
    accepts = vector_of(tensors).accepts
    return TypeSet(
        f"1-dimensional {tensors.description} of known size", lambda t: accepts(t) and shape(t)[0] != DYNAMIC
    )


def bounds_error(t: ir.Type) -> str | None:
    """Upstream's clauses of bounds: one for each dimension, and none where the size is known."""
    if not is_tensor(t) or not _has_bounds(t):
        return None
    bounds = _bounds(t)
    if len(bounds) != rank(t):
        return f"bounds must be {rank(t)}, one a dimension, found {len(bounds)}"
    fixed = next((d for d, (size, bound) in enumerate(zip(shape(t), bounds)) if DYNAMIC not in (size, bound)), None)
    return (
        None
        if fixed is None
        else f"dimension {fixed} has size {shape(t)[fixed]} and must have no bound, found {bounds[fixed]}"
    )


AnyTensor = TypeSet(
    "tensor of boolean, integer (2 to 64 bits), floating-point, complex or per-tensor quantized type",
    lambda t: is_tensor(t) and is_element(element_type(t)) and not is_per_axis(element_type(t)),
)
TensorOrPerAxis = TypeSet(
    "tensor of boolean, integer (2 to 64 bits), floating-point, complex or quantized type",
    lambda t: is_tensor(t) and is_element(element_type(t)),
)
"""AnyTensor, or one with scales along a dimension: what additions, reshapes, contractions and control flow take."""
BoolTensor = tensor_of("boolean", is_bool)
IntTensor = tensor_of("integer", is_integer)
FloatTensor = tensor_of("floating-point", is_float)
ComplexTensor = tensor_of("complex", is_complex)
QuantizedTensor = tensor_of("quantized", is_quantized)
DimensionTensor = tensor_of("integer or index", is_integer, lambda t: isinstance(t, ir.IndexType))
"""Tensors that hold sizes or indices in programs with dynamic shapes."""
Token = TypeSet("token", lambda t: str(t) == "!stablehlo.token", "@stablehlo::@token")
Tuple = TypeSet("tuple", lambda t: isinstance(t, ir.TupleType), "!builtin.tuple")
Buffer = TypeSet(
    "buffer (memref)",
    lambda t: isinstance(t, ir.MemRefType) and is_element(ir.ShapedType(t).element_type),
    "!builtin.memref",
)
"""Memory that a program names; in few ops only."""
TensorOrToken = TensorOrPerAxis | Token
AnyValue = TypeSet("any type", lambda t: True, "")


def _with_tuples(description: str, leaves: TypeSet) -> TypeSet:
    """The leaves, and tuples of them, of such tuples, ..."""

    def accepts(t: ir.Type) -> bool:
        return all(map(accepts, tuple_types(t))) if Tuple.accepts(t) else leaves.accepts(t)

    return TypeSet(description, accepts, "")


TensorTokenOrTuple = _with_tuples("tensor, token or tuple", TensorOrToken)
TupleMember = _with_tuples("tensor, token, buffer (memref) or tuple", TensorOrToken | Buffer)
"""The value types of the specification, which are also what its tuples hold."""
CallValue = _with_tuples(
    "tensor, token, buffer (memref), future or tuple",
    TensorOrToken | Buffer | TypeSet("future", lambda t: str(t).startswith("!stablehlo.future<")),
)
""""""


def compatible_sizes(a: int, b: int) -> bool:
    return a == b or DYNAMIC in (a, b)


def compatible_shapes(*types: ir.Type) -> bool:
    """Whether tensors may have one shape at run time: ranks are equal, and sizes where both are known."""
    first, *others = (shape(t) for t in types)
    return all(
        len(other) == len(first) and all(compatible_sizes(a, b) for a, b in zip(first, other)) for other in others
    )


def compatible_elements(a: ir.Type, b: ir.Type) -> bool:
    """Whether element types are equal; of quantized types, in any spelling of unsigned storage."""
    return a == b or (_same_baseline(a, b) and _parameters(a) == _parameters(b))


def compatible_baselines(a: ir.Type, b: ir.Type) -> bool:
    """Whether element types are equal but for the scales and zero points of quantized ones (the specification's
    baseline_element_type)."""
    return a == b or _same_baseline(a, b)


def _same_baseline(a: ir.Type, b: ir.Type) -> bool:
    return is_quantized(a) and is_quantized(b) and _baseline(a) == _baseline(b)


def _baseline(t: Any) -> tuple[object, ...]:
    """What a quantized type is but for its scales and zero points."""
    return *storage_parts(t), t.expressed_type, t.quantized_dimension if is_per_axis(t) else None


def _parameters(t: Any) -> list[tuple[float, int]]:
    """Scales and zero points."""
    return [*zip(t.scales, t.zero_points)] if is_per_axis(t) else [(t.scale, t.zero_point)]


def storage_parts(t: Any) -> tuple[int, bool, int, int]:
    """The width of the storage type, its signedness and its limits; MLIR distinguishes `u8` and `ui8`, which are the same."""
    return t.storage_type_integral_width, t.is_signed, t.storage_type_min, t.storage_type_max


def compatible(a: ir.Type, b: ir.Type, elements: Callable[[ir.Type, ir.Type], bool] = compatible_elements) -> bool:
    """Whether two types may be one type at run time (upstream's "compatible for type inference"): sizes that are known and
    elements are equal, or the latter as `elements` asks for."""
    if a == b:
        return True
    if isinstance(a, ir.TupleType) and isinstance(b, ir.TupleType):
        return a.num_types == b.num_types and all(map(compatible, tuple_types(a), tuple_types(b)))
    if not (is_tensor(a) and is_tensor(b)):
        return False
    if not (elements(element_type(a), element_type(b)) and compatible_shapes(a, b)):
        return False
    return _within_bounds(a, b) and _within_bounds(b, a)


def _within_bounds(t: ir.Type, other: ir.Type) -> bool:
    """Whether no size of another tensor is beyond the bound of its dimension."""
    return all(bound == DYNAMIC or size <= bound for bound, size in zip(_bounds(t), shape(other)))


def _has_bounds(t: ir.Type) -> bool:
    encoding = ir.RankedTensorType(t).encoding
    return isinstance(encoding, ir.DictAttr) and "bounds" in encoding


def _bounds(t: ir.Type) -> list[int]:
    """The largest size of every dimension, DYNAMIC where there is none; nothing for a tensor without bounds."""
    return list(ir.DenseI64ArrayAttr(ir.RankedTensorType(t).encoding["bounds"])) if _has_bounds(t) else []


def largest_shape(t: ir.Type) -> tuple[int, ...]:
    """The sizes of a tensor at most: the bound where a size is unknown, DYNAMIC where there is none either."""
    bounds = _bounds(t) or shape(t)
    return tuple(bound if size == DYNAMIC else size for size, bound in zip(shape(t), bounds))


def without_dimension(t: ir.Type, dimension: int) -> ir.RankedTensorType:
    """The tensor type `t` but for one dimension; the bounds of the others stay."""
    sizes, bounds = list(shape(t)), _bounds(t)
    del sizes[dimension]
    if not bounds:
        return tensor(sizes, element_type(t))
    del bounds[dimension]
    encoding = ir.DictAttr.get({"bounds": ir.DenseI64ArrayAttr.get(bounds, t.context)}, t.context)
    return tensor(sizes, element_type(t), encoding)


def least_specific(*types: ir.Type) -> ir.Type:
    """The type that knows only those sizes that some compatible types agree on."""
    first = types[0]
    if all(t == first for t in types) or not all(is_tensor(t) for t in types):
        return first
    sizes = [column[0] if len(set(column)) == 1 else DYNAMIC for column in zip(*map(shape, types))]
    return tensor(sizes, element_type(first))


def most_specific(*types: ir.Type) -> ir.Type:
    """The type that knows every size that one of some compatible types knows."""
    first = types[0]
    if all(t == first for t in types) or not all(is_tensor(t) for t in types):
        return first
    sizes = [next((s for s in column if s != DYNAMIC), DYNAMIC) for column in zip(*map(shape, types))]
    encoding = ir.RankedTensorType(first).encoding if DYNAMIC in sizes else None
    return tensor(sizes, element_type(first), encoding)
