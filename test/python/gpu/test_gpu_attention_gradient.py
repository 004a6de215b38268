"""Gradients of attention, on the model of a GPU: nothing as large as the scores is in memory; what they are, against JAX in f32."""

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
from mlir.dialects import arith
from test_gpu_assembler import PTXAS, assemble

import hlo
from hlo import pipelines
from hlo.dialect.printer import print_module
from hlo.dialect.registration import make_context
from hlo.errors import HloError
from hlo.pipelines.dump import read_dump
from hlo.pipelines.gpu import gpu as gpu_phases
from hlo.runtime.gpu.executable import GpuExecutable
from hlo.runtime.gpu.model.driver import ModelDriver
from hlo.runtime.gpu.model.read_code import code_of

bf16, f16 = ml_dtypes.bfloat16, np.float16
jax_attention = jax.nn.dot_product_attention


def normal(*shape, kind=bf16, scale=1.0, seed=0):
    return (np.random.default_rng([seed, *shape]).standard_normal(shape) * scale).astype(kind)


def heads(queries, keys, size, values=None, batch=2, kind=bf16):
    """Queries, keys, values, the gradient of the result."""
    values = values or size
    shapes = (batch, queries, size), (batch, keys, size), (batch, keys, values), (batch, queries, values)
    return [normal(*s, kind=kind, seed=n) for n, s in enumerate(shapes)]


def btnh(queries, keys, heads, groups=1, size=32, kind=bf16):
    shapes = (queries, heads * groups), (keys, heads), (keys, heads), (queries, heads * groups)
    return [normal(1, *s, size, kind=kind, seed=n) for n, s in enumerate(shapes)]


def plain(q, k, v, then=lambda s: s, kind=jnp.float32):
    """The softmax in f32 (or `kind`)."""
    s = then(jnp.einsum("bqd,bkd->bqk", q, k, preferred_element_type=kind) * 0.25)
    return jnp.einsum("bqk,bkd->bqd", jax.nn.softmax(s, axis=-1).astype(q.dtype), v)


def capped(scores):
    return 4 * jnp.tanh(scores / 4)


def rounded(q, k, v):
    """All in the type of the inputs."""
    return plain(q, k, v, kind=None)


def weighted(q, k, v, by):
    """As of a dropout: weights that are multiplied by something in memory."""
    s = jnp.einsum("bqd,bkd->bqk", q, k, preferred_element_type=jnp.float32)
    return jnp.einsum("bqk,bkd->bqd", (jax.nn.softmax(s, axis=-1) * by).astype(q.dtype), v)


def late(q, k, v, mask, bias):
    """Rows that see nothing: all keys have the mask's value, those that the causal mask hides too."""
    return jax_attention(q, k, v, mask=mask, bias=bias, is_causal=True)


def gradient(function):
    """The result, and the gradients of queries, keys and values."""

    def both(q, k, v, g, *rest):
        result, back = jax.vjp(lambda *qkv: function(*qkv, *rest), q, k, v)
        return (result, *back(g))

    return both


PROGRAMS = {
    "f32 softmax, lengths that are no tiles": (plain, heads(40, 70, 24, batch=1)),
    "long heads, short values, capped": (functools.partial(plain, then=capped), heads(33, 48, 130, 20, batch=1)),
    "f16 softmax, long values": (rounded, heads(70, 40, 32, 72, batch=1, kind=f16)),
    "dropout": (weighted, [*heads(40, 72, 32, batch=1), 2 * normal(1, 40, 72, kind=np.float32).clip(0, 0.5)]),
    "causal, grouped queries": (functools.partial(jax_attention, is_causal=True), btnh(130, 130, 1, groups=2)),
    "causal, bias, rows without keys": (
        late, [*btnh(70, 130, 2), np.arange(130)[None, None, None] > np.array([3, 100])[None, :, None, None],
               normal(1, 2, 70, 130)]),
}  # fmt: skip


def lowered(function, arrays):
    return jax.jit(function).lower(*arrays).as_text()


def compiled(text, arch="sm_80"):
    """After a look at the kernels: those that compute scores again are there."""
    exe = hlo.compile(text, target="gpu", device="model", arch=arch, cache=False)
    kernels = list(exe.program.plan.kernels)
    assert sum("recomputed" in name for name in kernels) >= 2 and sum("attention" in name for name in kernels) <= 1
    return exe


def again(exe):
    """Launches that compute scores again."""
    return sum("recomputed" in name for name in exe.program.plan.kernels)


def on_model(program, *arrays):
    driver = ModelDriver()
    found = GpuExecutable(program, driver)(*arrays)
    assert driver.conflicts == 0
    return found


