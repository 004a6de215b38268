"""Models that train, as ordinary JAX programs: an MLP and a transformer of flax, an LSTM of equinox, with optax.

JAX_PLATFORMS=hlo python examples/jax_training.py [STEPS]       prints the loss of each step"""

import sys

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from flax import linen as nn


class Mlp(nn.Module):
    @nn.compact
    def __call__(self, images):
        x = nn.relu(nn.Dense(128)(images.reshape(len(images), -1)))
        return nn.Dense(10)(x)


class Transformer(nn.Module):
    """Predicts the next of 16 letters."""

    @nn.compact
    def __call__(self, letters):
        x = nn.Embed(16, 32)(letters) + nn.Embed(letters.shape[1], 32)(jnp.arange(letters.shape[1]))
        mask = nn.make_causal_mask(letters)
        x = x + nn.MultiHeadDotProductAttention(4)(nn.LayerNorm()(x), mask=mask)
        x = x + nn.Dense(32)(nn.gelu(nn.Dense(64)(nn.LayerNorm()(x))))
        return nn.Dense(16)(nn.LayerNorm()(x))


class Lstm(eqx.Module):
    """Classifies sequences of pairs of numbers."""

    cell: eqx.nn.LSTMCell
    out: eqx.nn.Linear

    def __init__(self, key):
        keys = jax.random.split(key)
        self.cell, self.out = eqx.nn.LSTMCell(2, 24, key=keys[0]), eqx.nn.Linear(24, 2, key=keys[1])

    def __call__(self, sequence):
        start = (jnp.zeros(24), jnp.zeros(24))
        (hidden, _), _ = jax.lax.scan(lambda state, x: (self.cell(x, state), None), start, sequence)
        return self.out(hidden)


def train(loss_of, parameters, optimizer, steps):
    """The losses of all steps. The memory of parameters and of the optimizer's state is used again."""

    def update(parameters, state):
        loss, gradient = jax.value_and_grad(loss_of)(parameters)
        changes, state = optimizer.update(gradient, state, parameters)
        return optax.apply_updates(parameters, changes), state, loss

    step = jax.jit(update, donate_argnums=(0, 1))
    state, losses = optimizer.init(parameters), []
    for _ in range(steps):
        parameters, state, loss = step(parameters, state)
        losses.append(float(loss))
    return losses


def cross_entropy(scores, labels):
    return optax.softmax_cross_entropy_with_integer_labels(scores, labels).mean()


def mlp(steps):
    """Images of the size of MNIST's, made from one pattern for each of ten digits."""
    key = jax.random.key(0)
    labels = jnp.arange(64) % 10
    patterns, noise = jax.random.normal(key, (10, 28, 28)), jax.random.normal(key, (64, 28, 28))
    images = patterns[labels] + 0.5 * noise
    model = Mlp()
    return train(
        lambda p: cross_entropy(model.apply(p, images), labels), model.init(key, images), optax.adam(1e-3), steps
    )


def transformer(steps):
    """Each letter follows from the one before."""
    letters = (jnp.arange(8)[:, None] + 3 * jnp.arange(13)) % 16
    model = Transformer()
    parameters = model.init(jax.random.key(1), letters[:, :-1])
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(3e-3))
    return train(lambda p: cross_entropy(model.apply(p, letters[:, :-1]), letters[:, 1:]), parameters, optimizer, steps)


def lstm(steps):
    """Whether the first number of a sequence is greater than the second."""
    sequences = jax.random.normal(jax.random.key(2), (32, 10, 2))
    labels = (sequences[:, 0, 0] > sequences[:, 0, 1]).astype(jnp.int32)
    parameters, rest = eqx.partition(Lstm(jax.random.key(3)), eqx.is_array)

    def loss(parameters):
        return cross_entropy(jax.vmap(eqx.combine(parameters, rest))(sequences), labels)

    return train(loss, parameters, optax.sgd(0.5, momentum=0.9), steps)


MODELS = {"mlp": mlp, "transformer": transformer, "lstm": lstm}


if __name__ == "__main__":
    steps = int(sys.argv[1]) if sys.argv[1:] else 30
    print(f"platform: {jax.default_backend()}")
    for name, run in MODELS.items():
        print(name, *(f"{loss:.5f}" for loss in run(steps)))
