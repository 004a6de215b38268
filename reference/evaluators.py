"""All files of evaluators."""

from __future__ import annotations

import importlib

FILES = ("elementwise", "selection", "conversion", "quantization", "constants", "data_movement", "slicing", "dynamic", "control_flow", "calls", "custom_calls", "tuples",
         "collectives", "asynchronous", "reduction", "sorting", "gather", "scatter", "contraction", "convolution", "linear_algebra", "normalization", "random", "transfers", "check", "grid",
         "chlo.functions", "chlo.broadcasting", "chlo.structured", "chlo.ragged_dot")  # fmt: skip


def load_all() -> None:
    """Fills the table of evaluators."""
    for name in FILES:
        importlib.import_module(f"hlo.reference.{name}")
