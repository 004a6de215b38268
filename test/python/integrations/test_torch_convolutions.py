"""Convolutions, their gradients, and the greatest elements of windows, against eager mode."""

import math

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here; `make test-torch` installs it")

import torch.nn.functional as F  # noqa: E402

import hlo.torch  # noqa: E402

CASES = {
    "padding": ((2, 3, 7, 6), (5, 3, 3, 3), dict(padding=1)),
    "stride that leaves a rest": ((2, 3, 8, 7), (4, 3, 3, 2), dict(stride=(3, 2))),
    "dilation": ((1, 2, 9, 9), (3, 2, 3, 3), dict(dilation=(2, 3), padding=(0, 2))),
    "padding beyond the kernel": ((1, 2, 4, 4), (3, 2, 1, 1), dict(padding=2, stride=2)),
    "one dimension": ((3, 2, 11), (4, 2, 4), dict(stride=2, padding=1)),
    "three dimensions": ((2, 2, 5, 4, 5), (3, 2, 2, 2, 3), dict(padding=(1, 0, 1))),
    "groups": ((2, 4, 6, 6), (6, 2, 3, 3), dict(groups=2, padding=1)),
    "no images": ((0, 2, 5, 5), (3, 2, 3, 3), dict(padding=1)),
    "transposed": ((2, 4, 4, 5), (4, 3, 2, 2), dict(stride=2)),
    "transposed, output padding": ((2, 4, 4, 5), (4, 3, 3, 3), dict(stride=2, padding=1, output_padding=1)),
    "transposed, dilation": ((1, 2, 4, 4), (2, 3, 3, 2), dict(stride=2, dilation=2, padding=1)),
}


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    torch.manual_seed(0)


def _gradients(backend, operation, x, weight, named):
    """The gradients of a weighted sum of the results."""
    arguments = [v.detach().requires_grad_() for v in (x, weight)]
    result = torch.compile(lambda a, w: operation(a, w, **named), backend=backend)(*arguments)
    scale = torch.linspace(0.5, 1.5, result.numel(), dtype=x.dtype).view(result.shape)
    return torch.autograd.grad((result * scale).sum(), arguments)


@pytest.mark.parametrize("name", CASES)
def test_gradients(name):
    sizes, kernel, named = CASES[name]
    spatial = len(sizes) - 2
    operation = getattr(torch.nn.functional, f"conv{'_transpose' * name.startswith('transposed')}{spatial}d")
    x, weight = torch.randn(sizes, dtype=torch.float64), torch.randn(kernel, dtype=torch.float64)
    expected = _gradients("eager", operation, x, weight, named)
    torch.testing.assert_close(_gradients("hlo", operation, x, weight, named), expected)


def test_the_kernels_gradient_is_a_convolution():
    """Without a copy of what each window reads."""

    class Gradient(torch.nn.Module):
        def forward(self, x, weight, given):
            window = ([1, 1], [1, 1], [1, 1], False, [0, 0], 1, [False, True, False])
            return torch.ops.aten.convolution_backward(given, x, weight, None, *window)[1]

    text = hlo.torch.export(Gradient(), (torch.randn(1, 2, 5, 5), torch.randn(3, 2, 3, 3), torch.randn(1, 3, 5, 5)))
    assert text.count("stablehlo.convolution") == 1
    assert "stablehlo.concatenate" not in text


ADDED = {
    "convolution": lambda x, w, b: torch.nn.functional.conv1d(x, w, b),
    "transposed": lambda x, w, b: torch.nn.functional.conv_transpose1d(x, w.transpose(0, 1), b, stride=2),
    "addmm": lambda x, w, b: torch.addmm(b[:, None], w[:, :, 0], x[0], beta=0.5, alpha=1.75),
    "baddbmm": lambda x, w, b: torch.baddbmm(b[:, None], w[:, :, 0].expand(2, -1, -1), x),
}


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", ADDED)
def test_what_is_added_to_products_of_halves_is_rounded_once(name, dtype):
    """As in eager mode: the products and what is added to them are summed in f32."""
    torch.manual_seed(0)
    x, w, b = (torch.randn(*sizes, dtype=dtype) for sizes in ((2, 48, 33), (24, 48, 3), (24,)))
    b = b * 16
    exact = ADDED[name](x.double(), w.double(), b.double())
    found, eager = (
        (call(x, w, b).double() - exact).abs().mean()
        for call in (torch.compile(ADDED[name], backend="hlo"), ADDED[name])
    )
    assert found <= 1.02 * eager


def inferred(function, *arguments):
    """What hlo gives without gradients, and what eager mode gives."""
    with torch.no_grad():
        return torch.compile(function, backend="hlo", fullgraph=True)(*arguments), function(*arguments)