def expected(function, arrays):
    """JAX's results in f32."""
    wide = [a if a.dtype == bool else a.astype(np.float32) for a in arrays]
    return [np.asarray(one) for one in jax.tree.leaves(jax.jit(function)(*wide))]


def is_near(found, right, bits=6):
    """NaN where it is; within so many bits of the largest element."""
    found = found.astype(np.float32)
    assert np.array_equal(np.isnan(found), np.isnan(right))
    return np.nanmax(np.abs(found - right)) <= 2.0**-bits * np.nanmax(np.abs(right))


ARCHS = {name: "sm_90a" if "causal" in name else "sm_80" for name in PROGRAMS}


@pytest.fixture
def few_tiles(monkeypatch):
    """Are enough for attention by warpgroups."""
    change_target(monkeypatch, "sm_90a", multiprocessors=2)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name, arch", ARCHS.items())
def test_programs(name: str, arch: str, few_tiles) -> None:
    function, arrays = PROGRAMS[name]
    exe = compiled(lowered(gradient(function), arrays), arch)
    assert ("wgmma" in exe.program.code) == (arch == "sm_90a")
    for found, right in zip(on_model(exe.program, *arrays), expected(gradient(function), arrays), strict=True):
        assert is_near(found, right, 5 if "softmax" in name else 6)


def exact(q, k, v, g):
    """dQ and dK as the program has them in f32, in f64 from the f32 gradient of the scores."""
    q, k, v, g = (a.astype(np.float64) for a in (q, k, v, g))
    s = np.einsum("bqd,bkd->bqk", q, k) * 0.25
    e = np.exp(s - s.max(-1, keepdims=True))
    p = e / e.sum(-1, keepdims=True)
    t = np.einsum("bqd,bkd->bqk", g, v)
    d = p * (t - (t * p).sum(-1, keepdims=True)) * 0.25
    return np.einsum("bqk,bkd->bqd", d, k), np.einsum("bqk,bqd->bkd", d, q)


def test_gradients_in_f32_are_products_in_f32(monkeypatch) -> None:
    """Where the program multiplies the scores' gradient in f32, it is not rounded to bf16: three terms hold it."""
    q, k, v, g = heads(32, 48, 32, batch=1)

    def wide(q, k, v, g):
        """No rounding but that of the inputs."""
        s = jnp.einsum("bqd,bkd->bqk", q, k, preferred_element_type=jnp.float32)
        w, softmax = jax.vjp(lambda s: jax.nn.softmax(s * 0.25, axis=-1), s)
        t = jnp.einsum("bqd,bkd->bqk", g, v, preferred_element_type=jnp.float32)
        (d,) = softmax(t)
        out = jnp.einsum("bqk,bkd->bqd", w.astype(q.dtype), v, preferred_element_type=jnp.float32)
        wide = (
            jnp.einsum("bqk,bkd->bqd", d, k.astype(jnp.float32)),
            jnp.einsum("bqk,bqd->bkd", d, q.astype(jnp.float32)),
        )
        return (out, *wide)

    def errors():
        exe = compiled(lowered(wide, [q, k, v, g]))
        assert again(exe) == 3  # one for row sums
        _, *found = on_model(exe.program, q, k, v, g)
        rights = exact(q, k, v, g)
        return [np.abs(one - right).max() / np.abs(right).max() for one, right in zip(found, rights, strict=True)]

    assert max(errors()) <= 2.0**-19
    monkeypatch.setattr("hlo.lowering.gpu.attention.thread_rows.FIRST_BITS", -(1 << 24))
    assert min(errors()) > 2.0**-15  # terms of fewer bits


def with_statistics(q, k, v, g, is_safe=False):
    """The gradient of the values in front of the result, then the rows' maxima and sums. `is_safe`: 0 is subtracted where the
    maximum is not finite."""
    s = jnp.einsum("bqd,bkd->bqk", q, k, preferred_element_type=jnp.float32)
    m = jnp.max(s, -1)
    e = jnp.exp(s - (jnp.where(jnp.isfinite(m), m, 0) if is_safe else m)[..., None])
    total = jnp.sum(e, -1)
    p = (e / total[..., None]).astype(q.dtype)
    return jnp.einsum("bqk,bqd->bkd", p, g), jnp.einsum("bqk,bkd->bqd", p, v), m, total


def large_scores():
    """2^19 and a small whole number: exact. One row is NaN, one has inf."""
    q, k, v, g = heads(70, 40, 32)
    q[:], k[:] = np.round(q), np.round(k)
    q[..., :8], k[..., :8] = 256, 256
    q[0, 3], q[0, 7, 0] = np.nan, np.inf
    return q, k, v, g


