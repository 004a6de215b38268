"""A function as propagation and partitioning see it: tensors, and the nodes that make them.

Functions, loops, branches and the bodies of manual computations are bodies of nodes; other regions (reducers,
comparators) belong to their node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from math import prod
from typing import Any

from mlir import ir

from hlo.dialect.locations import diagnostic
from hlo.dialect.types import DYNAMIC, bit_width, is_per_axis
from hlo.errors import CompileError
from hlo.lazy_dataclasses import dataclass

NESTED = ("stablehlo.while", "stablehlo.if", "stablehlo.case", "sdy.manual_computation", "sdy.named_computation")
"""Ops whose regions are bodies of nodes."""


class Tensor:
    """One value. What cannot be cut is no tensor here, and its `shape` is (): tokens, tuples, tensors whose type holds
    scales for each index of a dimension."""

    __slots__ = ("edges", "element", "is_tensor", "item_bytes", "node", "shape", "state", "type", "value")

    def __init__(self, value: ir.Value | None, type: ir.Type, parts: _Parts, node: Node | None = None):
        self.value, self.type, self.node = value, type, node
        self.is_tensor, self.shape, self.element, self.item_bytes = parts
        self.state: Any = None
        self.edges: list[Any] = []

    def stand_in(self) -> Tensor:
        """Another tensor of the same type, which no op makes."""
        return Tensor(None, self.type, (self.is_tensor, self.shape, self.element, self.item_bytes))

    @property
    def whole(self) -> tuple[tuple[str, ...], ...]:
        """The sharding that does not cut it."""
        return ((),) * len(self.shape)

    @property
    def bytes(self) -> int:
        return prod(self.shape) * self.item_bytes


_Parts = tuple[bool, tuple[int, ...], ir.Type | None, int]


def _parts(type: ir.Type) -> _Parts:
    if not isinstance(type, ir.RankedTensorType) or is_per_axis(type.element_type):
        return False, (), None, 0
    element = type.element_type
    return True, tuple(type.shape), element, max(1, bit_width(element) // 8)


@dataclass(eq=False)
class Node:
    op: Any
    name: str
    operands: list[Tensor]
    results: list[Tensor] = field(default_factory=list)
    bodies: list[Body] = field(default_factory=list)


@dataclass(eq=False)
class Body:
    arguments: list[Tensor] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    returned: list[Tensor] = field(default_factory=list)

    def all_nodes(self) -> Iterator[Node]:
        """Every node, those of inner bodies after the node that holds them."""
        for node in self.nodes:
            yield node
            for body in node.bodies:
                yield from body.all_nodes()


class Graph:
    """The function `function`. `tensors`: by value."""

    def __init__(self, function: Any):
        self.function = function
        self.tensors: dict[ir.Value, Tensor] = {}
        self._types: dict[ir.Type, _Parts] = {}
        self.body = self._body(function.regions[0].blocks[0])

    def _tensor(self, value: ir.Value, node: Node | None, op: Any) -> Tensor:
        type = value.type
        if type not in self._types:
            self._types[type] = _parts(type)
        tensor = Tensor(value, type, self._types[type], node)
        if DYNAMIC in tensor.shape:
            raise CompileError(diagnostic(op, f"sharded programs must have static shapes, found {value.type}"))
        self.tensors[value] = tensor
        return tensor

    def _body(self, block: ir.Block) -> Body:
        body = Body([self._tensor(a, None, block.owner) for a in block.arguments])
        operations = list(block.operations)
        for op in operations[:-1]:
            body.nodes.append(self._node(op))
        body.returned = [self.tensors[v] for v in operations[-1].operands]
        return body

    def _node(self, op: Any) -> Node:
        name = op.operation.name
        if name == "func.call":
            raise CompileError(diagnostic(op, "calls must be inlined before shardings are propagated"))
        node = Node(op, name, [self.tensors[v] for v in op.operands])
        node.results = [self._tensor(v, node, op) for v in op.results]
        if name in NESTED:
            node.bodies = [self._body(r.blocks[0]) for r in op.regions if len(r.blocks)]
        return node
