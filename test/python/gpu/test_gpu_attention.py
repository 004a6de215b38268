"""Attention as one kernel, on the model of a GPU: what is recognised, what it computes (against JAX in f32), what is declined."""

import functools
import re
from dataclasses import replace

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from gpu_products import change_target
from mlir import ir

import hlo
from hlo import pipelines
from hlo.dialect.registration import make_context
from hlo.errors import HloError
from hlo.lowering.gpu.attention.recognise import NotAttentionError, attention_of
from hlo.lowering.gpu.form_attention import group_of
from hlo.runtime.gpu.executable import GpuExecutable
from hlo.runtime.gpu.model.driver import ModelDriver
from hlo.runtime.gpu.model.read_code import code_of

bf16, f16 = ml_dtypes.bfloat16, np.float16
jax_attention = jax.nn.dot_product_attention


def normal(*shape, kind=bf16, scale=1.0, seed=0):
    return (np.random.default_rng([seed, *shape]).standard_normal(shape) * scale).astype(kind)


def btnh(queries, keys, heads, groups=1, size=32, kind=bf16):
    """Query, key and value as jax.nn.dot_product_attention takes them; the queries large, so that single keys count."""
    shapes = (queries, heads * groups), (keys, heads), (keys, heads)
    return [normal(2, *s, size, kind=kind, scale=1 if n else 3, seed=n) for n, s in enumerate(shapes)]


def heads(*shapes, kind=bf16):
    return [normal(*s, kind=kind, scale=1 if n else 0.5, seed=n) for n, s in enumerate(shapes)]


def plain(subscripts, q, k, v, then=jnp.asarray):
    first, second = subscripts.split(" ")
    weights = jax.nn.softmax(then(jnp.einsum(first, q, k, preferred_element_type=jnp.float32)), axis=-1)
    return jnp.einsum(second, weights.astype(q.dtype), v)


def rounded(q, k, v):
    """All of the softmax in the type of the inputs."""
    return jnp.einsum("bqk,bkd->bqd", jax.nn.softmax(jnp.einsum("bqd,bkd->bqk", q, k), axis=-1), v)


def capped(scores):
    return 5 * jnp.tanh(scores / 5)


def one_batch(q, k, v, mask, bias):
    """Products of three dimensions, masks of four: as programs that come from PyTorch."""
    batch, heads, count, size = q.shape
    keys = k.reshape(batch * heads, -1, size)
    s = jnp.matmul(q.reshape(-1, count, size), keys.transpose(0, 2, 1), preferred_element_type=jnp.float32)
    s = jnp.where(mask, s.reshape(batch, heads, count, -1), -jnp.inf) + bias
    w = jax.nn.softmax(s, axis=-1).astype(q.dtype).reshape(batch * heads, count, -1)
    return jnp.matmul(w, v.reshape(batch * heads, -1, size)).reshape(q.shape).transpose(0, 2, 1, 3)


def causal(scores):
    """Without the diagonal: the first row sees nothing."""
    rows, keys = (jax.lax.broadcasted_iota(jnp.int32, scores.shape, d) for d in (1, 2))
    return jnp.where(keys < rows, scores, -jnp.inf)


def without_keys(q, k, v, mask):
    return plain("bqd,bkd->bqk bqk,bkd->bqd", q, k, v, lambda s: jnp.where(mask, s, -jnp.inf))


def finite(q, k, v, mask):
    """The maximum is taken as 0 where all keys are masked."""
    s = jnp.where(mask, jnp.einsum("bqd,bkd->bqk", q, k, preferred_element_type=jnp.float32), -jnp.inf)
    m = jnp.max(s, axis=-1, keepdims=True)
    e = jnp.exp(s - jnp.where(jnp.isfinite(m), m, 0))
    return jnp.einsum("bqk,bkd->bqd", (e / e.sum(-1, keepdims=True)).astype(q.dtype), v)


def scaled(q, k, v, by, bias):
    """The product with the inverse of the sum; a product with a row's factor and a sum after the second contraction."""
    s = jnp.einsum("bqd,bkd->bqk", q, k, preferred_element_type=jnp.float32)
    e = jnp.exp(s - s.max(-1, keepdims=True))
    w = e * (1 / e.sum(-1, keepdims=True))
    out = jnp.einsum("bqk,bkd->bqd", w.astype(q.dtype), v, preferred_element_type=jnp.float32)
    return (out * by[..., None] + bias).astype(q.dtype)


