"""Running extremes, elements by their rank, searches among sorted numbers, reductions at indices and adaptive pools, against eager mode."""

import math

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here; `make test-torch` installs it")

from torch_programs import op_database  # noqa: E402
from torch_programs.eager import both  # noqa: E402


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()


ENTRIES = [
    "cummax", "cummin", "logcumsumexp", "median", "nanmedian", "searchsorted", "bucketize", "index_reduce", "polygamma",
    "nn.functional.adaptive_max_pool1d", "nn.functional.adaptive_max_pool2d", "nn.functional.adaptive_max_pool3d",
]  # fmt: skip


@pytest.mark.parametrize("name", ENTRIES)
def test_samples_of_pytorchs_database(name):
    found = [info for info in op_database.infos(beyond_core=True) if info.name == name]
    assert found
    for info in found:
        for dtype in {torch.float32, torch.int64} & info.supported_dtypes("cpu"):
            report = op_database.check(info, dtype, 2)
            assert report.wrong == [] and report.left == [] and report.right


def compiled(function, *arguments):
    return torch.compile(function, backend="hlo", fullgraph=True)(*arguments)


NAN = math.nan
LINES = torch.tensor(
    [[3.0, NAN, 3.0, 5.0, NAN, 1.0], [2.0, 7.0, 7.0, -math.inf, 7.0, 2.0], [NAN] * 6, [-0.0, 0.0, -0.0, 0.0, 1.0, 1.0]]
)


@pytest.mark.parametrize("name", ["cummax", "cummin"])
@pytest.mark.parametrize("dim", [0, 1])
def test_running_extremes_of_nan_and_of_equal_numbers(name, dim):
    function = lambda x: getattr(torch, name)(x, dim)
    torch.testing.assert_close(tuple(compiled(function, LINES)), tuple(function(LINES)), equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", ["cummax", "cummin"])
def test_running_extremes_keep_the_sign_of_a_zero(name, dtype):
    """Zeros of both signs are equal: the last one is taken as it is."""
    x = torch.tensor(
        [[-0.0, -1.0, 0.0, -0.0, -5.0], [0.0, 1.0, -0.0, 0.0, 5.0], [-0.0, 0.0, 2.0, NAN, -0.0]], dtype=dtype
    )
    for dim in (0, 1):
        function = lambda x, dim=dim: tuple(getattr(torch, name)(x, dim))
        (found, places), (exact, exact_places) = compiled(function, x), function(x)
        assert torch.equal(places, exact_places)
        assert torch.equal(torch.signbit(found) | found.isnan(), torch.signbit(exact) | exact.isnan())


def test_the_gradient_of_a_running_extreme():
    torch.testing.assert_close(*both(lambda x: x.cummax(1).values * x.cummin(0).values, torch.randn(5, 7)))


def test_logarithms_of_running_sums_of_infinities():
    x = torch.tensor([-math.inf, -math.inf, 1.0, -math.inf, 500.0, 500.0, math.inf, math.inf, 2.0])
    function = lambda x: torch.logcumsumexp(x, 0)
    torch.testing.assert_close(compiled(function, x), function(x))


def test_medians_with_nan():
    for function in (torch.nanmedian, torch.median):
        torch.testing.assert_close(compiled(function, LINES), function(LINES), equal_nan=True)
        values = lambda x: function(x, 1).values  # noqa: B023
        torch.testing.assert_close(compiled(values, LINES), values(LINES), equal_nan=True)
    assert compiled(lambda x: torch.median(x, 1).indices, LINES)[[0, 2]].tolist() == [1, 0]


def test_kth_values_stand_where_they_are_said_to():
    x = torch.randperm(60).reshape(5, 12).float()
    values, places = compiled(lambda x: torch.kthvalue(x, 4, 1), x)
    assert values.tolist() == x.sort(1).values[:, 3].tolist()
    assert x.gather(1, places[:, None])[:, 0].tolist() == values.tolist()


@pytest.mark.parametrize("right", [True, False])
@pytest.mark.parametrize("size", [0, 1, 2, 7, 8])
def test_searches(right, size):
    boundaries = torch.tensor([-1.0, 0.0, 0.0, 2.0, 2.0, 2.0, 5.0, math.inf])[:size]
    x = torch.tensor([[-math.inf, -1.0, -0.5, 0.0], [2.0, 5.0, math.inf, NAN]])
    function = lambda x, s: (torch.bucketize(x, s, right=right), torch.searchsorted(s, x, right=right, out_int32=True))
    torch.testing.assert_close(compiled(function, x, boundaries), function(x, boundaries))


def test_searches_by_row_and_by_a_sorter():
    rows, x = torch.randn(3, 2, 9), torch.randn(3, 2, 4)
    places = rows.argsort(-1)
    function = lambda s, x, p: torch.searchsorted(s, x, sorter=p)
    assert compiled(function, rows, x, places).tolist() == function(rows, x, places).tolist()


@pytest.mark.parametrize("order", [0, 1, 2, 3, 6])
def test_polygamma_on_both_sides_of_its_poles(order):
    x = torch.cat(
        [torch.linspace(-7.9, 7.9, 24, dtype=torch.float64), torch.tensor([0.25, 1.0, 30.0, NAN], dtype=torch.float64)]
    )
    function = lambda x: torch.polygamma(order, x)
    torch.testing.assert_close(compiled(function, x), function(x), rtol=1e-9, atol=0, equal_nan=True)
    assert compiled(function, torch.tensor([0.0])).tolist() == [-math.inf if order % 2 == 0 else math.inf]


def test_adaptive_pools_of_nan():
    x = torch.randn(2, 3, 7, 5)
    x[0, 1, 3, 2] = NAN
    function = lambda x: torch.nn.functional.adaptive_max_pool2d(x, (3, 4), return_indices=True)
    torch.testing.assert_close(tuple(compiled(function, x)), tuple(function(x)), equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.bool])
