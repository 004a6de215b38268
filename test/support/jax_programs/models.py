"""flax.linen models, forward and backward, and training steps with optax."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn

from .arrays import KEY, integers, normal


class ResidualBlock(nn.Module):
    features: int = 8
    train: bool = True

    @nn.compact
    def __call__(self, x):
        norm = partial(nn.BatchNorm, use_running_average=not self.train, momentum=0.9)
        y = nn.relu(norm()(nn.Conv(self.features, (3, 3), strides=(2, 2), use_bias=False)(x)))
        y = norm(scale_init=nn.initializers.ones)(nn.Conv(self.features, (3, 3), use_bias=False)(y))
        return nn.relu(y + norm()(nn.Conv(self.features, (1, 1), strides=(2, 2), use_bias=False)(x)))


class EncoderLayer(nn.Module):
    deterministic: bool = True

    @nn.compact
    def __call__(self, x, mask):
        y = nn.MultiHeadDotProductAttention(2, dropout_rate=0.1, deterministic=self.deterministic)(
            nn.LayerNorm()(x), mask=mask
        )
        x = x + nn.Dropout(0.2, deterministic=self.deterministic)(y)
        return x + nn.Dense(12)(nn.gelu(nn.Dense(24)(nn.LayerNorm()(x))))


class Language(nn.Module):
    @nn.compact
    def __call__(self, tokens):
        x = nn.Embed(20, 12)(tokens) + self.param("places", nn.initializers.normal(), (tokens.shape[1], 12))
        x = EncoderLayer()(x, nn.make_causal_mask(tokens))
        return nn.Dense(20)(nn.RMSNorm()(x))


class Decoder(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.ConvTranspose(6, (3, 3), strides=(2, 2))(x)
        x = nn.GroupNorm(3)(nn.leaky_relu(x))
        x = nn.InstanceNorm()(nn.ConvTranspose(4, (2, 2), strides=(1, 1), padding="VALID")(x))
        return nn.max_pool(nn.Conv(3, (3, 3), kernel_dilation=2)(x), (2, 2), strides=(1, 1), padding="SAME")


class Mlp(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(3)(nn.tanh(nn.Dense(16)(nn.relu(nn.Dense(16)(x)))))


PARAMETERS = np.random.default_rng(11)
"""Of their own, so that they do not depend on which areas were imported before."""


def started(model, *arguments):
    """A model's variables of the shapes that it asks for: made by numpy, the same on every platform, where initialising
    them would compile hundreds of small programs."""
    keys = {"params": jax.random.key(0), "dropout": jax.random.key(1)}
    return jax.tree_util.tree_map_with_path(variable, jax.eval_shape(model.init, keys, *arguments))


def variable(path, leaf):
    """Sizes as initialisers choose them: matrices shrink with the inputs of a unit, scales and variances are near 1,
    other vectors near 0. Larger ones make a gradient that is zero (a bias in front of a normalisation) noise of the
    size of the others, which no tolerance fits."""
    values = PARAMETERS.standard_normal(leaf.shape)
    if leaf.ndim > 1:
        values = values / np.sqrt(np.prod(leaf.shape[:-1]))
    else:
        values = 0.1 * values + (path[-1].key in ("scale", "var"))
    return values.astype(leaf.dtype)


def model_rows(name, model, *arguments, mutable=False, rngs=None):
    """A model's result, and the gradient of the sum of its squares with respect to its parameters."""
    variables = started(model, *arguments)

    def apply(variables, *inputs):
        keys = {"dropout": jax.random.wrap_key_data(jnp.asarray(KEY))} if rngs else None
        return model.apply(variables, *inputs, mutable=mutable, rngs=keys)

    def loss(parameters, *inputs):
        out = apply({**variables, "params": parameters}, *inputs)
        return sum((leaf.astype(jnp.float32) ** 2).sum() for leaf in jax.tree.leaves(out))

    yield name, apply, (variables, *arguments)
    yield f"{name}_gradient", jax.grad(loss), (variables["params"], *arguments)


