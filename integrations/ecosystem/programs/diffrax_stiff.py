"""Diffrax: Robertson's stiff reaction by Kvaerno5 with adaptive steps in f64, and the gradient of its end in the rates."""

import diffrax
import jax
import jax.numpy as jnp

TOLERANCES = {"concentrations": (1e-6, 1e-12), "gradient": (1e-5, 1e-12), "steps": (0.02, 1.0)}
"""The solver's own are 1e-7; the number of steps may differ by a decision on a rounding."""


def reaction(t, y, rates):
    a, b, c = rates
    first, second, third = a * y[0], b * y[1] ** 2, c * y[1] * y[2]
    return jnp.stack([third - first, first - second - third, second])


def make():
    jax.config.update("jax_enable_x64", True)
    times = jnp.logspace(-3, 3, 7)

    def solve(rates):
        solution = diffrax.diffeqsolve(
            diffrax.ODETerm(reaction),
            diffrax.Kvaerno5(),
            t0=0.0,
            t1=1e3,
            dt0=1e-4,
            y0=jnp.array([1.0, 0.0, 0.0]),
            args=rates,
            saveat=diffrax.SaveAt(ts=times),
            stepsize_controller=diffrax.PIDController(rtol=1e-7, atol=1e-9),
            max_steps=4096,
        )
        return solution.ys[-1, 2], (solution.ys, solution.stats["num_accepted_steps"])

    with_gradient = jax.jit(jax.value_and_grad(solve, has_aux=True))

    def run():
        rates = jnp.array([0.04, 3e7, 1e4])
        (_, (concentrations, steps)), gradient = with_gradient(rates)
        return {"concentrations": concentrations, "steps": steps, "gradient": gradient * rates}

    return run
