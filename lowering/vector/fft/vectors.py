"""Vectors of one float type in a function's text, and complex numbers as pairs of them (real and imaginary part), with
Python's operators."""

from __future__ import annotations

from collections.abc import Sequence

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.operators import ComplexOperators, Operators
from hlo.lowering.vector.contraction.function_text import FunctionText, byte_size, transposed


@dataclass(frozen=True, slots=True)
class Lanes(Operators):
    """A vector: its name in the text that `v` writes."""

    v: Vectors
    name: str

    def of(self, number: Lanes | float) -> Lanes:
        return number if isinstance(number, Lanes) else self.v.number(number)

    def combined(self, name: str, other: Lanes | float) -> Lanes:
        return self.v.op(f"arith.{name}f {self.name}, {self.of(other).name} : {self.v.kind}")

    def __neg__(self) -> Lanes:
        return self.v.op(f"arith.negf {self.name} : {self.v.kind}")

    def multiply_add(self, factor: Lanes, total: Lanes) -> Lanes:
        """total + self * factor, rounded once."""
        return self.v.op(f"vector.fma {self.name}, {factor.name}, {total.name} : {self.v.kind}")

    def shuffle(self, other: Lanes, order: Sequence[int]) -> Lanes:
        kind = self.v.kind
        return self.v.op(f"vector.shuffle {self.name}, {other.name} {list(order)} : {kind}, {kind}")


class Complex(ComplexOperators):
    """A vector of real parts and one of imaginary parts."""

    __slots__ = ()
    re: Lanes
    im: Lanes

    @property
    def parts(self) -> tuple[Lanes, Lanes]:
        return self.re, self.im

    def __mul__(self, other: Complex) -> Complex:
        real = (-self.im).multiply_add(other.im, self.re * other.re)
        return Complex(real, self.im.multiply_add(other.re, self.re * other.im))

    def scaled(self, factor: float) -> Complex:
        return self if factor == 1 else super().scaled(factor)

    def conjugate(self) -> Complex:
        return Complex(self.re, -self.im)

    def exchanged(self, swap: bool = True) -> Complex:
        """With parts exchanged: a forward transform between two exchanges is an inverse one."""
        return Complex(self.im, self.re) if swap else self

    def reversed(self) -> Complex:
        """The last lane first."""
        order = range(self.re.v.lanes - 1, -1, -1)
        return Complex(*(part.shuffle(part, order) for part in self.parts))


@dataclass(frozen=True)
class Vectors:
    """Writes into `f`; `element` is f32 or f64, `lanes` a power of two."""

    f: FunctionText
    lanes: int
    element: str

    @property
    def kind(self) -> str:
        return f"vector<{self.lanes}x{self.element}>"

    def op(self, text: str) -> Lanes:
        return Lanes(self, self.f.op(text))

    def number(self, value: float) -> Lanes:
        return Lanes(self, self.f.constant(f"dense<{value:.17e}>", self.kind))

    # memory

    def load(self, pointer: str, mask: str | None = None) -> Lanes:
        return Lanes(self, self.f.load_vector(pointer, self.lanes, self.element, mask))

    def store(self, value: Lanes, pointer: str, mask: str | None = None) -> None:
        self.f.store_vector(value.name, pointer, self.lanes, self.element, mask)

    def everywhere(self, pointer: str, offset: int) -> Complex:
        """One complex number of memory in all lanes."""
        return Complex(*(self._broadcast(self.at(pointer, position)) for position in (offset, offset + 1)))

    def _broadcast(self, pointer: str) -> Lanes:
        scalar = self.f.load(pointer, self.element, byte_size(self.element))
        return self.op(f"vector.broadcast {scalar} : {self.element} to {self.kind}")

    def at(self, pointer: str, offset: str | int) -> str:
        return self.f.offset(pointer, offset, self.element)

    def masks(self, count: str | int) -> tuple[str, str]:
        """For `count` complex numbers in memory: which lanes of the first and of the second vector are there."""
        f, both = self.f, self.f.mul(count, 2)
        return f.mask(self.lanes, both), f.mask(self.lanes, f.sub(both, self.lanes))

    # order of lanes

    def split(self, x: Lanes, y: Lanes) -> Complex:
        """Complex numbers as they are in memory, in two vectors, to their parts."""
        return Complex(*(x.shuffle(y, range(part, 2 * self.lanes, 2)) for part in (0, 1)))

    def join(self, x: Complex) -> tuple[Lanes, Lanes]:
        """The two vectors of memory that hold complex numbers."""
        order = [i // 2 + self.lanes * (i % 2) for i in range(2 * self.lanes)]
        return x.re.shuffle(x.im, order[: self.lanes]), x.re.shuffle(x.im, order[self.lanes :])

    def transposed(self, rows: Sequence[Lanes], word: int = 1) -> list[Lanes]:
        """n vectors of n words (of `word` lanes) as their columns."""

        def shuffle(x: Lanes, y: Lanes, order: Sequence[int]) -> Lanes:
            lanes = [i * word + part for i in order for part in range(word)]
            return Lanes(self, self.f.fenced(x.shuffle(y, lanes).name, self.kind))

        return transposed(rows, shuffle)
