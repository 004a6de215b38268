"""Maxima of windows at random places, and the gradients, against eager mode, from the same random numbers."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here; `make test-torch` installs it")

from torch.nn import functional as F  # noqa: E402
from torch_programs.eager import both  # noqa: E402


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("kernel, output", [(2, (5, 4)), ((3, 2), (4, 7)), (3, (1, 1)), ((1, 1), (9, 12)), (9, (1, 4))])
def test_planes(kernel, output, dtype):
    torch.manual_seed(1)
    x, samples = torch.randn(2, 3, 9, 12, dtype=dtype), torch.rand(2, 3, 2, dtype=dtype)
    pool = lambda x: F.fractional_max_pool2d(x, kernel, output, _random_samples=samples)
    torch.testing.assert_close(*both(pool, x))
    where = lambda x: F.fractional_max_pool2d(x, kernel, output, return_indices=True, _random_samples=samples)[1]
    torch.testing.assert_close(*both(where, x.detach()))


@pytest.mark.parametrize("kernel, output", [(2, (3, 4, 5)), ((1, 2, 3), (4, 2, 1))])
def test_volumes(kernel, output):
    torch.manual_seed(1)
    x, samples = torch.randn(2, 3, 5, 6, 8), torch.rand(2, 3, 3)
    pool = lambda x: F.fractional_max_pool3d(x, kernel, output, _random_samples=samples)
    torch.testing.assert_close(*both(pool, x))


def test_equal_elements_and_nan():
    """The first of several, NaN before all numbers."""
    x = torch.tensor([[2.0, 2.0, 1.0, 0.0], [2.0, 2.0, 1.0, 3.0], [0.0, torch.nan, 1.0, 3.0]]).view(1, 1, 3, 4)
    samples = torch.full((1, 1, 2), 0.5)
    both_results = lambda x: F.fractional_max_pool2d(
        x.detach(), 2, (2, 3), return_indices=True, _random_samples=samples
    )
    for n in range(2):
        torch.testing.assert_close(*both(lambda x, n=n: both_results(x)[n], x), equal_nan=True)


def test_the_numbers_are_eager_modes():
    x, pool = torch.randn(2, 3, 8, 8), torch.nn.FractionalMaxPool2d(2, output_ratio=0.6)
    compiled = torch.compile(pool, backend="hlo")
    torch.manual_seed(3)
    expected = pool(x)
    torch.manual_seed(3)
    torch.testing.assert_close(compiled(x), expected)
