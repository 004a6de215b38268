"""Masks and biases that attention reads from memory: neighbouring keys with one access, where they are neighbours in memory."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from test_gpu_attention import bf16, expected, heads, is_near, lowered, normal, on_model

import hlo
from hlo import pipelines


def masked(q, k, v, bias, mask, factor, last):
    """`last`: a mask along the queries first, whose keys are far from each other in memory."""
    s = jnp.einsum("bqd,bkd->bqk", q, k, preferred_element_type=jnp.float32)
    s = jnp.where(mask & last.T, (s + bias) * factor, -1e30)
    return jnp.einsum("bqk,bkd->bqd", jax.nn.softmax(s, axis=-1).astype(q.dtype), v)


def arguments(keys: int):
    random = np.random.default_rng(1).random
    q, k, v = heads((2, 40, 32), (2, keys, 32), (2, keys, 32))
    masks = random((2, 40, keys)) < 0.8, random((keys, 40)) < 0.9
    return [q, k, v, normal(2, 40, keys, kind=bf16), masks[0], np.abs(normal(keys, kind=np.float32)), masks[1]]


def reads(text: str) -> dict[str, set[str]]:
    """By the type of what is in the card's memory, what is read at once."""
    module = hlo.parse(text)
    pipelines.run(module, pipelines.target_pipeline("gpu"), stop_after="device")
    loads = re.findall(r"(?:vector|memref)\.load .* : memref<(\w+)>(?:, vector<(\w+)>)?", str(module))
    return {memory: {wide for name, wide in loads if name == memory} for memory, _ in loads}


@pytest.mark.parametrize(
    "keys, wanted",
    [
        (72, {"2x40x72xbf16": "2xbf16", "2x40x72xi8": "2xi8", "72xf32": "2xf32", "72x40xi8": ""}),
        (71, {"2x40x71xbf16": "", "2x40x71xi8": "", "71xf32": "", "71x40xi8": ""}),
    ],
)
def test_neighbours_are_read_at_once(keys: int, wanted: dict[str, str]) -> None:
    arrays = arguments(keys)
    text = lowered(masked, arrays)
    assert reads(text) == {memory: {wide} for memory, wide in wanted.items()}
    assert is_near(on_model(text, *arrays), expected(masked, arrays))
