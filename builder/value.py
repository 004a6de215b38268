"""Values of a program being built, with Python's operators. Operators are the ops of the same meaning; none computes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from mlir import ir

from hlo.dialect import types
from hlo.dialect.elements import DTYPES
from hlo.errors import ArgumentError

if TYPE_CHECKING:
    from hlo.builder.builder import Builder


MOST_PARTS = 1 << 12
"""Of a value: each is a slice in the program."""


class Value:
    """A value of the program. `==` and `<` build comparisons, so values are no keys by content and have no truth."""

    __array_ufunc__ = None  # array + value is value.__radd__
    __hash__ = object.__hash__

    def __init__(self, builder: Builder, value: ir.Value | None, scope: Any):
        self.builder = builder
        self._value = value
        self.scope = scope
        """The function or region in which the value exists."""

    @property
    def ir(self) -> ir.Value:
        if self._value is None:
            raise Failed
        return self._value

    @property
    def type(self) -> Any:
        return self.ir.type

    @property
    def shape(self) -> tuple[int | None, ...]:
        """Sizes; None for one that is known at run time only."""
        return tuple(None if n == types.DYNAMIC else n for n in types.shape(self.type))

    @property
    def rank(self) -> int:
        return types.rank(self.type)

    @property
    def dtype(self) -> np.dtype:
        return DTYPES[str(types.element_type(self.type))]

    def __repr__(self) -> str:
        return f"<Value {self._value.type if self._value else 'failed'}>"

    def __bool__(self) -> bool:
        raise TypeError("a value has no truth while the program is built; use builder.select, if_ or while_")

    def __iter__(self) -> Iterator[Value]:
        if isinstance(self.type, ir.TupleType):
            return (self[i] for i in range(ir.TupleType(self.type).num_types))
        if not self.rank or self.shape[0] is None:
            raise TypeError(f"cannot iterate over {self.type}")
        if self.shape[0] > MOST_PARTS:
            raise TypeError(f"a value of type {self.type} is no list: at most {MOST_PARTS} parts are iterated over")
        return (self[i] for i in range(self.shape[0]))

    def __getitem__(self, index: Any) -> Value:
        return self.builder.index(self, index)

    def __matmul__(self, other: Any) -> Value:
        return self.builder.matmul(self, other)

    def __rmatmul__(self, other: Any) -> Value:
        return self.builder.matmul(other, self)

    def __rshift__(self, other: Any) -> Value:
        name = "shift_right_logical" if types.is_unsigned(types.element_type(self.type)) else "shift_right_arithmetic"
        return getattr(self.builder, name)(self, other)

    def __eq__(self, other: Any) -> Value:  # type: ignore[override]
        return self.builder.eq(self, other)

    def __ne__(self, other: Any) -> Value:  # type: ignore[override]
        return self.builder.ne(self, other)

    @property
    def T(self) -> Value:
        """All dimensions in reverse order."""
        return self.builder.transpose(self)

    def astype(self, dtype: Any) -> Value:
        return self.builder.convert(self, dtype)

    def reshape(self, *sizes: Any) -> Value:
        return self.builder.reshape(
            self, sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (list, tuple)) else sizes
        )


class Failed(ArgumentError):
    """A value that was not built, because of an error that is known already."""


_BINARY = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "mod": "remainder",
    "pow": "power",
    "and": "and_",
    "or": "or_",
    "xor": "xor",
    "lshift": "shift_left",
}
_COMPARISONS = ("lt", "le", "gt", "ge")
_UNARY = {"neg": "negate", "abs": "abs", "invert": "not_"}


def _binary(name: str, reverse: bool) -> Any:
    def operator(self: Value, other: Any) -> Value:
        operands = (other, self) if reverse else (self, other)
        return getattr(self.builder, name)(*operands)

    return operator


def _unary(name: str) -> Any:
    return lambda self: getattr(self.builder, name)(self)


for _operator, _method in _BINARY.items():
    setattr(Value, f"__{_operator}__", _binary(_method, False))
    setattr(Value, f"__r{_operator}__", _binary(_method, True))
for _method in _COMPARISONS:
    setattr(Value, f"__{_method}__", _binary(_method, False))
for _operator, _method in _UNARY.items():
    setattr(Value, f"__{_operator}__", _unary(_method))
