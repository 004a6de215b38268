"""compare of one element: every direction and comparison type."""

from __future__ import annotations

from hlo.lowering.numbers import Complex, Number

_FLOAT = {
    "EQ": Number.equals,
    "NE": Number.differs,
    "LT": Number.__lt__,
    "LE": Number.__le__,
    "GT": Number.__gt__,
    "GE": Number.__ge__,
}
_COMPLEX = {
    "EQ": lambda a, b: a.re.equals(b.re) & a.im.equals(b.im),
    "NE": lambda a, b: a.re.differs(b.re) | a.im.differs(b.im),
}


def compare_integers(direction: str, a: Number, b: Number, unsigned: bool) -> Number:
    predicate = direction.lower()
    return a.compare(predicate if direction in ("EQ", "NE") else ("u" if unsigned else "s") + predicate, b)


def compare_floats(direction: str, a: Number, b: Number) -> Number:
    """By IEEE-754: NaN differs from everything."""
    return _FLOAT[direction](a, b)


def compare_total_order(direction: str, a: Number, b: Number) -> Number:
    """By IEEE-754's totalOrder: -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN."""
    return compare_integers(direction, _order_key(a), _order_key(b), unsigned=False)


def compare_weak_order(direction: str, a: Number, b: Number) -> Number:
    """A total order of values: all NaNs are one number, above +inf, and -0 is +0."""
    if direction in ("GT", "LE"):
        return compare_weak_order("LT", b, a) if direction == "GT" else ~compare_weak_order("LT", b, a)
    if direction in ("NE", "GE"):
        return ~compare_weak_order("EQ" if direction == "NE" else "LT", a, b)
    first_is_nan, second_is_nan = a.differs(a), b.differs(b)
    if direction == "EQ":
        return a.equals(b) | (first_is_nan & second_is_nan)
    return (a < b) | (second_is_nan & ~first_is_nan)


def _order_key(x: Number) -> Number:
    """The bits, with all but the sign flipped for negative numbers."""
    bits = x.bits()
    return bits ^ bits.arith("shrsi", bits.width - 1).arith("shrui", 1)


def compare_complex(direction: str, a: Complex, b: Complex) -> Number:
    """By the lexicographic order of (real, imaginary) parts, each compared as floats are."""
    if direction in _COMPLEX:
        return _COMPLEX[direction](a, b)
    strict = _FLOAT[direction[0] + "T"]
    return strict(a.re, b.re) | (a.re.equals(b.re) & _FLOAT[direction](a.im, b.im))