def right_statistics(q, k, is_safe):
    with np.errstate(invalid="ignore"):
        s = np.einsum("bqd,bkd->bqk", q.astype(np.float64), k.astype(np.float64))
        m = s.max(-1)
        return m, np.exp(s - (np.where(np.isfinite(m), m, 0) if is_safe else m)[..., None]).sum(-1)


@pytest.mark.parametrize("arch, is_safe", [("sm_80", True), ("sm_90a", True), ("sm_90a", False)])
def test_maxima_and_sums_are_those_of_attention(arch: str, is_safe: bool, few_tiles) -> None:
    """One kernel gives them, and none computes scores again for them."""
    arrays = large_scores()
    text = lowered(functools.partial(with_statistics, is_safe=is_safe), arrays)
    exe = hlo.compile(text, target="gpu", device="model", arch=arch, cache=False)
    assert again(exe) == 1 and any("attention" in name for name in exe.program.plan.kernels)
    values, result, *found = on_model(exe.program, *arrays)
    assert np.isnan(values[0]).all() and np.isnan(result[0, [3, 7]]).all() and np.isnan(result).sum() == 64
    for one, right in zip(found, right_statistics(*arrays[:2], is_safe), strict=True):
        np.testing.assert_allclose(one, right, rtol=1e-6)


def masked(q, k, v, mask):
    return plain(q, k, v, lambda s: jnp.where(mask, s, -jnp.inf))


def test_rows_without_keys() -> None:
    """They are NaN, and so is all that is summed over them."""
    arrays = [*heads(40, 33, 32), np.random.default_rng(1).random((2, 40, 33)) < 0.5]
    arrays[-1][0, 7] = False
    found = on_model(compiled(lowered(gradient(masked), arrays)).program, *arrays)
    right = expected(gradient(masked), arrays)
    assert (
        np.isnan(right[0][0, 7]).all()
        and np.isnan(right[3][0]).all()
        and not any(np.isnan(one[1]).any() for one in right)
    )
    assert all(is_near(one, other) for one, other in zip(found, right, strict=True))


def test_nothing_as_large_as_the_scores_is_in_memory() -> None:
    batch, count, number, size = 2, 4096, 8, 128
    kind = jax.ShapeDtypeStruct((batch, count, number, size), bf16)
    text = lowered(gradient(functools.partial(jax_attention, is_causal=True)), [kind] * 4)
    exe = compiled(text)
    scores, rows = batch * number * count * count, batch * number * count
    assert exe.memory.temporaries <= 8 * 4 * rows + 2 * rows * size < scores / 8


def layer(weights, x):
    """Of a transformer: projections, attention, projection, residual."""
    q, k, v = (jnp.einsum("btd,dnh->btnh", x, w) for w in weights[:3])
    return x + jnp.einsum("btnh,nhd->btd", jax_attention(q, k, v, is_causal=True), weights[3])


def step(weights, x, target):
    """A step of training of two layers."""

    def loss(weights):
        y = x
        for one in weights:
            y = layer(one, y)
        return jnp.mean(jnp.square(y - target).astype(jnp.float32))

    value, gradients = jax.value_and_grad(loss)(weights)
    return value, jax.tree.map(lambda w, g: (w - 0.5 * g).astype(w.dtype), weights, gradients)


def test_training_step() -> None:
    shapes = [(32, 2, 16)] * 3 + [(2, 16, 32)]
    weights = [[normal(*s, scale=0.1, seed=10 * n + m) for m, s in enumerate(shapes)] for n in range(2)]
    x, target = normal(1, 48, 32, seed=1), normal(1, 48, 32, seed=2)
    exe = hlo.compile(lowered(step, (weights, x, target)), target="gpu", device="model", cache=False)
    kernels = list(exe.program.plan.kernels)
    assert sum("attention" in name for name in kernels) == 1 and sum("recomputed" in name for name in kernels) >= 2
    arrays = [*weights[0], *weights[1], x, target]
    found = on_model(exe.program, *arrays)
    wide = jax.tree.map(lambda a: a.astype(np.float32), (weights, x, target))
    right = [np.asarray(one) for one in jax.tree.leaves(jax.jit(step)(*wide))]
    assert abs(found[0] - right[0]) <= 0.02 * abs(right[0])
    for one, other, before in zip(found[1:], right[1:], [*weights[0], *weights[1]], strict=True):
        assert is_near(one, other) and np.abs(other - before.astype(np.float32)).max() > 0


