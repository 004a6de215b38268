"""What the rules for upstream ops share. Scalars become tensors of rank 0, indices i64, shapes and extents vectors of i64; a
witness is a boolean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlir import ir

from hlo.dialect.stablehlo import ConcatenateOp, SliceOp
from hlo.dialect.types import element_type, is_tensor, shape, tensor
from hlo.lowering.stablehlo.arithmetic import Tensor, constant, convert, create

Rule = Callable[[Any], "list[ir.Value]"]
"""From an op, whose operands are StableHLO values already, to the values of its results."""


def i64() -> ir.Type:
    return ir.IntegerType.get_signless(64)


def stored(t: ir.Type) -> ir.Type:
    """The tensor type in which a value of an upstream type is held."""
    if is_tensor(t):
        return tensor(shape(t), _element(element_type(t)))
    if str(t) in ("!shape.shape", "!shape.value_shape"):
        return tensor([ir.ShapedType.get_dynamic_size()], i64())
    if str(t) == "!shape.witness":
        return tensor([], ir.IntegerType.get_signless(1))
    return tensor([], _element(t))


def _element(t: ir.Type) -> ir.Type:
    return i64() if str(t) in ("index", "!shape.size") else t


def index(number: int) -> Tensor:
    return constant(tensor([], i64()), number)


def vector(parts: Sequence[Tensor]) -> ir.Value:
    """Scalars of one type side by side."""
    element = parts[0].element if parts else i64()
    if not parts:
        return create(
            "constant", [tensor([0], element)], [], value=ir.Attribute.parse(f"dense<> : tensor<0x{element}>")
        ).results[0]
    rows = [reshaped(part, [1]).value for part in parts]
    return ConcatenateOp.create(*rows, results=[tensor([len(rows)], element)], dimension=0).results[0]


def reshaped(x: Tensor, sizes: Sequence[int]) -> Tensor:
    return Tensor(create("reshape", [tensor(sizes, x.element)], [x]).results[0])


def extents(value: ir.Value) -> list[Tensor]:
    """The elements of a vector of a static length, as i64."""
    parts = []
    for n in range(shape(value.type)[0]):
        taken = SliceOp.create(value, start_indices=[n], limit_indices=[n + 1], strides=[1]).results[0]
        parts.append(convert(reshaped(Tensor(taken), []), i64()))
    return parts


def size_of(value: ir.Value, dimension: int) -> Tensor:
    """The size of a dimension, as i64."""
    size = shape(value.type)[dimension]
    if size != ir.ShapedType.get_dynamic_size():
        return index(size)
    attribute = ir.IntegerAttr.get(i64(), dimension)
    i32 = tensor([], ir.IntegerType.get_signless(32))
    return convert(Tensor(create("get_dimension_size", [i32], [Tensor(value)], dimension=attribute).results[0]), i64())


def shape_of(value: ir.Value) -> ir.Value:
    return vector([size_of(value, d) for d in range(len(shape(value.type)))])
