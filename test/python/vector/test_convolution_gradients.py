"""Convolutions and their gradients at sizes for which operands are packed from tables, contracted loops are cut in blocks, and kernels are read
backwards, on several processors; expected values are those of JAX's own CPU backend."""

import jax
import ml_dtypes  # noqa: F401  bfloat16 is a type of numpy's
import numpy as np
import pytest
from jax import lax

import hlo
from hlo.dialect.printer import print_module

RANDOM = np.random.default_rng(7)
FEATURES_FIRST, FEATURES_LAST = ("NCHW", "OIHW", "NCHW"), ("NHWC", "HWIO", "NHWC")
CASES = {
    "small images": ((2, 40, 4, 5), (33, 40, 3, 3), dict(padding="SAME")),
    "rows of a vector": ((1, 16, 16, 16), (24, 16, 3, 3), dict(padding="SAME")),
    "rows of more than a vector": ((3, 8, 9, 37), (40, 8, 3, 2), dict(padding=[(0, 1), (1, 0)])),
    "strides": ((2, 12, 17, 23), (20, 12, 3, 3), dict(window_strides=(2, 2), padding=[(1, 1), (1, 1)])),
    "a large window": ((1, 3, 30, 29), (36, 3, 7, 7), dict(window_strides=(2, 1), padding=[(3, 3), (3, 3)])),
    "dilated": ((2, 10, 14, 19), (24, 10, 3, 3), dict(padding="SAME", rhs_dilation=(2, 3))),
    "groups": ((2, 24, 9, 11), (36, 6, 3, 3), dict(padding="SAME", feature_group_count=4)),
    "one dimension": ((4, 20, 1, 75), (28, 20, 1, 5), dict(padding=[(0, 0), (2, 2)])),
    "many blocks": ((2, 16, 40, 40), (64, 16, 3, 3), dict(padding="SAME")),
}
TOLERANCES = {"float32": 3e-5, "float64": 1e-12, "bfloat16": 1e-2, "int32": 0, "int8": 0}


def functions(lhs, rhs, options, dimensions):
    """The convolution and its two gradients, each with the shapes of its arguments."""
    image = tuple(lhs["NCHW".index(d)] for d in dimensions[0])
    kernel = tuple(rhs["OIHW".index(d)] for d in dimensions[1])
    options = {"window_strides": (1, 1), **options}
    forward = lambda x, w: lax.conv_general_dilated(x, w, dimension_numbers=dimensions, **options)
    result = jax.eval_shape(forward, jax.ShapeDtypeStruct(image, "f4"), jax.ShapeDtypeStruct(kernel, "f4")).shape

    def of_image(w, g):
        return jax.linear_transpose(lambda x: forward(x, w), jax.ShapeDtypeStruct(image, w.dtype))(g)[0]

    def of_kernel(x, g):
        return jax.linear_transpose(lambda w: forward(x, w), jax.ShapeDtypeStruct(kernel, x.dtype))(g)[0]

    return {
        "forward": (forward, (image, kernel)),
        "image": (of_image, (kernel, result)),
        "kernel": (of_kernel, (image, result)),
    }


@pytest.mark.parametrize("cpu", ["host", "avx2", "baseline"])
@pytest.mark.parametrize("dimensions", [FEATURES_FIRST, FEATURES_LAST], ids=["features first", "features last"])
@pytest.mark.parametrize("name", CASES)
def test_values(name, dimensions, cpu):
    lhs, rhs, options = CASES[name]
    for function, shapes in functions(lhs, rhs, options, dimensions).values():
        check(function, [RANDOM.standard_normal(shape).astype("f4") for shape in shapes], cpu)


@pytest.mark.parametrize("dtype", ["float64", "bfloat16", "int32", "int8"])
@pytest.mark.parametrize("name", ["small images", "rows of more than a vector"])
def test_other_types(name, dtype):
    lhs, rhs, options = CASES[name]
    with jax.enable_x64(True):
        for form, (function, shapes) in functions(lhs, rhs, options, FEATURES_FIRST).items():
            if form == "forward" or "float" in dtype:
                arrays = [(3 * RANDOM.standard_normal(shape)).astype(np.dtype(dtype)) for shape in shapes]
                check(function, arrays, "host")


