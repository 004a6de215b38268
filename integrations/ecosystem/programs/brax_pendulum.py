"""Brax: an inverted double pendulum of its generalised physics, 10 steps of 8 environments under the same forces."""

import jax
import jax.numpy as jnp
from brax import envs

TOLERANCES = {"rewards": (1e-3, 1e-3), "observation": (0.0, 2e-2)}
"""In f32: a chain of bodies with contacts amplifies roundings from step to step."""


def make():
    environment = envs.get_environment("inverted_double_pendulum", backend="generalized")

    @jax.jit
    def roll(keys):
        state = jax.vmap(environment.reset)(keys)
        forces = 0.3 * jnp.sin(jnp.arange(10)[:, None, None] + jnp.arange(8)[:, None])

        def step(state, force):
            state = jax.vmap(environment.step)(state, jnp.broadcast_to(force, (8, environment.action_size)))
            return state, state.reward

        state, rewards = jax.lax.scan(step, state, forces)
        return rewards, state.obs

    def run():
        rewards, observation = roll(jax.random.split(jax.random.PRNGKey(0), 8))
        return {"rewards": rewards, "observation": observation}

    return run
