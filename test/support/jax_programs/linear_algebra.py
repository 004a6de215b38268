"""Products, jnp.linalg and jax.scipy.linalg. What is only fixed up to signs or order is checked by what it must satisfy."""

import jax
import jax.numpy as jnp
import jax.scipy.linalg as sl
import numpy as np
from jax import lax
from jax.numpy import linalg as la

from .arrays import booleans, integers, normal


def square(n, *batch, dtype=np.float32):
    return normal(*batch, n, n, dtype=dtype) + 2 * np.eye(n, dtype=dtype)


def definite(n, *batch, dtype=np.float32):
    a = normal(*batch, n, n, dtype=dtype)
    return (a @ np.conj(np.swapaxes(a, -1, -2)) + n * np.eye(n)).astype(dtype)


def symmetrized(function):
    return lambda a, *more: function((a + a.conj().mT) / 2, *more)


def svd_rebuilt(a):
    u, s, v = la.svd(a, full_matrices=False)
    return s, (u * s[..., None, :]) @ v


def eig_residual(a):
    w, v = la.eig(a)
    return jnp.abs(a @ v - v * w[..., None, :]).max() < 1e-3, jnp.sort(jnp.abs(w), -1)


def eigh_rebuilt(a):
    w, v = la.eigh(a)
    return w, (v * w[..., None, :]) @ v.conj().mT


def schur_rebuilt(a):
    t, z = sl.schur(a)
    return z @ t @ z.conj().mT


def complex_schur_rebuilt(a):
    """Its loop changes an array in a branch, and reads it behind that."""
    t, z = sl.rsf2csf(*sl.schur(a))
    return (z @ t @ z.conj().T).real, jnp.tril(jnp.abs(t), -1)


def hessenberg_rebuilt(a):
    h, q = sl.hessenberg(a, calc_q=True)
    return q @ h @ q.conj().mT, h


def factor_cases():
    for dtype in (np.float32, np.complex64):
        name = np.dtype(dtype).name
        a, d, b = square(6, dtype=dtype), definite(6, dtype=dtype), normal(6, 3, dtype=dtype)
        batch = square(4, 3, dtype=dtype)
        yield f"cholesky_{name}", la.cholesky, (d,)
        yield f"cholesky_upper_{name}", lambda a: (la.cholesky(a, upper=True), sl.cho_factor(a)[0]), (d,)
        yield f"cholesky_batch_{name}", la.cholesky, (definite(4, 2, 3, dtype=dtype),)
        yield f"solve_{name}", la.solve, (a, b)
        yield f"solve_vector_{name}", la.solve, (a, b[:, 0])
        yield f"solve_batch_{name}", la.solve, (batch, normal(3, 4, 2, dtype=dtype))
        yield f"inv_{name}", la.inv, (batch,)
        yield f"det_{name}", lambda a: (la.det(a), la.slogdet(a)), (batch,)
        yield f"det_large_{name}", la.det, (a,)
        yield f"lu_{name}", sl.lu, (a,)
        yield f"lu_rectangular_{name}", lambda a: lax.linalg.lu(a), (normal(5, 3, dtype=dtype),)
        yield f"lu_solve_{name}", lambda a, b: sl.lu_solve(sl.lu_factor(a), b, trans=1), (a, b)
        yield f"qr_{name}", la.qr, (normal(7, 4, dtype=dtype),)
        yield f"qr_complete_{name}", lambda a: la.qr(a, mode="complete"), (normal(5, 3, dtype=dtype),)
        yield f"qr_wide_batch_{name}", la.qr, (normal(2, 3, 5, dtype=dtype),)
        yield f"svd_{name}", svd_rebuilt, (normal(5, 4, dtype=dtype),)
        yield f"svd_batch_{name}", svd_rebuilt, (normal(3, 2, 4, dtype=dtype),)
        yield f"singular_values_{name}", lambda a: la.svd(a, compute_uv=False), (normal(5, 4, dtype=dtype),)
        yield f"svd_full_{name}", lambda a: la.svd(a)[1], (normal(5, 3, dtype=dtype),)
        yield f"eigh_{name}", eigh_rebuilt, (definite(6, dtype=dtype),)
        yield f"eigh_batch_{name}", eigh_rebuilt, (definite(3, 4, dtype=dtype),)
        yield f"eigvalsh_{name}", la.eigvalsh, (definite(5, dtype=dtype),)
        yield f"eig_{name}", eig_residual, (a,)
        yield f"eigvals_{name}", lambda a: jnp.sort(jnp.abs(la.eigvals(a)), -1), (batch,)
        yield f"schur_{name}", schur_rebuilt, (a,)
        yield f"hessenberg_{name}", hessenberg_rebuilt, (a,)
        yield f"triangular_{name}", triangular, (a, b)
        yield f"cho_solve_{name}", lambda a, b: sl.cho_solve(sl.cho_factor(a), b), (d, b)
        yield f"expm_{name}", sl.expm, (a * np.float32(0.3),)
        yield (
            f"tridiagonal_solve_{name}",
            lambda a, b: lax.linalg.tridiagonal_solve(a[0].at[0].set(0), a[1] + 4, a[2].at[-1].set(0), b),
            (a, b),
        )
        yield (
            f"householder_{name}",
            lambda a: (
                lax.linalg.householder_product(*lax.linalg.geqrf(a))
                if hasattr(lax.linalg, "geqrf")
                else la.qr(a, mode="raw")
            ),
            (a,),
        )


