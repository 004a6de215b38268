"""Attention of f32 whose products have the algorithm of tf32 inputs, on the model of a GPU: one kernel by tensor cores."""

import functools
import re

import jax.numpy as jnp
import numpy as np
import pytest
from test_gpu_assembler import assemble
from test_gpu_attention import EACH, causal, expected, heads, is_near, lowered, on_model, plain
from test_gpu_machine_code import NVDISASM, PTXAS, instructions

import hlo
from hlo.lowering.gpu.attention.mma_kernel import RoundedKernel

TF32 = """algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1,
rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>"""
BITS = 9
"""Of the largest element: tf32 keeps 11 of each input, products of which are added."""


def rounded(function, arrays) -> str:
    """The program, with the algorithm that JAX does not write for this machine."""
    text, count = re.subn(r"precision = \[DEFAULT, DEFAULT\]", TF32, lowered(function, arrays))
    assert count == 2
    return text


@pytest.mark.parametrize(
    "subscripts, shapes, then",
    [
        (EACH, ((2, 40, 32), (2, 70, 32), (2, 70, 32)), jnp.asarray),
        (EACH, ((1, 100, 64), (1, 130, 64), (1, 130, 64)), causal),
        (EACH, ((1, 33, 100), (1, 65, 100), (1, 65, 128)), jnp.asarray),
        ("bqd,bdk->bqk bqk,bdk->bqd", ((2, 40, 32), (2, 32, 72), (2, 48, 72)), jnp.asarray),
    ],
)
@pytest.mark.parametrize("blocks", [1, 128])
def test_programs(subscripts: str, shapes, then, blocks: int, monkeypatch) -> None:
    monkeypatch.setattr("hlo.lowering.gpu.attention.mma_kernel.ENOUGH_BLOCKS", blocks)
    function, arrays = functools.partial(plain, subscripts, then=then), heads(*shapes, kind=np.float32)
    found, right = on_model(rounded(function, arrays), *arrays), expected(function, arrays)
    assert is_near(found, right, BITS)
    assert not is_near(found, right, BITS + 8)  # they are rounded


def test_other_orders_of_keys_are_found(monkeypatch) -> None:
    """Weights as they are in the scores' fragment, with values of other keys."""
    function, arrays = functools.partial(plain, EACH), heads((1, 16, 32), (1, 32, 32), (1, 32, 32), kind=np.float32)
    left = RoundedKernel._left
    monkeypatch.setattr(RoundedKernel, "_left", lambda *given: [left(*given)[n] for n in (0, 2, 1, 3)])
    assert not is_near(on_model(rounded(function, arrays), *arrays), expected(function, arrays), 3)


@pytest.mark.skipif(PTXAS is None or NVDISASM is None, reason="no ptxas, nvdisasm")
@pytest.mark.parametrize("size", [64])
def test_machine_code(size: int, tmp_path) -> None:
    arrays = [np.zeros((64, 1024, size), np.float32)] * 3
    text = rounded(functools.partial(plain, EACH, then=causal), arrays)
    for arch in ("sm_80", "sm_90a"):
        program = hlo.compile(text, target="gpu", arch=arch, cache=False).program
        assert [any(sizes) for sizes in assemble(program.code, arch, tmp_path).values()] == [False]
    assert instructions(text, "sm_80", tmp_path)["HMMA.1688.F32.TF32"] >= 128