@pytest.mark.parametrize("dimensions", [FEATURES_FIRST, FEATURES_LAST], ids=["features first", "features last"])
@pytest.mark.parametrize("name", ["a large window", "dilated", "groups", "strides"])
def test_words_of_windows(name, dimensions):
    """Pairs of bf16 are multiplied at once where a processor can."""
    lhs, rhs, options = CASES[name]
    for function, shapes in functions(lhs, rhs, options, dimensions).values():
        check(function, [RANDOM.standard_normal(shape).astype(np.dtype("bfloat16")) for shape in shapes], "host", 2)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("cpu", ["host", "avx2", "baseline"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", ["small images", "strides", "dilated", "groups", "one dimension"])
def test_small_floats_are_widened_once(name, dtype, cpu):
    """Small whole numbers, whose sums are exact in f32, with a large one."""
    lhs, rhs, options = CASES[name]
    with jax.enable_x64(True):
        for function, shapes in functions(lhs, rhs, options, FEATURES_LAST).values():
            first, second = (RANDOM.integers(-2, 3, shape).astype(np.dtype(dtype)) for shape in shapes)
            first.flat[7] = 4096
            text = jax.jit(function).lower(first, second).as_text()
            (found,) = hlo.compile(text, cpu=cpu, threads=2, cache=False)(first, second)
            exact = jax.jit(function)(*(a.astype(np.float64) for a in (first, second)))
            np.testing.assert_array_equal(np.asarray(found), np.asarray(exact).astype(found.dtype))


@pytest.mark.parametrize("threads", [2, 3])
def test_threads(threads):
    lhs, rhs, options = CASES["many blocks"]
    for function, shapes in functions(lhs, rhs, options, FEATURES_FIRST).values():
        check(function, [RANDOM.standard_normal(shape).astype("f4") for shape in shapes], "host", threads)


def check(function, arrays, cpu, threads=1):
    lowered = jax.jit(function).lower(*arrays)
    (found,) = hlo.compile(lowered.as_text(), cpu=cpu, threads=threads, cache=False)(*arrays)
    expected = np.asarray(lowered.compile()(*arrays)).astype(float)
    limit = TOLERANCES[arrays[0].dtype.name] * max(np.abs(expected).max(), 1)
    np.testing.assert_allclose(np.asarray(found).astype(float), expected, rtol=0, atol=limit)


SCHEDULES = [
    ("forward", "small images", 'pack_b = "gather"'),
    ("forward", "rows of a vector", 'pack_b = "none"'),
    ("image", "small images", 'pack_b = "gather"'),
    ("kernel", "rows of more than a vector", 'pack_b = "gather"'),
]


@pytest.mark.parametrize(("form", "name", "words"), SCHEDULES)
def test_schedules(form, name, words):
    """Kernels of images whose rows fill no vector are packed; no kernel turns or transposes the weights."""
    text = lowered_text(form, name, FEATURES_FIRST)
    module = hlo.parse(text)
    hlo.pipelines.run(module, hlo.pipelines.cpu("avx512"), stop_after="kernels")
    kernels = print_module(module)
    assert words in kernels
    assert "@copy_" not in kernels


def test_kernels_of_each_feature_are_copied_for_vectors_of_features():
    """What windows read thousands of times has the lanes of what they read it with."""

    def function(x, w):
        options = dict(window_strides=(1, 1), padding="SAME", rhs_dilation=(2, 2), feature_group_count=24)
        return lax.conv_general_dilated(x, w.transpose(2, 3, 1, 0), dimension_numbers=FEATURES_LAST, **options)

    arrays = [RANDOM.standard_normal(shape).astype("f4") for shape in ((2, 13, 11, 24), (24, 1, 3, 3))]
    check(function, arrays, "host")
    module = hlo.parse(jax.jit(function).lower(*arrays).as_text())
    hlo.pipelines.run(module, hlo.pipelines.cpu("avx512"), stop_after="kernels")
    assert "call @copy_0(%arg1)" in print_module(module)


def test_blocks_of_k_are_outside_where_the_kernels_gradient_is_small():
    text = lowered_text("kernel", "large", FEATURES_LAST)
    module = hlo.parse(text)
    hlo.pipelines.run(module, hlo.pipelines.cpu("avx512"), stop_after="kernels")
    assert "k_outside = true" in print_module(module)


def lowered_text(form, name, dimensions):
    case = ((8, 64, 56, 56), (64, 64, 3, 3), dict(padding="SAME")) if name == "large" else CASES[name]
    function, shapes = functions(*case, dimensions)[form]
    return jax.jit(function).lower(*(jax.ShapeDtypeStruct(shape, "f4") for shape in shapes)).as_text()
