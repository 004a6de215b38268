"""Optimistix: a fit by Levenberg and Marquardt, a root by Newton, a fixed point, and a minimum by BFGS, all in f64."""

import jax
import jax.numpy as jnp
import optimistix as optx

TOLERANCES = {
    "fit": (1e-6, 0.0),
    "root": (1e-8, 0.0),
    "fixed": (1e-7, 0.0),
    "minimum": (1e-4, 0.0),
    "gradient": (1e-5, 0.0),
}
"""About the solvers' own."""


def residuals(parameters, data):
    x, y = data
    height, rate, rest = parameters
    return height * jnp.exp(-rate * x) + rest - y


def equations(z, scale):
    x, y = z
    return jnp.stack([jnp.exp(x) - scale * y, jnp.tanh(y) + x**2 - 1])


def valley(z, _):
    return jnp.sum(100 * (z[1:] - z[:-1] ** 2) ** 2 + (1 - z[:-1]) ** 2)


def make():
    jax.config.update("jax_enable_x64", True)
    x = jnp.linspace(0, 4, 60)
    y = 3 * jnp.exp(-1.3 * x) + 0.5 + 0.01 * jax.random.normal(jax.random.key(0), x.shape)

    @jax.jit
    def solve(scale):
        fit = optx.least_squares(residuals, optx.LevenbergMarquardt(1e-8, 1e-8), jnp.ones(3), (x, y)).value
        newton = optx.Newton(1e-10, 1e-10)
        root = optx.root_find(equations, newton, jnp.array([0.3, 0.7]), scale).value
        fixed = optx.fixed_point(lambda v, _: jnp.cos(v), optx.FixedPointIteration(1e-10, 1e-10), jnp.ones(4)).value
        minimum = optx.minimise(valley, optx.BFGS(1e-9, 1e-9), jnp.zeros(4), max_steps=1000).value
        return {"fit": fit, "root": root, "fixed": fixed, "minimum": minimum}

    implicit = jax.jit(jax.jacobian(lambda scale: solve(scale)["root"]))
    return lambda: {**solve(jnp.array(2.0)), "gradient": implicit(jnp.array(2.0))}
