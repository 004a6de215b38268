"""Programs that no part of the compiler was written for: JAX lowers them, hlo.compile runs them, JAX's own results are
the expected ones."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import hlo

RANDOM = np.random.default_rng(11)
QUICKLY = {"xla_backend_optimization_level": 0}
"""JAX runs each program once: what its optimisations would save is less than they take."""


def f32(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def i32(*shape, high=10):
    return RANDOM.integers(0, high, shape).astype(np.int32)


def flax_mlp():
    from flax import linen as nn

    class Network(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.LayerNorm()(nn.relu(nn.Dense(40)(x)))
            return nn.Dense(7)(nn.silu(nn.Dense(24)(x)))

    x = f32(5, 12)
    network = Network()
    parameters = network.init(jax.random.key(0), x)
    return network.apply, (parameters, x)


def flax_cnn_batch_norm():
    from flax import linen as nn

    class Network(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.Conv(8, (3, 3), strides=(2, 2))(x)
            x = nn.BatchNorm(use_running_average=True)(x)
            x = nn.avg_pool(nn.gelu(x), (2, 2), strides=(2, 2))
            x = nn.Conv(16, (3, 3), feature_group_count=4)(x)
            return nn.GroupNorm(4)(x).mean((1, 2))

    x = f32(2, 17, 19, 3)
    network = Network()
    return network.apply, (network.init(jax.random.key(1), x), x)


def flax_attention_gradient():
    from flax import linen as nn

    layer = nn.MultiHeadDotProductAttention(num_heads=2, qkv_features=16)
    x = f32(2, 6, 16)
    parameters = layer.init(jax.random.key(2), x)
    return jax.grad(lambda p, x: jnp.sum(layer.apply(p, x) ** 2)), (parameters, x)


def gru_scan():
    def cell(h, x):
        z = jax.nn.sigmoid(x @ W[:, :6] + h @ U[:, :6])
        n = jnp.tanh(x @ W[:, 6:] + (z * h) @ U[:, 6:])
        h = (1 - z) * n + z * h
        return h, h

    W, U = f32(4, 12), f32(6, 12)
    return lambda xs: lax.scan(cell, jnp.zeros((3, 6)), xs, reverse=True), (f32(9, 3, 4),)


def vmapped_solver():
    def newton(a):
        return lax.fori_loop(0, 12, lambda _, x: 0.5 * (x + a / x), jnp.float32(1.0))

    return jax.vmap(newton), (np.abs(f32(33)) + 0.1,)


def hessian():
    return jax.hessian(lambda x: jnp.sum(jnp.sin(x) * jnp.exp(-(x**2)) + jnp.prod(x))), (f32(5),)


def switch_and_cond():
    def run(i, x):
        y = lax.switch(i, [lambda v: v + 1, lambda v: v * 2, jnp.tanh], x)
        return lax.cond(x[0] > 0, lambda v: v @ v.T, lambda v: -(v @ v.T), y[:, None])

    return run, (np.int32(2), f32(6))


def gather_scatter():
    def run(x, i, u):
        y = x[i]
        z = x.at[i].add(u).at[::2, 1].mul(3.0).at[i[:2], 2].set(u[:2, 0])
        return y, z, jnp.take_along_axis(x, i[None, :5] % 8, axis=0), jax.ops.segment_sum(u, i, num_segments=8)

    return run, (f32(8, 5), i32(6, high=8), f32(6, 5))


def convolution_kinds():
    def run(x, w):
        a = lax.conv_general_dilated(x, w, (2, 1), ((1, 2), (0, 3)), rhs_dilation=(2, 1))
        b = lax.conv_transpose(x, w[:4], (2, 2), "SAME", dimension_numbers=("NCHW", "IOHW", "NCHW"))
        c = lax.conv_general_dilated(x, w[:4, :1], (1, 1), "VALID", feature_group_count=4)
        return a, b, c

    return run, (f32(2, 4, 11, 9), f32(6, 4, 3, 2))


def cumulative():
    def run(x):
        return jnp.cumsum(x, 0), jnp.cumprod(x, 1), lax.cummax(x, 1), lax.cumlogsumexp(x, 0, reverse=True)

    return run, (f32(7, 9),)


def sorting():
    def run(x, k):
        values, indices = lax.top_k(x, 3)
        return values, indices, jnp.argsort(x, axis=0), jnp.sort(k)[::-1], jnp.unique(k, size=6), jnp.median(x)

    return run, (f32(6, 10), i32(20))


def elementwise_zoo():
    def run(x, y):
        pairs = (jnp.arctan2, jnp.power, jnp.fmod, jnp.hypot, jnp.logaddexp)
        singles = (jnp.sin, jnp.cos, jnp.tan, jnp.sinh, jnp.cosh, jnp.tanh, jnp.exp, jnp.expm1, jnp.log1p, jnp.cbrt)
        more = (jax.scipy.special.erf, jax.scipy.special.gammaln, jax.scipy.special.digamma, jnp.arcsinh, jnp.arctan)
        return [f(jnp.abs(x), y) for f in pairs] + [f(jnp.abs(x)) for f in singles + more] + [jnp.sign(x), jnp.round(x)]

    return run, (f32(50), f32(50))


def integers():
    def run(a, b):
        unsigned = a.astype(jnp.uint8)
        return a // b, a % b, a << (b & 3), a >> 1, a ^ b, ~a, unsigned * 17, lax.population_count(a), lax.clz(a), -a

    return run, (i32(40, high=1000) - 500, i32(40, high=9) + 1)


def half_precision():
    def run(x, y):
        return (x.astype(jnp.bfloat16) * 3 + 1).astype(jnp.float32), x.astype(jnp.float16) @ y.astype(jnp.float16)

    return run, (f32(6, 8), f32(8, 3))


def complex_numbers():
    def run(x, y):
        z = x + 1j * y
        return jnp.abs(z), jnp.exp(z), z * z.conj(), z / (z + 2), jnp.sqrt(z), (z[:, None] @ z[None, :]).real

    return run, (f32(9), f32(9))


def random_draws():
    def run(key):
        a, b, c = jax.random.split(jax.random.wrap_key_data(key), 3)
        return (
            jax.random.normal(a, (11, 3)),
            jax.random.bernoulli(b, 0.3, (20,)),
            jax.random.categorical(c, jnp.zeros((4, 5))),
        )

    return run, (np.array([1, 2], np.uint32),)


def norms_and_losses():
    def loss(w, x, y):
        h = jax.nn.softmax(x @ w) + 0.1 * jax.nn.log_softmax(x @ w)
        return jnp.mean(optax_like_huber(h, y)) + jnp.linalg.norm(w) + jnp.var(x) + jnp.max(h)

    def optax_like_huber(a, b):
        d = jnp.abs(a - b)
        return jnp.where(d < 1, 0.5 * d**2, d - 0.5)

    return jax.value_and_grad(loss, argnums=(0, 1)), (f32(12, 5), f32(7, 12), f32(7, 5))


def shapes():
    def run(x):
        y = jnp.pad(x, ((1, 2), (0, 3)), mode="reflect")
        z = jnp.roll(jnp.flip(x, 1), 2, axis=0)
        return (
            y,
            z,
            jnp.concatenate([x, z], 1).reshape(3, -1),
            jnp.tile(x, (2, 1)),
            jnp.kron(x[:2, :2], x[:2]),
            x[1::2, ::-2],
        )

    return run, (f32(6, 5),)


def empty_and_scalar():
    def run(x, s):
        return x[:0].sum(0), jnp.zeros((0, 3)) @ jnp.ones((3, 2)), s + 1, jnp.max(x[:0], initial=-1.0), x[2:2] * 2

    return run, (f32(4, 3), np.float32(2))


def windows():
    def run(x):
        pooled = lax.reduce_window(x, 0.0, lax.add, (1, 3, 2), (1, 2, 1), ((0, 0), (1, 1), (0, 1)))
        return pooled, jax.grad(
            lambda v: jnp.sum(lax.reduce_window(v, -jnp.inf, lax.max, (1, 2, 2), (1, 2, 2), "SAME") ** 2)
        )(x)

    return run, (f32(3, 9, 8),)


PROGRAMS = [
    flax_mlp,
    flax_cnn_batch_norm,
    flax_attention_gradient,
    gru_scan,
    vmapped_solver,
    hessian,
    switch_and_cond,
    gather_scatter,
    convolution_kinds,
    cumulative,
    sorting,
    elementwise_zoo,
    integers,
    half_precision,
    complex_numbers,
    random_draws,
    norms_and_losses,
    shapes,
    empty_and_scalar,
    windows,
]


TOLERANCE = {"half_precision": 1e-2}
"""XLA keeps a chain of bf16 ops in f32; every op here rounds, as the specification says. 2e-5 for the others."""


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_program(program):
    function, arguments = program()
    lowered = jax.jit(function, keep_unused=True).lower(*arguments)
    expected = [np.asarray(r) for r in jax.tree.leaves(jax.jit(function, compiler_options=QUICKLY)(*arguments))]
    found = hlo.compile(lowered.as_text())(*(np.asarray(a) for a in jax.tree.leaves(arguments)))
    tolerance = TOLERANCE.get(program.__name__, 2e-5)
    floats = [np.abs(r[np.isfinite(r)]).max(initial=0) for r in expected if r.dtype.kind not in "iub"]
    largest = max(floats, default=1.0)  # gradients that are zero up to rounding have no scale of their own
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected):
        assert ours.dtype == theirs.dtype
        assert ours.shape == theirs.shape
        if theirs.dtype.kind in "iub":
            np.testing.assert_array_equal(ours, theirs)
        else:
            np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance * float(largest))