NONE_LEFT = np.random.default_rng(1).random((2, 40, 50)) < 0.5
NONE_LEFT[0, 7] = NONE_LEFT[1, 33:36] = False
EACH = "bqd,bkd->bqk bqk,bkd->bqd"

PROGRAMS = {
    "lengths that are no tiles": (jax_attention, btnh(40, 70, 3)),
    "causal": (functools.partial(jax_attention, is_causal=True), btnh(72, 72, 2)),
    "causal, grouped queries": (functools.partial(jax_attention, is_causal=True), btnh(70, 90, 2, groups=2)),
    "causal, long": (functools.partial(jax_attention, is_causal=True), btnh(150, 280, 1)),
    "causal, rows without keys": (
        lambda q, k, v, m: jax_attention(q, k, v, mask=m, is_causal=True),
        [*btnh(150, 200, 1), np.arange(200)[None, None, None] > np.array([3, 100])[:, None, None, None]]),
    "causal without keys, -inf": (
        functools.partial(plain, EACH, then=causal), heads((1, 200, 32), (1, 256, 32), (1, 256, 32))),
    "one head for all queries": (jax_attention, btnh(20, 64, 1, groups=3)),
    "bias and mask": (
        lambda q, k, v, b, m: jax_attention(q, k, v, bias=b, mask=m),
        [*btnh(40, 70, 2), normal(1, 2, 40, 70), NONE_LEFT[:, None, :, :1] ^ (np.arange(70) % 3 == 0)],
    ),
    "lengths that are known late": (
        lambda q, k, v, a, b: jax_attention(q, k, v, query_seq_lengths=a, key_value_seq_lengths=b),
        [*btnh(40, 70, 2), np.array([40, 11], np.int32), np.array([3, 65], np.int32)],
    ),
    "f16, sizes that are no multiples": (
        functools.partial(plain, EACH), heads((2, 33, 44), (2, 65, 44), (2, 65, 20), kind=f16)),
    "rounded": (rounded, heads((2, 64, 64), (2, 96, 64), (2, 96, 64))),
    "rows of 80 and 112, without a batch": (
        functools.partial(plain, "qd,kd->qk qk,kd->qd"), heads((40, 80), (64, 80), (64, 112))),
    "keys and values the other way round": (
        functools.partial(plain, "bqd,bdk->bqk bqk,bdk->bqd"), heads((2, 40, 32), (2, 32, 72), (2, 48, 72))),
    "queries and result the other way round": (
        functools.partial(plain, "bdq,bkd->bqk bqk,bkd->bdq"), heads((2, 32, 40), (2, 72, 32), (2, 72, 32))),
    "short queries, long values": (functools.partial(plain, EACH), heads((2, 40, 20), (2, 50, 20), (2, 50, 120))),
    "long heads, short values": (functools.partial(plain, EACH), heads((2, 70, 136), (2, 50, 136), (2, 50, 16))),
    "batch and heads as one": (
        one_batch,
        [*heads((2, 3, 40, 32), (2, 3, 50, 32), (2, 3, 50, 32)), NONE_LEFT[:, None], normal(3, 1, 50, kind=np.float32)]),
    "long heads": (functools.partial(plain, EACH), heads((1, 40, 256), (1, 50, 256), (1, 50, 160))),
    "capped": (functools.partial(plain, EACH, then=capped), heads((2, 40, 32), (2, 72, 32), (2, 72, 32))),
    "rows without keys": (without_keys, [*heads((2, 40, 32), (2, 50, 32), (2, 50, 32)), NONE_LEFT]),
    "rows without keys, finite": (finite, [*heads((2, 40, 32), (2, 50, 32), (2, 50, 32)), NONE_LEFT]),
    "factors and sums after it": (
        scaled, [*heads((2, 40, 32), (2, 50, 32), (2, 50, 32)), normal(2, 40, kind=np.float32), normal(32)]),
}  # fmt: skip


def lowered(function, arrays):
    return jax.jit(function).lower(*arrays).as_text()


