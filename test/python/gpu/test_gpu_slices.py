"""Slices in front of products and attention on the GPU: read where they are, on the model of a card, against JAX; no kernel copies
them."""

import functools
import re

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from gpu_products import change_target
from test_gpu_attention import is_near, jax_attention, normal
from test_gpu_attention_gradient import gradient

import hlo
from hlo import pipelines
from hlo.lowering.gpu import accesses, launches
from hlo.lowering.gpu.accesses import TensorMap
from hlo.lowering.gpu.contraction import axes, box_operands
from hlo.pipelines.gpu import gpu
from hlo.runtime.gpu.executable import GpuExecutable
from hlo.runtime.gpu.model.driver import ModelDriver

WARPGROUPS = "hlo.lowering.gpu.contraction.warpgroups"
NUMPY = {"bf16": ml_dtypes.bfloat16, "f16": np.float16, "f32": np.float32, "i8": np.int8}


@pytest.fixture(autouse=True)
def few_tiles(monkeypatch):
    """Are enough for wgmma; two blocks take them in turns."""
    monkeypatch.setattr(f"{WARPGROUPS}.LEAST_BUSY", {128: 0.0, 256: 0.0})
    change_target(monkeypatch, "sm_90a", multiprocessors=2)


def compiled(function, arrays, arch: str):
    text = jax.jit(function, keep_unused=True).lower(*arrays).as_text()
    return hlo.compile(text, target="gpu", device="model", arch=arch, cache=False).program


def copies(program) -> list[str]:
    """Kernels that are no products, sums of parts of one, or attention."""
    return [name for name in program.plan.kernels if not name.startswith(("slice_product", "slice_attention"))]


def whole(*shape, kind="bf16"):
    """Small numbers: every sum is exact."""
    return np.random.default_rng([1, *shape]).integers(-3, 4, shape).astype(NUMPY[kind])


def multiplied(subscripts, a, b):
    total = jnp.int32 if a.dtype == np.int8 else jnp.float32
    return jnp.einsum(subscripts, a, b, preferred_element_type=total)


def stacked(x, all_weights, number):
    return multiplied("mk,kn->mn", x, jax.lax.dynamic_index_in_dim(all_weights, number, 0, False))


def stacked_inside(x, all_weights, number):
    """The layer's number is neither first nor last, and there are static offsets too."""
    of_layer = jax.lax.dynamic_index_in_dim(all_weights, number, 1, False)
    return multiplied("mk,nk->mn", x[3:, 16:80], of_layer[:, 8:72])


def both(x, y):
    return multiplied("km,kn->mn", x[1:65, 8:144], y[2:66, 24:96])


def rows_apart(x, y):
    """Rows of two dimensions, which do not count as one."""
    return multiplied("abk,kn->abn", x[:, 1:129], y)


PRODUCTS = {
    "columns and rows": (both, [whole(65, 152), whole(66, 96)]),
    "columns of i8": (lambda x, y: multiplied("mk,nk->mn", x[:, 16:80], y), [
        whole(80, 96, kind="i8"), whole(72, 64, kind="i8")]),
    "columns of f32": (lambda x, y: multiplied("mk,kn->mn", x, y[:, 4:76]), [
        whole(72, 64, kind="f32"), whole(64, 80, kind="f32")]),
    "rows apart": (rows_apart, [whole(3, 140, 64), whole(64, 128)]),
    "one of three": (lambda x, y: multiplied("amk,kn->amn", x.reshape(2, 72, 3, 64)[:, :, 1], y), [
        whole(2, 72, 192), whole(64, 72)]),
    **{f"a layer's weights, {number}": (stacked, [whole(136, 64), whole(3, 64, 136), np.int32(number)])
       for number in (2, -1, 2**31 - 1)},
    **{f"a layer's weights inside, {number}": (stacked_inside, [whole(75, 96), whole(72, 4, 80), np.int32(number)])
       for number in (1, -7)},
}  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
@pytest.mark.parametrize("name", PRODUCTS)
def test_products(name: str, arch: str) -> None:
    function, arrays = PRODUCTS[name]
    program = compiled(function, arrays, arch)
    assert copies(program) == []
    assert ("wgmma" in program.code) == (arch == "sm_90a" and "f32" not in name)
    (found,) = GpuExecutable(program, ModelDriver())(*arrays)
    assert np.array_equal(found, np.asarray(function(*arrays)))


