"""Python's operators for values of a program that is being made: classes of values inherit them, and say how an op is created."""

from __future__ import annotations

from typing import Any, TypeVar

V = TypeVar("V", bound="Operators")
C = TypeVar("C", bound="ComplexOperators")


class Operators:
    """What is on the other side may be a Python number."""

    __slots__ = ()

    def of(self: V, number: Any) -> V:
        """A number as a constant of this value's type; a value is itself."""
        raise NotImplementedError

    def combined(self: V, name: str, other: Any) -> V:
        """This value with another one, or a number, by add, sub, mul, div, and, or, xor."""
        raise NotImplementedError

    def __add__(self: V, other: Any) -> V:
        return self.combined("add", other)

    def __radd__(self: V, other: float) -> V:
        return self.of(other) + self

    def __sub__(self: V, other: Any) -> V:
        return self.combined("sub", other)

    def __rsub__(self: V, other: float) -> V:
        return self.of(other) - self

    def __mul__(self: V, other: Any) -> V:
        return self.combined("mul", other)

    def __rmul__(self: V, other: float) -> V:
        return self.of(other) * self

    def __truediv__(self: V, other: Any) -> V:
        return self.combined("div", other)

    def __rtruediv__(self: V, other: float) -> V:
        return self.of(other) / self

    def __and__(self: V, other: Any) -> V:
        return self.combined("and", other)

    def __or__(self: V, other: Any) -> V:
        return self.combined("or", other)

    def __xor__(self: V, other: Any) -> V:
        return self.combined("xor", other)


class ComplexOperators:
    """Complex numbers by their parts, which are values with operators."""

    __slots__ = ("im", "re")

    def __init__(self, re: Any, im: Any):
        self.re, self.im = re, im

    def __add__(self: C, other: C) -> C:
        return type(self)(self.re + other.re, self.im + other.im)

    def __sub__(self: C, other: C) -> C:
        return type(self)(self.re - other.re, self.im - other.im)

    def __neg__(self: C) -> C:
        return type(self)(-self.re, -self.im)

    def scaled(self: C, factor: Any) -> C:
        return type(self)(self.re * factor, self.im * factor)
