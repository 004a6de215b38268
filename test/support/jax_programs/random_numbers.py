"""jax.random: distributions, with threefry and with rbg."""

import jax
import jax.numpy as jnp
import numpy as np

from .arrays import KEY, normal, positive

R = jax.random
DISTRIBUTIONS = {
    "bits": lambda k: (R.bits(k, (7,)), R.bits(k, (3, 5), "uint8"), R.bits(k, (5,), "uint16")),
    "uniform": lambda k: (
        R.uniform(k, (11, 3)),
        R.uniform(k, (), minval=2, maxval=3),
        R.uniform(k, (4,), jnp.float16).astype(jnp.float32),
    ),
    "normal": lambda k: (R.normal(k, (100,)), R.normal(k, (5,), jnp.complex64)),
    "randint": lambda k: (R.randint(k, (30,), -5, 90), R.randint(k, (9,), 0, 200, jnp.uint8)),
    "bernoulli": lambda k: R.bernoulli(k, 0.3, (20,)),
    "truncated_normal": lambda k: R.truncated_normal(k, -1.0, 2.0, (30,)),
    "exponential": lambda k: (R.exponential(k, (20,)), R.laplace(k, (20,)), R.logistic(k, (20,)), R.cauchy(k, (9,))),
    "gumbel": lambda k: (
        R.gumbel(k, (20,)),
        R.rayleigh(k, 1.0, (9,)),
        R.maxwell(k, (9,)),
        R.pareto(k, 2.0, (9,)),
        R.weibull_min(k, 1.0, 2.0, (5,)),
    ),
    "categorical": lambda k: (
        R.categorical(k, jnp.arange(12.0).reshape(3, 4)),
        R.categorical(k, jnp.zeros((4, 5)), axis=0),
    ),
    "choice": lambda k: (
        R.choice(k, 10, (5,)),
        R.choice(k, 10, (5,), replace=False),
        R.choice(k, 4, (7,), p=jnp.array([0.1, 0.2, 0.3, 0.4])),
    ),
    "permutation": lambda k: (
        R.permutation(k, 17),
        R.permutation(k, jnp.arange(12).reshape(4, 3), axis=1, independent=True),
    ),
    "gamma": lambda k: R.gamma(k, jnp.array([0.4, 1.0, 3.0, 11.0]), (3, 4)),
    "beta": lambda k: R.beta(k, 2.0, 3.0, (6,)),
    "dirichlet": lambda k: R.dirichlet(k, jnp.ones(4) * 2, (3,)),
    "poisson": lambda k: R.poisson(k, jnp.array([0.5, 3.0, 40.0]), (4, 3)),
    "binomial": lambda k: R.binomial(k, 20.0, 0.3, (6,)),
    "geometric": lambda k: R.geometric(k, 0.3, (9,)),
    "t_chisquare_f": lambda k: (R.t(k, 4.0, (5,)), R.chisquare(k, 3.0, (5,))),
    "multivariate": lambda k: R.multivariate_normal(k, jnp.zeros(3), jnp.eye(3) * 2, (4,)),
    "ball_orthogonal": lambda k: (R.ball(k, 3, shape=(4,)), jnp.abs(R.orthogonal(k, 4)), R.rademacher(k, (9,))),
    "split_fold": lambda k: (
        R.key_data(R.split(k, 3)),
        R.key_data(R.fold_in(k, 7)),
        jax.vmap(lambda q: R.normal(q, (2,)))(R.split(k, 4)),
    ),
    "loggamma_gradient": lambda k: jax.grad(lambda a: R.gamma(k, a, (3,)).sum())(2.0),
}
RBG = ("bits", "uniform", "normal", "randint", "categorical", "permutation", "split_fold", "truncated_normal")
RBG_KEY = np.array([1, 2, 3, 4], np.uint32)


def keyed(draw, implementation):
    return lambda data: draw(R.wrap_key_data(data, impl=implementation))


PROGRAMS = [
    *((name, keyed(draw, "threefry2x32"), (KEY,), 1e-4) for name, draw in DISTRIBUTIONS.items()),
    *((f"rbg_{name}", keyed(DISTRIBUTIONS[name], "rbg"), (RBG_KEY,), 1e-4) for name in RBG),
    ("dropout", lambda d, x: jnp.where(R.bernoulli(R.wrap_key_data(d), 0.9, x.shape), x / 0.9, 0), (KEY, normal(5, 7))),
    (
        "monte_carlo",
        lambda d, p: jax.lax.fori_loop(
            0, 4, lambda i, s: s + R.normal(R.fold_in(R.wrap_key_data(d), i), (9,)) * p, jnp.zeros(9)
        ),
        (KEY, positive(9)),
        1e-4,
    ),
]
