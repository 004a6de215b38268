"""Transforms of a few numbers in registers: y[m] = sum over q of a[q] exp(-2 pi i q m / r)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from hlo.lowering.vector.fft.vectors import Complex, Vectors


def butterfly(v: Vectors, a: Sequence[Complex]) -> list[Complex]:
    """The transform of len(a) numbers: 1, 2, 4, 8 or odd."""
    return SPECIAL.get(len(a), _odd)(v, list(a))


def _two(v: Vectors, a: list[Complex]) -> list[Complex]:
    return [v.plus(*a), v.minus(*a)]


def _four(v: Vectors, a: list[Complex]) -> list[Complex]:
    (t0, t1), (t2, t3) = _two(v, [a[0], a[2]]), _two(v, [a[1], a[3]])
    turned, back = _quarter(v, t1, t3)
    return [v.plus(t0, t2), turned, v.minus(t0, t2), back]


def _quarter(v: Vectors, x: Complex, y: Complex) -> tuple[Complex, Complex]:
    """x - i y and x + i y."""
    return (v.add(x[0], y[1]), v.sub(x[1], y[0])), (v.sub(x[0], y[1]), v.add(x[1], y[0]))


def _eight(v: Vectors, a: list[Complex]) -> list[Complex]:
    even, odd = _four(v, a[0::2]), _four(v, a[1::2])
    y: list[Complex] = [("", "")] * 8
    y[0], y[4] = v.plus(even[0], odd[0]), v.minus(even[0], odd[0])
    y[2], y[6] = _quarter(v, even[2], odd[2])
    y[1], y[5] = _eighth(v, even[1], (v.add(*odd[1]), v.sub(odd[1][1], odd[1][0])))
    y[7], y[3] = _eighth(v, even[3], (v.sub(odd[3][0], odd[3][1]), v.add(*odd[3])))
    return y


def _eighth(v: Vectors, x: Complex, y: Complex) -> tuple[Complex, Complex]:
    """x + y / sqrt(2) and x - y / sqrt(2)."""
    root, minus = v.number(math.sqrt(0.5)), v.number(-math.sqrt(0.5))
    both = [tuple(v.multiply_add(part, factor, at) for part, at in zip(y, x)) for factor in (root, minus)]
    return (both[0][0], both[0][1]), (both[1][0], both[1][1])


def _odd(v: Vectors, a: list[Complex]) -> list[Complex]:
    """Numbers q and r - q meet the same cosines and opposite sines."""
    r, half = len(a), len(a) // 2
    sums = [v.plus(a[q], a[r - q]) for q in range(1, half + 1)]
    differences = [v.minus(a[q], a[r - q]) for q in range(1, half + 1)]
    y = [a[0]] * r
    for total in sums:
        y[0] = v.plus(y[0], total)
    for m in range(1, half + 1):
        cosines = [math.cos(2 * math.pi * (q * m % r) / r) for q in range(1, half + 1)]
        sines = [math.sin(2 * math.pi * (q * m % r) / r) for q in range(1, half + 1)]
        y[m], y[r - m] = _quarter(v, _weighted(v, a[0], cosines, sums), _weighted(v, None, sines, differences))
    return y


def _weighted(v: Vectors, start: Complex | None, factors: list[float], numbers: list[Complex]) -> Complex:
    parts = []
    for part in (0, 1):
        total = start[part] if start else None
        for factor, number in zip(factors, numbers):
            weight = v.number(factor)
            total = v.multiply_add(number[part], weight, total) if total else v.mul(number[part], weight)
        parts.append(total or "")
    return parts[0], parts[1]


SPECIAL: dict[int, Callable[[Vectors, list[Complex]], list[Complex]]] = {
    1: lambda v, a: a,
    2: _two,
    4: _four,
    8: _eight,
}
