"""Signs, angles, and a sum of products, against eager mode's."""

import math

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here; `make test-torch` installs it")

from torch_programs.eager import both  # noqa: E402

DTYPES = [torch.float32, torch.float64, torch.bfloat16, torch.float16]
NUMBERS = [0.0, -0.0, 1.5, -2.5, math.inf, -math.inf, math.nan]


@pytest.mark.parametrize("dtype", DTYPES)
def test_floats(dtype):
    x, y = (v.flatten() for v in torch.meshgrid(*[torch.tensor(NUMBERS, dtype=dtype)] * 2, indexing="ij"))
    torch.testing.assert_close(*both(lambda x, y: torch.copysign(x.detach(), y.detach()), x, y), equal_nan=True)
    torch.testing.assert_close(*both(lambda x: torch.signbit(x.detach()), x))
    torch.testing.assert_close(*both(lambda x: torch.angle(x.detach()), x), equal_nan=True)
    negative_zero = torch.compile(lambda x, y: torch.signbit(torch.copysign(x, y)), backend="hlo")
    assert negative_zero(torch.zeros(2, dtype=dtype), torch.tensor([-0.0, 0.0], dtype=dtype)).tolist() == [True, False]


@pytest.mark.parametrize("dtype", [torch.int64, torch.int8, torch.uint8, torch.bool])
def test_integers(dtype):
    x = torch.tensor([-3, 0, 2]).to(dtype)
    torch.testing.assert_close(*both(torch.signbit, x))
    torch.testing.assert_close(*both(torch.angle, x))
    torch.testing.assert_close(*both(lambda x: torch.copysign(x, -1), x))


def test_complex_angles():
    x = torch.complex(torch.tensor([1.0, -1.0, 0.0, -2.0]), torch.tensor([1.0, -0.0, -3.0, 0.0]))
    torch.testing.assert_close(*both(torch.angle, x))


@pytest.mark.parametrize("sizes", [((4,), (4,)), ((3, 1), (4,)), ((0,), (0,))])
def test_complex_numbers_of_sizes_and_angles(sizes):
    torch.manual_seed(0)
    size, angle = (torch.randn(s, dtype=torch.float64) for s in sizes)
    torch.testing.assert_close(*both(lambda s, a: torch.view_as_real(torch.polar(s, a)), size, angle))


def test_gradients():
    torch.manual_seed(0)
    x, y = torch.randn(4, 5).double(), torch.randn(5).double()
    torch.testing.assert_close(*both(torch.copysign, x, y))
    torch.testing.assert_close(*both(torch.angle, x))


@pytest.mark.parametrize("count", [0, 3])
@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_a_sum_of_products(count, dtype):
    torch.manual_seed(0)
    x, y = (torch.randint(-2, 3, sizes).to(dtype) for sizes in ((count, 4, 5), (count, 5, 2)))
    add = lambda bias, x, y: torch.addbmm(bias, x, y, beta=2, alpha=3)
    torch.testing.assert_close(*both(add, torch.ones(2).to(dtype), x, y))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_gradients_of_products_with_a_complex_number(dtype):
    """The graph has the conjugate of a Python number, in the place of a tensor."""
    x = torch.linspace(-2, 3, 12, dtype=dtype).reshape(3, 4)
    torch.testing.assert_close(*both(lambda x: torch.view_as_real(x * (2 + 1j)), x))
    torch.testing.assert_close(*both(lambda x: torch.exp(1j * x).real + (x / 2j).imag, x))