def expected(function, arrays):
    """JAX's result in f32."""
    wide = [a if a.dtype in (bool, np.int32) else a.astype(np.float32) for a in arrays]
    return np.asarray(jax.jit(function)(*wide))


def on_model(text, *arrays):
    """The result, after a look at the kernels: attention is one of them, and ldmatrix has no bank conflicts."""
    program = hlo.compile(text, target="gpu", device="model", cache=False).program
    assert any("attention" in name for name in program.plan.kernels)
    driver = ModelDriver()
    (found,) = GpuExecutable(program, driver)(*arrays)
    assert driver.conflicts == 0
    return found


def is_near(found, right, bits=7):
    """NaN where it is; within so many bits of the largest element."""
    found = found.astype(np.float32)
    assert np.array_equal(np.isnan(found), np.isnan(right))
    return np.nanmax(np.abs(found - right)) <= 2.0**-bits * np.nanmax(np.abs(right))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str) -> None:
    function, arrays = PROGRAMS[name]
    found = on_model(lowered(function, arrays), *arrays)
    assert is_near(found, expected(function, arrays), 5 if name == "rounded" else 7)


@pytest.mark.parametrize("size", [64, 128])
def test_large_blocks(size: int, monkeypatch) -> None:
    """128 queries a block: two tiles of rows a warp, eight warps."""
    change_target(monkeypatch, "sm_80", multiprocessors=1)
    arrays = heads((1, 150, size), (1, 200, size), (1, 200, size))
    function = functools.partial(plain, EACH)
    assert is_near(on_model(lowered(function, arrays), *arrays), expected(function, arrays))


def test_infinities_and_nans() -> None:
    """A row with an infinite or undefined score is undefined, others are not."""
    q, k, v = heads((1, 16, 32), (1, 40, 32), (1, 40, 32))
    q[0, 3, 5], q[0, 9, 0] = np.nan, np.inf
    function = functools.partial(plain, EACH)
    found = on_model(lowered(function, [q, k, v]), q, k, v)
    right = expected(function, [q, k, v])
    assert np.isnan(right).all(-1).sum() == 2 and is_near(found, right)


def test_scores_are_not_in_memory() -> None:
    arrays = btnh(256, 256, 2)
    text = lowered(functools.partial(jax_attention, is_causal=True), arrays)
    exe = hlo.compile(text, target="gpu")
    assert exe.memory.temporaries == 0 and len(exe.program.plan.kernels) == 1


def test_layers_share_a_kernel() -> None:
    def layers(x, w):
        for _ in range(3):
            x = jax_attention(*(jnp.einsum("btnh,hk->btnk", x, one) for one in w))
        return jnp.einsum("btnh,hk->btnk", x, w[0])

    text = lowered(layers, [btnh(32, 32, 2)[0], normal(3, 32, 32)])
    kernels = hlo.compile(text, target="gpu").program.plan.kernels
    assert sum("attention" in name for name in kernels) == 1


def both(q, k, v):
    s = jnp.einsum("bqd,bkd->bqk", q, k, preferred_element_type=jnp.float32)
    w = jax.nn.softmax(s, axis=-1)
    return jnp.einsum("bqk,bkd->bqd", w.astype(q.dtype), v), w


def other_sum(q, k, v):
    """Weights whose sum is not 1: of squares."""
    s = jnp.einsum("bqd,bkd->bqk", q, k, preferred_element_type=jnp.float32)
    e = jnp.exp(s - s.max(-1, keepdims=True))
    return jnp.einsum("bqk,bkd->bqd", (e / (e * e).sum(-1, keepdims=True)).astype(q.dtype), v)


def other_maximum(q, k, v):
    """The maximum of something else."""
    s = jnp.einsum("bqd,bkd->bqk", q, k, preferred_element_type=jnp.float32)
    e = jnp.exp(s - (s * s).max(-1, keepdims=True))
    return jnp.einsum("bqk,bkd->bqd", (e / e.sum(-1, keepdims=True)).astype(q.dtype), v)


def by_columns(q, k, v):
    """A softmax along the queries."""
    s = jnp.einsum("bqd,bkd->bqk", q, k, preferred_element_type=jnp.float32)
    return jnp.einsum("bqk,bkd->bqd", jax.nn.softmax(s, axis=1).astype(q.dtype), v)


