"""All files of evaluators."""

from __future__ import annotations

import importlib

FILES = ("elementwise", "conversion", "data_movement", "control_flow", "collectives", "reduction", "indexing", "contraction", "checks", "transfers", "grid",
         "linear_algebra", "normalization", "random", "chlo_functions", "chlo_structured")  # fmt: skip


def load_all() -> None:
    """Fills the table of evaluators."""
    for name in FILES:
        importlib.import_module(f"hlo.reference.{name}")
