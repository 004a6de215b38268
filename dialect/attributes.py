"""Kinds of attributes: how each is held in the IR (always a builtin attribute), as a Python value, and in messages.

Enums are strings, dimension-number structures dictionaries of integers and `array<i64>`; upstream's spelling
(`#stablehlo<comparison_direction LT>`) is known to the reader and the printer only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from itertools import islice
from typing import Any

from mlir import ir

from hlo.dialect.structures import (  # noqa: F401  (some only for those who import them from here)
    ChannelHandle,
    ConvDimensionNumbers,
    DotAlgorithm,
    DotDimensionNumbers,
    GatherDimensionNumbers,
    OutputOperandAlias,
    RaggedDotDimensionNumbers,
    ResultAccuracy,
    ScatterDimensionNumbers,
)
from hlo.lazy_dataclasses import dataclass


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
    has_mesh_axes: bool = False
    """Whether it may name axes of a mesh, which have a spelling of their own."""


def _integer(description: str, width: int, make: Callable[[int], ir.IntegerType]) -> AttributeKind:
    def accepts(a: ir.Attribute) -> bool:
        if not (isinstance(a, ir.IntegerAttr) and isinstance(a.type, ir.IntegerType)):
            return False
        return a.type == make(width)

    return AttributeKind(
        description,
        integer_value,
        lambda v: ir.IntegerAttr.get(make(width), _signed(int(v)) if make(width).is_unsigned else int(v)),
        accepts,
        "#builtin.integer",
    )


def integers_of(a: ir.DenseI64ArrayAttr) -> tuple[int, ...]:
    """Counted: the bindings' iterator ends by an exception of C++, which takes longer than the numbers."""
    return tuple(islice(a, len(a)))


def integer_value(a: ir.Attribute) -> int:
    """The number of an integer attribute. The bindings give one of 64 unsigned bits as a signed number."""
    value, held = ir.IntegerAttr(a).value, ir.IntegerAttr(a).type
    is_unsigned = isinstance(held, ir.IntegerType) and held.is_unsigned
    return value % 2**held.width if is_unsigned else value


def _signed(value: int) -> int:
    """What the bindings take for an unsigned number of 64 bits."""
    return value - 2**64 if value >= 2**63 else value


