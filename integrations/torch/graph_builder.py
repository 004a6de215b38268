"""`hlo.Builder` with what rules of PyTorch's ops have in common: broadcasting from the last dimension, PyTorch's types, and the
location of the node that is being built."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from mlir import ir

from hlo.builder import Builder
from hlo.builder.type_syntax import element_of
from hlo.builder.value import Value
from hlo.dialect.elements import DTYPES
from hlo.torch.element_types import ELEMENTS, dtype_of, wide_type


class GraphBuilder(Builder):
    """`node`: the node of the graph that is being built; its Python line and name are the location of what is built."""

    node: torch.fx.Node | None = None
    location: ir.Location | None = None

    @contextmanager
    def _here(self) -> Iterator[None]:
        if self.location is None:
            with super()._here():
                yield
            return
        with self.context, self.location:
            yield

    def _elements(self, value: Any, dtype: Any) -> ir.Attribute:
        """Python's numbers lose what an element type cannot hold, as in PyTorch: fractions, higher bits, imaginary parts."""
        if isinstance(value, (int, float, complex)) and dtype is not None:
            held = DTYPES[str(element_of(dtype))]
            number = value.real if isinstance(value, complex) and held.kind != "c" else value
            with np.errstate(invalid="ignore"):
                value = np.asarray(number).astype(held)
        return super()._elements(value, dtype)

    def is_result_used(self, number: int) -> bool:
        """Whether anything reads this result of the op that is being built, one of several."""
        users = [] if self.node is None else list(self.node.users)
        return any(user.target is not operator.getitem or user.args[1] == number for user in users)

    def cast(self, value: Any, dtype: torch.dtype) -> Value:
        """The value (or number) in another element type; complex numbers lose their imaginary part in a real one."""
        if not isinstance(value, Value):
            return self.number(value, dtype)
        found = dtype_of(value)
        if found == dtype:
            return value
        if found.is_complex and not dtype.is_complex:
            if dtype == torch.bool:
                return self.ne(value, 0)
            value = self.real(value)
        if dtype == torch.bool:
            return self.ne(value, 0)
        return self.convert(value, ELEMENTS[dtype])

    def number(self, value: Any, dtype: torch.dtype) -> Value:
        """A scalar constant."""
        return self.constant(bool(value) if dtype == torch.bool else value, ELEMENTS[dtype])

    def full(self, sizes: Sequence[int], value: Any, dtype: torch.dtype) -> Value:
        """An array of one number."""
        return self.expand_to(self.cast(value, dtype), sizes)

    def wide(self, value: Value) -> Value:
        """The value in the type in which PyTorch computes with it."""
        return self.cast(value, wide_type(dtype_of(value)))

    def expand_to(self, value: Value, sizes: Sequence[int]) -> Value:
        """Broadcast to sizes: dimensions are matched from the last one."""
        if list(value.shape) == list(sizes):
            return value
        first = len(sizes) - value.rank
        return self.broadcast_in_dim(value, range(first, len(sizes)), list(sizes))

    def together(self, *values: Value) -> list[Value]:
        """The values broadcast to one shape."""
        sizes = torch.broadcast_shapes(*(v.shape for v in values))
        return [self.expand_to(v, sizes) for v in values]

    def over(self, value: Value, sizes: Sequence[int], dimensions: Sequence[int]) -> Value:
        """Broadcast to sizes: dimension i of the value is `dimensions[i]`."""
        return self.broadcast_in_dim(value, list(dimensions), list(sizes))

    def positions(self, sizes: Sequence[int], dimension: int, dtype: torch.dtype = torch.int64) -> Value:
        """The index along a dimension, for each element of an array of the given sizes."""
        return self.iota(dimension, list(sizes), ELEMENTS[dtype])

    def total(self, value: Value, dimensions: Sequence[int], keep: bool = False) -> Value:
        """The sum along dimensions."""
        return self.folded(value, 0, self.add, dimensions, keep)

    def folded(self, value: Value, start: Any, body: Any, dimensions: Sequence[int], keep: bool = False) -> Value:
        """A reduction, with dimensions of size 1 in place of those reduced if they are kept."""
        if not dimensions:
            return value
        result = self.reduce(value, self.number(start, dtype_of(value)), body, dimensions=list(dimensions))
        return self.kept(result, value.shape, dimensions) if keep else result

    def kept(self, value: Value, sizes: Sequence[int | None], dimensions: Sequence[int]) -> Value:
        return self.reshape(value, [1 if d in dimensions else n for d, n in enumerate(sizes)])  # type: ignore[misc]

    def flat(self, value: Value) -> Value:
        return self.reshape(value, [math.prod(value.shape)])  # type: ignore[arg-type]


def dimensions_of(given: Any, rank: int) -> list[int]:
    """A list of dimensions, none meaning all, each from 0 and once, in increasing order."""
    if given is None or given == []:
        return list(range(rank))
    listed = given if isinstance(given, (list, tuple)) else [given]
    return sorted({dimension_of(d, rank) for d in listed}) if rank else []


def dimension_of(given: int, rank: int) -> int:
    """A dimension counted from 0."""
    return given % rank if rank else 0


def lowest(dtype: torch.dtype) -> Any:
    """The least number of a type: what no maximum is below."""
    if dtype == torch.bool:
        return False
    return -math.inf if dtype.is_floating_point else torch.iinfo(dtype).min


def highest(dtype: torch.dtype) -> Any:
    """The greatest number of a type."""
    if dtype == torch.bool:
        return True
    return math.inf if dtype.is_floating_point else torch.iinfo(dtype).max


def sizes_of(value: Value) -> tuple[int, ...]:
    """The sizes of a value: programs are specialised, so they are known."""
    return tuple(n for n in value.shape if n is not None)
