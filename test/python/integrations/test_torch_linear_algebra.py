"""Factorisations and systems of equations in PyTorch, their gradients too, against eager mode."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here; `make test-torch` installs it")

from torch_programs.eager import both  # noqa: E402

linalg = torch.linalg


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()


FUNCTIONS = {
    "cholesky": lambda a: linalg.cholesky(a @ a.mT + torch.eye(a.shape[-1])),
    "cholesky_upper": lambda a: linalg.cholesky(a @ a.mT + torch.eye(a.shape[-1]), upper=True),
    "inv": linalg.inv,
    "det": linalg.det,
    "logabsdet": lambda a: linalg.slogdet(a)[1],
    "qr": lambda a: linalg.qr(a)[1],
    "eigvalsh": lambda a: linalg.eigvalsh(a + a.mT),
    "lu": lambda a: linalg.lu(a)[2],
}


def matrices(*sizes, dtype=torch.float32):
    """Matrices that are far from singular, and whose rows LU exchanges."""
    made = torch.randn(sizes, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    turned = torch.roll(torch.eye(sizes[-2], sizes[-1], dtype=torch.float64), 1, -2)
    return (made + 4 * turned).to(dtype)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("sizes", [(1, 1), (4, 4), (2, 3, 5, 5)])
def test_of_square_matrices(name, sizes):
    found, expected = both(FUNCTIONS[name], matrices(*sizes))
    torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex64, torch.complex128])
def test_other_types(dtype):
    a = matrices(3, 4, 4, dtype=dtype)
    for function in (linalg.inv, linalg.det, lambda a: linalg.qr(a)[0], lambda a: linalg.slogdet(a)[0]):
        torch.testing.assert_close(*both(function, a), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("function", [linalg.solve, linalg.det, lambda a, *_: linalg.slogdet(a)[1]])
def test_factors_that_gradients_read_are_those_of_eager_mode(function, order):
    """PyTorch factors the matrix or the transposed one, by the order of its dimensions in memory."""
    a, b = matrices(4, 4).permute(order).contiguous().permute(order), matrices(4, 2)
    torch.testing.assert_close(
        *both(lambda a, b: function(a.permute(0, 1), b) if function is linalg.solve else function(a), a, b)
    )


@pytest.mark.parametrize(
    "sizes", [((4, 4), (4,)), ((4, 4), (4, 3)), ((2, 4, 4), (2, 4)), ((2, 4, 4), (4, 3)), ((2, 1, 4, 4), (3, 4, 2))]
)
def test_right_hand_sides(sizes):
    a, b = (matrices(*s) if len(s) > 1 else torch.arange(1.0, 5.0) for s in sizes)
    torch.testing.assert_close(*both(linalg.solve, a, b), rtol=1e-3, atol=1e-4)


def test_a_system_from_the_right():
    a, b = matrices(2, 4, 4), matrices(2, 3, 4)
    torch.testing.assert_close(*both(lambda a, b: linalg.solve(a, b, left=False), a, b), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("unit", [True, False])
def test_triangular_systems(upper, left, unit):
    a, b = matrices(3, 4, 4), matrices(4, 4)
    a = (a.triu() if upper else a.tril()) + 3 * torch.eye(4)
    function = lambda a, b: linalg.solve_triangular(a, b, upper=upper, left=left, unitriangular=unit)
    torch.testing.assert_close(*both(function, a, b), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("sizes", [(5, 3), (3, 5), (2, 4, 4)])
@pytest.mark.parametrize("mode", ["reduced", "complete", "r"])
def test_qr(sizes, mode):
    found, expected = (
        torch.compile(lambda a: linalg.qr(a, mode), backend=backend, fullgraph=True)(matrices(*sizes))
        for backend in ("hlo", "eager")
    )
    torch.testing.assert_close(tuple(found), tuple(expected), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("sizes", [(5, 3), (3, 5), (2, 4, 4)])
def test_lu(sizes):
    def function(a):
        lu, pivots = linalg.lu_factor(a)
        return lu, pivots, torch.lu_unpack(lu, pivots)

    a = matrices(*sizes)
    torch.testing.assert_close(
        torch.compile(function, backend="hlo", fullgraph=True)(a), function(a), rtol=1e-4, atol=1e-5
    )


def test_lu_solve_of_transposed_systems():
    a, b = matrices(2, 4, 4), matrices(2, 4, 4)
    for adjoint in (False, True):
        for left in (False, True):
            function = lambda a, b: linalg.lu_solve(*linalg.lu_factor(a), b, left=left, adjoint=adjoint)  # noqa: B023
            torch.testing.assert_close(*both(function, a, b), rtol=1e-3, atol=1e-4)


def test_eigenvectors():
    """Each may be turned around."""
    a = matrices(3, 5, 5)
    a = a + a.mT
    for triangle in "LU":
        values, vectors = torch.compile(lambda a: linalg.eigh(a, UPLO=triangle), backend="hlo")(a)  # noqa: B023
        torch.testing.assert_close(values, linalg.eigvalsh(a), rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(a @ vectors, vectors * values[..., None, :], rtol=1e-3, atol=1e-3)
        torch.testing.assert_close(vectors.mT @ vectors, torch.eye(5).expand(3, 5, 5), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("function", "matrix"),
    [(linalg.inv, [[1.0, 2.0], [2.0, 4.0]]), (linalg.cholesky, [[1.0, 2.0], [2.0, 1.0]])],
)
def test_errors_are_pytorchs(function, matrix):
    with pytest.raises(torch.linalg.LinAlgError):
        torch.compile(lambda a: function(a) + 1, backend="hlo")(torch.tensor(matrix))
