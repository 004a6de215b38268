"""Random numbers. `rng` is implementation-defined: here the same numbers for the same shape and limits.

rng_bit_generator follows XLA's ThreeFry and Philox (Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from hlo.dialect.locations import diagnostic
from hlo.dialect.stablehlo import random as ops
from hlo.errors import CompileError
from hlo.reference.dynamic import sizes
from hlo.reference.table import evaluates
from hlo.reference.values import bit_width, is_small_integer, narrow, widest

ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
PARITY = 0x1BD11BDA
PHILOX_FACTORS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
PHILOX_KEY_STEPS = (0x9E3779B9, 0xBB67AE85)


@evaluates(ops.RngOp)
def evaluate_rng(call, a, b, shape):
    """Limits in the wrong order, which the specification leaves open, are no error."""
    generator = np.random.default_rng(0)
    low, high = widest(a), widest(b)
    if call.rng_distribution == "NORMAL":
        return narrow(low + high * generator.standard_normal(sizes(shape)), call.dtype())
    if call.dtype().kind in "f" or call.dtype().kind == "V":
        return narrow(low + (high - low) * generator.random(sizes(shape)), call.dtype())
    if call.dtype().kind == "b":
        return generator.integers(0, 2, sizes(shape)).astype(bool)
    first, last = int(low), max(int(high) - 1, int(low))
    return narrow(generator.integers(first, last, sizes(shape), low.dtype, endpoint=True), call.dtype())


def threefry(key: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """20 rounds on pairs of 32-bit words."""
    keys = [key[0], key[1], key[0] ^ key[1] ^ np.uint32(PARITY)]
    x, y = x + keys[0], y + keys[1]
    for group in range(5):
        for distance in ROTATIONS[group % 2]:
            x = x + y
            y = (y << np.uint32(distance) | y >> np.uint32(32 - distance)) ^ x
        x = x + keys[(group + 1) % 3]
        y = y + keys[(group + 2) % 3] + np.uint32(group + 1)
    return x, y


@evaluates(ops.RngBitGeneratorOp)
def evaluate_rng_bit_generator(call, state):
    return random_bits(call.op, call.rng_algorithm, state, call.shape(1), call.dtype(1))


def random_bits(
    op: Any, algorithm: str, state: np.ndarray, shape: tuple[int, ...], dtype: np.dtype
) -> list[np.ndarray]:
    """The state past the last block used, and the bits. DEFAULT is Philox, as on XLA's CPU. Raises CompileError for a
    state that the algorithm has not."""
    algorithm = "PHILOX" if algorithm == "DEFAULT" else algorithm
    if error := ops.state_size_error(algorithm, len(state)):
        raise CompileError(diagnostic(op, error))
    wide_numbers = bit_width(dtype) == 64
    if algorithm != "THREE_FRY":
        numbers, used = _philox_numbers(state, shape, wide_numbers)
    else:
        numbers, used = (_wide_numbers if wide_numbers else _narrow_numbers)(state, shape)
    return [_advanced(state, used), _bits(numbers, dtype)]


def _bits(numbers: np.ndarray, dtype: np.dtype) -> np.ndarray:
    if is_small_integer(dtype):
        return narrow(numbers, dtype)
    return numbers.astype(f"u{dtype.itemsize}").view(dtype)


def _advanced(state: np.ndarray, used: int) -> np.ndarray:
    """The counter is the second element, or the second and third, low half first."""
    low = (int(state[1]) + used) % 2**64
    high = [np.uint64((int(n) + (low < int(state[1]))) % 2**64) for n in state[2:]]
    return np.array([state[0], low, *high], np.uint64)


def _philox_numbers(state: np.ndarray, shape: tuple[int, ...], wide_numbers: bool) -> tuple[np.ndarray, int]:
    """Blocks of four words, one after the other."""
    count = math.prod(shape)
    blocks = -(-count * (2 if wide_numbers else 1) // 4)
    low = state[1] + np.arange(blocks, dtype=np.uint64)
    high = state[2 if len(state) == 3 else 0] + (low < state[1])
    words = np.stack(philox(_words(state[:1])[:, 0], [*_words(low), *_words(high)]), 1).reshape(-1)
    numbers = words.view(np.uint64) if wide_numbers else words
    return numbers[:count].reshape(shape), blocks


def philox(key: np.ndarray, counter: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Philox-4x32-10 of the paper: four words for each counter of four words."""
    a, b, c, d = counter
    k0, k1 = (int(word) for word in key)
    for _ in range(10):
        (low0, high0), (low1, high1) = (_words(x.astype(np.uint64) * f) for x, f in zip((a, c), PHILOX_FACTORS))
        a, b, c, d = high1 ^ b ^ np.uint32(k0), low1, high0 ^ d ^ np.uint32(k1), low0
        k0, k1 = ((k + step) % 2**32 for k, step in zip((k0, k1), PHILOX_KEY_STEPS))
    return [a, b, c, d]


def _blocks(state: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """`count` blocks of two words, from the counter in the state."""
    counter = state[1] + np.arange(count, dtype=np.uint64)
    return threefry(_words(state[:1])[:, 0], *_words(counter))


def _words(values: np.ndarray) -> np.ndarray:
    return np.array([values & np.uint64(0xFFFFFFFF), values >> np.uint64(32)]).astype(np.uint32)


def _wide_numbers(state: np.ndarray, shape: tuple[int, ...]) -> tuple[np.ndarray, int]:
    count = int(np.prod(shape, dtype=np.int64))
    low, high = _blocks(state, count)
    return (low.astype(np.uint64) | high.astype(np.uint64) << np.uint64(32)).reshape(shape), count


def _narrow_numbers(state: np.ndarray, shape: tuple[int, ...]) -> tuple[np.ndarray, int]:
    """One dimension is halved (the first even one, or else the largest): both words of a block are neighbours."""
    whole = shape or (1,)
    even = [d for d, n in enumerate(whole) if n % 2 == 0]
    split = even[0] if even else int(np.argmax(whole))
    half = [-(-n // 2) if d == split else n for d, n in enumerate(whole)]
    count = int(np.prod(half, dtype=np.int64))
    doubled = [2 * n if d == split else n for d, n in enumerate(half)]
    joined = np.stack([w.reshape(half) for w in _blocks(state, count)], axis=split + 1).reshape(doubled)
    kept: Any = tuple(slice(n) for n in whole)
    return joined[kept].reshape(shape), count
