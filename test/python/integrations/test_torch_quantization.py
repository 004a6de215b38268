"""Fake quantisation, of tensors and of channels, and its gradient, against eager mode's."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here; `make test-torch` installs it")

from torch_programs.eager import both  # noqa: E402

RANGES = [(-128, 127), (0, 255), (-8, 7)]


def numbers():
    """Beyond the ranges on both sides, ties between two levels, and what is no number."""
    torch.manual_seed(0)
    return torch.cat([torch.randn(60) * 20, torch.arange(-6, 6) * 0.25 + 0.125, torch.tensor([torch.nan, 0.0, -0.0])])


@pytest.mark.parametrize("low, high", RANGES)
@pytest.mark.parametrize("zero_point", [0, 3])
def test_a_tensor(low, high, zero_point):
    call = lambda x: torch.fake_quantize_per_tensor_affine(x, 0.25, zero_point, low, high)
    torch.testing.assert_close(*both(call, numbers()), rtol=0, atol=0)


@pytest.mark.parametrize("low, high", RANGES)
def test_a_scale_that_is_computed(low, high):
    point = torch.tensor([2], dtype=torch.int32)
    call = lambda x, scale: torch.fake_quantize_per_tensor_affine(x, scale.detach() * 2, point, low, high)
    torch.testing.assert_close(*both(call, numbers(), torch.tensor([0.125])), rtol=0, atol=0)


@pytest.mark.parametrize("axis", [0, 1])
def test_channels(axis):
    x = numbers()[:72].reshape(8, 9)
    scale = torch.linspace(0.1, 0.5, x.shape[axis])
    points = torch.arange(x.shape[axis], dtype=torch.int32) - 3
    call = lambda x: torch.fake_quantize_per_channel_affine(x, scale, points, axis, -128, 127)
    torch.testing.assert_close(*both(call, x), rtol=0, atol=0)


def test_a_layer_whose_weights_are_quantised_for_each_row():
    """Its results, and the gradients of input and weights."""
    torch.manual_seed(0)
    points = torch.zeros(6, dtype=torch.int32)

    def layer(x, weight):
        scale = weight.detach().abs().amax(1) / 127
        return torch.nn.functional.linear(
            x, torch.fake_quantize_per_channel_affine(weight, scale, points, 0, -127, 127)
        )

    torch.testing.assert_close(*both(layer, torch.randn(4, 5), torch.randn(6, 5)))
