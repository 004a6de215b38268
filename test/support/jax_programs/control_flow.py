"""Loops, branches, scans, and functions with derivatives of their own."""

import jax
import jax.experimental.ode
import jax.numpy as jnp
import jax.scipy.optimize
import numpy as np
from jax import lax

from .arrays import booleans, integers, normal, positive


def pytree_scan(xs, ys):
    def step(carry, x):
        carry = {"sum": carry["sum"] + x[0], "count": carry["count"] + 1, "last": (x[1], carry["last"][0])}
        return carry, (carry["sum"] * 2, {"n": carry["count"]})

    start = {"sum": jnp.zeros(3), "count": jnp.int32(0), "last": (jnp.zeros(2), jnp.zeros(2))}
    return lax.scan(step, start, (xs, ys))


def nested_scan(x):
    def row(total, r):
        return lax.scan(lambda c, v: (c * 0.5 + v, c), total, r)

    return lax.scan(row, jnp.float32(0), x)


def big_carry(x):
    def step(state):
        i, a, b, flags = state
        a = a.at[i].set(b[i] * 2 + a[(i + 1) % 64])
        b = lax.dynamic_update_slice(b, a[None, i], (63 - i, 0))
        return i + 1, a, b, flags.at[i].set(True)

    return lax.while_loop(lambda s: s[0] < 60, step, (0, x, x + 1, jnp.zeros(64, bool)))


def sieve(n):
    def outer(i, primes):
        multiples = (jnp.arange(50) % i == 0) & (jnp.arange(50) > i)
        return jnp.where(multiples & primes[i], False, primes)

    return lax.fori_loop(2, n, outer, jnp.ones(50, bool))


def nested_cond(i, x):
    def positive_case(v):
        return lax.cond(v[0] > 2, lambda u: u * 3, lambda u: lax.cond(u[1] > 0, jnp.sin, jnp.cos, u), v)

    return lax.cond(i > 0, positive_case, lambda v: v - 1, x)


@jax.custom_vjp
def clipped(x):
    return x * 2


clipped.defvjp(lambda x: (x * 2, x), lambda x, g: (jnp.clip(g, -0.1, 0.1) * x,))


@jax.custom_jvp
def log1pexp(x):
    return jnp.log1p(jnp.exp(x))


log1pexp.defjvps(lambda g, ans, x: g * (1 - 1 / (1 + jnp.exp(x))))


def rnn_loss(w, xs):
    h, _ = lax.scan(lambda h, x: (jnp.tanh(h @ w + x), None), jnp.zeros((2, 5)), xs)
    return (h**2).sum()


