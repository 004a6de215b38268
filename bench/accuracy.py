"""Accuracy of the elementary functions in f32, through the compiler: every bit pattern (or every Nth) against float64.

    python bench/accuracy.py                    every 251st pattern of every function, a Markdown table
    python bench/accuracy.py --stride 1 tanh    all 2^32 inputs of tanh

Errors are in units in the last place of the exact result; special values and signs must be exact. Needs scipy."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

import hlo

BLOCK = 1 << 22
FUNCTIONS: dict[str, tuple[str, Callable[[np.ndarray], np.ndarray], float]] = {
    "exponential": ("stablehlo.exponential %x", np.exp, 2),
    "exponential_minus_one": ("stablehlo.exponential_minus_one %x", np.expm1, 2),
    "log": ("stablehlo.log %x", np.log, 2),
    "log_plus_one": ("stablehlo.log_plus_one %x", np.log1p, 2),
    "logistic": ("stablehlo.logistic %x", special.expit, 2),
    "tanh": ("stablehlo.tanh %x", np.tanh, 2),
    "sine": ("stablehlo.sine %x", np.sin, 2),
    "cosine": ("stablehlo.cosine %x", np.cos, 2),
    "tan": ("stablehlo.tan %x", np.tan, 2),
    "sqrt": ("stablehlo.sqrt %x", np.sqrt, 0.5),
    "rsqrt": ("stablehlo.rsqrt %x", lambda x: 1 / np.sqrt(x), 2),
    "cbrt": ("stablehlo.cbrt %x", np.cbrt, 2),
    "erf": ("chlo.erf %x", special.erf, 2),
    "erfc": ("chlo.erfc %x", special.erfc, 5),
    "erf_inv": ("chlo.erf_inv %x", special.erfinv, 4),
    "lgamma": ("chlo.lgamma %x", lambda x: special.gammaln(np.where(x == -np.inf, np.inf, x)), 3),
    "digamma": ("chlo.digamma %x", lambda x: np.where(x == 0, np.nan, special.digamma(x)), 3),
    "asin": ("chlo.asin %x", np.arcsin, 4),
    "acos": ("chlo.acos %x", np.arccos, 4),
    "atan": ("chlo.atan %x", np.arctan, 2),
    "sinh": ("chlo.sinh %x", np.sinh, 4),
    "cosh": ("chlo.cosh %x", np.cosh, 4),
    "asinh": ("chlo.asinh %x", np.arcsinh, 4),
    "acosh": ("chlo.acosh %x", np.arccosh, 4),
    "atanh": ("chlo.atanh %x", np.arctanh, 4),
}
"""The op, the exact function in float64, and the largest error we mean to have."""


@dataclass
class Worst:
    """The largest error so far, where it was, and how many special values were wrong."""

    ulps: float = 0.0
    at: float = 0.0
    wrong: int = 0
    wrong_at: float = 0.0
    count: int = 0

    def add(self, x: np.ndarray, found: np.ndarray, exact: np.ndarray) -> None:
        rounded = exact.astype(np.float32)
        finite = np.isfinite(rounded) & np.isfinite(found)
        spacing = np.spacing(np.abs(rounded)).astype(np.float64)
        error = np.where(finite, np.abs(found - exact) / spacing, 0.0)
        same = (found == rounded) | (np.isnan(found) & np.isnan(rounded))
        signs = np.isnan(rounded) | (np.signbit(found) == np.signbit(rounded)) | ((rounded == 0) & ~np.isin(x, (0.0,)))
        wrong = (~finite & ~same) | ~signs
        position = int(np.argmax(error))
        if error[position] > self.ulps:
            self.ulps, self.at = float(error[position]), float(x[position])
        if wrong.any():
            self.wrong += int(wrong.sum())
            self.wrong_at = float(x[np.argmax(wrong)])
        self.count += x.size


def measure(name: str, stride: int) -> Worst:
    """The worst of all f32 bit patterns at a stride."""
    text, function, _ = FUNCTIONS[name]
    kind = f"tensor<{BLOCK}xf32>"
    arrow = f"{kind} -> {kind}" if text.startswith("chlo") else kind
    program = f"func.func @main(%x: {kind}) -> {kind} {{\n  %r = {text} : {arrow}\n  return %r : {kind}\n}}"
    executable = hlo.compile(program)
    worst = Worst()
    for start in range(0, 1 << 32, BLOCK * stride):
        bits = np.arange(start, start + BLOCK * stride, stride, dtype=np.uint64) % (1 << 32)
        x = bits.astype(np.uint32).view(np.float32)
        (found,) = executable(x)
        with np.errstate(all="ignore"):
            worst.add(x, found, np.asarray(function(x.astype(np.float64))))
    return worst


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("functions", nargs="*", metavar="FUNCTION", help=f"of {', '.join(FUNCTIONS)}; default all")
    parser.add_argument("--stride", type=int, default=251, help="every Nth bit pattern (default 251; 1: all)")
    options = parser.parse_args()
    print("| function | inputs | largest error, ulp | at | goal | wrong special values | at |")
    print("|---|---|---|---|---|---|---|")
    for name in options.functions or FUNCTIONS:
        start = time.perf_counter()
        worst = measure(name, options.stride)
        goal = FUNCTIONS[name][2]
        place = f"{worst.wrong_at!r}" if worst.wrong else ""
        row = f"| {name} | {worst.count} | {worst.ulps:.2f} | {worst.at!r} | {goal:g} | {worst.wrong} | {place} |"
        print(row, f" <!-- {time.perf_counter() - start:.0f} s -->", flush=True)


if __name__ == "__main__":
    main()