def triangular(a, b):
    return [
        sl.solve_triangular(a, b, trans=t, lower=low, unit_diagonal=unit)
        for t in (0, 1, 2)
        for low in (True, False)
        for unit in (False,)
    ] + [lax.linalg.triangular_solve(a + 9 * jnp.eye(6), b.T, left_side=False, lower=True, unit_diagonal=True)]


GRADIENTS = [
    ("cholesky_gradient", jax.grad(lambda a: la.cholesky(a).sum()), (definite(5),)),
    ("solve_gradient", jax.grad(lambda a, b: (la.solve(a, b) ** 2).sum(), (0, 1)), (square(5), normal(5, 2))),
    ("inv_gradient", jax.grad(lambda a: (la.inv(a) ** 2).sum()), (definite(5),)),
    ("det_gradient", jax.grad(lambda a: la.det(a) + la.slogdet(a)[1]), (definite(4),)),
    ("qr_gradient", jax.grad(lambda a: (la.qr(a)[1] ** 3).sum()), (normal(5, 3),)),
    ("svd_gradient", jax.grad(lambda a: (la.svd(a, compute_uv=False) ** 3).sum()), (normal(4, 3),)),
    ("eigh_gradient", jax.grad(lambda a: (symmetrized(la.eigvalsh)(a) ** 3).sum()), (definite(4),)),
    ("expm_gradient", jax.grad(lambda a: sl.expm(a).sum()), (normal(3, 3) * np.float32(0.3),)),
    (
        "triangular_gradient",
        jax.grad(lambda a, b: (sl.solve_triangular(a, b, lower=True) ** 2).sum(), (0, 1)),
        (square(4) + 3 * np.eye(4, dtype=np.float32), normal(4, 2)),
    ),
    ("vmap_solve", jax.vmap(la.solve, (None, 0)), (square(4), normal(3, 4, 2))),
]

