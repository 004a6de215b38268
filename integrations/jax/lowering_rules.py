"""Lowering rules that JAX keeps by platform: linear algebra by LAPACK and calls back into Python.

JAX has them for "cpu"; the same rules serve here, because hlo provides the custom calls that they make
(runtime/lapack.py, tridiagonal.py, sparse_products.py, hlo.jax.callbacks)."""

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

    from hlo.jax.callbacks import redirect_callbacks

    rules = mlir._platform_specific_lowerings["cpu"]
    for primitive, entry in list(rules.items()):
        if primitive.name in BORROWED:
            mlir.register_lowering(primitive, getattr(entry, "rule", entry), platform=PLATFORM)
        elif PLATFORM == "cpu":
            del rules[primitive]  # made for XLA: JAX's general rule serves
    _refuse_inspection(mlir)
    if PLATFORM != "cpu":
        _follow_registrations(mlir)
    redirect_callbacks()


def _refuse_inspection(mlir: Any) -> None:
    """JAX's `inspect_array_sharding` gives XLA's partitioner a function by its address; hlo's has no use for it. On one device JAX answers
    by itself."""
    from jax._src.debugging import inspect_sharding_p

    found = mlir._lowerings[inspect_sharding_p]
    original = getattr(found, "rule", found)

    def inspect_sharding(ctx: Any, value: Any, **options: Any) -> Any:
        context = ctx.module_context.axis_context
        count = context.num_devices if hasattr(context, "num_devices") else context.mesh.size
        if count > 1:
            raise NotImplementedError(
                f"jax.debug.inspect_array_sharding is not supported by hlo in a program for {count} devices: look at the sharding of a result"
            )
        return original(ctx, value, **options)

    mlir.register_lowering(inspect_sharding_p, inspect_sharding, platform=PLATFORM)


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
