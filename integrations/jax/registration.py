"""Offers the platform to JAX: the table of functions, and the lowering rules that JAX keeps by platform."""

from __future__ import annotations

import functools
from types import SimpleNamespace
from typing import Any

from hlo.jax.platform import AS_CPU_NAME, OWN_NAME, PLATFORM

REPLACES_CPU = PLATFORM == AS_CPU_NAME

PRIORITY = 0 if REPLACES_CPU else -100
"""JAX's own CPU backend has 0. Below it, the platform is the default only where it is named first."""


@functools.cache
def register_platform() -> None:
    from jax._src import xla_bridge
    from jax._src.interpreters import mlir

    from hlo.jax.functions.ffi import accept_handlers
    from hlo.jax.objects.dlpack import redirect_dlpack
    from hlo.jax.profiler.table import offer_profiler
    from hlo.jax.programs.lowering_rules import register_rules

    _refuse_clash(xla_bridge)
    silent: Any = getattr(xla_bridge, "_nonexperimental_plugins", set())
    silent.add(PLATFORM)  # no warning at every start
    capsule = _table()
    xla_bridge.register_plugin(PLATFORM, priority=PRIORITY, c_api=capsule)
    offer_profiler(capsule)
    if PLATFORM not in mlir._platforms_with_donation:
        mlir._platforms_with_donation.append(PLATFORM)
    register_rules()
    redirect_dlpack()
    accept_handlers()
    _allow_compilation_cache()
    if REPLACES_CPU:
        xla_bridge._alias_to_platforms[OWN_NAME] = [AS_CPU_NAME]
    else:
        _add_cpu()


def _refuse_clash(xla_bridge: Any) -> None:
    """Raises RuntimeError where the platform cannot be offered any more."""
    if OWN_NAME in xla_bridge._backend_factories:
        raise RuntimeError(
            f"another plugin has offered JAX a platform {OWN_NAME!r}: hlo's cannot be used together with it"
        )
    if xla_bridge.backends_are_initialized():
        raise RuntimeError(
            "JAX has its backends already: set JAX_PLATFORMS=hlo or HLO_AS_CPU=1, or call hlo.jax.register() before JAX is used"
        )


def _allow_compilation_cache() -> None:
    """JAX keeps compiled programs (jax_compilation_cache_dir) for the platforms that it knows to serialise them: this
    one does it as its own CPU backend. JAX knows a program by its text, which does not tell what another pipeline makes
    of it: such programs are not kept."""
    from jax._src import compilation_cache

    from hlo.jax.programs.program import has_pipeline

    original = compilation_cache.is_cache_used

    def is_cache_used(backend: Any) -> bool:
        if backend.platform != PLATFORM:
            return original(backend)
        return not has_pipeline() and original(SimpleNamespace(platform="cpu"))

    compilation_cache.is_cache_used = is_cache_used


def _add_cpu() -> None:
    """JAX needs its own CPU backend in addition to another: for callbacks, and for arrays by DLPack."""
    from jax._src import config

    names = (config.jax_platforms.value or "").split(",")
    if PLATFORM in names and "cpu" not in names:
        config.update("jax_platforms", ",".join([*names, "cpu"]))


def _table() -> Any:
    """Importing these fills the table."""
    from hlo.jax import calls, table
    from hlo.jax.objects import buffers, devices, executables

    assert buffers and devices and executables
    calls.set_python()
    return table.make_capsule()
