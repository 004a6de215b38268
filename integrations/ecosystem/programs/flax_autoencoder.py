"""Flax (nnx): a variational autoencoder with dropout and normalisation, trained by optax."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx

TOLERANCES = {"losses": (1e-3, 0.0), "codes": (0.0, 2e-3)}


class Autoencoder(nnx.Module):
    def __init__(self, rngs):
        self.encoder = nnx.Linear(
            64, 32, use_bias=False, rngs=rngs
        )  # its gradient would be rounding, which Adam scales up
        self.norm = nnx.BatchNorm(32, rngs=rngs)
        self.codes = nnx.Linear(32, 2 * 8, rngs=rngs)
        self.drop = nnx.Dropout(0.1, rngs=rngs)
        self.decoder = nnx.Sequential(nnx.Linear(8, 32, rngs=rngs), nnx.gelu, nnx.Linear(32, 64, rngs=rngs))
        self.rngs = rngs

    def encode(self, x):
        return jnp.split(self.codes(self.drop(nnx.silu(self.norm(self.encoder(x))))), 2, -1)

    def __call__(self, x):
        mean, spread = self.encode(x)
        code = mean + jnp.exp(spread / 2) * jax.random.normal(self.rngs.noise(), mean.shape)
        divergence = 0.5 * jnp.sum(jnp.exp(spread) + mean**2 - 1 - spread, -1)
        return self.decoder(code), divergence


def make():
    x = jnp.sin(jnp.linspace(0, 6, 64) * jax.random.uniform(jax.random.key(0), (48, 1), minval=0.5, maxval=2))

    adam = optax.adam(3e-3)

    @nnx.jit
    def step(model, optimiser):
        def cost(model):
            found, divergence = model(x)
            return jnp.mean(jnp.sum((found - x) ** 2, -1) + 0.1 * divergence)

        loss, gradients = nnx.value_and_grad(cost)(model)
        optimiser.update(model, gradients)
        return loss

    def run():
        model = Autoencoder(nnx.Rngs(0, noise=1, dropout=2))
        optimiser = nnx.Optimizer(model, adam, wrt=nnx.Param)
        losses = [step(model, optimiser) for _ in range(30)]
        model.eval()
        return {"losses": jnp.stack(losses), "codes": model.encode(x)[0]}

    return run
