"""Penzai: a perceptron over named axes, trained by penzai's own trainer and optax to tell exclusive or."""

import jax
import jax.numpy as jnp
import optax
from penzai import pz
from penzai.models import simple_mlp
from penzai.toolshed import basic_training

TOLERANCES = {"losses": (2e-3, 1e-5), "logits": (0.0, 2e-2)}

INPUTS = [[0, 0], [0, 1], [1, 0], [1, 1]]


def loss_function(model, rng, state):
    x = pz.nx.wrap(jnp.array(INPUTS, jnp.float32), "batch", "features")
    logits = model(x).unwrap("batch", "features")[:, 0]
    loss = optax.sigmoid_binary_cross_entropy(logits, jnp.array([0.0, 1.0, 1.0, 0.0])).mean()
    return loss, state, {"loss": loss}


def make():
    model = simple_mlp.MLP.from_config(jax.random.key(3), [2, 32, 32, 1])
    trainer = basic_training.StatefulTrainer.build(
        root_rng=jax.random.key(4), model=model, optimizer_def=optax.adam(1e-2), loss_fn=loss_function
    )
    x = pz.nx.wrap(jnp.array(INPUTS, jnp.float32), "batch", "features")

    def run():
        """Thirty more steps."""
        losses = [trainer.step()["loss"] for _ in range(30)]
        return {"losses": jnp.stack(losses), "logits": trainer.model(x).unwrap("batch", "features")}

    return run
