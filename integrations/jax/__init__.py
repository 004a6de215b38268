"""JAX on hlo: a PJRT plugin without a shared library.

    JAX_PLATFORMS=hlo python program.py         # an ordinary JAX program, compiled and run by hlo
    JAX_PLATFORMS=cpu,hlo python program.py     # on hlo only what is put there: jax.devices("hlo")
    HLO_AS_CPU=1 python program.py              # hlo instead of JAX's own CPU backend, under its name

JAX finds `initialize` through the entry point group "jax_plugins". The plugin is used only where it was asked for: a
program that does none of this runs on what it ran on before hlo was installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hlo.pipelines.phase import Phase


def initialize() -> None:
    """What JAX calls before it makes its first backend: offers the platform if the user's list of platforms has it, or HLO_AS_CPU is set.
    JAX would hide what this raises in its log, so a platform is offered that raises it."""
    from jax._src import config

    from hlo.environment import AS_CPU
    from hlo.errors import ArgumentError

    names = (config.jax_platforms.value or "").split(",")
    try:
        if AS_CPU.value() or "hlo" in names:
            register()
    except (ArgumentError, RuntimeError) as error:
        _offer(_raising(str(error)), "hlo" if "hlo" in names else "cpu")


def _raising(message: str) -> Callable[[], None]:
    def refuse() -> None:
        raise RuntimeError(message)

    return refuse


def _offer(factory: Callable[[], None], platform: str) -> None:
    from jax._src import xla_bridge

    xla_bridge.register_backend_factory(platform, factory, priority=-100, fail_quietly=False)


def register() -> None:
    """Offers the platform to JAX, whatever the list of platforms says: "hlo", or "cpu" with HLO_AS_CPU=1. Raises
    ArgumentError for a value that HLO_AS_CPU does not take, and RuntimeError, in one line, for a jax or jaxlib that
    does not fit, where another plugin has taken the name, and where JAX has made its backends already."""
    from hlo.jax.versions import check_versions

    check_versions()
    from hlo.jax.registration import register_platform

    register_platform()


def use_pipeline(make: Callable[[], list[Phase]] | None) -> None:
    """Compiles JAX's programs for hlo with other phases from now on: those that `make()` gives, a fresh list for each
    program (docs/pipelines.md). None: the target's own again. JAX forgets what it has compiled; what is compiled
    meanwhile is kept in no cache on disk. Raises ArgumentError where `make` is no function. A wrong pipeline is an
    error of the program that is compiled with it."""
    import jax

    from hlo.errors import ArgumentError
    from hlo.jax.programs.program import set_pipeline

    if make is not None and not callable(make):
        raise ArgumentError(f"use_pipeline takes a function that gives phases, or None, found {make!r}")
    set_pipeline(make)
    jax.clear_caches()