PRODUCTS = [
    (
        "einsums",
        lambda a, b: (
            jnp.einsum("ij,kj->ik", a, b),
            jnp.einsum("ij,ij->i", a, a),
            jnp.einsum("ij->j", a),
            jnp.einsum("ij,kl->iljk", a, b),
            jnp.einsum("ii->i", a[:, :4]),
        ),
        (normal(4, 5), normal(3, 5)),
    ),
    (
        "batched",
        lambda a, b: (
            a @ b,
            jnp.einsum("bij,bjk->bki", a, b),
            jnp.tensordot(a, b, ((2,), (1,))),
            jnp.einsum("bij,bjk->ik", a, b),
        ),
        (normal(3, 4, 5), normal(3, 5, 6)),
    ),
    (
        "vectors",
        lambda a, v: (a @ v, v[:4] @ a, jnp.dot(v, v), jnp.vdot(v, v), jnp.inner(a, v), jnp.cross(v[:3], a[0, :3])),
        (normal(4, 5), normal(5)),
    ),
    (
        "int8_to_int32",
        lambda a, b: lax.dot(a, b, preferred_element_type=jnp.int32),
        (integers(9, 33, low=-120, high=120, dtype=np.int8), integers(33, 17, low=-120, high=120, dtype=np.int8)),
    ),
    (
        "uint8",
        lambda a, b: (a @ b, lax.dot(a, b, preferred_element_type=jnp.uint32)),
        (integers(5, 9, high=255, dtype=np.uint8), integers(9, 7, high=255, dtype=np.uint8)),
    ),
    ("int32", lambda a, b: a @ b, (integers(5, 9), integers(9, 7))),
    ("bool", lambda a, b: a @ b, (booleans(5, 9), booleans(9, 7))),
    (
        "complex",
        lambda a, b: (a @ b, a.conj() @ b),
        (normal(5, 9, dtype=np.complex64), normal(9, 7, dtype=np.complex64)),
    ),
    ("large", lambda a, b: (a @ b, a.T @ a), (normal(301, 259), normal(259, 403)), 1e-3),
    ("large_batch", lambda a, b: jnp.einsum("bij,bkj->bik", a, b), (normal(7, 65, 130), normal(7, 33, 130)), 1e-3),
    ("odd", lambda a, b: a @ b, (normal(1, 1023), normal(1023, 3)), 1e-3),
    ("zero", lambda a, b: (a[:0] @ b, a[:, :0] @ b[:0], a @ b[:, :0]), (normal(4, 5), normal(5, 3))),
    (
        "bf16",
        lambda a, b: lax.dot(a.astype(jnp.bfloat16), b.astype(jnp.bfloat16), preferred_element_type=jnp.float32),
        (normal(17, 40), normal(40, 9)),
        1e-3,
    ),
    ("f16", lambda a, b: a @ b, (normal(17, 40, dtype=np.float16), normal(40, 9, dtype=np.float16)), 1e-2),
    (
        "multi_dot_power",
        lambda a: (la.multi_dot([a, a, a]), la.matrix_power(a, 5), la.norm(a, 1), la.norm(a, jnp.inf), jnp.kron(a, a)),
        (normal(4, 4),),
    ),
    ("rank_6", lambda a, b: jnp.einsum("abcdef,fedgh->abcgh", a, b), (normal(2, 1, 3, 2, 3, 2), normal(2, 3, 2, 2, 3))),
]
MORE = [
    ("lstsq", lambda a, b: la.lstsq(a, b)[0], (normal(7, 3), normal(7, 2))),
    ("pinv_rank", lambda a: (la.pinv(a), la.matrix_rank(a)), (normal(5, 3),)),
    ("polar_sqrt", lambda a: (sl.polar(a)[0], sl.funm(a, jnp.exp).real if False else la.cond(a)), (square(4),)),
    ("complex_schur", complex_schur_rebuilt, (square(5),)),
    ("funm", lambda a: sl.funm(a, jnp.exp, disp=False)[0], (definite(4),)),
    ("sqrtm", lambda a: sl.sqrtm(a).real, (definite(4),)),
    ("block_toeplitz", lambda a: (sl.block_diag(a, a), sl.toeplitz(a[0])), (square(3),)),
    ("cholesky_fails", lambda a: jnp.isnan(la.cholesky(a)).any(), (-np.eye(3, dtype=np.float32),)),
    ("empty", lambda a: (la.det(a), la.inv(a)), (normal(0, 0),)),
    (
        "large_solve",
        lambda a, b: (la.solve(a, b), la.cholesky(a @ a.T + jnp.eye(70) * 70)),
        (square(70) * 1 + 20 * np.eye(70, dtype=np.float32), normal(70, 5)),
        1e-3,
    ),
]
PROGRAMS = [(*p, 5e-4)[:4] for p in [*PRODUCTS, *factor_cases(), *GRADIENTS, *MORE]]
