"""Gradients of convolutions against eager mode's."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here; `make test-torch` installs it")

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
