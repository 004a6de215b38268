"""Compiled graphs: tensors in, tensors out, on the tensors' own memory.

A graph is compiled at its first call for the sizes and the order of dimensions that its tensors have, and again when others come; of these
versions the MOST_VERSIONS latest are kept. New values of arguments (updates.py) are made in the arguments' memory."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import GraphModule

import hlo
from hlo.errors import ArgumentError
from hlo.forks import UNFORKED
from hlo.torch.element_types import ELEMENTS
from hlo.torch.layouts import Layout, dense_layout, memory_order, row_major
from hlo.torch.memory import new_tensor
from hlo.torch.symbols import sizes_and_strides, symbols_of
from hlo.torch.translation import Argument, outputs_of, translate

MOST_VERSIONS = 16
"""Compiled programs of one graph, for different sizes, that are kept."""


@dataclass(frozen=True)
class Passed:
    """A result that is an argument, by its number: the same tensor, which no program copies."""

    number: int


class Version:
    """A graph compiled for arguments of one kind. `updates`: the arguments whose new values are the last results of its program."""

    def __init__(self, graph: GraphModule, arguments: Sequence[Any], options: dict[str, Any], updates: Sequence[int]):
        kinds = [Argument(a.dtype, memory_order(a)) if isinstance(a, torch.Tensor) else a for a in arguments]
        self.results, self.updates = _result_kinds(graph, kinds, len(updates)), updates
        values = [(kinds[n].dtype, kinds[n].layout) for n in updates]
        made = [r for r in (*self.results, *values) if isinstance(r, tuple)]
        numbers = [n for n, k in enumerate(kinds) if isinstance(k, Argument)]
        positions = [numbers.index(n) for n in updates]
        module = translate(graph, kinds, [r[1] if isinstance(r, tuple) else None for r in (*self.results, *values)])
        donation = _donation(outputs_of(list(graph.graph.nodes)[-1]), positions)
        executable: Any = hlo.compile(hlo.print_module(module), **options, **donation)
        self.executable = executable
        self.strides = [k.layout.strides if isinstance(k, Argument) else None for k in kinds]
        self.new = [(d.sizes, d.strides, dtype, math.prod(d.sizes) * dtype.itemsize) for dtype, d in made]
        self.count = len(made) - len(updates)
        self.in_argument = {result: argument for argument, result in executable.program.donation.results}
        own = {self.count + i: position for i, position in enumerate(positions)}
        self.misplaced = [(r, a) for r, a in self.in_argument.items() if own.get(r) != a]

    def __call__(self, arguments: Sequence[Any]) -> list[Any]:
        """The results on these arguments, which are of the kind that this was compiled for."""
        kept = []
        for argument, strides in zip(arguments, self.strides):
            if strides is not None:
                is_used_directly = argument.stride() == strides and _is_in_memory(argument)
                kept.append(argument if is_used_directly else _in_order(argument, strides))
        taken = self.in_argument
        tensors = [kept[taken[n]] if n in taken else new_tensor(*kind) for n, kind in enumerate(self.new)]
        self.executable.run_addresses([t.data_ptr() for t in kept], [t.data_ptr() for t in tensors])
        if self.updates:
            tensors = self._updated(arguments, kept, tensors)
        if len(tensors) == len(self.results):
            return tensors
        made = iter(tensors)
        return [self._result(r, made, arguments) for r in self.results]

    def _updated(
        self, arguments: Sequence[Any], kept: list[torch.Tensor], tensors: list[torch.Tensor]
    ) -> list[torch.Tensor]:
        """Gives the arguments those new values that are not made in them; the other results."""
        for number, argument in self.misplaced:
            sizes, strides, *_ = self.new[number]
            tensors[number] = kept[argument].detach().as_strided(sizes, strides).clone()
        for number, value in zip(self.updates, tensors[self.count :]):
            if value is not arguments[number]:
                arguments[number].detach().copy_(value)
        return tensors[: self.count]

    @staticmethod
    def _result(kind: Any, made: Iterator[torch.Tensor], arguments: Sequence[Any]) -> Any:
        if isinstance(kind, Passed):
            return arguments[kind.number]
        return next(made) if isinstance(kind, tuple) else kind


def _donation(returned: Sequence[Any], positions: Sequence[int]) -> dict[str, Any]:
    """That a program may overwrite the arguments at these positions, whose new values it returns last: an option of
    hlo.compile. Not where a value is returned twice: it would have to be copied from the argument."""
    values = returned[len(returned) - len(positions) :]
    donated = [position for position, value in zip(positions, values) if returned.count(value) == 1]
    return {"donate": donated} if donated else {}


def _is_in_memory(tensor: torch.Tensor) -> bool:
    """Whether a tensor's memory holds its numbers: not so where it is only marked as conjugate, negative, or zero
    (forward-mode derivatives)."""
    return not (tensor.is_conj() or tensor.is_neg() or tensor._is_zerotensor())


def _in_order(tensor: torch.Tensor, strides: tuple[int, ...]) -> torch.Tensor:
    """A tensor with the strides that the program expects: itself where only sizes of 1 differ, else a copy."""
    is_dense = dense_layout(tensor.shape, tensor.stride()) == dense_layout(tensor.shape, strides)
    if is_dense and _is_in_memory(tensor):
        return tensor
    made = torch.empty_strided(tensor.shape, strides, dtype=tensor.dtype)
    return made.copy_(tensor.detach())


def _result_kinds(graph: GraphModule, arguments: Sequence[Any], updates: int) -> list[Any]:
    """(dtype, layout) of each tensor that the graph makes, for these arguments; `Passed` for arguments that it returns,
    such as weights that the backward graph reads; other results (numbers, None) as they are. Not of the last ones, so
    many `updates`."""
    nodes = list(graph.graph.nodes)
    inputs = [n for n in nodes if n.op == "placeholder"]
    values, numbers = symbols_of(inputs, arguments), {n: i for i, n in enumerate(inputs)}
    returned = outputs_of(nodes[-1])
    made = returned[: len(returned) - updates]
    return [Passed(numbers[v]) if v in numbers else _result_kind(v, values) for v in made]


def _result_kind(node: Any, values: dict[Any, int]) -> Any:
    meta = node.meta["val"] if isinstance(node, torch.fx.Node) else node
    if not isinstance(meta, torch.Tensor):
        from hlo.torch.symbols import concrete

        return concrete(meta, values)
    sizes, strides = sizes_and_strides(meta, values)
    return meta.dtype, dense_layout(sizes, strides) or row_major(sizes)


class Program:
    """A graph as a function of a list of arguments, compiled for what it is called with. `updates`: the arguments whose new values are
    its last results (updates.py)."""

    def __init__(self, graph: GraphModule, options: dict[str, Any] | None = None, updates: Sequence[int] = ()):
        self._boxed_call = True  # arguments come as one list; an attribute of the object, which wrappers copy
        self.graph, self.updates = graph, updates
        self.options = options or {}
        self._versions: OrderedDict[Any, Version] = OrderedDict()
        self._lock = threading.RLock()

    def __call__(self, arguments: list[Any]) -> list[Any]:
        given = list(arguments)
        arguments.clear()  # so that nothing but the program holds them
        key = tuple([(a.shape, a.stride()) if isinstance(a, torch.Tensor) else a for a in given])
        version = self._versions.get(key) or self._made(key, given)
        return version(given)

    def _made(self, key: Any, arguments: list[Any]) -> Version:
        with UNFORKED, self._lock:
            for number, argument in enumerate(arguments):
                check_tensor(number, argument)
            version = Version(self.graph, arguments, self.options, self.updates)
            self._versions[key] = version
            if len(self._versions) > MOST_VERSIONS:
                self._versions.popitem(last=False)
            return version


def check_tensor(number: int, tensor: Any) -> None:
    """Raises ArgumentError for a tensor that programs cannot read."""
    if not isinstance(tensor, torch.Tensor):
        return
    if tensor.device.type != "cpu":
        raise ArgumentError(f"argument {number} is on {tensor.device}: hlo compiles for the CPU; move it with .cpu()")
    if tensor.layout != torch.strided:
        raise ArgumentError(f"argument {number} has layout {tensor.layout}: hlo takes dense tensors; use .to_dense()")
    if tensor.dtype not in ELEMENTS:
        raise ArgumentError(
            f"argument {number} is of {tensor.dtype}, which hlo does not have; it has {', '.join(map(str, ELEMENTS))}"
        )


__all__ = ["Layout", "Program", "check_tensor"]