@pytest.mark.parametrize("features", [(20, 5), (3, 18), (4, 6)])
@pytest.mark.parametrize("options", [{}, {"stride": 2, "padding": (1, 0)}, {"dilation": 2, "padding": 2}])
@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_convolutions_of_features_last(features, options, dtype):
    """And of what is computed from their results, whose features are last too."""
    given, made = features
    x = torch.randn(2, given, 7, 9, dtype=dtype).contiguous(memory_format=torch.channels_last)
    weight, bias, next_ = torch.randn(made, given, 3, 3), torch.randn(made), torch.randn(17, made, 1, 1)

    def function(x, weight, bias, next_):
        first = F.conv2d(x, weight, bias, **options)
        return first, F.conv2d(F.relu(first), next_.contiguous(memory_format=torch.channels_last))

    found, expected = inferred(function, x, *(v.to(dtype) for v in (weight, bias, next_)))
    tolerance = {} if dtype == torch.float64 else {"rtol": 0.03, "atol": 0.3}
    torch.testing.assert_close(found, expected, check_stride=True, **tolerance)


GROUPED = {
    "each feature": ((2, 24, 7, 9), (24, 1, 3, 3), dict(groups=24, dilation=2, padding=2)),
    "two kernels for each feature": ((2, 24, 7, 9), (48, 1, 3, 3), dict(groups=24, padding=1)),
    "groups": ((2, 40, 7, 9), (36, 20, 3, 3), dict(groups=2, stride=2, padding=1)),
    "transposed": ((2, 18, 5, 6), (18, 20, 3, 3), dict(stride=2, padding=1, output_padding=1)),
    "transposed, dilation": ((2, 18, 5, 6), (18, 20, 2, 3), dict(stride=(3, 2), dilation=2, padding=1)),
    "transposed, groups": ((2, 40, 5, 6), (40, 17, 3, 3), dict(groups=2, stride=2)),
    "transposed, each feature": ((2, 18, 5, 6), (18, 1, 4, 4), dict(groups=18, stride=2, padding=1)),
}


@pytest.mark.parametrize("name", GROUPED)
def test_features_last_in_groups_and_transposed(name):
    sizes, kernel, options = GROUPED[name]
    convolve = F.conv_transpose2d if name.startswith("transposed") else F.conv2d
    x = torch.randn(sizes, dtype=torch.float64).contiguous(memory_format=torch.channels_last)
    found, expected = inferred(
        lambda x, w: F.relu(convolve(x, w, **options)), x, torch.randn(kernel, dtype=torch.float64)
    )
    torch.testing.assert_close(found, expected, check_stride=True)


@pytest.mark.parametrize("name", ["each feature", "groups", "transposed"])
def test_convolutions_have_features_where_the_operand_has_them(name):
    """In groups and transposed, too."""
    sizes, kernel, options = GROUPED[name]
    convolve = F.conv_transpose2d if name == "transposed" else F.conv2d

    class Module(torch.nn.Module):
        def forward(self, x, w):
            return convolve(x, w, **options)

    x = torch.randn(sizes).contiguous(memory_format=torch.channels_last)
    text = hlo.torch.export(Module(), (x, torch.randn(kernel)))
    assert "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]" in text


def test_convolutions_of_volumes_with_features_last():
    x = torch.randn(2, 17, 3, 4, 5).contiguous(memory_format=torch.channels_last_3d)
    torch.testing.assert_close(*inferred(lambda x, w: F.conv3d(x, w, padding=1), x, torch.randn(18, 17, 2, 3, 1)))


POOLS = {
    "max_pool1d": (F.max_pool1d, (2, 3, 9)),
    "max_pool2d": (F.max_pool2d, (2, 3, 9, 8)),
    "max_pool3d": (F.max_pool3d, (2, 3, 5, 6, 7)),
}


@pytest.mark.parametrize("order", [(0, 2, 3, 1), (3, 1, 0, 2)], ids=["features last", "any"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_windows_of_arrays_in_another_order(order, dtype):
    """Values and indices, in the order that PyTorch gives them."""
    sizes = (2, 19, 11, 9)
    x = torch.randn([sizes[d] for d in order]).to(dtype).permute([order.index(d) for d in range(4)])
    x[:, ::3, 1::4, 2], x[1, 5, ::2] = math.nan, -math.inf
    found, expected = inferred(lambda x: F.max_pool2d(x, (3, 2), 2, 1, return_indices=True), x)
    torch.testing.assert_close(found, expected, equal_nan=True, check_stride=True)


@pytest.mark.parametrize("indices", [False, True])
@pytest.mark.parametrize("name", POOLS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_greatest_elements_of_windows_with_and_without_indices(name, indices, dtype):
    pool, sizes = POOLS[name]
    x = torch.randn(sizes).to(dtype)
    x.flatten()[::7], x.flatten()[5::11] = math.nan, -math.inf
    found, expected = inferred(lambda x: pool(x, 3, 2, 1, return_indices=indices), x)
    torch.testing.assert_close(found, expected, equal_nan=True)
    adaptive = getattr(F, name.replace("max", "adaptive_max"))
    torch.testing.assert_close(*inferred(lambda x: adaptive(x, 2, return_indices=indices), x), equal_nan=True)
