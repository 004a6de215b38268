"""What an element of a tensor is computed from: a DAG of scalar operations over elements of tensors and results of contractions.

Coordinates are symbols (numbers of dimensions that the reader names), None along dimensions of size 1. Equal expressions are one
object, so that the same value computed twice is seen to be the same."""

from __future__ import annotations

from mlir import ir

from hlo.lazy_dataclasses import dataclass

Coordinates = tuple[int | None, ...]


@dataclass(frozen=True, eq=False)
class Node:
    """`kind`: the scalar's type. `free`: the symbols it depends on. `has_product`: a contraction is among what it is made of."""

    kind: ir.Type
    operands: tuple[Node, ...]
    free: frozenset[int]
    has_product: bool


@dataclass(frozen=True, eq=False)
class Element(Node):
    """Of a tensor in memory."""

    value: ir.Value
    coordinates: Coordinates


@dataclass(frozen=True, eq=False)
class Constant(Node):
    attribute: ir.Attribute


@dataclass(frozen=True, eq=False)
class Index(Node):
    """The coordinate along a symbol, or 0."""

    symbol: int | None


@dataclass(frozen=True, eq=False)
class Apply(Node):
    """A scalar op: `op` is one such op of a body, to be cloned."""

    op: ir.Operation


@dataclass(frozen=True, eq=False)
class Fold(Node):
    """All elements of operand 1 along the reader's reduced symbols, combined by `name`, beginning with operand 0."""

    name: str


@dataclass(frozen=True, eq=False)
class Product(Node):
    """An element of a contraction's result."""

    op: ir.Operation
    coordinates: Coordinates


CONVERSIONS = ("arith.extf", "arith.truncf")


def unconverted(node: Node) -> Node:
    """The float before it was rounded or widened."""
    while isinstance(node, Apply) and node.op.name in CONVERSIONS:
        node = node.operands[0]
    return node


def is_apply(node: Node, name: str) -> bool:
    return isinstance(node, Apply) and node.op.name == name


def is_zero(node: Node) -> bool:
    return isinstance(node, Constant) and float(node.attribute.value) == 0.0


def reachable(node: Node) -> list[Node]:
    """The node and all that it is made of, each once, operands first."""
    found: dict[Node, None] = {}

    def visit(one: Node) -> None:
        if one not in found:
            for operand in one.operands:
                visit(operand)
            found[one] = None

    visit(node)
    return list(found)


def constant_of(node: Node) -> float | None:
    """The number that a node is, perhaps converted."""
    node = unconverted(node)
    return float(node.attribute.value) if isinstance(node, Constant) else None
