"""JAX: a gradient through a scan, sorting, FFT, Cholesky by LAPACK, random bits, a convolution in bf16, a callback, and
what a program costs."""

import jax
import jax.numpy as jnp
import numpy as np

TOLERANCES = {
    "gradient": (1e-4, 1e-5),
    "sorted": (0.0, 0.0),
    "spectrum": (0.0, 1e-4),
    "factor": (1e-4, 1e-5),
    "bits": (0.0, 0.0),
    "convolution": (0.02, 0.02),
    "called": (1e-6, 0.0),
    "has_costs": (0.0, 0.0),
}


def recurrence(weights, x):
    return jax.lax.scan(lambda state, row: (jnp.tanh(state @ weights + row), state.sum()), x[0], x)[1].mean()


def make():
    random = np.random.default_rng(0)
    weights, x = (random.standard_normal(shape).astype(np.float32) for shape in ((8, 8), (20, 8)))
    images, kernel = (random.standard_normal(shape).astype(jnp.bfloat16) for shape in ((2, 3, 9, 9), (4, 3, 3, 3)))
    gradient = jax.jit(jax.grad(recurrence))

    @jax.jit
    def parts(weights, x, images, kernel):
        return {
            "sorted": jnp.sort(x, axis=0),
            "spectrum": jnp.abs(jnp.fft.rfft(x, axis=0)),
            "factor": jnp.linalg.cholesky(weights @ weights.T + jnp.eye(8)),
            "bits": jax.random.bits(jax.random.key(7), (16,)),
            "convolution": jax.lax.conv(images, kernel, (1, 1), "SAME").astype(jnp.float32),
            "called": jax.pure_callback(np.cumsum, jax.ShapeDtypeStruct((160,), np.float32), x.ravel()),
        }

    costs = gradient.lower(weights, x).compile().cost_analysis()
    costs = costs[0] if isinstance(costs, list) else costs

    def run():
        found = {**parts(weights, x, images, kernel), "gradient": gradient(weights, x)}
        return {**found, "has_costs": costs["flops"] > 0 and costs["bytes accessed"] > 0}

    return run
