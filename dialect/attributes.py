"""Kinds of attributes: how each is held in the IR (always a builtin attribute), as a Python value, and in messages.

Enums are strings, dimension-number structures dictionaries of integers and `array<i64>`; upstream's spelling
(`#stablehlo<comparison_direction LT>`) is known to the reader and the printer only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

from mlir import ir


@dataclass(frozen=True)
class AttributeKind:
    description: str
    decode: Callable[[ir.Attribute], Any]
    encode: Callable[[Any], ir.Attribute]
    accepts: Callable[[ir.Attribute], bool]
    irdl: str = ""
    """An IRDL base ("#builtin.dictionary"), or "" when IRDL cannot say it."""
    values: tuple[str, ...] = ()
    """The cases of an enum."""
    structure: type | None = None
    """The dataclass of a structure."""
    enum_name: str = ""


def _integer(width: int) -> AttributeKind:
    def accepts(a: ir.Attribute) -> bool:
        return isinstance(a, ir.IntegerAttr) and isinstance(a.type, ir.IntegerType) and a.type.width == width

    return AttributeKind(
        f"{width}-bit integer",
        lambda a: ir.IntegerAttr(a).value,
        lambda v: ir.IntegerAttr.get(ir.IntegerType.get_signless(width), int(v)),
        accepts,
        "#builtin.integer",
    )


I32 = _integer(32)
I64 = _integer(64)
Bool = AttributeKind(
    "boolean",
    lambda a: bool(ir.BoolAttr(a).value),
    lambda v: ir.BoolAttr.get(bool(v)),
    lambda a: isinstance(a, ir.BoolAttr),
    "",
)
String = AttributeKind(
    "string",
    lambda a: ir.StringAttr(a).value,
    lambda v: ir.StringAttr.get(v),
    lambda a: isinstance(a, ir.StringAttr),
    "#builtin.string",
)
F64 = AttributeKind(
    "64-bit float",
    lambda a: ir.FloatAttr(a).value,
    lambda v: ir.FloatAttr.get_f64(float(v)),
    lambda a: isinstance(a, ir.FloatAttr),
    "",
)
I64Array = AttributeKind(
    "i64 array",
    lambda a: tuple(ir.DenseI64ArrayAttr(a)),
    lambda v: ir.DenseI64ArrayAttr.get([int(x) for x in v]),
    lambda a: isinstance(a, ir.DenseI64ArrayAttr),
    "#builtin.dense_array",
)
BoolArray = AttributeKind(
    "boolean array",
    lambda a: tuple(bool(x) for x in ir.DenseBoolArrayAttr(a)),
    lambda v: ir.DenseBoolArrayAttr.get([bool(x) for x in v]),
    lambda a: isinstance(a, ir.DenseBoolArrayAttr),
    "#builtin.dense_array",
)


def _decode_matrix(a: ir.Attribute) -> tuple[tuple[int, ...], ...]:
    elements = ir.DenseIntElementsAttr(a)
    rows, columns = ir.ShapedType(elements.type).shape
    flat = [elements[0]] * (rows * columns) if elements.is_splat else list(elements)
    return tuple(tuple(flat[r * columns : (r + 1) * columns]) for r in range(rows))


def _encode_matrix(rows: Any) -> ir.Attribute:
    import numpy as np

    array = np.asarray(rows, np.int64)
    if array.size == 0 and array.ndim < 2:
        array = array.reshape(0, 2)
    return ir.DenseElementsAttr.get(np.ascontiguousarray(array), type=ir.IntegerType.get_signless(64))


I64Matrix = AttributeKind(
    "matrix of i64 (dense<...> : tensor<NxMxi64>)",
    _decode_matrix,
    _encode_matrix,
    lambda a: isinstance(a, ir.DenseElementsAttr) and len(ir.ShapedType(a.type).shape) == 2,
)
Elements = AttributeKind("elements", lambda a: a, lambda v: v, lambda a: isinstance(a, ir.ElementsAttr) if hasattr(ir, "ElementsAttr") else True)
AnyAttribute = AttributeKind("attribute", lambda a: a, lambda v: v, lambda a: True)
Symbol = AttributeKind(
    "symbol reference",
    lambda a: ir.FlatSymbolRefAttr(a).value,
    lambda v: ir.FlatSymbolRefAttr.get(v),
    lambda a: isinstance(a, ir.FlatSymbolRefAttr),
)
Dict = AttributeKind(
    "dictionary",
    lambda a: {n.name: n.attr for n in ir.DictAttr(a)},
    lambda v: ir.DictAttr.get(v),
    lambda a: isinstance(a, ir.DictAttr),
    "#builtin.dictionary",
)


def enum(name: str, *values: str) -> AttributeKind:
    """An enum held as a string; `name` is upstream's (`#stablehlo<name VALUE>`)."""
    return AttributeKind(
        f"one of {', '.join(values)}",
        lambda a: ir.StringAttr(a).value,
        lambda v: ir.StringAttr.get(str(v)),
        lambda a: isinstance(a, ir.StringAttr) and ir.StringAttr(a).value in values,
        values=values,
        enum_name=name,
    )


