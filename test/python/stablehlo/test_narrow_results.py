"""Programs of which slices read a part, against the reference interpreter; how much is left to compute."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hlo

RANDOM = np.random.default_rng(28)


def _array(*sizes: int) -> np.ndarray:
    return RANDOM.normal(size=sizes).astype(np.float32)


def _normalised(x):
    return (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5)


PROGRAMS = {
    "attention of the last token": (
        lambda q, k, v: (jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k)) @ v.transpose(0, 2, 1, 3))[:, :, -1],
        [_array(2, 12, 3, 8)] * 3,
    ),
    "first token behind residuals": (
        lambda x, w: (x + _normalised(x) @ w + jnp.flip(_normalised(x), 2))[:, 0],
        [_array(4, 9, 16), _array(16, 16)],
    ),
    "two reductions and their indices": (
        lambda x: (jnp.argmax(x, 1)[3:5], jnp.max(x, 1)[4:7:2], x.sum((0, 2))[-1]),
        [_array(20, 6, 5)],
    ),
    "blocks of one product": (
        lambda x, y: [(x @ y)[:, i : i + 3, 2 * i : 2 * i + 4].transpose(0, 2, 1) for i in (1, 2)],
        [_array(3, 20, 7), _array(3, 7, 30)],
    ),
    "in a loop": (
        lambda x, w: jax.lax.fori_loop(0, 3, lambda i, s: s + (jnp.tanh(s[None] * x) @ w)[2], x[0]),
        [_array(9, 6), _array(6, 6)],
    ),
}


def _text(name: str) -> str:
    function, arrays = PROGRAMS[name]
    return jax.jit(function).lower(*arrays).as_text()


@pytest.mark.parametrize("name", PROGRAMS)
def test_results(name: str) -> None:
    arrays = PROGRAMS[name][1]
    found, expected = (hlo.compile(_text(name), target=target)(*arrays) for target in ("cpu", "reference"))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, np.asarray(other), rtol=1e-5, atol=1e-5)


def test_other_rows_are_not_computed() -> None:
    text = hlo.compile(_text("attention of the last token"), keep_phases=True).phases["stablehlo"]
    assert "tensor<2x3x12x12xf32>" not in text and "tensor<2x3x1x12xf32>" in text
