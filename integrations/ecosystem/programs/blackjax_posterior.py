"""BlackJAX: NUTS with window adaptation on a distribution whose moments are known (a banana made of two normal variables)."""

import blackjax
import jax
import jax.numpy as jnp

TOLERANCES = {"first": (0.0, 0.2), "second": (0.0, 0.2), "widths": (0.15, 0.0), "acceptance": (0.0, 0.05)}
"""Chains part ways after a rounding: they are compared by their moments, in standard deviations."""


def log_density(position):
    """x is N(0, 2), and y is N(x^2/4, 1)."""
    x, y = position["x"], position["y"]
    return -(x**2) / 8 - (y - x**2 / 4) ** 2 / 2


def make():
    @jax.jit
    def sample(key):
        warm_key, key = jax.random.split(key)
        warmup = blackjax.window_adaptation(blackjax.nuts, log_density)
        (state, parameters), _ = warmup.run(warm_key, {"x": jnp.float32(1), "y": jnp.float32(1)}, 400)
        kernel = blackjax.nuts(log_density, **parameters).step

        def step(state, key):
            state, info = kernel(key, state)
            return state, (state.position, info.acceptance_rate)

        return jax.lax.scan(step, state, jax.random.split(key, 4000))[1]

    def run():
        drawn, acceptance = sample(jax.random.key(5))
        first, second = drawn["x"] / 2, drawn["y"] - drawn["x"] ** 2 / 4
        return {
            "first": first.mean(),
            "second": second.mean(),
            "widths": jnp.stack([first.std(), second.std()]),
            "acceptance": acceptance.mean(),
        }

    return run
