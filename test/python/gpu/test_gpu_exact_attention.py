"""Attention of f32 and f64 as one kernel, on the model of a GPU: exact as its products and exponentials are, against JAX."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from test_gpu_assembler import assemble
from test_gpu_attention import (
    EACH,
    PROGRAMS,
    bf16,
    btnh,
    causal,
    f16,
    heads,
    is_found,
    jax_attention,
    lowered,
    on_model,
    plain,
    without_keys,
)
from test_gpu_machine_code import NVDISASM, PTXAS, instructions

import hlo
from hlo.runtime.gpu.executable import GpuExecutable
from hlo.runtime.gpu.model.driver import ModelDriver

f32, f64 = np.float32, np.float64
BITS = {f32: 19, f64: 46}
"""Of the largest element: sums of 280 terms have lost some of 24 or 53."""

NAMES = [
    "lengths that are no tiles",
    "causal, rows without keys",
    "causal without keys, -inf",
    "bias and mask",
    "rows of 80 and 112, without a batch",
    "keys and values the other way round",
    "long heads, short values",
    "batch and heads as one",
    "rows without keys, finite",
    "factors and sums after it",
]


def check(function, arrays, kind=f32) -> None:
    """`arrays`: those of bf16 and f16 become `kind`."""
    arrays = [a.astype(kind) if a.dtype in (bf16, f16, f32) else a for a in arrays]
    with jax.enable_x64(kind is f64):
        found = on_model(lowered(function, arrays), *arrays)
        right = np.asarray(jax.jit(function)(*arrays))
    assert found.dtype == right.dtype == kind
    assert np.array_equal(np.isnan(found), np.isnan(right))
    assert np.nanmax(np.abs(found - right)) <= 2.0 ** -BITS[kind] * np.nanmax(np.abs(right))


@pytest.mark.parametrize("name", NAMES)
def test_programs(name: str) -> None:
    function, arrays = PROGRAMS[name]
    check(function, arrays)


PLAIN = functools.partial(plain, EACH)


@pytest.mark.parametrize(
    "shapes",
    [
        ((2, 40, 20), (2, 70, 20), (2, 70, 50)),
        ((1, 33, 72), (1, 70, 72), (1, 70, 128)),
    ],
)
def test_doubles(shapes) -> None:
    check(functools.partial(exact, then=causal), heads(*shapes), f64)


def exact(q, k, v, then=jnp.asarray):
    """All in the type of the inputs."""
    return jnp.einsum("bqk,bkd->bqd", jax.nn.softmax(then(jnp.einsum("bqd,bkd->bqk", q, k)), axis=-1), v)


@pytest.mark.parametrize("size", [64, 128, 160])
def test_large_blocks(size: int, monkeypatch) -> None:
    """As many queries a block as registers have sums for."""
    monkeypatch.setattr("hlo.lowering.gpu.attention.plan.ENOUGH_BLOCKS", 1)
    check(PLAIN, heads((1, 130, size), (1, 70, size), (1, 70, size)))


def test_no_bank_of_shared_memory_is_wanted_twice() -> None:
    """Queries, keys, weights and values, read and written 16 bytes at once."""
    arrays, driver = heads((1, 40, 64), (1, 70, 64), (1, 70, 64), kind=f32), ModelDriver()
    GpuExecutable(hlo.compile(lowered(PLAIN, arrays), target="gpu", device="model").program, driver)(*arrays)
    assert driver.vector_conflicts == 0


def test_infinities_and_nans() -> None:
    """A row with an infinite or undefined score is undefined, others are not."""
    q, k, v = heads((1, 16, 32), (1, 40, 32), (1, 40, 32), kind=f32)
    q[0, 3, 5], q[0, 9, 0] = np.nan, np.inf
    check(PLAIN, [q, k, v])


def test_small_differences_count() -> None:
    """Scores of 64 that differ by 2 ** -15: bf16 and tf32 would make them equal, and so the results."""
    q, k = np.full((1, 16, 16), 2, f32), np.full((1, 32, 16), 2, f32)
    k[0, :, 0] += np.arange(32, dtype=f32) * 2.0**-16
    v = np.where(np.arange(32) < 16, -1, 1).astype(f32)[None, :, None].repeat(16, 2)
    weights = np.exp((q.astype(f64) @ k[0].T.astype(f64)) - 64)
    right = (weights / weights.sum(-1, keepdims=True)) @ v
    found = on_model(lowered(exact, [q, k, v]), q, k, v)
    assert np.abs(right).min() > 2.0**-13 and np.abs(found - right).max() < 2.0**-21


@pytest.mark.parametrize("queries, keys, is_one", [(32, 128, True), (32, 4096, False), (4096, 4096, True)])
def test_few_queries_for_many_keys_have_other_kernels(queries: int, keys: int, is_one: bool) -> None:
    """One block would go through all keys while a card is idle."""
    inputs = [jax.ShapeDtypeStruct((4, count, 64), "float32") for count in (queries, keys, keys)]
    program = hlo.compile(jax.jit(exact).lower(*inputs).as_text(), target="gpu").program
    assert any("attention" in name for name in program.plan.kernels) == is_one


def test_scores_in_a_wider_type_have_other_kernels() -> None:
    wider = functools.partial(plain, EACH, then=lambda scores: scores.astype(f64) * 0.5)
    with jax.enable_x64(True):
        arrays = heads((2, 40, 32), (2, 64, 32), (2, 64, 32), kind=f32)
        exe = hlo.compile(lowered(wider, arrays), target="gpu", device="model", cache=False)
        right = np.asarray(jax.jit(wider)(*arrays))
    assert not any("attention" in name for name in exe.program.plan.kernels)
    assert np.abs(exe(*arrays)[0] - right).max() < 2.0**-20


def test_scores_are_not_in_memory() -> None:
    arrays = btnh(256, 256, 2, kind=f32)
    exe = hlo.compile(lowered(functools.partial(jax_attention, is_causal=True), arrays), target="gpu")
    assert exe.memory.temporaries == 0 and len(exe.program.plan.kernels) == 1
    assert "ex2.approx" in exe.program.code and "mma.sync" not in exe.program.code


@pytest.mark.parametrize(
    "old, new",
    [
        ("(?s)(wait.group 0.*?)wait.group 0", r"\g<1>wait.group 1"),
        ("nvvm.cp.async.wait.group 0", "nvvm.cp.async.wait.group 1"),
        ("gpu.barrier", ""),
        ("(?s)(gpu.barrier.*?)gpu.barrier", r"\g<1>"),
        ("(?s)(.*)gpu.barrier", r"\g<1>"),
        ("arith.xori %", "arith.addi %"),
        ("gpu.shuffle  xor (%[a-z0-9]+), %c4_i32", r"gpu.shuffle  xor \g<1>, %c2_i32"),
        ("(?s)(.*)math.fma (%[0-9]+), ", r"\g<1>math.fma %cst_0, "),
        ("(?s)(math.exp .*?)math.exp ", r"\g<1>math.exp2 "),
    ],
)
def test_planted_mistakes_are_found(old: str, new: str) -> None:
    """Waits that are too short, barriers that are missing, another swizzle, lanes that are not of the row's other half, a product
    that is left out, another exponential."""
    arrays = [*heads((2, 40, 32), (2, 72, 32), (2, 72, 40), kind=f32), np.arange(72) % 3 > 0]
    assert is_found(without_keys, arrays, old, new, BITS[f32])


ASSEMBLED = [(64, 1024, causal), (128, 1024, causal)]


@pytest.mark.skipif(PTXAS is None or NVDISASM is None, reason="no ptxas, nvdisasm")
@pytest.mark.parametrize("size, count, then", ASSEMBLED)
def test_machine_code(size: int, count: int, then, tmp_path) -> None:
    """No spills; both products are fused multiply-adds of 16 bytes at once from shared memory, which is filled by copies that pass
    by the registers."""
    inputs = [jax.ShapeDtypeStruct((64, count, size), "float32")] * 3
    text = jax.jit(functools.partial(exact, then=then)).lower(*inputs).as_text()
    for arch in ("sm_80", "sm_90a"):
        program = hlo.compile(text, target="gpu", arch=arch, cache=False).program
        assert [any(sizes) for sizes in assemble(program.code, arch, tmp_path).values()] == [False]
    found = instructions(text, "sm_90a", tmp_path)
    assert found["FFMA"] > 10 * found["LDS.128"] > 100 and not found["HMMA"] and not found["HGMMA"]
    assert any(name.startswith("LDGSTS.E") and "128" in name for name in found)