def array_of(kind: AttributeKind) -> AttributeKind:
    """An ArrayAttr whose elements are of one kind; a tuple in Python."""
    return AttributeKind(
        f"array of {kind.description}",
        lambda a: tuple(kind.decode(x) for x in ir.ArrayAttr(a)),
        lambda v: ir.ArrayAttr.get([x if isinstance(x, ir.Attribute) else kind.encode(x) for x in v]),
        lambda a: isinstance(a, ir.ArrayAttr) and all(kind.accepts(x) for x in ir.ArrayAttr(a)),
        "",
        enum_name=kind.enum_name,
        values=kind.values,
        structure=kind.structure,
    )


def structure(cls: type) -> AttributeKind:
    """A frozen dataclass held as a dictionary: int fields as i64, tuple fields as array<i64>, bool as bool,
    str as string. Absent keys take the dataclass defaults; so does the encoder's reader."""
    known = {f.name: f for f in fields(cls)}

    def decode(a: ir.Attribute) -> Any:
        return cls(**{n.name: _decode_field(n.attr) for n in ir.DictAttr(a) if n.name in known})

    def encode(value: Any) -> ir.Attribute:
        return ir.DictAttr.get({name: _encode_field(getattr(value, name)) for name in known})

    def accepts(a: ir.Attribute) -> bool:
        return isinstance(a, ir.DictAttr) and all(n.name in known for n in ir.DictAttr(a))

    return AttributeKind(cls.__name__, decode, encode, accepts, "#builtin.dictionary", structure=cls)


def _decode_field(a: ir.Attribute) -> Any:
    for attribute_class, decode in (
        (ir.DenseI64ArrayAttr, tuple),
        (ir.BoolAttr, lambda x: bool(x.value)),
        (ir.IntegerAttr, lambda x: x.value),
        (ir.StringAttr, lambda x: x.value),
    ):
        if isinstance(a, attribute_class):
            return decode(a)
    return a


def _encode_field(value: Any) -> ir.Attribute:
    if isinstance(value, ir.Attribute):
        return value
    if isinstance(value, bool):
        return Bool.encode(value)
    if isinstance(value, int):
        return I64.encode(value)
    if isinstance(value, str):
        return String.encode(value)
    return I64Array.encode(value)


@dataclass(frozen=True)
class DotDimensionNumbers:
    """Which dimensions of a dot_general are batch and which are contracted; pairs by position."""

    lhs_batching_dimensions: tuple[int, ...] = ()
    rhs_batching_dimensions: tuple[int, ...] = ()
    lhs_contracting_dimensions: tuple[int, ...] = ()
    rhs_contracting_dimensions: tuple[int, ...] = ()


@dataclass(frozen=True)
class ConvDimensionNumbers:
    """Where batch, feature and spatial dimensions stand in input, kernel and output of a convolution."""

    input_batch_dimension: int = 0
    input_feature_dimension: int = 1
    input_spatial_dimensions: tuple[int, ...] = ()
    kernel_input_feature_dimension: int = 1
    kernel_output_feature_dimension: int = 0
    kernel_spatial_dimensions: tuple[int, ...] = ()
    output_batch_dimension: int = 0
    output_feature_dimension: int = 1
    output_spatial_dimensions: tuple[int, ...] = ()


@dataclass(frozen=True)
class GatherDimensionNumbers:
    offset_dims: tuple[int, ...] = ()
    collapsed_slice_dims: tuple[int, ...] = ()
    operand_batching_dims: tuple[int, ...] = ()
    start_indices_batching_dims: tuple[int, ...] = ()
    start_index_map: tuple[int, ...] = ()
    index_vector_dim: int = 0


@dataclass(frozen=True)
class ScatterDimensionNumbers:
    update_window_dims: tuple[int, ...] = ()
    inserted_window_dims: tuple[int, ...] = ()
    input_batching_dims: tuple[int, ...] = ()
    scatter_indices_batching_dims: tuple[int, ...] = ()
    scatter_dims_to_operand_dims: tuple[int, ...] = ()
    index_vector_dim: int = 0


@dataclass(frozen=True)
class ChannelHandle:
    handle: int = 0
    type: int = 0


@dataclass(frozen=True)
class OutputOperandAlias:
    output_tuple_indices: tuple[int, ...] = ()
    operand_index: int = 0
    operand_tuple_indices: tuple[int, ...] = ()


@dataclass(frozen=True)
class DotAlgorithm:
    """How a dot_general may be computed: element types as builtin type attributes, and component counts."""

    lhs_precision_type: Any = None
    rhs_precision_type: Any = None
    accumulation_type: Any = None
    lhs_component_count: int = 1
    rhs_component_count: int = 1
    num_primitive_operations: int = 1
    allow_imprecise_accumulation: bool = False


@dataclass(frozen=True)
class ResultAccuracy:
    """How exact a transcendental must be. `mode` is DEFAULT, HIGHEST or TOLERANCE."""

    atol: Any = field(default=None)
    rtol: Any = field(default=None)
    ulps: int = 0
    mode: str = "DEFAULT"
