"""Powers whose exponent is known when compiling and a multiple of 1/2: a few multiplications, with a square root and a division.

Before:  math.powf %x, dense<-2.5>
After:   %s = math.sqrt |%x|;  %r = 1 / %s;  %r * %r * %r * %r * %r

Where one op gives the result, it is the exact one rounded once; otherwise f32 is computed in f64 (and f16 and bf16 in f32),
so that rounding the result is all that counts. Other powers of f64 are left to `power.pow`, which is more exact."""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir

from hlo.lowering.finding import made_by
from hlo.lowering.llvm.math.operations import narrow, widen
from hlo.lowering.numbers import Number, select

MOST_HALVES = 16
"""Of an exponent."""

ONE_OP: dict[int, Callable[[Number], Number]] = {
    -2: lambda x: 1.0 / x,
    1: lambda x: _of_root(x, abs(x).math("sqrt")),
    2: lambda x: x,
    4: lambda x: x * x,
}
"""By halves of the exponent: what takes one op of the type itself."""


def known_pow(halves: int, x: Number, is_narrow: bool) -> Number | None:
    """x ** (halves / 2), IEEE 754's special cases; None where a general power is to be taken."""
    if not is_known(halves, x.width, is_narrow):
        return None
    if halves in ONE_OP:
        return ONE_OP[halves](x)
    wide = x if is_narrow else widen(x)
    root = abs(wide).math("sqrt") if halves % 2 else wide
    count = abs(halves) if halves % 2 else abs(halves) // 2
    value = _repeated(1.0 / root if halves < 0 else root, count)
    value = value if is_narrow else narrow(value)
    return _of_root(x, value) if halves % 2 else value


def is_known(halves: int, width: int, is_narrow: bool) -> bool:
    """Whether a power of numbers of that width is a few multiplications."""
    return halves in ONE_OP or (0 < abs(halves) <= MOST_HALVES and (width < 64 or is_narrow))


def _repeated(x: Number, count: int) -> Number:
    """x ** count by squares."""
    if count == 1:
        return x
    half = _repeated(x, count // 2)
    return half * half * x if count % 2 else half * half


def _of_root(x: Number, value: Number) -> Number:
    """There is none of negative numbers, but for -0 and -infinity, which are taken as 0 and infinity."""
    return select((x < 0.0) & x.differs(float("-inf")), float("nan"), value)


def halves_of(exponent: ir.Value) -> int | None:
    """Twice an exponent that is a constant, in all lanes, if that is a whole number."""
    op = made_by(exponent)
    if op is not None and op.name in ("vector.broadcast", "arith.extf"):
        return halves_of(op.operands[0])
    if op is None or op.name != "arith.constant":
        return None
    value = op.attributes["value"]
    if isinstance(value, ir.DenseElementsAttr):
        if not value.is_splat:
            return None
        value = value.get_splat_value()
    twice = 2 * ir.FloatAttr(value).value
    return int(twice) if twice.is_integer() else None
