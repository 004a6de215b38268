"""Equinox: a block of attention and a perceptron, trained by optax to reverse sequences."""

import equinox as eqx
import jax
import jax.numpy as jnp
import optax

TOLERANCES = {"losses": (1e-3, 0.0), "logits": (0.0, 1e-2)}


class Block(eqx.Module):
    embedding: eqx.nn.Embedding
    positions: jax.Array
    attention: eqx.nn.MultiheadAttention
    norm: eqx.nn.LayerNorm
    perceptron: eqx.nn.MLP

    def __init__(self, symbols, length, width, key):
        keys = jax.random.split(key, 4)
        self.embedding = eqx.nn.Embedding(symbols, width, key=keys[0])
        self.positions = 0.1 * jax.random.normal(keys[1], (length, width))
        self.attention = eqx.nn.MultiheadAttention(4, width, key=keys[2])
        self.norm = eqx.nn.LayerNorm(width)
        self.perceptron = eqx.nn.MLP(width, symbols, 64, 1, jax.nn.gelu, key=keys[3])

    def __call__(self, tokens):
        x = jax.vmap(self.embedding)(tokens) + self.positions
        x = jax.vmap(self.norm)(x + self.attention(x, x, x))
        return jax.vmap(self.perceptron)(x)


def make():
    tokens = jax.random.randint(jax.random.key(0), (32, 12), 0, 10)
    at_start = Block(10, 12, 32, jax.random.key(1))
    optimiser = optax.adamw(3e-3)

    @eqx.filter_value_and_grad
    def cost(model):
        logits = jax.vmap(model)(tokens)
        return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, ::-1]).mean()

    @eqx.filter_jit
    def step(model, state):
        loss, gradients = cost(model)
        updates, state = optimiser.update(gradients, state, eqx.filter(model, eqx.is_array))
        return eqx.apply_updates(model, updates), state, loss

    def run():
        model, state, losses = at_start, optimiser.init(eqx.filter(at_start, eqx.is_array)), []
        for _ in range(30):
            model, state, loss = step(model, state)
            losses.append(loss)
        return {"losses": jnp.stack(losses), "logits": model(tokens[0])}

    return run
