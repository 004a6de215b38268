"""Rewrites that produce linalg.

Every module listed here registers lowering rules when it is imported."""

from __future__ import annotations

from importlib import import_module

RULE_MODULES = (
    "collectives",
    "constant",
    "contraction",
    "control_flow",
    "convolution",
    "custom_call",
    "elementwise",
    "fft",
    "gather",
    "linear_algebra",
    "map",
    "reduction",
    "scatter",
    "select_and_scatter",
    "shape",
    "slicing",
    "sorting",
    "transfers",
    "windows",
)


def load_rules() -> None:
    """Fills the table of rules (lowering/linalg/rules.py)."""
    for name in RULE_MODULES:
        import_module(f"{__name__}.{name}")
