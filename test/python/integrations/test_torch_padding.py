"""Padding and its gradient against eager mode's."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here; `make test-torch` installs it")

from torch_programs.eager import both  # noqa: E402

CASES = [
    ((2, 3, 5), (2, 1)),
    ((2, 3, 5), (-1, 3)),
    ((2, 3, 5), (4, -3)),
    ((3, 5), (0, 2)),
    ((2, 2, 4, 5), (1, 2, 3, 0)),
    ((2, 2, 4, 5), (-2, 1, 2, -1)),
    ((2, 2, 3, 4, 5), (1, 0, 2, 1, 0, 2)),
    ((2, 2, 3, 4, 5), (-1, 2, 1, -1, 2, 0)),
]


@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate", "circular"])
@pytest.mark.parametrize("sizes, padding", CASES)
def test_modes(sizes, padding, mode):
    if mode == "circular" and padding == (4, -3):
        padding = (2, -3)  # of the 2 elements that stay, 4 cannot wrap: eager mode reads what it never wrote
    torch.manual_seed(0)
    pad = lambda x: torch.nn.functional.pad(x, padding, mode)
    torch.testing.assert_close(*both(pad, torch.randn(sizes, dtype=torch.float64)))


@pytest.mark.parametrize("padding", [(0, 3), (3, 0), (2, 2)])
def test_one_element_is_both_edges(padding):
    pad = lambda x: torch.nn.functional.pad(x, padding, "replicate")
    torch.testing.assert_close(*both(pad, torch.randn(2, 3, 1)))


@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
def test_nothing(mode):
    pad = lambda x: torch.nn.functional.pad(x, (1, 2, 1, 0), mode)
    torch.testing.assert_close(*both(pad, torch.randn(0, 3, 4, 5)))


@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
def test_bf16(mode):
    """Small integers, whose sums bf16 holds."""
    x = torch.randint(-8, 9, (2, 3, 4, 6)).bfloat16()
    pad = lambda x: torch.nn.functional.pad(x, (2, 3, 1, 0), mode)
    torch.testing.assert_close(*both(lambda x: pad(x) * 2, x), rtol=0.008, atol=0)
