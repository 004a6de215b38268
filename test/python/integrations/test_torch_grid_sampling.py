"""grid_sample of images of two and three dimensions, and its gradients, against eager mode's."""

import itertools

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here; `make test-torch` installs it")

from torch_programs.eager import both  # noqa: E402

SIZES = {2: ((2, 3, 4, 5), (2, 3, 6, 2)), 3: ((2, 2, 3, 4, 5), (2, 2, 3, 4, 3))}
MODES = [(2, "bilinear"), (2, "nearest"), (2, "bicubic"), (3, "bilinear"), (3, "nearest")]


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def sample(mode="bilinear", padding="zeros", align=False):
    return lambda x, grid: torch.nn.functional.grid_sample(
        x, grid, mode=mode, padding_mode=padding, align_corners=align
    )


def inputs(count, dtype=torch.float64, reach=1.7):
    """An image, and places of which some lie outside of it."""
    image, grid = SIZES[count]
    return torch.randn(image, dtype=dtype), (torch.rand(grid, dtype=dtype) * 2 - 1) * reach


@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("count, mode", MODES)
def test_modes(count, mode, padding, align):
    torch.testing.assert_close(*both(sample(mode, padding, align), *inputs(count)))


@pytest.mark.parametrize("padding", ["border", "reflection"])
@pytest.mark.parametrize("count", [2, 3])
def test_places_far_outside(count, padding):
    torch.testing.assert_close(*both(sample("bilinear", padding), *inputs(count, reach=9)))


@pytest.mark.parametrize("align, padding", list(itertools.product([False, True], ["zeros", "border", "reflection"])))
def test_corners_and_edges(align, padding):
    """Places on elements and on the image's edge: which gradient counts there is a matter of the op."""
    numbers = torch.tensor([-1.0, -0.5, 0.0, 0.5, 1.0], dtype=torch.float64)
    grid = torch.stack(torch.meshgrid(numbers, numbers, indexing="xy"), -1)[None]
    torch.testing.assert_close(*both(sample("bilinear", padding, align), torch.randn(1, 2, 4, 5).double(), grid))


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
def test_images_of_one_element(padding):
    _, grid = inputs(2)
    torch.testing.assert_close(*both(sample("bilinear", padding, True), torch.randn(2, 3, 1, 1).double(), grid))


def test_infinity_outside_of_what_is_read():
    x, grid = inputs(2)
    x[0, 0, 0, 0] = torch.inf
    torch.testing.assert_close(*both(sample(), x, torch.full_like(grid, 0.4)))


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("of_x, of_grid", [((0, 3), 0), ((2, 0), 2)])
def test_nothing(count, of_x, of_grid):
    x, grid = inputs(count)
    x = torch.zeros(*of_x, *x.shape[2:], dtype=torch.float64)
    torch.testing.assert_close(*both(sample(), x, grid[:of_grid]))


@pytest.mark.parametrize("count, mode", MODES)
def test_f32(count, mode):
    torch.testing.assert_close(*both(sample(mode), *inputs(count, torch.float32)), rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("count", [2, 3])
def test_bf16_is_rounded_once(count):
    """Eager mode in f64, rounded at the end."""
    x, grid = (v.bfloat16() for v in inputs(count, torch.float32))
    found, _ = both(sample(), x, grid)
    _, expected = both(sample(), x.double(), grid.double())
    torch.testing.assert_close(found, [v.bfloat16() for v in expected], rtol=0.008, atol=1e-5)


def test_the_gradient_of_one_argument():
    x, grid = inputs(2)
    torch.testing.assert_close(*both(lambda x: sample()(x, grid), x))
    torch.testing.assert_close(*both(lambda grid: sample()(x, grid), grid))
