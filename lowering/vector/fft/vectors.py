"""Vectors of one float type in a function's text, and complex numbers as pairs of them (real and imaginary part)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hlo.lowering.vector.contraction.function_text import FunctionText, byte_size, transposed

Complex = tuple[str, str]
"""A vector of real parts and one of imaginary parts."""


@dataclass(frozen=True)
class Vectors:
    """Writes into `f`; `element` is f32 or f64, `lanes` a power of two."""

    f: FunctionText
    lanes: int
    element: str

    @property
    def kind(self) -> str:
        return f"vector<{self.lanes}x{self.element}>"

    def number(self, value: float) -> str:
        return self.f.constant(f"dense<{value:.17e}>", self.kind)

    def add(self, x: str, y: str) -> str:
        return self.f.op(f"arith.addf {x}, {y} : {self.kind}")

    def sub(self, x: str, y: str) -> str:
        return self.f.op(f"arith.subf {x}, {y} : {self.kind}")

    def mul(self, x: str, y: str) -> str:
        return self.f.op(f"arith.mulf {x}, {y} : {self.kind}")

    def negate(self, x: str) -> str:
        return self.f.op(f"arith.negf {x} : {self.kind}")

    def multiply_add(self, x: str, y: str, z: str) -> str:
        return self.f.op(f"vector.fma {x}, {y}, {z} : {self.kind}")

    # complex numbers

    def plus(self, x: Complex, y: Complex) -> Complex:
        return self.add(x[0], y[0]), self.add(x[1], y[1])

    def minus(self, x: Complex, y: Complex) -> Complex:
        return self.sub(x[0], y[0]), self.sub(x[1], y[1])

    def times(self, x: Complex, y: Complex) -> Complex:
        real = self.multiply_add(self.negate(x[1]), y[1], self.mul(x[0], y[0]))
        return real, self.multiply_add(x[1], y[0], self.mul(x[0], y[1]))

    def scaled(self, x: Complex, factor: float) -> Complex:
        return x if factor == 1 else (self.mul(x[0], self.number(factor)), self.mul(x[1], self.number(factor)))

    def conjugate(self, x: Complex) -> Complex:
        return x[0], self.negate(x[1])

    # memory

    def load(self, pointer: str, mask: str | None = None) -> str:
        size = byte_size(self.element)
        if mask is None:
            return self.f.load(pointer, self.kind, size)
        return self.f.masked_load(pointer, mask, self.lanes, self.element, size)

    def store(self, value: str, pointer: str, mask: str | None = None) -> None:
        size = byte_size(self.element)
        if mask is None:
            return self.f.store(value, pointer, self.kind, size)
        return self.f.masked_store(value, pointer, mask, self.lanes, self.element, size)

    def everywhere(self, pointer: str, offset: int) -> str:
        """One number of memory in all lanes."""
        scalar = self.f.load(self.at(pointer, offset), self.element, byte_size(self.element))
        return self.f.op(f"vector.broadcast {scalar} : {self.element} to {self.kind}")

    def at(self, pointer: str, offset: str | int) -> str:
        return self.f.offset(pointer, offset, self.element)

    def masks(self, count: str | int) -> Complex:
        """For `count` complex numbers in memory: which lanes of the first and of the second vector are there."""
        f, both = self.f, self.f.mul(count, 2)
        return f.mask(self.lanes, both), f.mask(self.lanes, f.sub(both, self.lanes))

    # order of lanes

    def shuffle(self, x: str, y: str, order: Sequence[int]) -> str:
        return self.f.op(f"vector.shuffle {x}, {y} {list(order)} : {self.kind}, {self.kind}")

    def reverse(self, x: str) -> str:
        return self.shuffle(x, x, range(self.lanes - 1, -1, -1))

    def split(self, x: str, y: str) -> Complex:
        """Complex numbers as they are in memory, in two vectors, to their parts."""
        return self.shuffle(x, y, range(0, 2 * self.lanes, 2)), self.shuffle(x, y, range(1, 2 * self.lanes, 2))

    def join(self, x: Complex) -> Complex:
        """The two vectors of memory that hold complex numbers."""
        order = [i // 2 + self.lanes * (i % 2) for i in range(2 * self.lanes)]
        return self.shuffle(*x, order[: self.lanes]), self.shuffle(*x, order[self.lanes :])

    def transposed(self, rows: Sequence[str], word: int = 1) -> list[str]:
        """n vectors of n words (of `word` lanes) as their columns."""

        def shuffle(x: str, y: str, order: Sequence[int]) -> str:
            lanes = [i * word + part for i in order for part in range(word)]
            return self.f.fenced(self.shuffle(x, y, lanes), self.kind)

        return transposed(rows, shuffle)