I32 = _integer("32-bit integer", 32, ir.IntegerType.get_signless)
I64 = _integer("64-bit integer", 64, ir.IntegerType.get_signless)
UI32 = _integer("32-bit unsigned integer", 32, ir.IntegerType.get_unsigned)
UI64 = _integer("64-bit unsigned integer", 64, ir.IntegerType.get_unsigned)
Bool = AttributeKind(
    "boolean",
    lambda a: bool(ir.BoolAttr(a).value),
    lambda v: ir.BoolAttr.get(bool(v)),
    lambda a: isinstance(a, ir.BoolAttr),
    "#builtin.integer",
)
String = AttributeKind(
    "string",
    lambda a: ir.StringAttr(a).value,
    lambda v: ir.StringAttr.get(v),
    lambda a: isinstance(a, ir.StringAttr),
    "#builtin.string",
)
Unit = AttributeKind(
    "unit",
    lambda a: True if isinstance(a, ir.UnitAttr) else bool(ir.BoolAttr(a).value),
    lambda v: ir.UnitAttr.get() if v else ir.BoolAttr.get(False),
    lambda a: isinstance(a, (ir.UnitAttr, ir.BoolAttr)),
)
F32 = AttributeKind(
    "32-bit float",
    lambda a: ir.FloatAttr(a).value,
    lambda v: ir.FloatAttr.get_f32(float(v)),
    lambda a: isinstance(a, ir.FloatAttr) and isinstance(a.type, ir.F32Type),
    "#builtin.float",
)
F64 = AttributeKind(
    "64-bit float",
    lambda a: ir.FloatAttr(a).value,
    lambda v: ir.FloatAttr.get_f64(float(v)),
    lambda a: isinstance(a, ir.FloatAttr) and isinstance(a.type, ir.F64Type),
    "#builtin.float",
)
I64Array = AttributeKind(
    "i64 array",
    lambda a: integers_of(ir.DenseI64ArrayAttr(a)),
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
    splat = elements.is_splat and rows * columns > 0
    flat = [elements[0]] * (rows * columns) if splat else list(elements)
    return tuple(tuple(flat[r * columns : (r + 1) * columns]) for r in range(rows))


def _encode_matrix(rows: Any) -> ir.Attribute:
    import numpy as np

    array = np.asarray(rows, np.int64)
    if array.size == 0 and array.ndim < 2:
        array = array.reshape(0, 2)
    return ir.DenseElementsAttr.get(np.ascontiguousarray(array), type=ir.IntegerType.get_signless(64))


MOST_LISTED = 2**18
"""Integers of a matrix: one of equal numbers is short to write, whatever its size; ops have a row a dimension, or a
pair a process, of which there are up to 2^17."""


def _is_matrix(a: ir.Attribute) -> bool:
    if not isinstance(a, ir.DenseElementsAttr):
        return False
    held = ir.ShapedType(a.type)
    if held.rank != 2 or held.element_type != ir.IntegerType.get_signless(64):
        return False
    rows, columns = held.shape
    return rows * columns <= MOST_LISTED


I64Matrix = AttributeKind(
    "matrix of i64 (dense<...> : tensor<NxMxi64>)",
    _decode_matrix,
    _encode_matrix,
    _is_matrix,
)


def _is_elements(a: ir.Attribute) -> bool:
    return isinstance(a, (ir.DenseElementsAttr, ir.DenseResourceElementsAttr))


Elements = AttributeKind("elements (dense<...> or dense_resource<...>)", lambda a: a, lambda v: v, _is_elements)
AnyAttribute = AttributeKind("attribute", lambda a: a, lambda v: v, lambda a: True)
Symbol = AttributeKind(
    "symbol reference",
    lambda a: ir.FlatSymbolRefAttr(a).value,
    lambda v: ir.FlatSymbolRefAttr.get(v),
    lambda a: isinstance(a, ir.FlatSymbolRefAttr),
    "#builtin.symbol_ref",
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
        "#builtin.array",
        enum_name=kind.enum_name,
        values=kind.values,
        structure=kind.structure,
    )


def structure(cls: type) -> AttributeKind:
    """A frozen dataclass held as a dictionary: int fields as i64, tuple fields as array<i64>, bool as bool,
    float as f64, str as string, types (default None) as type attributes. Absent keys take the defaults."""
    known = {f.name: f for f in fields(cls)}

    def decode(a: ir.Attribute) -> Any:
        held = ir.DictAttr(a)
        return cls(**{name: _decode_field(held[name]) for name in known if name in held})

    def encode(value: Any) -> ir.Attribute:
        if not isinstance(value, cls):
            raise TypeError(f"{cls.__name__}({', '.join(known)}) expected, found {type(value).__name__}")
        values = {name: getattr(value, name) for name in known}
        return ir.DictAttr.get({name: _encode_field(v) for name, v in values.items() if v is not None})

    def accepts(a: ir.Attribute) -> bool:
        if not isinstance(a, ir.DictAttr):
            return False
        return all(n.name in known and _accepts_field(known[n.name].default, n.attr) for n in a)

    return AttributeKind(
        f"{cls.__name__} ({', '.join(known)})", decode, encode, accepts, "#builtin.dictionary", structure=cls
    )


_FIELD_ATTRIBUTES: dict[type, type[ir.Attribute]] = {
    tuple: ir.DenseI64ArrayAttr,
    bool: ir.BoolAttr,
    int: ir.IntegerAttr,
    float: ir.FloatAttr,
    str: ir.StringAttr,
    type(None): ir.TypeAttr,
}
"""How a field is held, by the Python type of its default."""


def _accepts_field(default: Any, a: ir.Attribute) -> bool:
    return isinstance(a, _FIELD_ATTRIBUTES[type(default)])


def _decode_field(a: ir.Attribute) -> Any:
    return integers_of(a) if isinstance(a, ir.DenseI64ArrayAttr) else a.value  # type: ignore[attr-defined]


def _encode_field(value: Any) -> ir.Attribute:
    if isinstance(value, ir.Attribute):
        return value
    if isinstance(value, ir.Type):
        return ir.TypeAttr.get(value)
    for python_type, kind in ((bool, Bool), (int, I64), (float, F64), (str, String)):
        if isinstance(value, python_type):
            return kind.encode(value)
    return I64Array.encode(value)


COMPARISON_DIRECTION = enum("comparison_direction", "EQ", "NE", "GE", "GT", "LE", "LT")
COMPARISON_TYPE = enum("comparison_type", "NOTYPE", "FLOAT", "TOTALORDER", "WEAKORDER", "SIGNED", "UNSIGNED")
PRECISION = enum("precision", "DEFAULT", "HIGH", "HIGHEST")
PRECISION_CONFIG = array_of(PRECISION)
RESULT_ACCURACY = structure(ResultAccuracy)
CHANNEL_HANDLE = structure(ChannelHandle)
