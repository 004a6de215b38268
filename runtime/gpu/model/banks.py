"""Banks of shared memory: 32, each of which gives or takes one word of four bytes at a time. A warp's access of eight bytes a lane is
done half a warp at a time, one of sixteen bytes a quarter at a time."""

from __future__ import annotations

import numpy as np

BANKS, WORD = 32, 4


def bank_conflicts(addresses: np.ndarray, size: int) -> int:
    """How many words had to wait for another one in their bank. `addresses`: [lane of whole warps, element of `size` bytes], of which a
    lane has four bytes or more."""
    words = addresses[:, :: max(WORD // size, 1)] // WORD
    at_once = words.reshape(-1, max(BANKS // words.shape[1], 1) * words.shape[1])
    sorted_words = np.sort(at_once, axis=1)
    is_new = np.diff(sorted_words, axis=1, prepend=-1) != 0
    counts = np.zeros((len(at_once), BANKS), np.int64)
    np.add.at(counts, (np.nonzero(is_new)[0], sorted_words[is_new] % BANKS), 1)
    return int((counts.max(1) - 1).sum())
