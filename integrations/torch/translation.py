"""A graph of ATen ops (torch.fx) to a StableHLO module: every node by its rule, with the node's name and Python line as location."""

from __future__ import annotations

import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from mlir import ir
from torch.fx import GraphModule, Node
from torch.fx.node import map_arg
from torch.utils._pytree import tree_leaves

from hlo.builder.core import MISUSE
from hlo.builder.value import Value
from hlo.errors import CompileError, HloError
from hlo.torch.element_types import ELEMENTS, WRAPPED, dtype_of
from hlo.torch.graph_builder import GraphBuilder
from hlo.torch.layouts import Layout
from hlo.torch.registry import RULES
from hlo.torch.sizes import SCALAR_FUNCTIONS

_PYTHON_LINE = re.compile(r'File "(.+)", line (\d+), in ')


@dataclass(frozen=True)
class Argument:
    """What a program is specialised to of a tensor: element type, and how it lies in memory."""

    dtype: torch.dtype
    layout: Layout


def translate(graph: GraphModule, arguments: Sequence[Argument | Any], results: Sequence[Layout | None]) -> ir.Module:
    """The program of a graph for these arguments: tensors become parameters of the sizes that they have in memory, numbers are
    built in. `results`: how each tensor that the graph returns is to lie in memory (None: numbers, which the program does not return).
    Raises CompileError for what cannot be built, with the op and its Python line."""
    return _Translation(graph).module(arguments, results)


class _Translation:
    def __init__(self, graph: GraphModule):
        self.graph = graph
        self.builder = GraphBuilder()
        self.values: dict[Node, Any] = {}

    def module(self, arguments: Sequence[Any], results: Sequence[Layout | None]) -> ir.Module:
        given = iter(arguments)
        for node in self.graph.graph.nodes:
            self.builder.node, self.builder.location = node, self._location(node)
            if node.op == "placeholder":
                self.values[node] = self._parameter(node, next(given))
            elif node.op == "output":
                return self.builder.build(*self._returned(node, results))
            else:
                self.values[node] = self._built(node)
        raise AssertionError("a graph has an output")

    def _location(self, node: Node) -> ir.Location:
        file, line = python_location(node)
        context = self.builder.context
        return ir.Location.name(node.name, ir.Location.file(file, line, 1, context), context)

    def _parameter(self, node: Node, given: Any) -> Any:
        if not isinstance(given, Argument):
            return given
        b = self.builder
        value = b.parameter((given.layout.memory_sizes, ELEMENTS[given.dtype]), name=node.name)
        return given.layout.read(b, value)

    def _returned(self, node: Node, results: Sequence[Layout | None]) -> list[Value]:
        found = [self.values[v] if isinstance(v, Node) else v for v in outputs_of(node)]
        b = self.builder
        return [layout.write(b, v) for v, layout in zip(found, results) if layout is not None]

    def _built(self, node: Node) -> Any:
        """The value of a node; where a mistake is ours or the user's, its op and line are said."""
        try:
            built = self._call(node)
        except HloError as error:
            raise self._error(node, error.diagnostics[0].message if error.diagnostics else str(error)) from error
        except MISUSE as error:
            raise self._error(node, f"{type(error).__name__}: {error}") from error
        self._check(node, built)
        return built

    def _call(self, node: Node) -> Any:
        if node.op == "get_attr":
            return self._attribute(node)
        arguments = map_arg(node.args, self.values.__getitem__)
        named = map_arg(node.kwargs, self.values.__getitem__)
        if node.target in SCALAR_FUNCTIONS:
            return SCALAR_FUNCTIONS[node.target](*arguments, **named)
        given = self._with_a_tensor(node, plain(arguments))
        return RULES[op_name(node)](self.builder, *given, **plain(named))

    def _with_a_tensor(self, node: Node, arguments: Any) -> Any:
        """Arguments of an op. PyTorch takes a number instead of a tensor; where no other argument is one (the conjugate
        of a factor in a gradient), it is made one here, of the type that PyTorch gives it."""
        schema = getattr(node.target, "_schema", None)
        if schema is None or any(isinstance(v, Value) for v in tree_leaves(arguments)):
            return arguments
        return [
            self.builder.number(v, WRAPPED[type(v)])
            if type(v) in WRAPPED and isinstance(a.type, torch.TensorType)
            else v
            for v, a in zip(arguments, schema.arguments)
        ]

    def _attribute(self, node: Node) -> Any:
        """A tensor that the graph holds: a constant of the Python program."""
        held = operator.attrgetter(node.target)(self.graph)
        if not isinstance(held, torch.Tensor):
            return held
        from hlo.torch.memory import as_array

        return self.builder.constant(as_array(held.detach().contiguous()))

    def _check(self, node: Node, built: Any) -> None:
        """Rules give what PyTorch says of shape and type."""
        expected = node.meta.get("val")
        pairs = (
            zip(built, expected) if isinstance(built, (list, tuple)) and expected is not None else [(built, expected)]
        )
        for value, wanted in pairs:
            if not isinstance(value, Value) or not isinstance(wanted, torch.Tensor):
                continue
            sizes = list(wanted.shape)
            static = all(type(n) is int for n in sizes)
            if dtype_of(value) != wanted.dtype or (static and list(value.shape) != sizes):
                raise self._error(node, f"{sizes} of {wanted.dtype} expected, the rule gives {value.type}")

    def _error(self, node: Node, message: str) -> CompileError:
        file, line = python_location(node)
        return CompileError(f"{op_name(node)} ({node.name}, {file}:{line}): {message}")


def plain(given: Any) -> Any:
    """Arguments with lists and tuples of Python instead of torch.fx's."""
    if isinstance(given, (list, tuple)):
        return type(given)(plain(v) for v in given) if type(given) in (list, tuple) else [plain(v) for v in given]
    if isinstance(given, dict):
        return {k: plain(v) for k, v in given.items()}
    return given


def op_name(node: Node) -> str:
    """The name of the op of a node without its namespace if that is aten."""
    name = (
        str(node.target)
        if not callable(node.target) or hasattr(node.target, "overloadpacket")
        else node.target.__name__
    )
    return name.removeprefix("aten.")


def python_location(node: Node) -> tuple[str, int]:
    """File and line of the Python code that a node comes from."""
    found = _PYTHON_LINE.findall(node.meta.get("stack_trace") or "")
    return (found[-1][0], int(found[-1][1])) if found else ("<graph>", 0)


def outputs_of(node: Node) -> list[Any]:
    """What the output node of a graph returns, as a list."""
    (returned,) = node.args
    return list(returned) if isinstance(returned, (list, tuple)) else [returned]
