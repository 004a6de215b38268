"""NumPyro: NUTS on a linear regression with unknown noise; the posterior of the weights compared with least squares."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS

TOLERANCES = {"means": (0.0, 0.2), "widths": (0.15, 0.0), "noise": (0.02, 0.0)}
"""Chains part ways after a rounding: means, in standard deviations of the posterior, have an error of about 1/sqrt(1000) in each."""


def model(x, y):
    weights = numpyro.sample("weights", dist.Normal(0, 10).expand([x.shape[1]]).to_event(1))
    noise = numpyro.sample("noise", dist.HalfNormal(2))
    with numpyro.plate("data", len(y)):
        numpyro.sample("y", dist.Normal(x @ weights, noise), obs=y)


def make():
    random = np.random.default_rng(0)
    x = random.standard_normal((200, 4)).astype(np.float32)
    y = (x @ np.array([1.0, -2.0, 0.5, 3.0]) + 0.5 * random.standard_normal(200)).astype(np.float32)
    exact = np.linalg.lstsq(x, y, rcond=None)[0]
    width = np.sqrt(np.diag(np.linalg.inv(x.T @ x))) * 0.5
    mcmc = MCMC(NUTS(model), num_warmup=300, num_samples=1000, progress_bar=False, jit_model_args=True)

    def run():
        mcmc.run(jax.random.key(3), jnp.asarray(x), jnp.asarray(y))
        draws = mcmc.get_samples()
        weights = np.asarray(draws["weights"])
        return {
            "means": (weights.mean(0) - exact) / width,
            "widths": weights.std(0) / width,
            "noise": np.asarray(draws["noise"]).mean(),
        }

    return run
