"""math on scalars and tensors: the StableHLO or CHLO function of the same meaning."""

from __future__ import annotations

from hlo.lowering.stablehlo.upstream.values import same

same("math", {
    "absf absi": "abs", "atan2": "atan2", "cbrt": "cbrt", "ceil": "ceil", "cos": "cosine", "exp": "exponential",
    "exp2": "exp2", "log2": "log2", "expm1": "exponential_minus_one", "floor": "floor", "ipowi": "power", "log": "log", "log1p": "log_plus_one", "powf": "power",
    "round": "round_nearest_afz", "roundeven": "round_nearest_even", "rsqrt": "rsqrt", "sin": "sine", "sqrt": "sqrt", "tan": "tan",
    "tanh": "tanh", "ctpop": "popcnt", "ctlz": "count_leading_zeros",
})  # fmt: skip

OF_CHLO = ("acos", "acosh", "asin", "asinh", "atan", "atanh", "cosh", "erf", "erfc", "sinh")
same("math", {name: name for name in OF_CHLO}, "chlo")