@pytest.mark.parametrize("dim, keep", [(0, False), (1, True), (-1, False)])
def test_the_most_frequent_elements(dim, keep, dtype):
    """The least of several; the place is that of any of them, which PyTorch leaves open."""
    x = (torch.randint(0, 4, (6, 7, 5), generator=torch.Generator().manual_seed(0)) - 1).to(dtype)
    found, expected = compiled(lambda x: torch.mode(x, dim, keep), x), torch.mode(x, dim, keep)
    torch.testing.assert_close(found.values, expected.values)
    assert found.indices.shape == expected.indices.shape
    places = found.indices if keep else found.indices.unsqueeze(dim)
    values = found.values if keep else found.values.unsqueeze(dim)
    torch.testing.assert_close(x.gather(dim, places), values)


@pytest.mark.parametrize("sizes", [(), (1,), (4, 1), (2, 0, 3)])
def test_the_most_frequent_of_few_elements(sizes):
    x = torch.randn(sizes)
    function = lambda x: torch.mode(x, -1)
    torch.testing.assert_close(tuple(compiled(function, x)), tuple(function(x)))


def test_the_gradient_of_the_most_frequent_element():
    x = torch.tensor([[1.0, 2.0, 3.0, 3.0], [5.0, 4.0, 4.0, 4.0]]).repeat_interleave(2, 0)
    found, expected = both(lambda x: torch.mode(x, 0).values, x)
    torch.testing.assert_close(found[0], expected[0])
    torch.testing.assert_close(found[1].sum(0), expected[1].sum(0))


def test_shifts_by_and_of_numbers():
    x = torch.tensor([0, 1, 3, 5])
    for function in (lambda x: x << 2, lambda x: 1 << x, lambda x: x >> 1, lambda x: 64 >> x, lambda x: x << x):
        torch.testing.assert_close(compiled(function, x), function(x))
    torch.testing.assert_close(*both(lambda x: 1 << x, x))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("bins, low, high", [(4, -2, 2), (7, 0, 1), (1, -0.5, 3.25), (10, -5, 50)])
def test_counts_in_ranges(bins, low, high, dtype):
    """Both ends count, what lies outside does not."""
    x = torch.randn(3, 40, generator=torch.Generator().manual_seed(0)).to(dtype)
    x[0, :6] = torch.tensor([low, high, low - 1, high + 1, NAN, math.inf], dtype=dtype)
    torch.testing.assert_close(*both(lambda x: torch.histc(x.detach(), bins, low, high), x))
    torch.testing.assert_close(*both(lambda x: torch.histc(x.detach(), bins, low, high), x[:0]))


def test_counts_of_whole_numbers_as_routers_of_experts_have_them():
    chosen = torch.randint(0, 8, (50,), generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(*both(lambda x: torch.histc(x.float(), 8, 0, 7), chosen))


ORDERS = {
    "topk": lambda x: x.topk(4).values,
    "topk of the least": lambda x: x.topk(4, largest=False).values,
    "topk along the first dimension": lambda x: x.topk(2, dim=0).values,
    "sort": lambda x: x.sort(dim=1, stable=True),
    "sort, descending": lambda x: x.sort(dim=1, stable=True, descending=True),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", ORDERS)
def test_orders_of_nan_of_both_signs_and_of_both_zeros(name, dtype):
    x = LINES.to(dtype)
    x = torch.cat([x, -x, torch.where(x.isnan(), -math.inf, x)])
    torch.testing.assert_close(compiled(ORDERS[name], x), ORDERS[name](x), equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.int64])
@pytest.mark.parametrize("name", ["cummax", "cummin"])
def test_running_extremes_of_other_types(name, dtype):
    x = (torch.randn(3, 50, generator=torch.Generator().manual_seed(0)) * 100).to(dtype)
    for rows, dim in ((x, 0), (x, 1), (x[0], 0), (x[0, :1], 0)):
        function = lambda rows, dim=dim: tuple(getattr(torch, name)(rows, dim))
        torch.testing.assert_close(compiled(function, rows), function(rows), rtol=0, atol=0)
