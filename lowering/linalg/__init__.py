"""Rewrites that produce linalg.

Every module listed here registers lowering rules when it is imported."""

from __future__ import annotations

from importlib import import_module

RULE_MODULES = (
    "collectives",
    "constants",
    "contraction",
    "control_flow",
    "custom_calls",
    "elementwise",
    "indexing.gather",
    "data_movement",
    "reduction",
    "slicing",
    "transfers",
    "tuples",
)
"""Imported for every program."""

LARGE_MODULES = {
    "long_functions": (
        "chlo.bessel_i1e",
        "chlo.digamma",
        "chlo.erf",
        "chlo.erf_inv",
        "chlo.erfc",
        "chlo.lgamma",
        "chlo.polygamma",
        "chlo.zeta",
    ),
    "windows.convolution": ("convolution",),
    "fft.transforms": ("fft",),
    "linear_algebra.linear_algebra": ("cholesky", "triangular_solve"),
    "indexing.scatter": ("scatter",),
    "windows.select_and_scatter": ("select_and_scatter",),
    "sorting.sort": ("sort",),
    "windows.reduce_window": ("reduce_window",),
}
"""Imported, with the modules that they need, when a program has one of these ops."""


def load_rules() -> None:
    """Fills the table of rules (lowering/linalg/rules.py)."""
    for name in (*RULE_MODULES, *LARGE_MODULES):
        import_module(f"{__name__}.{name}")


def load_rules_of(op: str) -> None:
    """Those of small modules, and that of one op ("stablehlo.sort") which a large one may have."""
    for name in RULE_MODULES:
        import_module(f"{__name__}.{name}")
    for name, ops in LARGE_MODULES.items():
        if op.removeprefix("stablehlo.") in ops:
            import_module(f"{__name__}.{name}")
