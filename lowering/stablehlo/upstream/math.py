"""math on scalars and tensors: the StableHLO or CHLO function of the same meaning."""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.lowering.stablehlo.upstream.values import Rule, legalizes_upstream, same

same("math", {
    "absf absi": "abs", "atan2": "atan2", "cbrt": "cbrt", "ceil": "ceil", "cos": "cosine", "exp": "exponential",
    "exp2": "exp2", "log2": "log2", "expm1": "exponential_minus_one", "floor": "floor", "ipowi": "power", "log": "log", "log1p": "log_plus_one", "powf": "power",
    "round": "round_nearest_afz", "roundeven": "round_nearest_even", "rsqrt": "rsqrt", "sin": "sine", "sqrt": "sqrt", "tan": "tan",
    "tanh": "tanh", "ctpop": "popcnt", "ctlz": "count_leading_zeros",
})  # fmt: skip
_CHLO = ("acos", "acosh", "asin", "asinh", "atan", "atanh", "cosh", "erf", "erfc", "sinh")


def _chlo(mnemonic: str) -> Rule:
    def rule(op: Any) -> list[ir.Value]:
        (x,) = op.operands
        return [ir.Operation.create(f"chlo.{mnemonic}", [x.type], [x]).result]

    return rule


for _name in _CHLO:
    legalizes_upstream(f"math.{_name}")(_chlo(_name))
