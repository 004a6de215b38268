"""What the rules for upstream ops have in common. Scalars become tensors of rank 0, indices i64, shapes and extents vectors of i64; a
witness is a boolean."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mlir import ir

from hlo.dialect.op_table import OpTable
from hlo.dialect.types import element_type, is_tensor, shape, tensor
from hlo.lowering.stablehlo.arithmetic import Tensor, constant, convert, create, joined, reshaped, scalar_at

Rule = Callable[[Any], "list[ir.Value]"]

legalizes_upstream: OpTable[Rule] = OpTable("rule for upstream ops")
"""`@legalizes_upstream("tensor.dim")`"""
"""From an op, whose operands are StableHLO values already, to the values of its results."""


def operands_of(op: Any) -> list[Tensor]:
    return [Tensor(v) for v in op.operands]


def same(dialect: str, mnemonics: Mapping[str, str], target: str = "stablehlo") -> None:
    """Registers ops of a dialect, several a line, that are one op of the `target` dialect each, of the type of its first operand."""
    for names, mnemonic in mnemonics.items():

        def rule(op: Any, mnemonic: str = mnemonic) -> list[ir.Value]:
            return [ir.Operation.create(f"{target}.{mnemonic}", [op.operands[0].type], list(op.operands)).result]

        legalizes_upstream(*(f"{dialect}.{name}" for name in names.split()))(rule)


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
    if not parts:
        return constant(tensor([0], i64()), 0).value
    return joined([reshaped(part, [1]) for part in parts], 0).value


def extents(value: ir.Value) -> list[Tensor]:
    """The elements of a vector of a static length, as i64."""
    return [convert(scalar_at(Tensor(value), n), i64()) for n in range(shape(value.type)[0])]


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