def training(optimizer):
    """Three steps: parameters, optimizer state and losses."""
    model, x, y = Mlp(), normal(9, 5), integers(9, high=3)
    parameters = started(model, x)
    state = optimizer.init(parameters)

    def run(parameters, state, x, y):
        losses = []
        for _ in range(3):
            loss, gradient = jax.value_and_grad(
                lambda p: optax.softmax_cross_entropy_with_integer_labels(model.apply(p, x), y).mean()
            )(parameters)
            updates, state = optimizer.update(gradient, state, parameters)
            parameters = optax.apply_updates(parameters, updates)
            losses.append(loss)
        return parameters, jnp.stack(losses)

    return run, (parameters, state, x, y)


OPTIMIZERS = {
    "adam": optax.adam(1e-2),
    "adamw_clip": optax.chain(optax.clip_by_global_norm(0.5), optax.adamw(optax.cosine_decay_schedule(1e-2, 10))),
    "sgd_momentum": optax.sgd(0.1, momentum=0.9, nesterov=True),
    "rmsprop": optax.rmsprop(1e-2),
    "lion": optax.lion(1e-3),
    "adafactor": optax.adafactor(1e-2),
    "lamb": optax.lamb(1e-2),
}
LOSSES = {
    "losses": lambda a, b: (
        optax.huber_loss(a, b),
        optax.l2_loss(a, b),
        optax.log_cosh(a, b),
        optax.cosine_similarity(a, b),
        optax.hinge_loss(a, jnp.sign(b)),
        optax.sigmoid_binary_cross_entropy(a, b),
        optax.kl_divergence(jax.nn.log_softmax(a), jax.nn.softmax(b)),
        optax.smooth_labels(jax.nn.softmax(b), 0.1),
    ),
    "ctc": lambda a, b: optax.ctc_loss(
        a[None].repeat(2, 0), jnp.zeros((2, 6)), jnp.array([[1, 2, 1], [2, 2, 0]]), jnp.array([[0.0, 0, 0], [0, 0, 1]])
    ),
}
IMAGE = normal(2, 8, 9, 4)
SEQUENCE = normal(3, 6, 12)
MASK = nn.make_causal_mask(np.ones((3, 6)))
PROGRAMS = [
    (*row, 5e-4)[:4]
    for row in [
        *model_rows("mlp", Mlp(), normal(4, 5)),
        *model_rows("resnet_training", ResidualBlock(), IMAGE, mutable=["batch_stats"]),
        *model_rows("resnet_inference", ResidualBlock(train=False), IMAGE),
        *model_rows("encoder", EncoderLayer(), SEQUENCE, MASK),
        *model_rows("encoder_dropout", EncoderLayer(deterministic=False), SEQUENCE, MASK, rngs=True),
        *model_rows("language", Language(), integers(2, 7, high=20)),
        *model_rows("decoder", Decoder(), IMAGE),
        *model_rows("lstm", nn.RNN(nn.LSTMCell(7)), normal(2, 5, 4)),
        *model_rows("gru", nn.RNN(nn.GRUCell(7), reverse=True, keep_order=True), normal(2, 5, 4)),
        *model_rows(
            "bidirectional", nn.Bidirectional(nn.RNN(nn.GRUCell(5)), nn.RNN(nn.SimpleCell(5))), normal(2, 5, 4)
        ),
        *model_rows("conv_lstm", nn.RNN(nn.ConvLSTMCell(3, (2, 2))), normal(1, 3, 5, 5, 2)),
        *model_rows(
            "einsum_dense",
            nn.Sequential([nn.DenseGeneral((3, 4)), nn.DenseGeneral(6, axis=(-2, -1)), nn.Dense(2)]),
            normal(5, 7),
        ),
        *model_rows("weight_norm", nn.WeightNorm(nn.Dense(4)), normal(5, 7)),
        *model_rows("conv_local", nn.Sequential([nn.ConvLocal(3, (3,)), nn.PReLU()]), normal(2, 9, 4)),
        *model_rows(
            "spectral_pool",
            nn.Sequential([nn.Conv(4, (3,), padding="CIRCULAR"), nn.Conv(4, (3,), padding="CAUSAL")]),
            normal(2, 9, 4),
        ),
        *((f"optax_{name}", *training(optimizer)) for name, optimizer in OPTIMIZERS.items()),
        *((name, loss, (normal(6, 4), normal(6, 4))) for name, loss in LOSSES.items()),
    ]
]
