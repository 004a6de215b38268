"""The custom call targets that every process has: checks of programs and of collectives, transfers, probes, and, when a
program first needs them, what jaxlib registers for CPUs: LAPACK, tridiagonal and sparse products."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from hlo.runtime.custom_calls import check_targets, probes, streams
from hlo.runtime.custom_calls.registry import LIBRARIES
from hlo.runtime.grid import collective_checks


def _importing(module: str) -> Callable[[], None]:
    """What imports a module, which registers its targets."""

    def load() -> None:
        import_module(module)

    return load


def _lapack() -> None:
    from hlo.runtime.custom_calls import lapack

    lapack.register_all()


check_targets.register_all()
LIBRARIES["lapack_"] = _lapack
LIBRARIES["tridiagonal_solve_perturbed_ffi"] = _importing("hlo.runtime.custom_calls.tridiagonal")
LIBRARIES["cpu_csr_sparse_dense_ffi"] = _importing("hlo.runtime.custom_calls.sparse_products")

REGISTERED = (check_targets, collective_checks, probes, streams)
"""Modules whose targets are there once this one is imported."""
