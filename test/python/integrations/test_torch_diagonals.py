"""Diagonals, their gradients, and matrices with a diagonal replaced, against eager mode's."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here; `make test-torch` installs it")

from torch_programs.eager import both  # noqa: E402

CASES = [
    ((4, 5), (0, 0, 1)),
    ((4, 5), (2, 0, 1)),
    ((4, 5), (-3, 0, 1)),
    ((3, 4, 5), (1, 2, 0)),
    ((3, 4, 5), (-1, -1, 1)),
    ((4, 5), (5, 0, 1)),
    ((0, 5), (0, 0, 1)),
]


@pytest.mark.parametrize("sizes, where", CASES)
@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_diagonals(sizes, where, dtype):
    torch.manual_seed(0)
    x = torch.randn(sizes).to(dtype)
    torch.testing.assert_close(*both(lambda x: torch.diagonal(x, *where) * 2, x))
    put = lambda x, y: torch.diagonal_scatter(x, y, *where)
    torch.testing.assert_close(*both(put, x, torch.randn(x.diagonal(*where).shape).to(dtype)))


def test_diagonals_of_integers():
    x = torch.arange(12).reshape(3, 4)
    torch.testing.assert_close(*both(lambda x: torch.diagonal_scatter(x, x[0, 1:], 1), x))


def test_a_vector_as_a_diagonal():
    torch.testing.assert_close(*both(lambda x: torch.diag(x, -2), torch.randn(5)))
    torch.testing.assert_close(*both(lambda x: torch.diag(x, 1), torch.randn(3, 5)))