def game_of_life(board):
    def step(_, b):
        neighbours = sum(jnp.roll(b, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
        return jnp.where((neighbours == 3) | ((b == 1) & (neighbours == 2)), 1, 0).astype(b.dtype)

    return lax.fori_loop(0, 5, step, board)


def runge_kutta(y):
    def field(v):
        return jnp.stack([v[1], -jnp.sin(v[0])])

    def step(v, _):
        a = field(v)
        b = field(v + 0.05 * a)
        return v + 0.1 * b, v

    return lax.scan(step, y, None, length=20)


def power_iteration(a):
    def step(state):
        v, _, n = state
        w = a @ v
        return w / jnp.linalg.norm(w), v, n + 1

    start = (jnp.ones(a.shape[0]), jnp.zeros(a.shape[0]), 0)
    return lax.while_loop(lambda s: (jnp.abs(s[0] - s[1]).max() > 1e-3) & (s[2] < 50), step, start)[0]


def switch_vmap(i, x):
    return jax.vmap(lambda n, v: lax.switch(n, [lambda u: u + 1, jnp.sin, lambda u: u * u, lambda u: -u], v))(i, x)


BRANCHES = [lambda x: x.sum(), lambda x: (x * x).max(), lambda x: lax.fori_loop(0, 3, lambda i, s: s + x[i], 0.0)]
PROGRAMS = [
    (*row, 1e-4)[:4]
    for row in [
        ("pytree_scan", pytree_scan, (normal(6, 3), normal(6, 2))),
        ("nested_scan", nested_scan, (normal(5, 7),)),
        (
            "scan_reverse_unroll",
            lambda x: (
                lax.scan(lambda c, v: (c + v, c * v), 0.0, x, reverse=True),
                lax.scan(lambda c, v: (c + v, c * v), 0.0, x, unroll=3),
            ),
            (normal(11),),
        ),
        ("scan_integers", lambda x: lax.scan(lambda c, v: (c ^ v, (c & 7) == v), np.int32(5), x), (integers(13),)),
        ("scan_long", lambda x: lax.scan(lambda c, v: (0.99 * c + v, c[:3]), jnp.zeros(40), x), (normal(300, 40),)),
        ("scan_zero_length", lambda x: lax.scan(lambda c, v: (c + v, c * 2), jnp.ones(3), x), (normal(0, 3),)),
        ("scan_gradient", jax.grad(rnn_loss, (0, 1)), (normal(5, 5) * np.float32(0.3), normal(7, 2, 5))),
        (
            "scan_remat_gradient",
            jax.grad(
                lambda w, xs: (
                    lax.scan(jax.checkpoint(lambda h, x: (jnp.sin(h @ w + x), None)), jnp.zeros(5), xs)[0] ** 2
                ).sum()
            ),
            (normal(5, 5), normal(6, 5)),
        ),
        ("scan_vmap", jax.vmap(lambda x: lax.scan(lambda c, v: (c * 0.5 + v, c), 0.0, x)), (normal(4, 6),)),
        (
            "scan_jvp",
            lambda w, xs: jax.jvp(rnn_loss, (w, xs), (w, xs)),
            (normal(5, 5) * np.float32(0.3), normal(7, 2, 5)),
        ),
        ("big_carry", big_carry, (normal(64, 33),)),
        ("sieve", sieve, (np.int32(8),)),
        (
            "dynamic_bounds",
            lambda lo, hi, x: lax.fori_loop(lo, hi, lambda i, s: s + x[i] * i, 0.0),
            (np.int32(2), np.int32(7), normal(9)),
        ),
        ("zero_trips", lambda n, x: lax.fori_loop(0, n, lambda i, s: s * 2, x), (np.int32(0), normal(4))),
        (
            "while_vmap",
            jax.vmap(lambda x: lax.while_loop(lambda s: s[0] < 20, lambda s: (s[0] * s[0] + 1, s[1] + 1), (x, 0))),
            (positive(7) + 1,),
        ),
        (
            "while_swap",
            lambda a, b: lax.fori_loop(0, 5, lambda i, s: (s[1], s[0] + i, s[2] * 2), (a, b, a)),
            (normal(3), normal(3)),
        ),
        (
            "while_swap_big",
            lambda a, b: lax.fori_loop(0, 5, lambda i, s: (s[1], s[0] + i, s[2][::-1] * 2), (a, b, a)),
            (normal(2000), normal(2000)),
        ),
        (
            "while_constant_carry",
            lambda a: lax.fori_loop(0, 3, lambda i, s: (s[0], s[1] + s[0].sum()), (a, 0.0)),
            (normal(2000),),
        ),
        (
            "while_in_while",
            lambda n: lax.fori_loop(0, n, lambda i, s: lax.while_loop(lambda t: t < 10 * i, lambda t: t + 3, s), 0),
            (np.int32(5),),
        ),
        (
            "cond_in_loop",
            lambda x: lax.fori_loop(0, 8, lambda i, s: lax.cond(i % 2 == 0, lambda v: v + x, lambda v: v * 2, s), x),
            (normal(5),),
        ),
        ("nested_cond", nested_cond, (np.int32(1), normal(4))),
        (
            "cond_gradient",
            jax.grad(lambda x, i: lax.cond(i > 0, lambda v: (v**3).sum(), lambda v: v.sum(), x)),
            (normal(4), np.int32(2)),
        ),
        ("cond_no_operands", lambda p: lax.cond(p, lambda: jnp.ones(3), lambda: jnp.zeros(3)), (np.bool_(True),)),
        (
            "cond_passes_through",
            lambda p, x, y: lax.cond(p, lambda a, b: (a, b), lambda a, b: (b, a), x, y),
            (np.bool_(False), normal(4), normal(4)),
        ),
        ("switch", lambda i, x: lax.switch(i, BRANCHES, x), (np.int32(2), normal(5))),
        (
            "switch_out_of_range",
            lambda x: (
                lax.switch(np.int32(-4) + x[0].astype(int) * 0, BRANCHES, x),
                lax.switch(jnp.int32(9) + x[0].astype(int) * 0, BRANCHES, x),
            ),
            (normal(5),),
        ),
        ("switch_vmap", switch_vmap, (integers(6, high=4), normal(6, 3))),
        (
            "associative_scan",
            lambda x: (
                lax.associative_scan(jnp.add, x),
                lax.associative_scan(jnp.maximum, x, reverse=True),
                lax.associative_scan(lambda a, b: a @ b, x[:, None, :1] * jnp.eye(2)),
            ),
            (normal(13, 3),),
        ),
        ("map", lambda x: (lax.map(lambda v: jnp.sort(v) * 2, x), lax.map(jnp.sum, x, batch_size=2)), (normal(5, 6),)),
        ("custom_vjp", jax.grad(lambda x: clipped(jnp.sin(x)).sum()), (normal(7),)),
        ("custom_jvp", jax.vmap(jax.grad(log1pexp)), (normal(7),)),
        (
            "checkpoint",
            jax.grad(lambda x: jax.checkpoint(lambda v: jnp.sin(jnp.sin(jnp.exp(v))))(x).sum()),
            (normal(6),),
        ),
        ("jacobians", lambda x: (jax.jacfwd(jnp.tanh)(x), jax.jacrev(lambda v: v[:, None] * v)(x)), (normal(4),)),
        ("linearize", lambda x, t: jax.linearize(lambda v: jnp.sin(v) @ v, x)[1](t), (normal(4), normal(4))),
        ("game_of_life", game_of_life, (integers(9, 11, high=2, dtype=np.int8),)),
        ("runge_kutta", runge_kutta, (normal(2),)),
        ("power_iteration", power_iteration, (positive(6, 6),)),
        (
            "collatz",
            lambda n: lax.while_loop(
                lambda s: s[0] != 1, lambda s: (jnp.where(s[0] % 2 == 0, s[0] // 2, 3 * s[0] + 1), s[1] + 1), (n, 0)
            ),
            (np.int32(27),),
        ),
        ("bool_carry", lambda m: lax.scan(lambda c, v: (c ^ v, c & v), np.bool_(False), m), (booleans(12),)),
        (
            "complex_carry",
            lambda z: lax.fori_loop(0, 5, lambda i, s: s * s * 0.3 + z, z),
            (normal(6, dtype=np.complex64),),
        ),
        (
            "half_carry",
            lambda z: lax.scan(lambda c, v: (c + v, c), np.float16(0), z),
            (normal(6, dtype=np.float16),),
            1e-2,
        ),
        (
            "custom_root",
            lambda a: lax.custom_root(
                lambda x: x**3 - a,
                a,
                lambda f, x: lax.fori_loop(0, 20, lambda i, y: y - f(y) / (3 * y * y + 1e-3), x),
                lambda g, y: y / g(1.0),
            ),
            (np.float32(5),),
        ),
        (
            "conjugate_gradient",
            lambda a, b: jax.scipy.sparse.linalg.cg(lambda v: a @ (a.T @ v) + 3 * v, b, maxiter=20)[0],
            (normal(6, 6), normal(6)),
            1e-3,
        ),
        (
            "minimize",
            lambda x: (
                jax.scipy.optimize.minimize(
                    lambda v: ((v - 1) ** 2).sum() + (v[0] * v[1]) ** 2, x, method="BFGS", options={"maxiter": 3}
                ).x
            ),
            (normal(3),),
            1e-3,
        ),
        (
            "odeint",
            lambda y: jax.experimental.ode.odeint(lambda v, t: -v, y, jnp.linspace(0.0, 1.0, 4)),
            (normal(3),),
            1e-3,
        ),
    ]
]
