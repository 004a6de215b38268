"""Integer division at its edges, as XLA defines it: by zero, the quotient has all bits set and the remainder is the dividend; the
least number by -1 gives itself and 0. Beside Python's integers, for all integer types, on every target: as vectors, as
scalars, by constants, and folded when everything is constant."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import hlo
from hlo.dialect.elements import DTYPES

KINDS = ("i2", "i4", "i8", "i16", "i32", "i64", "ui2", "ui4", "ui8", "ui16", "ui32", "ui64")
TARGETS = {"cpu": {}, "reference": {}, "gpu": {"device": "model"}}


def limits(kind):
    bits = int(kind.lstrip("ui"))
    return (0, (1 << bits) - 1) if kind.startswith("u") else (-(1 << bits - 1), (1 << bits - 1) - 1)


def wrapped(number, kind):
    low, high = limits(kind)
    return (number - low) % (high - low + 1) + low


def divide(x, y, kind):
    if y == 0:
        return wrapped(-1, kind)
    quotient = abs(x) // abs(y)
    return wrapped(quotient if (x < 0) == (y < 0) else -quotient, kind)


def remainder(x, y, kind):
    if y == 0:
        return x
    rest = abs(x) % abs(y)
    return -rest if x < 0 else rest


def pairs(kind):
    """All pairs of numbers at the limits and around zero, often enough that vectors are filled."""
    low, high = limits(kind)
    numbers = sorted({n for n in (low, low + 1, -2, -1, 0, 1, 2, 3, high - 1, high) if low <= n <= high})
    return list(itertools.product(numbers, numbers)) * 3


def array(numbers, kind):
    return np.array(numbers, dtype=object).astype(DTYPES[kind])


def literal(numbers):
    return f"dense<[{', '.join(map(str, numbers))}]>"


def check(text, target, arguments, wanted):
    for result, want in zip(hlo.compile(text, target=target, **TARGETS[target])(*arguments), wanted, strict=True):
        assert [int(n) for n in result.reshape(-1)] == want


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", KINDS)
def test_vectors_and_constants(kind, target):
    left, right = zip(*pairs(kind))
    t = f"tensor<{len(left)}x{kind}>"
    wanted = [[f(x, y, kind) for x, y in zip(left, right)] for f in (divide, remainder)]
    body = f"""
  %q = stablehlo.divide %a, %b : {t}
  %r = stablehlo.remainder %a, %b : {t}
  return %q, %r : {t}, {t}
}}"""
    operands = array(left, kind), array(right, kind)
    check(f"func.func @main(%a: {t}, %b: {t}) -> ({t}, {t}) {{{body}", target, operands, wanted)
    a, b = (f"  %{name} = stablehlo.constant {literal(n)} : {t}\n" for name, n in (("a", left), ("b", right)))
    check(f"func.func @main() -> ({t}, {t}) {{\n{a}{b}{body}", target, (), wanted)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", ["i8", "i32", "i64", "ui8", "ui32", "ui64"])
def test_by_one_constant(kind, target):
    """Which a compiler may turn into other operations."""
    left = sorted({x for x, _ in pairs(kind)})
    divisors = sorted({y for _, y in pairs(kind)})
    t = f"tensor<{len(left)}x{kind}>"
    lines, names, wanted = [], [], []
    for number, y in enumerate(divisors):
        lines.append(f"%c{number} = stablehlo.constant dense<{y}> : {t}")
        for op, f in (("divide", divide), ("remainder", remainder)):
            names.append(f"%{op}{number}")
            lines.append(f"{names[-1]} = stablehlo.{op} %a, %c{number} : {t}")
            wanted.append([f(x, y, kind) for x in left])
    types = ", ".join([t] * len(names))
    text = (
        f"func.func @main(%a: {t}) -> ({types}) {{\n" + "\n".join(lines) + f"\nreturn {', '.join(names)} : {types} }}"
    )
    check(text, target, [array(left, kind)], wanted)


@pytest.mark.parametrize("target", TARGETS)
def test_scalars_in_a_loop(target):
    """i32 scalars, divided where no vector is: a loop's values."""
    text = """
func.func @main(%a: tensor<i32>, %b: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:3 = stablehlo.while(%i = %zero, %q = %zero, %m = %zero) : tensor<i32>, tensor<i32>, tensor<i32>
  cond {
    %c = stablehlo.compare LT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %d = stablehlo.divide %a, %b : tensor<i32>
    %e = stablehlo.remainder %a, %b : tensor<i32>
    %n = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %n, %d, %e : tensor<i32>, tensor<i32>, tensor<i32>
  }
  return %r#1, %r#2 : tensor<i32>, tensor<i32>
}"""
    exe = hlo.compile(text, target=target, **TARGETS[target])
    for x, y in set(pairs("i32")):
        found = [int(r) for r in exe(np.int32(x), np.int32(y))]
        assert found == [divide(x, y, "i32"), remainder(x, y, "i32")], (x, y)
