"""Images resized with antialiasing, and the gradients, against eager mode."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here; `make test-torch` installs it")

from torch.nn import functional as F  # noqa: E402
from torch_programs.eager import both  # noqa: E402

MODES = ["bilinear", "bicubic"]
SIZES = [(4, 7), (16, 23), (3, 20), (9, 11), (1, 1)]


def image(dtype=torch.float32):
    return torch.randn(2, 3, 9, 11, generator=torch.Generator().manual_seed(0)).to(dtype)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("align", [False, True])
def test_sizes(mode, size, align):
    resize = lambda x: F.interpolate(x, size, mode=mode, antialias=True, align_corners=align)
    torch.testing.assert_close(*both(resize, image()))
    torch.testing.assert_close(*both(resize, image(torch.float64)))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("given", [0.4, (0.7, 1.9), 2.5])
def test_factors(mode, given):
    """Elements are as far apart as the factor says, not as the sizes do."""
    resize = lambda x: F.interpolate(x, scale_factor=given, mode=mode, antialias=True)
    torch.testing.assert_close(*both(resize, image(torch.float64)))


@pytest.mark.parametrize("size", SIZES)
def test_lanczos(size):
    op = getattr(torch.ops.aten, "_upsample_lanczos2d_aa", None)
    if op is None:
        pytest.skip("PyTorch has it from 2.13 on")
    torch.testing.assert_close(*both(lambda x: op(x, size, False), image(torch.float64)))


@pytest.mark.parametrize("mode", MODES)
def test_channels_last_and_eight_bits(mode):
    resize = lambda x: F.interpolate(x, (4, 5), mode=mode, antialias=True)
    torch.testing.assert_close(*both(resize, image().to(memory_format=torch.channels_last)))
    eight = (image() * 60 + 100).clamp(0, 255).to(torch.uint8)
    torch.testing.assert_close(torch.compile(resize, backend="hlo")(eight), resize(eight))
