"""Convolutions: ranks, layouts, strides, dilations, groups, gradients."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .arrays import integers, normal


def convolution(*arguments, **options):
    return lambda x, w: lax.conv_general_dilated(x, w, *arguments, **options)


def both_gradients(function):
    return jax.grad(lambda x, w: (function(x, w) ** 2).sum(), (0, 1))


LAYOUTS = [
    ("NCHW", "OIHW", "NCHW"),
    ("NHWC", "HWIO", "NHWC"),
    ("NHWC", "OIHW", "NCHW"),
    ("HWNC", "HWIO", "HWNC"),
    ("CHWN", "IHWO", "CHWN"),
    ("NCHW", "HWIO", "NHWC"),
]
SIZES = {"N": 2, "C": 6, "H": 9, "W": 8, "O": 4, "I": 6}


def shaped(layout, **changes):
    return normal(*({**SIZES, **changes}[c] for c in layout))


CASES = {
    "same": (((1, 1), "SAME"), {}),
    "valid_stride": (((2, 3), "VALID"), {}),
    "padded": (((1, 2), ((2, 0), (1, 3))), {}),
    "negative_padding": (((1, 1), ((-1, -1), (-2, 0))), {}),
    "dilated": (((1, 1), "SAME"), {"rhs_dilation": (2, 3)}),
    "transposed": (((1, 1), ((2, 2), (1, 2))), {"lhs_dilation": (2, 3)}),
    "all": (((2, 1), ((3, 1), (2, 2))), {"lhs_dilation": (2, 1), "rhs_dilation": (1, 2)}),
}
X, W = normal(2, 6, 9, 8), normal(4, 6, 3, 2)
GROUPED = {"feature_group_count": 3}


def rows():
    for name, (arguments, options) in CASES.items():
        yield name, convolution(*arguments, **options), (X, W)
        yield f"{name}_gradient", both_gradients(convolution(*arguments, **options)), (X, W)
        yield f"{name}_grouped", convolution(*arguments, **options, **GROUPED), (X, normal(9, 2, 3, 2))
    for layouts in LAYOUTS:
        weights = shaped(layouts[1], H=3, W=2)
        one = convolution((1, 2), "SAME", dimension_numbers=layouts)
        yield "_".join(layouts), one, (shaped(layouts[0]), weights)
    one = convolution((1, 2), "SAME", dimension_numbers=LAYOUTS[1])
    yield "nhwc_gradient", both_gradients(one), (shaped("NHWC"), shaped("HWIO", H=3, W=2))


DEPTHWISE = convolution((1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=6)
PROGRAMS = [
    (*row, 2e-4)[:4]
    for row in [
        *rows(),
        ("grouped_gradient", both_gradients(convolution((1, 1), "SAME", **GROUPED)), (X, normal(9, 2, 3, 2))),
        ("depthwise", DEPTHWISE, (shaped("NHWC"), normal(3, 3, 1, 6))),
        ("depthwise_multiplier", DEPTHWISE, (shaped("NHWC"), normal(3, 3, 1, 12))),
        ("depthwise_gradient", both_gradients(DEPTHWISE), (shaped("NHWC"), normal(3, 3, 1, 6))),
        ("batch_grouped", convolution((1, 1), "VALID", batch_group_count=2), (normal(4, 6, 7, 7), normal(4, 6, 3, 3))),
        ("one_dimension", convolution((2,), "SAME"), (normal(2, 3, 17), normal(5, 3, 4))),
        (
            "one_dimension_gradient",
            both_gradients(convolution((1,), ((3, 0),), rhs_dilation=(2,))),
            (normal(2, 3, 17), normal(5, 3, 4)),
        ),
        ("three_dimensions", convolution((1, 2, 1), "SAME"), (normal(1, 2, 5, 6, 4), normal(3, 2, 2, 3, 3))),
        (
            "three_gradient",
            both_gradients(convolution((1, 2, 1), "VALID")),
            (normal(1, 2, 5, 6, 4), normal(3, 2, 2, 3, 3)),
        ),
        ("zero_dimensions", convolution((), ()), (normal(3, 4), normal(5, 4))),
        (
            "pointwise",
            convolution((1, 1), "VALID", dimension_numbers=LAYOUTS[1]),
            (normal(2, 14, 15, 64), normal(1, 1, 64, 33)),
        ),
        (
            "large",
            convolution((2, 2), "SAME", dimension_numbers=LAYOUTS[1]),
            (normal(2, 57, 55, 32), normal(7, 7, 32, 48)),
            1e-3,
        ),
        (
            "transpose_api",
            lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME"),
            (normal(2, 6, 5, 3), normal(3, 3, 3, 4)),
        ),
        (
            "transpose_kernel",
            lambda x, w: lax.conv_transpose(x, w, (2, 1), "VALID", transpose_kernel=True),
            (normal(2, 6, 5, 3), normal(3, 3, 4, 3)),
        ),
        ("patches", lambda x: lax.conv_general_dilated_patches(x, (3, 2), (1, 2), "SAME"), (X,)),
        ("vmapped", jax.vmap(convolution((1, 1), "SAME"), (0, 0)), (normal(3, 2, 4, 6, 5), normal(3, 4, 4, 2, 2))),
        (
            "vmapped_weights",
            jax.vmap(convolution((1, 1), "SAME"), (None, 0)),
            (normal(2, 4, 6, 5), normal(3, 4, 4, 2, 2)),
        ),
        (
            "int8",
            convolution((1, 1), "SAME", preferred_element_type=jnp.int32),
            (
                integers(1, 4, 6, 6, low=-90, high=90, dtype=np.int8),
                integers(3, 4, 3, 3, low=-90, high=90, dtype=np.int8),
            ),
        ),
        (
            "half",
            convolution((1, 1), "SAME"),
            (normal(1, 4, 6, 6, dtype=np.float16), normal(3, 4, 3, 3, dtype=np.float16)),
            1e-2,
        ),
        (
            "complex",
            convolution((1, 1), "SAME"),
            (normal(1, 4, 6, 6, dtype=np.complex64), normal(3, 4, 3, 3, dtype=np.complex64)),
        ),
        ("empty_batch", convolution((1, 1), "SAME"), (normal(0, 4, 6, 6), normal(3, 4, 3, 3))),
        ("no_features", convolution((1, 1), "SAME"), (normal(1, 0, 6, 6), normal(3, 0, 3, 3))),
        ("kernel_larger", convolution((1, 1), ((4, 4), (4, 4))), (normal(1, 2, 3, 3), normal(2, 2, 7, 7))),
        (
            "bias_relu_pool",
            lambda x, w: lax.reduce_window(
                jax.nn.relu(convolution((1, 1), "SAME")(x, w) + 1),
                -jnp.inf,
                lax.max,
                (1, 1, 2, 2),
                (1, 1, 2, 2),
                "VALID",
            ),
            (X, W),
        ),
    ]
]
