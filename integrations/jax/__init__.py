"""JAX on hlo: a PJRT plugin without a shared library.

    JAX_PLATFORMS=hlo python program.py         # an ordinary JAX program, compiled and run by hlo
    JAX_PLATFORMS=cpu,hlo python program.py     # on hlo only what is put there: jax.devices("hlo")

JAX finds `initialize` through the entry point group "jax_plugins". The plugin is used only where it was asked for: a
program that names no platform runs on what it ran on before hlo was installed."""

from __future__ import annotations

PLATFORM = "hlo"


def initialize() -> None:
    """What JAX calls before it makes its first backend: offers the platform if the user's list of platforms has it. JAX would hide
    what this raises in its log, so a platform is offered that raises it."""
    from jax._src import config, xla_bridge

    if PLATFORM not in (config.jax_platforms.value or "").split(","):
        return
    try:
        register()
    except RuntimeError as error:
        message = str(error)

        def refuse() -> None:
            raise RuntimeError(message)

        xla_bridge.register_backend_factory(PLATFORM, refuse, priority=-100, fail_quietly=False)


def register() -> None:
    """Offers the platform "hlo" to JAX, whatever the list of platforms says. Raises RuntimeError, in one line, for a jax or jaxlib
    that does not fit, where another plugin has taken the name, and where JAX has made its backends already."""
    from hlo.jax.versions import check_versions

    check_versions()
    from hlo.jax.registration import register_platform

    register_platform()
