"""rng_bit_generator gives the bits and states that XLA gives: compiled and by the reference."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import hlo

ALGORITHMS = {
    "THREE_FRY": jax.lax.RandomAlgorithm.RNG_THREE_FRY,
    "PHILOX": jax.lax.RandomAlgorithm.RNG_PHILOX,
    "DEFAULT": jax.lax.RandomAlgorithm.RNG_DEFAULT,
}
STATE = np.array([0x123456789ABCDEF, 0xFFFFFFFFFFFFFFFE], np.uint64)
"""The counter overflows on the way."""


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("dtype, shape", [("uint32", (2, 3)), ("uint32", (3, 5)), ("uint16", (3, 2, 5)), ("uint8", (7,)),
                                          ("uint64", (3, 3)), ("uint32", ()), ("uint64", (0, 2))])  # fmt: skip
def test_bits_are_those_of_xla(algorithm: str, dtype: str, shape: tuple[int, ...]) -> None:
    with jax.enable_x64(True):
        generate = jax.jit(lambda s: jax.lax.rng_bit_generator(s, shape, dtype, ALGORITHMS[algorithm]))
        expected = generate(STATE)
        text = generate.lower(STATE).as_text()
    assert f"algorithm = {algorithm} :" in text
    for target in ("cpu", "reference"):
        for found, wanted in zip(hlo.compile(text, target=target)(STATE), expected):
            np.testing.assert_array_equal(found, np.asarray(wanted), target)


@pytest.mark.parametrize("size", [0, 1, 4])
@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_default_takes_philox_states_only(target, size):
    """The specification leaves the size of DEFAULT's state to compilers: ours has two or three words."""
    state = f"tensor<{size}xui64>"
    text = f"""func.func @main(%s: {state}) -> ({state}, tensor<4xui32>) {{
  %r:2 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : ({state}) -> ({state}, tensor<4xui32>)
  return %r#0, %r#1 : {state}, tensor<4xui32>
}}"""
    with pytest.raises(hlo.HloError, match=f"initial_state of PHILOX must have 2 or 3 elements, found {size}"):
        hlo.compile(text, target=target)(np.zeros(size, np.uint64))
