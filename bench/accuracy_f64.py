"""Accuracy of the elementary functions in f64, through the compiler, on samples of each function's domain against mpmath.

    python bench/accuracy_f64.py                     2,000 inputs of each kind, a Markdown table
    python bench/accuracy_f64.py --count 20000 tan   more of one function

Errors are in units in the last place of the exact result; results below the normal numbers are left out."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import mpmath as mp
import numpy as np

import hlo

DIGITS = 200
"""Bits that exact results are computed with."""


@dataclass(frozen=True)
class Function:
    """The op; the exact function; intervals that inputs are drawn from, evenly, or (`sizes`) evenly in their logarithm, then
    with either sign where `signed`; the largest error we mean to have."""

    op: str
    exact: Callable[..., Any]
    goal: float
    evenly: tuple[float, float]
    sizes: tuple[float, float]
    signed: bool = True

    def sample(self, count: int, generator: np.random.Generator) -> np.ndarray:
        sizes = np.exp(generator.uniform(*np.log(self.sizes), count))
        signs = generator.choice([-1.0, 1.0], count) if self.signed else 1.0
        return np.concatenate([generator.uniform(*self.evenly, count), sizes * signs])


FUNCTIONS = {
    "exponential": Function("stablehlo.exponential", mp.exp, 2, (-708, 709), (1e-20, 5)),
    "exponential_minus_one": Function("stablehlo.exponential_minus_one", mp.expm1, 2, (-50, 709), (1e-20, 5)),
    "log": Function("stablehlo.log", mp.log, 2, (0.5, 2), (1e-308, 1e308), False),
    "log_plus_one": Function("stablehlo.log_plus_one", mp.log1p, 2, (-0.9, 2), (1e-16, 1e308), False),
    "logistic": Function("stablehlo.logistic", lambda x: 1 / (1 + mp.exp(-x)), 2, (-700, 40), (1e-10, 5)),
    "tanh": Function("stablehlo.tanh", mp.tanh, 2, (-20, 20), (1e-10, 3)),
    "sine": Function("stablehlo.sine", mp.sin, 2, (-30, 30), (1e-10, 3e7)),
    "cosine": Function("stablehlo.cosine", mp.cos, 2, (-30, 30), (1e-10, 3e7)),
    "tan": Function("stablehlo.tan", mp.tan, 2, (-30, 30), (1e-10, 3e7)),
    "sqrt": Function("stablehlo.sqrt", mp.sqrt, 0.5, (0, 9), (1e-300, 1e300), False),
    "rsqrt": Function("stablehlo.rsqrt", lambda x: 1 / mp.sqrt(x), 2, (0.1, 9), (1e-300, 1e300), False),
    "cbrt": Function("stablehlo.cbrt", lambda x: mp.sign(x) * mp.cbrt(abs(x)), 2, (-9, 9), (1e-300, 1e300)),
    "power": Function("stablehlo.power", mp.power, 2, (0, 9), (1e-300, 1e300), False),
    "erf": Function("chlo.erf", mp.erf, 2, (-6, 6), (1e-10, 1)),
    "erfc": Function("chlo.erfc", mp.erfc, 5, (-6, 26), (1e-10, 1)),
    "lgamma": Function("chlo.lgamma", lambda x: mp.loggamma(x).real, 3, (0, 12), (1e-10, 1e10), False),
    "digamma": Function("chlo.digamma", mp.digamma, 3, (0, 12), (1e-10, 1e10), False),
    "asin": Function("chlo.asin", mp.asin, 4, (-1, 1), (1e-10, 1)),
    "acos": Function("chlo.acos", mp.acos, 4, (-1, 1), (1e-10, 1)),
    "atan": Function("chlo.atan", mp.atan, 2, (-9, 9), (1e-10, 1e10)),
    "sinh": Function("chlo.sinh", mp.sinh, 4, (-700, 700), (1e-10, 5)),
    "cosh": Function("chlo.cosh", mp.cosh, 4, (-700, 700), (1e-10, 5)),
    "asinh": Function("chlo.asinh", mp.asinh, 4, (-9, 9), (1e-10, 1e10)),
    "acosh": Function("chlo.acosh", mp.acosh, 4, (1, 9), (1.0001, 1e10), False),
    "atanh": Function("chlo.atanh", mp.atanh, 4, (-1, 1), (1e-10, 0.9)),
}


def evaluate(op: str, operands: Sequence[np.ndarray]) -> np.ndarray:
    kind = f"tensor<{len(operands[0])}xf64>"
    names = [f"%x{i}" for i in range(len(operands))]
    arrow = f"{kind} -> {kind}" if op.startswith("chlo") else kind
    text = f"func.func @main({', '.join(f'{n}: {kind}' for n in names)}) -> {kind} {{\n"
    text += f"  %r = {op} {', '.join(names)} : {arrow}\n  return %r : {kind}\n}}"
    return hlo.compile(text)(*operands)[0]


def measure(function: Function, count: int, seed: int = 0) -> tuple[float, tuple[float, ...]]:
    """The largest error and where it was."""
    generator = np.random.default_rng(seed)
    operands = [function.sample(count, generator)]
    if function.op == "stablehlo.power":  # with results in the range of normal numbers
        operands.append(generator.uniform(-700, 700, 2 * count) / np.maximum(np.abs(np.log(operands[0])), 1e-8))
    worst, at = 0.0, tuple(float(x[0]) for x in operands)
    with mp.workprec(DIGITS):
        for found, *inputs in zip(evaluate(function.op, operands), *operands):
            exact = function.exact(*(mp.mpf(float(x)) for x in inputs))
            if abs(exact) < np.finfo(np.float64).smallest_normal:
                continue
            error = float(abs(mp.mpf(float(found)) - exact) / mp.mpf(float(np.spacing(abs(float(exact))))))
            if error > worst:
                worst, at = error, tuple(float(x) for x in inputs)
    return worst, at


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("functions", nargs="*", metavar="FUNCTION", help=f"of {', '.join(FUNCTIONS)}; default all")
    parser.add_argument("--count", type=int, default=2000, help="inputs of each of the two kinds (default 2000)")
    options = parser.parse_args()
    print("| function | largest error, ulp | at | goal |")
    print("|---|---|---|---|")
    for name in options.functions or FUNCTIONS:
        worst, at = measure(FUNCTIONS[name], options.count)
        print(f"| {name} | {worst:.2f} | {', '.join(map(repr, at))} | {FUNCTIONS[name].goal:g} |", flush=True)


if __name__ == "__main__":
    main()
