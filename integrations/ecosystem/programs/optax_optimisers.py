"""Optax: seven optimisers with schedules and clipping on one problem, and L-BFGS with a line search."""

import jax
import jax.numpy as jnp
import optax

TOLERANCES = {"ends": (1e-4, 1e-5), "minimum": (1e-3, 0.0)}

OPTIMISERS = {
    "sgd": optax.sgd(optax.cosine_decay_schedule(1e-2, 50), momentum=0.9, nesterov=True),
    "adam": optax.adam(optax.warmup_cosine_decay_schedule(0.0, 3e-2, 10, 50)),
    "adamw": optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-2)),
    "lion": optax.lion(3e-3),
    "lamb": optax.lamb(1e-2),
    "adafactor": optax.adafactor(1e-2),
    "rmsprop": optax.rmsprop(optax.exponential_decay(1e-2, 10, 0.9), centered=True),
}


def make():
    matrix = jax.random.normal(jax.random.key(0), (24, 24)) / 5
    start = {"w": jax.random.normal(jax.random.key(1), (24, 24)), "b": jnp.zeros(24)}

    def cost(p):
        return jnp.mean((jnp.tanh(matrix @ p["w"] + p["b"]) - matrix.T) ** 2)

    @jax.jit
    def ends():
        def end(optimiser):
            def step(carry, _):
                p, state = carry
                value, gradient = jax.value_and_grad(cost)(p)
                updates, state = optimiser.update(gradient, state, p)
                return (optax.apply_updates(p, updates), state), value

            return jax.lax.scan(step, (start, optimiser.init(start)), length=50)[1]

        return jnp.stack([end(o) for o in OPTIMISERS.values()])

    def valley(z):
        return jnp.sum(100 * (z[1:] - z[:-1] ** 2) ** 2 + (1 - z[:-1]) ** 2)

    @jax.jit
    def minimum():
        optimiser = optax.lbfgs()
        with_gradient = optax.value_and_grad_from_state(valley)

        def step(carry, _):
            z, state = carry
            value, gradient = with_gradient(z, state=state)
            updates, state = optimiser.update(gradient, state, z, value=value, grad=gradient, value_fn=valley)
            return (optax.apply_updates(z, updates), state), value

        z = jnp.zeros(4)
        return jax.lax.scan(step, (z, optimiser.init(z)), length=60)[0][0]

    return lambda: {"ends": ends(), "minimum": minimum()}
