"""Sets of types that operands and results may have, with the words that error messages use for them.

A `TypeSet` is closed under `|`. Element types are MLIR's: f32, i1, ui8, complex<f32>, ..."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mlir import ir


@dataclass(frozen=True)
class TypeSet:
    description: str
    accepts: Callable[[ir.Type], bool]
    irdl: str = '!builtin.tensor'
    """The IRDL base that holds all of it ("" when IRDL cannot say it: irdl.any)."""

    def __or__(self, other: TypeSet) -> TypeSet:
        irdl = self.irdl if self.irdl == other.irdl else ""
        return TypeSet(
            f"{self.description} or {other.description}",
            lambda t: self.accepts(t) or other.accepts(t),
            irdl,
        )


def is_tensor(t: ir.Type) -> bool:
    return isinstance(t, (ir.RankedTensorType, ir.UnrankedTensorType))


def element_type(t: ir.Type) -> ir.Type:
    """The element type of a tensor; any other type is its own."""
    return ir.ShapedType(t).element_type if is_tensor(t) else t


def is_bool(t: ir.Type) -> bool:
    return isinstance(t, ir.IntegerType) and t.width == 1 and t.is_signless


def is_integer(t: ir.Type) -> bool:
    return isinstance(t, ir.IntegerType) and not is_bool(t)


def is_unsigned(t: ir.Type) -> bool:
    return isinstance(t, ir.IntegerType) and (t.is_unsigned or is_bool(t))


def is_float(t: ir.Type) -> bool:
    return isinstance(t, ir.FloatType)


def is_complex(t: ir.Type) -> bool:
    return isinstance(t, ir.ComplexType)


def is_quantized(t: ir.Type) -> bool:
    return str(t).startswith("!quant.")


def tensor_of(description: str, *predicates: Callable[[ir.Type], bool]) -> TypeSet:
    """Tensors whose element type satisfies one of the predicates."""
    return TypeSet(
        f"tensor of {description} type",
        lambda t: is_tensor(t) and any(p(element_type(t)) for p in predicates),
    )


AnyTensor = TypeSet("tensor", is_tensor)
BoolTensor = tensor_of("boolean", is_bool)
IntTensor = tensor_of("integer", is_integer)
FloatTensor = tensor_of("floating-point", is_float)
ComplexTensor = tensor_of("complex", is_complex)
QuantizedTensor = tensor_of("quantized", is_quantized)
Token = TypeSet("token", lambda t: str(t) == "!stablehlo.token", "")
Tuple = TypeSet("tuple", lambda t: isinstance(t, ir.TupleType), "!builtin.tuple")
AnyValue = TypeSet("any type", lambda t: True, "")
