"""One generator an op, a file a family of ops."""

from __future__ import annotations

import importlib
import pkgutil


def load_all() -> None:
    """Fills the table of generators."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
