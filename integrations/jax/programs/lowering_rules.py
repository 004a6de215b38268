"""Lowering rules that JAX keeps by platform: linear algebra by LAPACK and calls back into Python.

JAX has them for "cpu"; the same rules serve here, because hlo provides the custom calls that they make
(runtime/custom_calls/lapack.py, tridiagonal.py, sparse_products.py, hlo.jax.functions.callbacks)."""

from __future__ import annotations

from typing import Any

from hlo.jax.platform import PLATFORM

_NAMES = """
cholesky eig eigh hessenberg householder_product ormqr lu geqrf geqp3 schur svd triangular_solve tridiagonal
tridiagonal_solve debug_callback debug_print random_gamma select_and_scatter_add check bcsr_dot_general csr_spmv csr_spmm spsolve
"""

BORROWED = frozenset(_NAMES.split())
"""Names of the primitives whose rule for JAX's CPU backend is right for hlo too."""


def register_rules() -> None:
    from jax._src.interpreters import mlir

    from hlo.jax.functions.buffer_callbacks import register_buffer_callbacks
    from hlo.jax.functions.callbacks import redirect_callbacks

    rules = mlir._platform_specific_lowerings["cpu"]
    for primitive, entry in list(rules.items()):
        if primitive.name in BORROWED:
            mlir.register_lowering(primitive, getattr(entry, "rule", entry), platform=PLATFORM)
        elif PLATFORM == "cpu":
            del rules[primitive]  # made for XLA: JAX's general rule serves
    if PLATFORM != "cpu":
        _follow_registrations(mlir)
    redirect_callbacks()
    register_buffer_callbacks()


def _follow_registrations(mlir: Any) -> None:
    """Rules of modules of JAX that are imported later (checkify, sparse) are borrowed when these register them."""
    from jax.interpreters import mlir as public

    original = mlir.register_lowering

    def register_lowering(primitive: Any, rule: Any, platform: str | None = None, **options: Any) -> Any:
        if platform == "cpu" and primitive.name in BORROWED:
            original(primitive, rule, platform=PLATFORM, **options)
        return original(primitive, rule, platform=platform, **options)

    for module in (mlir, public):
        module.register_lowering = register_lowering
