"""JAX on hlo: a PJRT plugin without a shared library.

    JAX_PLATFORMS=hlo python program.py         # an ordinary JAX program, compiled and run by hlo
    JAX_PLATFORMS=cpu,hlo python program.py     # on hlo only what is put there: jax.devices("hlo")

JAX finds `initialize` through the entry point group "jax_plugins". The plugin is used only where it was asked for: a
program that names no platform runs on what it ran on before hlo was installed."""

from __future__ import annotations

PLATFORM = "hlo"


def initialize() -> None:
    """What JAX calls before it makes its first backend: offers the platform if the user's list of platforms has it."""
    from jax._src import config

    if PLATFORM in (config.jax_platforms.value or "").split(","):
        register()


def register() -> None:
    """Offers the platform "hlo" to JAX, whatever the list of platforms says. Raises RuntimeError, in one line, for a jax or jaxlib
    that does not fit."""
    from hlo.jax.versions import check_versions

    check_versions()
    from hlo.jax.registration import register_platform

    register_platform()
