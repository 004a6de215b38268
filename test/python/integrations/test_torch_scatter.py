"""Elements put at places by scatter with a reduction and by masked_scatter, and the gradients, against eager mode's."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here; `make test-torch` installs it")

from torch_programs.eager import both  # noqa: E402

DTYPES = [torch.float32, torch.float64, torch.bfloat16]


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def numbers(*sizes, dtype=torch.float64):
    """Whose sums and products bf16 holds exactly."""
    return torch.randint(1, 4, sizes).to(dtype)


@pytest.mark.parametrize("dtype", [*DTYPES, torch.int64])
@pytest.mark.parametrize("reduce", ["add", "multiply"])
@pytest.mark.parametrize("dim", [0, -1])
def test_scatter_reduces(dim, reduce, dtype):
    index = torch.randint(0, 3, (4, 3))
    x, source = numbers(4, 3, dtype=dtype), numbers(5, 6, dtype=dtype)
    put = lambda x, source: torch.scatter(x.detach(), dim, index, source.detach(), reduce=reduce)
    torch.testing.assert_close(*both(put, x, source))
    torch.testing.assert_close(*both(lambda x: torch.scatter(x.detach(), dim, index, 2, reduce=reduce), x))


@pytest.mark.parametrize("reduce", ["add", "multiply"])
def test_scatter_of_booleans(reduce):
    x, source, index = torch.rand(6) < 0.5, torch.rand(9) < 0.5, torch.randint(0, 6, (9,))
    torch.testing.assert_close(*both(lambda x, s: torch.scatter(x, 0, index, s, reduce=reduce), x, source))


def test_scatter_of_nothing():
    x, index = numbers(4, 3), torch.zeros(0, 3, dtype=torch.int64)
    put = lambda x, source: torch.scatter(x.detach(), 0, index, source.detach(), reduce="add")
    torch.testing.assert_close(*both(put, x, numbers(2, 3)))


def test_scatter_into_a_scalar():
    put = lambda x: torch.scatter(x.detach(), 0, torch.tensor(0), 5, reduce="multiply")
    torch.testing.assert_close(*both(put, torch.tensor(3.0)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("of_mask, of_source", [((4, 5), (30,)), ((5,), (4, 7)), ((4, 1), (20,))])
def test_masked_scatter(of_mask, of_source, dtype):
    mask = torch.rand(of_mask) < 0.5
    put = lambda x, source: torch.masked_scatter(x, mask, source)
    torch.testing.assert_close(*both(put, torch.randn(4, 5).to(dtype), torch.randn(of_source).to(dtype)))


@pytest.mark.parametrize("value", [False, True])
def test_masks_of_one_value(value):
    put = lambda x, source: torch.masked_scatter(x, torch.full((3, 2), value), source)
    torch.testing.assert_close(*both(put, torch.randn(3, 2), torch.randn(6)))


@pytest.mark.parametrize("sizes, of_source", [((0, 3), (4,)), ((0, 3), (0,))])
def test_masked_scatter_of_nothing(sizes, of_source):
    put = lambda x, source: torch.masked_scatter(x, torch.zeros(sizes, dtype=torch.bool), source)
    torch.testing.assert_close(*both(put, torch.randn(sizes), torch.randn(of_source)))


@pytest.mark.parametrize("dim, places", [(0, [0, 2, -1]), (1, [-3, 1]), (-1, [-1]), (0, [])])
def test_index_fill_at_places_from_the_end(dim, places):
    """PyTorch makes it an index_copy, which in eager mode takes no such places."""
    index = torch.tensor(places, dtype=torch.int64)
    torch.testing.assert_close(*both(lambda x: x.index_fill(dim, index, 7), numbers(4, 3)))
    torch.testing.assert_close(*both(lambda x, v: x.index_fill(dim, index, v.detach()), numbers(4, 3), numbers()))


def test_index_fill_of_a_number():
    torch.testing.assert_close(*both(lambda x: x.index_fill(0, torch.tensor([-1]), 7), numbers()))


@pytest.mark.parametrize("dtype", [*DTYPES, torch.int64])
@pytest.mark.parametrize("accumulate", [False, True])
def test_put_at_flattened_places(accumulate, dtype):
    index = torch.tensor([[0, -1, 5], [3, 3, -7]]) if accumulate else torch.tensor([[0, -1, 5], [3, 4, -7]])
    x, source = numbers(4, 3, dtype=dtype), numbers(2, 3, dtype=dtype)
    torch.testing.assert_close(*both(lambda x, s: torch.put(x, index, s, accumulate), x, source))
    torch.testing.assert_close(*both(lambda x, s: torch.put(x, index[0, 0], s[0, 0], accumulate), x, source))
    nothing = torch.zeros(0, dtype=torch.int64)
    torch.testing.assert_close(*both(lambda x, s: torch.put(x, nothing, s[0, :0], accumulate), x, source))
