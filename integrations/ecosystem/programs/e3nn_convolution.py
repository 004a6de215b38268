"""e3nn: an equivariant convolution over points in space, its forces, and that both rotate with the points."""

import e3nn_jax as e3nn
import jax
import jax.numpy as jnp

TOLERANCES = {"energy": (1e-4, 1e-5), "forces": (0.0, 2e-4), "turned": (0.0, 2e-4), "vectors": (0.0, 2e-4)}


def make():
    points = jax.random.normal(jax.random.key(0), (12, 3))
    first, second = (n.ravel() for n in jnp.meshgrid(jnp.arange(12), jnp.arange(12)))
    first, second = first[first != second], second[first != second]
    scalars = e3nn.normal("4x0e + 2x1o", jax.random.key(1), (12,))
    keys = jax.random.split(jax.random.key(2), 3)
    harmonics = e3nn.Irreps("0e + 1o + 2e")
    product = e3nn.tensor_product(scalars[:1], e3nn.normal(harmonics, keys[0], (1,))).irreps
    linear = e3nn.FunctionalLinear(product, e3nn.Irreps("8x0e + 4x1o + 2x2e"))
    weights = [
        0.3 * jax.random.normal(k, w.shape) for k, w in zip(jax.random.split(keys[1], 99), linear_shapes(linear))
    ]

    def layer(points, features):
        edges = e3nn.IrrepsArray("1o", points[second] - points[first])
        length = jnp.linalg.norm(edges.array, axis=-1, keepdims=True)
        messages = e3nn.tensor_product(features[first], e3nn.spherical_harmonics(harmonics, edges, True))
        messages = messages * e3nn.soft_envelope(length, 4.0)
        gathered = e3nn.scatter_sum(messages, dst=second, output_size=12)
        mixed = jax.vmap(lambda m: linear(weights, m))(gathered)
        return e3nn.norm_activation(mixed, [jnp.tanh] * len(mixed.irreps))

    def energy(points, features):
        return jnp.sum(e3nn.norm(layer(points, features), squared=True).array)

    @jax.jit
    def outcome(points, features):
        value, slope = jax.value_and_grad(energy)(points, features)
        return value, -slope, layer(points, features).filter("1o").array

    rotation = e3nn.angles_to_matrix(0.3, 1.1, -0.7)

    def run():
        value, forces, vectors = outcome(points, scalars)
        _, rotated, _ = outcome(points @ rotation.T, scalars.transform_by_matrix(rotation))
        return {"energy": value, "forces": forces, "turned": rotated @ rotation - forces, "vectors": vectors}

    return run


def linear_shapes(linear):
    """One array of weights for each pair of equal representations."""
    return [jnp.zeros(i.path_shape) for i in linear.instructions]
