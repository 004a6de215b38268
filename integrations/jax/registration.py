"""Offers the platform to JAX: the table of functions, and the lowering rules that JAX keeps by platform."""

from __future__ import annotations

import functools
from typing import Any

from hlo.jax import PLATFORM

PRIORITY = -100
"""Below JAX's own CPU backend, which has 0: the platform is the default only where it is named first."""


@functools.cache
def register_platform() -> None:
    from jax._src import xla_bridge
    from jax._src.interpreters import mlir

    from hlo.jax.lowering_rules import register_rules

    getattr(xla_bridge, "_nonexperimental_plugins", set()).add(PLATFORM)  # no warning at every start
    xla_bridge.register_plugin(PLATFORM, priority=PRIORITY, c_api=_table())
    if PLATFORM not in mlir._platforms_with_donation:
        mlir._platforms_with_donation.append(PLATFORM)
    register_rules()


def _table() -> Any:
    """Importing these fills the table."""
    from hlo.jax import buffers, devices, executables, table

    assert buffers and devices and executables
    return table.make_capsule()