def test_hidden_steps_are_looked_at(monkeypatch) -> None:
    """Left out in any case, they are missed where a row sees nothing."""
    monkeypatch.setattr("hlo.lowering.gpu.attention.tile_kernel.any_thread", lambda condition, *rest: never(condition))
    function, arrays = PROGRAMS["causal, bias, rows without keys"]
    found = on_model(compiled(lowered(gradient(function), arrays)).program, *arrays)
    right = expected(gradient(function), arrays)
    assert is_near(found[0], right[0]) and not is_near(found[3], right[3])


def never(condition):
    return arith.andi(condition, arith.constant(condition.type, 0))


@pytest.mark.skipif(PTXAS is None, reason="no ptxas: pip install nvidia-cuda-nvcc")
@pytest.mark.parametrize("size, arch", [(64, "sm_90a"), (128, "sm_80")])
def test_assembled_without_spills(size: int, arch: str, tmp_path) -> None:
    kind = jax.ShapeDtypeStruct((32, 1024, size), bf16)
    program = hlo.compile(lowered(gradient(plain), [kind] * 4), target="gpu", arch=arch, cache=False).program
    found = assemble(program.code, arch, tmp_path)
    assert len(found) == len(program.plan.kernels) and not any(any(sizes[1:]) for sizes in found.values())
    again = [text for text in program.code.split(".entry") if text.lstrip().startswith("recomputed")]
    assert len(again) == 4 and not any("div.rn.f32" in text for text in again)  # products with inverses


def with_scores(q, k, v, g):
    """The gradient of the scores is a result."""
    bias = jnp.zeros((q.shape[0], q.shape[1], k.shape[1]))
    function = lambda b: jnp.sum(plain(q, k, v, lambda s: s + b).astype(jnp.float32) * g)
    return jax.grad(function)(bias)


@pytest.mark.parametrize(
    "function, arrays",
    [
        (with_scores, heads(32, 48, 32)),
        (gradient(plain), heads(8, 48, 32)),
        (gradient(plain), heads(32, 48, 32, kind=f16)),
    ],
    ids=["the scores' gradient is a result", "8 queries", "f32 by f16"],
)
def test_what_is_declined_has_other_kernels(function, arrays) -> None:
    exe = hlo.compile(lowered(function, arrays), target="gpu", device="model", cache=False)
    assert not any("recomputed" in name for name in exe.program.plan.kernels)
    right = expected(function, arrays)
    assert all(is_near(one, other) for one, other in zip(exe(*arrays), right, strict=True))


def test_planted_mistakes_are_found() -> None:
    """A barrier that is missing in the last kernel."""
    old, new = "(?s)(.*)(gpu.func @recomputed.*?)gpu.barrier", r"\g<1>\g<2>"
    arrays = heads(40, 72, 32, batch=1)
    text = lowered(gradient(plain), arrays)
    program = compiled(text).program
    module = hlo.parse(text)
    pipelines.run(module, pipelines.target_pipeline("gpu"), stop_after="device")
    wrong, count = re.subn(old, new, str(module), count=1)
    assert count == 1
    with make_context(), ir.Location.unknown():
        changed = replace(program, code=code_of(ir.Module.parse(wrong)))
    right = expected(gradient(plain), arrays)
    try:
        found = GpuExecutable(changed, ModelDriver())(*arrays)
    except HloError:
        return
    assert not all(is_near(one, other) for one, other in zip(found, right, strict=True))


def of_gradient(phase: str) -> str:
    """The module after a phase."""
    module = hlo.parse(lowered(gradient(functools.partial(jax_attention, is_causal=True)), btnh(64, 64, 2)))
    pipelines.run(module, gpu_phases("sm_80"), stop_after=phase)
    return print_module(module)


def test_kernels_are_read_back() -> None:
    """How an attention kernel reads the scores is in the text of the phase: code follows from it."""
    text = of_gradient("kernels")
    assert text.count('hlo.reads_scores = "softmax"') == 1 and text.count('hlo.reads_scores = "elements"') >= 3
    module = read_dump(text, "kernels.mlir")
    pipelines.run(module, gpu_phases("sm_80"), start_from="kernels", stop_after="memory")
    found = print_module(module)
    assert found == of_gradient("memory") and "gpu.func @recomputed" in found


def test_wrong_records_are_refused() -> None:
    text = of_gradient("kernels").replace('hlo.reads_scores = "softmax"', 'hlo.reads_scores = "sofmax"')
    with pytest.raises(HloError, match=r"'hlo.reads_scores' must be softmax or elements, found .sofmax."):
        read_dump(text, "kernels.mlir")
