"""TensorFlow's StableHLO of a convolutional network's loss and its gradient, and of a loop."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as tf


def network() -> tuple[Any, list[Any]]:
    """A function of images, labels and parameters."""
    random = np.random.default_rng(0)
    parameters = [0.3 * random.standard_normal(shape) for shape in ((3, 3, 1, 8), (8,), (3, 3, 8, 4), (144, 5))]
    arguments = [random.standard_normal((4, 14, 14, 1)), random.integers(0, 5, 4), *parameters]

    @tf.function(jit_compile=True)
    def loss_and_gradient(images: Any, labels: Any, *weights: Any) -> Any:
        first, bias, second, last = weights
        with tf.GradientTape() as tape:
            tape.watch(weights)
            x = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(images, first, 1, "SAME"), bias))
            x = tf.nn.max_pool2d(x, 2, 2, "VALID")
            x = tf.nn.avg_pool2d(tf.nn.conv2d(x, second, 1, "SAME"), 2, 1, "VALID")
            logits = tf.reshape(x, (4, -1)) @ last
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
        return (loss, *tape.gradient(loss, weights))

    return loss_and_gradient, [a.astype(np.int32 if a.dtype == np.int64 else np.float32) for a in arguments]


def loop() -> tuple[Any, list[Any]]:
    @tf.function(jit_compile=True)
    def powers(x: Any) -> Any:
        return tf.while_loop(
            lambda n, y: n < 10, lambda n, y: (n + 1, tf.tanh(y @ x) + 0.1 * tf.cast(n, tf.float32)), (0, x)
        )

    return powers, [np.random.default_rng(1).standard_normal((6, 6)).astype(np.float32)]


def programs() -> Iterator[tuple[str, str, list[Any], list[Any]]]:
    """Name, text, arguments and expected results of each program."""
    for make in (network, loop):
        function, arguments = make()
        expected = [np.asarray(r) for r in function(*arguments)]
        text = function.experimental_get_compiler_ir(*map(tf.constant, arguments))(stage="stablehlo")
        yield make.__name__, text, arguments, expected
