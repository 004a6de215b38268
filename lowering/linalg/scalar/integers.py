"""Elementwise ops on integers and booleans. Nothing traps: what C leaves undefined has the value XLA gives it
(x / 0 = -1, x % 0 = x, MIN / -1 = MIN, MIN % -1 = 0, shifts by the width or more shift everything out)."""

from __future__ import annotations

from collections.abc import Callable

from hlo.lowering.numbers import ARITHMETIC, LOGIC, Number, select


def _minimum(x: Number) -> int:
    return -(1 << (x.width - 1))


def _safe_divisor(a: Number, b: Number) -> Number:
    """1 instead of divisors that trap."""
    overflows = a.compare("eq", _minimum(a)) & b.compare("eq", -1)
    return select(b.compare("eq", 0) | overflows, 1, b)


def divide_signed(a: Number, b: Number) -> Number:
    return select(b.compare("eq", 0), -1, a.arith("divsi", _safe_divisor(a, b)))


def remainder_signed(a: Number, b: Number) -> Number:
    return select(b.compare("eq", 0), a, a.arith("remsi", _safe_divisor(a, b)))


def divide_unsigned(a: Number, b: Number) -> Number:
    return select(b.compare("eq", 0), -1, a.arith("divui", b.arith("maxui", 1)))


def remainder_unsigned(a: Number, b: Number) -> Number:
    return select(b.compare("eq", 0), a, a.arith("remui", b.arith("maxui", 1)))


def shift_left(a: Number, b: Number) -> Number:
    return _shift("shli", a, b)


def shift_right_logical(a: Number, b: Number) -> Number:
    return _shift("shrui", a, b)


def _shift(name: str, a: Number, b: Number) -> Number:
    fits = b.compare("ult", a.width)
    return select(fits, a.arith(name, select(fits, b, 0)), 0)


def shift_right_arithmetic(a: Number, b: Number) -> Number:
    return a.arith("shrsi", b.arith("minui", a.width - 1))


def power_unsigned(base: Number, exponent: Number) -> Number:
    """By squaring, a step for each bit of the exponent."""
    result = base.of(1)
    for bit in range(exponent.width):
        is_set = (exponent & (1 << bit)).compare("ne", 0)
        result = select(is_set, result * base, result)
        if bit + 1 < exponent.width:
            base = base * base
    return result


def power_signed(base: Number, exponent: Number) -> Number:
    """A negative exponent gives the integer part of the reciprocal: 0 but for bases 1 and -1 (and, as XLA does,
    for base 0)."""
    parity = select((exponent & 1).compare("eq", 0), 1, base.of(-1))
    reciprocal = select(base.compare("eq", 1), 1, select(base.compare("eq", -1), parity, 0))
    return select(exponent.compare("slt", 0), reciprocal, power_unsigned(base, exponent))


COMMON = {
    **ARITHMETIC,
    **LOGIC,
    "negate": lambda x: 0 - x,
    "popcnt": lambda x: x.math("ctpop"),
    "count_leading_zeros": lambda x: x.math("ctlz"),
    "shift_left": shift_left,
    "shift_right_logical": shift_right_logical,
    "shift_right_arithmetic": shift_right_arithmetic,
}


def _ordered(sign: str) -> dict[str, Callable[..., Number]]:
    """Ops that order numbers. `sign`: "s" or "u"."""
    largest, smallest = f"max{sign}i", f"min{sign}i"
    return {
        "maximum": lambda a, b: a.arith(largest, b),
        "minimum": lambda a, b: a.arith(smallest, b),
        "clamp": lambda low, x, high: x.arith(largest, low).arith(smallest, high),
    }


SIGNED = {
    **COMMON,
    **_ordered("s"),
    "abs": lambda x: x.math("absi"),
    "sign": lambda x: x.arith("maxsi", -1).arith("minsi", 1),
    "divide": divide_signed,
    "remainder": remainder_signed,
    "power": power_signed,
}

UNSIGNED = {
    **COMMON,
    **_ordered("u"),
    "abs": lambda x: x,
    "sign": lambda x: x.arith("minui", 1),
    "divide": divide_unsigned,
    "remainder": remainder_unsigned,
    "power": power_unsigned,
}

BOOLEAN = {
    "add": lambda a, b: a | b,
    "multiply": lambda a, b: a & b,
    "maximum": lambda a, b: a | b,
    "minimum": lambda a, b: a & b,
    **LOGIC,
    "clamp": lambda low, x, high: (x | low) & high,
}
