"""What a card refuses, the numpy model of one refuses too: launches, tensor maps. Limits as CUDA's documents have them."""

import pytest

from hlo.errors import HloError
from hlo.runtime.gpu.model.limits import check_arguments, check_launch, check_map
from hlo.runtime.gpu.plan import TensorMap

KIB = 1 << 10


@pytest.mark.parametrize(
    "launch, message",
    [
        ((1, 1025, 0, 0), "1025 threads"),
        ((0, 32, 0, 0), "0 blocks"),
        ((1 << 31, 32, 0, 0), "2147483648 blocks"),
        ((1, 32, 16, 227 * KIB), "233472 bytes of shared memory"),
        ((1, 32, 228 * KIB, 0), "233472 bytes of shared memory"),
    ],
)
def test_launches_that_a_card_refuses(launch, message: str) -> None:
    """Static shared memory is filled up to where the dynamic one begins."""
    with pytest.raises(HloError, match=message):
        check_launch("k", *launch)


def test_launches_at_the_limits() -> None:
    check_launch("k", (1 << 31) - 2, 1024, 1024, 226 * KIB)
    check_launch("k", 1, 1, 0, 227 * KIB)
    check_arguments("k", 4095, 0)
    check_arguments("k", 3, 3)
    with pytest.raises(HloError, match="32768 bytes of arguments"):
        check_arguments("k", 4096, 0)


MAP = {"kind": "bf16", "sizes": (448, 128, 7), "strides": (896, 114688), "box": (64, 128, 1), "steps": ()}


@pytest.mark.parametrize(
    "changed, message",
    [
        ({"box": (64, 257, 1)}, "box"),
        ({"box": (64, 129, 1), "steps": (1, 2, 1)}, "box"),
        ({"box": (0, 128, 1)}, "box"),
        ({"box": (128, 1, 1)}, "row"),
        ({"box": (4, 128, 1)}, "row"),
        ({"strides": (888, 114688)}, "strides"),
        ({"strides": (896, 1 << 40)}, "strides"),
        ({"strides": (896,)}, "numbers"),
        ({"sizes": (448, 0, 7)}, "sizes"),
        ({"sizes": (448, 128, (1 << 32) + 1)}, "sizes"),
        ({"steps": (1, 9, 1), "box": (64, 8, 1)}, "steps"),
        ({"steps": (2, 1, 1), "box": (64, 8, 1)}, "steps"),
        ({"sizes": (8,) * 6, "strides": (16,) * 5, "box": (64, 1, 1, 1, 1, 1)}, "dimensions"),
    ],
)
def test_tensor_maps_that_a_card_refuses(changed, message: str) -> None:
    check_map(TensorMap(**MAP), 4096, 2)
    with pytest.raises(HloError, match=f"a card refuses .*{message}"):
        check_map(TensorMap(**{**MAP, **changed}), 4096, 2)
    with pytest.raises(HloError, match="address"):
        check_map(TensorMap(**MAP), 4104, 2)