UNALIGNED = {
    "odd columns": (lambda x, y: multiplied("mk,kn->mn", x[:, 3:67], y), [whole(72, 80), whole(64, 72)]),
    "rows of 65": (lambda x, y: multiplied("mk,kn->mn", x[:, :64], y), [whole(72, 65), whole(64, 72)]),
    "every second row": (lambda x, y: multiplied("mk,kn->mn", x[:, ::2], y), [whole(72, 128), whole(64, 72)]),
}


@pytest.mark.parametrize("name", UNALIGNED)
def test_what_is_not_aligned_is_copied(name: str) -> None:
    function, arrays = UNALIGNED[name]
    program = compiled(function, arrays, "sm_90a")
    assert len(copies(program)) > 0
    (found,) = GpuExecutable(program, ModelDriver())(*arrays)
    assert np.array_equal(found, np.asarray(function(*arrays)))


def updated(x, cache, new):
    """The product is with what was in the cache before."""
    old = cache[:, 8:136]
    cache = jax.lax.dynamic_update_slice(cache, new, (0, 16))
    return multiplied("mk,kn->mn", x, old), cache


def loop(x, weights):
    """A cache that each turn reads a part of, then writes over it; the weights of each layer are a part of an array."""

    def layer(carried, weight):
        x, cache = carried
        y = multiplied("mk,kn->mn", x, weight) + multiplied("mk,kn->mn", x, cache[1])
        y = jnp.clip(y, -2, 2).astype(x.dtype)
        return (y, jax.lax.dynamic_update_slice(cache, y[None, :64], (1, 0, 0))), None

    return jax.lax.scan(layer, (x, jnp.stack([weights[0], weights[1]])), weights)[0]


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
@pytest.mark.parametrize("function, arrays", [
    (updated, [whole(72, 64), whole(64, 152), whole(64, 32)]), (loop, [whole(72, 64), whole(4, 64, 64)])
], ids=["updated", "loop"])  # fmt: skip
def test_arrays_that_are_written(function, arrays, arch: str) -> None:
    found = GpuExecutable(compiled(function, arrays, arch), ModelDriver())(*arrays)
    right = jax.jit(function)(*arrays)
    assert all(np.array_equal(a, np.asarray(b)) for a, b in zip(found, right, strict=True))


def test_gates() -> None:
    def function(x, w):
        one, other = jnp.split((x @ w), 2, axis=-1)
        return jnp.maximum(one, 0) * other

    arrays = [whole(72, 64), whole(64, 272)]
    (found,) = GpuExecutable(compiled(function, arrays, "sm_90a"), ModelDriver())(*arrays)
    assert np.array_equal(found, np.asarray(jax.jit(function)(*arrays)))


def test_dimensions_of_one_element_are_dropped() -> None:
    """A batch of which one dimension is of one element: the result is written where it is to be, not copied."""

    def function(x, y, number):
        return multiplied("bmk,bkn->bmn", x, jax.lax.dynamic_index_in_dim(y, number, 0, False))

    arrays = [whole(2, 72, 64), whole(3, 2, 64, 72), np.int32(1)]
    program = compiled(function, arrays, "sm_90a")
    assert len(program.plan.kernels) == 1
    (found,) = GpuExecutable(program, ModelDriver())(*arrays)
    assert np.array_equal(found, np.asarray(function(*arrays)))


@pytest.mark.parametrize("shape, width", [((3, 8), 8), ((3, 12), 4), ((7, 6), 2), ((5, 3), 1), ((1, 24), 8)])
def test_rows_of_stacks_are_written_and_read_16_bytes_at_once(shape, width: int) -> None:
    """Where the starts, known when the program runs, and the rows are multiples of it."""

    def function(stack, new, number):
        old = jax.lax.dynamic_index_in_dim(stack, number, 0, False)
        return jax.lax.dynamic_update_index_in_dim(stack, new * 2, number + 1, 0), old + 1

    arrays = [whole(4, *shape), whole(*shape), np.int32(1)]
    text = jax.jit(function).lower(*arrays).as_text()
    module = hlo.parse(text)
    pipelines.run(module, gpu("sm_80"), stop_after="memory")
    moved = [
        function for function in str(module).split("gpu.func ")[1:] if "memref<i32>" in function.split("kernel")[0]
    ]
    accesses = re.findall(r"vector.(load|store) .*, vector<(\d+)xbf16>", "".join(moved))
    found = {(access, int(size)) for access, size in accesses}
    assert len(moved) == 2 and found == ({("load", width), ("store", width)} if width > 1 else set())
    program = compiled(function, arrays, "sm_80")
    for number in (-9, 0, 1, 2, 7):
        found = GpuExecutable(program, ModelDriver())(*arrays[:2], np.int32(number))
        for one, right in zip(found, function(*arrays[:2], number), strict=True):
            assert np.array_equal(one, np.asarray(right))


