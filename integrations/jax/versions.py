"""Which jax and jaxlib the plugin works with."""

from __future__ import annotations

from importlib import metadata

OLDEST, FIRST_UNKNOWN = (0, 8), (0, 13)
"""Versions of jax from and below which the plugin is known to work."""

PROFILER_UNKNOWN = (0, 11)
"""The version of jaxlib from which nobody knows what its profiler asks of a plugin."""


def check_versions() -> None:
    """Raises RuntimeError, in one line, where jax or jaxlib is missing or does not fit."""
    versions = {name: _version(name) for name in ("jax", "jaxlib")}
    for name, version in versions.items():
        if version is None:
            raise RuntimeError(f"hlo's JAX backend needs {name}, which is not installed: pip install hlo[jax]")
        if not OLDEST <= _numbers(version) < FIRST_UNKNOWN:
            raise RuntimeError(
                f"hlo's JAX backend works with {name} {_text(OLDEST)} to below {_text(FIRST_UNKNOWN)}, found {version}"
            )


def has_profiler() -> bool:
    """Whether jaxlib's profiler can ask the plugin (hlo.jax.profiler.table)."""
    version = _version("jaxlib")
    return version is not None and _numbers(version) < PROFILER_UNKNOWN


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2])


def _text(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
