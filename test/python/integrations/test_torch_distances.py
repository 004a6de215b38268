"""cdist and pdist, and their gradients, against eager mode's."""

import math

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here; `make test-torch` installs it")

from torch_programs.eager import both, results  # noqa: E402

NORMS = [0.0, 0.4, 1.0, 1.5, 2.0, 3.0, math.inf]
MODE = "donot_use_mm_for_euclid_dist"


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def rows(*sizes, dtype=torch.float64):
    """With equal rows, equal elements and zeros among them."""
    return torch.randint(-3, 4, sizes).to(dtype) / 2


@pytest.mark.parametrize("p", NORMS)
def test_all_rows(p):
    x, y = torch.randn(5, 4).double(), torch.randn(3, 4).double()
    torch.testing.assert_close(*both(lambda x, y: torch.cdist(x, y, p, MODE), x, y))


@pytest.mark.parametrize("p", NORMS)
def test_equal_rows(p):
    x = rows(6, 3)
    torch.testing.assert_close(*both(lambda x, y: torch.cdist(x, y, p, MODE), x, x[:4]))


@pytest.mark.parametrize("p", NORMS)
def test_pairs(p):
    torch.testing.assert_close(*both(lambda x: torch.nn.functional.pdist(x, p), torch.randn(6, 3).double()))
    torch.testing.assert_close(*both(lambda x: torch.nn.functional.pdist(x, p), rows(7, 2)))


@pytest.mark.parametrize("p", NORMS)
def test_f32(p):
    x, y = torch.randn(5, 4), torch.randn(3, 4)
    torch.testing.assert_close(*both(lambda x, y: torch.cdist(x, y, p, MODE), x, y), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(*both(lambda x: torch.nn.functional.pdist(x, p), x), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("left, right", [((2, 1), (3,)), ((), (2,)), ((2, 2), ())])
def test_batches(left, right):
    x, y = torch.randn(*left, 5, 4).double(), torch.randn(*right, 3, 4).double()
    torch.testing.assert_close(*both(lambda x, y: torch.cdist(x, y, 3.0), x, y))


NOTHING = [
    ((0, 4), (3, 4)),
    ((5, 4), (0, 4)),
    ((5, 0), (3, 0)),
    ((0, 5, 4), (0, 3, 4)),
    ((1, 5, 4), (0, 3, 4)),
    ((0, 5, 4), (1, 3, 4)),
    ((1, 5, 4), (2, 0, 4)),
]


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0])
@pytest.mark.parametrize("first, second", NOTHING)
def test_no_rows(first, second, p):
    torch.testing.assert_close(*both(lambda x, y: torch.cdist(x, y, p, MODE), torch.randn(first), torch.randn(second)))


@pytest.mark.parametrize("sizes", [(1, 3), (2, 0)])
def test_no_pairs(sizes):
    torch.testing.assert_close(*both(lambda x: torch.nn.functional.pdist(x, 2.0), torch.randn(sizes)))


def test_pairs_of_no_rows():
    """The gradient of which PyTorch 2.13 dies in eager mode."""
    found = results(lambda x: torch.nn.functional.pdist(x, 2.0), [torch.zeros(0, 3)], "hlo")
    torch.testing.assert_close(found, [torch.zeros(0), torch.zeros(0, 3)])


@pytest.mark.parametrize("count", [5, 40])
def test_euclidean_distances_by_default(count):
    x, y = torch.randn(count, 4).double(), torch.randn(count + 1, 4).double()
    torch.testing.assert_close(*both(lambda x, y: torch.cdist(x, y), x, y))