# Attention


def fused(qkv, heads=2, size=64, **rest):
    """Queries, keys and values are one product."""
    q, k, v = (qkv.reshape(*qkv.shape[:2], 3, heads, size)[:, :, n] for n in range(3))
    return jax_attention(q, k, v, **rest)


def split(qkv, heads=4, groups=2, size=32):
    """Their columns are beside each other, fewer of keys and values than of queries."""
    width, rows = size * groups, qkv.shape[:2]
    q, k, v = jnp.split(qkv, [heads * size, heads * size + width], axis=-1)
    return jax_attention(q.reshape(*rows, heads, size), k.reshape(*rows, -1, size), v.reshape(*rows, -1, size))


def of_cache(q, keys, values, layer):
    """Of all layers' keys and values, the first ones."""
    k, v = (jax.lax.dynamic_index_in_dim(one, layer, 0, False)[:, :72] for one in (keys, values))
    return jax_attention(q, k, v)


PROGRAMS = {
    "fused": (fused, [normal(1, 100, 384)]),
    "fused, causal": (functools.partial(fused, is_causal=True), [normal(1, 100, 384)]),
    "split, grouped": (split, [normal(1, 80, 256)]),
    **{f"of a cache, layer {layer}": (of_cache, [
        normal(2, 40, 2, 64), normal(3, 2, 80, 2, 64), normal(3, 2, 80, 2, 64, seed=1), np.int32(layer)])
        for layer in (1, 5)},
}  # fmt: skip


def wide(arrays):
    return [a if a.dtype == np.int32 else a.astype(np.float32) for a in arrays]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_attention(name: str, arch: str) -> None:
    function, arrays = PROGRAMS[name]
    program = compiled(function, arrays, arch)
    assert copies(program) == [] and len(program.plan.kernels) == 1
    assert ("wgmma" in program.code) == (arch == "sm_90a")
    (found,) = GpuExecutable(program, ModelDriver())(*arrays)
    assert is_near(found, np.asarray(function(*wide(arrays))))


def test_gradients() -> None:
    """The gradient's products read queries, keys and values of the fused array too."""

    def function(qkv, g):
        q, k, v = (qkv.reshape(*qkv.shape[:2], 3, 2, 32)[:, :, n] for n in range(3))
        return gradient(jax_attention)(q, k, v, g)

    arrays = [normal(1, 32, 192), normal(1, 32, 2, 32, seed=1)]
    program = compiled(function, arrays, "sm_90a")
    again = [name for name in program.plan.kernels if "recomputed" in name]
    assert again and all(name.startswith("slice_recomputed") for name in again)
    assert not any(name.startswith("slice_0") for name in program.plan.kernels)
    found = GpuExecutable(program, ModelDriver())(*arrays)
    for one, right in zip(found, function(*wide(arrays)), strict=True):
        assert is_near(one, np.asarray(right), bits=6)


# Mistakes


def without_offset(one: TensorMap, view: accesses.View) -> TensorMap | None:
    return with_view(one, accesses.View(view.source, view.shape, view.strides, 0, view.starts))


def with_strides_of_a_copy(value):
    view = view_of(value)
    shape = view.shape
    strides = [int(np.prod(shape[n + 1 :])) for n in range(len(shape))]
    return accesses.View(view.source, shape, tuple(strides), view.offset, view.starts)


with_view, view_of = box_operands.with_view, accesses.view_of

MISTAKES = [
    ("columns and rows", "sm_90a", box_operands, "with_view", without_offset),
    ("a layer's weights, 2", "sm_90a", box_operands, "with_view", lambda one, view: one),
    ("rows apart", "sm_90a", axes, "view_of", with_strides_of_a_copy),
    ("fused", "sm_80", launches, "view_of", with_strides_of_a_copy),
]


@pytest.mark.parametrize("name, arch, module, attribute, wrong", MISTAKES)
def test_mistakes_are_found(name: str, arch: str, module, attribute: str, wrong, monkeypatch) -> None:
    """A part of an array taken at its beginning, in the first layer, with the strides of a copy."""
    function, arrays = {**PRODUCTS, **PROGRAMS}[name]
    monkeypatch.setattr(module, attribute, wrong)
    (found,) = GpuExecutable(compiled(function, arrays, arch), ModelDriver())(*arrays)
    assert not is_near(found, np.asarray(function(*wide(arrays))))