def long_way(q, k, v):
    """Scores that take 60 ops."""
    s = jnp.einsum("bqd,bkd->bqk", q, k, preferred_element_type=jnp.float32)
    for n in range(30):
        s = s * 0.875 + 0.01 * n
    return jnp.einsum("bqk,bkd->bqd", jax.nn.softmax(s, axis=-1).astype(q.dtype), v)


SQUARE = heads((2, 64, 32), (2, 64, 32), (2, 64, 32))


@pytest.mark.parametrize(
    "function, arrays, why",
    [
        (both, SQUARE, None),
        (other_sum, SQUARE, None),
        (other_maximum, [SQUARE[0] * bf16(0.25), *SQUARE[1:]], None),
        (by_columns, SQUARE, None),
        (long_way, SQUARE, "60 ops"),
        (functools.partial(plain, EACH), [*SQUARE[:2], SQUARE[2].astype(np.float32)], "products of f32 and f32 in f32"),
        (rounded, heads((2, 8, 32), (2, 64, 32), (2, 64, 32)), "8 queries"),
        (rounded, heads((1, 16, 264), (1, 16, 264), (1, 16, 32)), "heads of 264"),
    ],
)
def test_what_is_declined_has_other_kernels(function, arrays, why: str | None) -> None:
    text = lowered(function, arrays)
    module = hlo.parse(text)
    pipelines.run(module, pipelines.target_pipeline("gpu"), stop_after="linalg")
    reasons = []
    with module.context:
        for op in module.body.operations[0].regions[0].blocks[0].operations:
            try:
                found = attention_of(op.operation)
                assert found is None or group_of(op.operation, found) is None
            except NotAttentionError as error:
                reasons.append(str(error))
    assert [why in reason for reason in reasons] == ([True] if why else [])
    exe = hlo.compile(text, target="gpu", device="model", cache=False)
    assert not any("attention" in name for name in exe.program.plan.kernels)
    found, right = exe(*arrays)[0], np.asarray(jax.tree.leaves(expected_all(function, arrays))[0])
    assert is_near(found, right, 5)


def expected_all(function, arrays):
    return jax.jit(function)(*[a.astype(np.float32) for a in arrays])


@pytest.mark.parametrize(
    "old, new",
    [
        ("(?s)(.*)nvvm.cp.async.wait.group 0", r"\g<1>nvvm.cp.async.wait.group 1"),
        ("gpu.barrier", ""),
        ("(?s)(.*)gpu.barrier", r"\g<1>"),
        ("arith.xori %", "arith.addi %"),
        ("numTiles = 4 : i32, transpose = true", "numTiles = 4 : i32, transpose = false"),
        ("gpu.shuffle  xor (%[a-z0-9]+), %c2_i32", r"gpu.shuffle  xor \g<1>, %c1_i32"),
        ("arith.select (%[0-9]+), %cst_1, ", r"arith.select \g<1>, %cst_2, "),
    ],
)
def test_planted_mistakes_are_found(old: str, new: str) -> None:
    """Too short a wait, barriers that are missing, another swizzle, a matrix that is not transposed, lanes that are not of the
    quad's other half, an empty row's shift."""
    arrays = [*heads((2, 40, 32), (2, 72, 32), (2, 72, 32)), np.arange(72) > 66]
    assert is_found(without_keys, arrays, old, new)


def is_found(function, arrays, old: str, new: str, bits=7) -> bool:
    """Whether a change of the device code is an error or changes the result."""
    text = lowered(function, arrays)
    program = hlo.compile(text, target="gpu", device="model").program
    module = hlo.parse(text)
    pipelines.run(module, pipelines.target_pipeline("gpu"), stop_after="device")
    wrong, count = re.subn(old, new, str(module), count=1)
    assert count == 1
    with make_context(), ir.Location.unknown():
        changed = replace(program, code=code_of(ir.Module.parse(wrong)))
    right = expected(function, arrays)
    assert is_near(GpuExecutable(program, ModelDriver())(*arrays)[0], right, bits)
    try:
        (found,) = GpuExecutable(changed, ModelDriver())(*arrays)
    except HloError:
        return True
    return bool(np.isnan(found.astype(np.float32)).any()) or not is_near(found, right, bits)
