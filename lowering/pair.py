"""Numbers as unevaluated sums of two: what an operation's rounding loses is kept (Dekker, Knuth). No operation here may be
reassociated."""

from __future__ import annotations

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.numbers import Number


@dataclass(frozen=True)
class Pair:
    """high + low, low at most about half a unit in the last place of high."""

    high: Number
    low: Number


def two_sum(a: Number, b: Number | float) -> Pair:
    """a + b exactly."""
    total = a + b
    moved = total - a
    return Pair(total, (a - (total - moved)) + (a.of(b) - moved))


def fast_two_sum(a: Number, b: Number) -> Pair:
    """a + b exactly where |a| >= |b|, or a is 0."""
    total = a + b
    return Pair(total, b - (total - a))


def two_product(a: Number, b: Number) -> Pair:
    """a * b exactly, where the lost part is no subnormal number."""
    product = a * b
    return Pair(product, a.math("fma", b, -product))


def times(a: Pair, b: Pair) -> Pair:
    """a * b, to twice the digits but two or three."""
    product = two_product(a.high, b.high)
    return fast_two_sum(product.high, product.low + (a.high * b.low + a.low * b.high))
