"""Arithmetic on numbers as tuples of real values: (value,) of a real type, (real part, imaginary part) of a complex
one. Kernels that run in vectors keep complex arrays as two real ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import arith, math

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.loops import Index, extract, for_loop, insert, scalar

Number = tuple[ir.Value, ...]


@dataclass(frozen=True)
class Array:
    """A real or a complex array: one or two tensors."""

    tensors: tuple[ir.Value, ...]

    def load(self, position: Sequence[Index]) -> Number:
        return tuple(extract(t, position) for t in self.tensors)

    def store(self, value: Number, position: Sequence[Index]) -> Array:
        """The array with this element."""
        return Array(tuple(insert(v, t, position) for v, t in zip(value, self.tensors, strict=True)))

    def loop(self, start: Index, stop: Index, iteration: Callable[[Index, Array], Array], step: Index = 1) -> Array:
        """The array after `iteration(i, array)` for all i in range(start, stop, step)."""
        body = lambda i, *tensors: iteration(i, Array(tensors)).tensors
        return Array(tuple(for_loop(start, stop, body, self.tensors, step)))


def conj(a: Number) -> Number:
    return a if len(a) == 1 else (a[0], arith.negf(a[1]))


def minus_product(a: Number, b: Number, c: Number) -> Number:
    """a - b * c"""
    if len(a) == 1:
        return (_sub(a[0], _mul(b[0], c[0])),)
    real = _add(_sub(a[0], _mul(b[0], c[0])), _mul(b[1], c[1]))
    imaginary = _sub(_sub(a[1], _mul(b[0], c[1])), _mul(b[1], c[0]))
    return real, imaginary


def product(a: Number, b: Number) -> Number:
    """a * b"""
    if len(a) == 1:
        return (_mul(a[0], b[0]),)
    return _sub(_mul(a[0], b[0]), _mul(a[1], b[1])), _add(_mul(a[0], b[1]), _mul(a[1], b[0]))


def scaled(a: Number, factor: ir.Value) -> Number:
    """A number times a real one."""
    return tuple(_mul(part, factor) for part in a)


def real_number(value: ir.Value, like: Number) -> Number:
    """A real value as a number of as many parts as `like`."""
    return value, *[scalar(value.type, 0)] * (len(like) - 1)


def plus_square(total: ir.Value, a: Number) -> ir.Value:
    """total + |a|^2"""
    for part in a:
        total = _add(total, _mul(part, part))
    return total


def divided(a: Number, b: Number) -> Number:
    """a / b. Of complex numbers, b is scaled to a largest part of 1 first, so that nothing overflows that need not;
    what is finite by what is infinite is 0, as in LAPACK."""
    if len(a) == 1:
        return (arith.divf(a[0], b[0]),)
    scale = arith.maximumf(math.absf(b[0]), math.absf(b[1]))
    one, infinite = (scalar(scale.type, number) for number in (1, float("inf")))
    is_infinite = arith.cmpf(arith.CmpFPredicate.OEQ, scale, infinite)
    real, imaginary = (arith.select(is_infinite, one, arith.divf(part, scale)) for part in b)
    norm = _add(_mul(real, real), _mul(imaginary, imaginary))
    parts = (
        _add(_mul(a[0], real), _mul(a[1], imaginary)),
        _sub(_mul(a[1], real), _mul(a[0], imaginary)),
    )
    return tuple(arith.divf(arith.divf(p, norm), scale) for p in parts)


def magnitude(a: Number) -> ir.Value:
    """The sum of the parts' absolute values, by which LAPACK chooses pivots."""
    total = math.absf(a[0])
    return total if len(a) == 1 else arith.addf(total, math.absf(a[1]))


def chosen(condition: ir.Value, a: Number, b: Number) -> Number:
    return tuple(arith.select(condition, x, y) for x, y in zip(a, b, strict=True))


def is_zero(value: ir.Value) -> ir.Value:
    return arith.cmpf(arith.CmpFPredicate.OEQ, value, scalar(value.type, 0))


def _contracted() -> ir.Attribute:
    """A product and a sum may be one instruction."""
    return ir.Attribute.parse("#arith.fastmath<contract>")


def _add(a: ir.Value, b: ir.Value) -> ir.Value:
    return arith.addf(a, b, fastmath=_contracted())


def _sub(a: ir.Value, b: ir.Value) -> ir.Value:
    return arith.subf(a, b, fastmath=_contracted())


def _mul(a: ir.Value, b: ir.Value) -> ir.Value:
    return arith.mulf(a, b, fastmath=_contracted())
