"""Haiku: an LSTM over sequences, trained by optax to tell their running sums."""

import haiku as hk
import jax
import jax.numpy as jnp
import optax

TOLERANCES = {"losses": (1e-3, 0.0), "kernel": (0.0, 1e-3)}


def network(x):
    hidden, _ = hk.dynamic_unroll(hk.LSTM(32), x, hk.LSTM(32).initial_state(x.shape[1]))
    return hk.BatchApply(hk.Linear(1))(hk.LayerNorm(-1, True, True)(hidden))[..., 0]


def make():
    model = hk.without_apply_rng(hk.transform(network))
    x = jax.random.normal(jax.random.key(0), (20, 16, 3))
    wanted = jnp.tanh(jnp.cumsum(x.sum(-1), 0) / 4)
    at_start = model.init(jax.random.key(1), x)
    optimiser = optax.adam(3e-3)

    @jax.jit
    def step(parameters, state):
        loss, gradients = jax.value_and_grad(lambda p: jnp.mean((model.apply(p, x) - wanted) ** 2))(parameters)
        updates, state = optimiser.update(gradients, state)
        return optax.apply_updates(parameters, updates), state, loss

    def run():
        parameters, state, losses = at_start, optimiser.init(at_start), []
        for _ in range(30):
            parameters, state, loss = step(parameters, state)
            losses.append(loss)
        return {"losses": jnp.stack(losses), "kernel": parameters["linear"]["w"]}

    return run
