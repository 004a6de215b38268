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


PI = [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344, 0xA4093822, 0x299F31D0]
KNOWN_ANSWERS = [
    ("THREE_FRY", [0] * 2, [0] * 2, [0x6B200159, 0x99BA4EFE]),
    ("THREE_FRY", [2**32 - 1] * 2, [2**32 - 1] * 2, [0x1CB996FC, 0xBB002BE7]),
    ("THREE_FRY", PI[2:4], PI[:2], [0xC4923A9C, 0x483DF7A0]),
    ("PHILOX", [0] * 2, [0] * 4, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ("PHILOX", [2**32 - 1] * 2, [2**32 - 1] * 4, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    ("PHILOX", PI[4:], PI[:4], [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]),
]
"""Algorithm, words of the key, of the counter and of the block, low words first: kat_vectors of Random123 (threefry2x32 20,
philox4x32 10)."""


@pytest.mark.parametrize("target", ["cpu", "reference"])
@pytest.mark.parametrize("algorithm, key, counter, block", KNOWN_ANSWERS)
def test_known_answers(algorithm, key, counter, block, target):
    state = np.array([*key, *counter], np.uint32).view(np.uint64)
    types = f"tensor<{len(state)}xui64>", f"tensor<{len(block) // 2}xui64>"
    text = f"""func.func @main(%s: {types[0]}) -> {types[1]} {{
  %r:2 = stablehlo.rng_bit_generator %s, algorithm = {algorithm} : ({types[0]}) -> ({types[0]}, {types[1]})
  return %r#1 : {types[1]}
}}"""
    (found,) = hlo.compile(text, target=target)(state)
    np.testing.assert_array_equal(found.view(np.uint32), np.array(block, np.uint32))
