"""Lowering rules that JAX keeps by platform: linear algebra by LAPACK and calls back into Python.

JAX has them for "cpu"; the same rules serve here, because hlo provides the custom calls that they make (runtime/lapack.py, hlo.jax.callbacks)."""

from __future__ import annotations

from hlo.jax import PLATFORM

_NAMES = """
cholesky eig eigh hessenberg householder_product ormqr lu geqrf geqp3 schur svd triangular_solve tridiagonal
tridiagonal_solve debug_callback debug_print random_gamma select_and_scatter_add
"""

BORROWED = frozenset(_NAMES.split())
"""Names of the primitives whose rule for JAX's CPU backend is right for hlo too."""


def register_rules() -> None:
    from jax._src.interpreters import mlir

    from hlo.jax.callbacks import redirect_callbacks

    for primitive, entry in list(mlir._platform_specific_lowerings["cpu"].items()):
        if primitive.name in BORROWED:
            rule = getattr(entry, "rule", entry)
            mlir.register_lowering(primitive, rule, platform=PLATFORM)
    redirect_callbacks()
