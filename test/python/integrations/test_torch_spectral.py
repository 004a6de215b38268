"""Singular values, eigenvalues, pseudo-inverses and exponentials of matrices, and their gradients, against eager mode. Vectors are compared by what they
are vectors of: LAPACKs may turn them around."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here; `make test-torch` installs it")

from torch_programs.eager import both  # noqa: E402

import hlo  # noqa: E402


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()


linalg = torch.linalg
DTYPES = [torch.float32, torch.float64, torch.complex64, torch.complex128]
SIZES = [(4, 4), (5, 3), (2, 3, 6), (2, 1, 1, 1)]


def matrices(*sizes, dtype=torch.float64):
    made = torch.randn(sizes, generator=torch.Generator().manual_seed(0), dtype=torch.complex128)
    return (made if dtype.is_complex else made.real).to(dtype)


def close(found, expected, dtype=torch.float64):
    tolerance = {"rtol": 1e-3, "atol": 1e-4} if dtype in (torch.float32, torch.complex64) else {}
    torch.testing.assert_close(found, expected, **tolerance)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", SIZES)
def test_singular_values(sizes, dtype):
    close(*both(linalg.svdvals, matrices(*sizes, dtype=dtype)), dtype)
    close(*both(lambda a: linalg.matrix_norm(a, "nuc"), matrices(*sizes, dtype=dtype)), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("full", [False, True])
def test_singular_vectors(sizes, dtype, full):
    """They are orthogonal, and their product with the values is the matrix."""
    a = matrices(*sizes, dtype=dtype)
    u, s, vh = torch.compile(lambda a: linalg.svd(a, full_matrices=full), backend="hlo", fullgraph=True)(a)
    expected = linalg.svd(a, full_matrices=full)
    assert [v.shape for v in (u, s, vh)] == [v.shape for v in expected]
    least = min(sizes[-2:])
    close((u[..., :least] * s.unsqueeze(-2)) @ vh[..., :least, :], a, dtype)
    for square in (u.mH @ u, vh @ vh.mH):
        close(square, torch.eye(square.shape[-1], dtype=dtype).expand_as(square), dtype)


def test_gradients_through_singular_vectors():
    def low_rank(a):
        u, s, vh = linalg.svd(a, full_matrices=False)
        return (u[..., :2] * s[..., None, :2]) @ vh[..., :2, :]

    close(*both(low_rank, matrices(2, 5, 4)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", SIZES)
def test_pseudo_inverses(sizes, dtype):
    close(*both(linalg.pinv, matrices(*sizes, dtype=dtype)), dtype)


@pytest.mark.parametrize(
    "named",
    [{"rtol": 0.4}, {"atol": 2.0}, {"atol": 0.1, "rtol": 0.5}, {"atol": 0.0}, {"rtol": torch.tensor([0.1, 0.9])}],
)
def test_values_that_count_as_zero(named):
    a = torch.diag_embed(torch.tensor([[3.0, 1.0, 0.05], [2.0, 1.9, 1e-9]], dtype=torch.float64))
    close(*both(lambda a: linalg.pinv(a.detach(), **named), a))
    close(*both(lambda a: linalg.pinv(a.detach(), hermitian=True, **named), a))


def test_the_pseudo_inverse_of_a_singular_matrix():
    a = matrices(4, 2) @ matrices(2, 4)
    close(*both(lambda a: linalg.pinv(a.detach()), a))
    hermitian = matrices(4, 4, dtype=torch.complex128)
    close(*both(lambda a: linalg.pinv(a.detach() + a.detach().mH, hermitian=True), hermitian))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", [(4, 4), (2, 3, 3), (1, 1)])
def test_eigenvalues_of_any_matrices(sizes, dtype):
    a = matrices(*sizes, dtype=dtype)
    values, vectors = torch.compile(linalg.eig, backend="hlo", fullgraph=True)(a)
    close(a.to(vectors.dtype) @ vectors, vectors * values.unsqueeze(-2), dtype)
    close(torch.linalg.vector_norm(vectors, dim=-2), torch.ones_like(values.real), dtype)
    by_size = lambda a: linalg.eigvals(a).abs().sort().values
    close(*both(by_size, a), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", [(4, 4), (3, 5, 5), (2, 1, 1)])
@pytest.mark.parametrize("size", [0.0, 0.1, 3.0])
def test_exponentials(sizes, dtype, size):
    close(*both(torch.matrix_exp, matrices(*sizes, dtype=dtype) * size), dtype)


def test_exponentials_in_bf16_are_those_in_f32_rounded():
    """Eager mode's of PyTorch 2.13 in bf16 hold memory that was never written."""
    a = matrices(2, 5, 5, dtype=torch.bfloat16)
    found = torch.compile(torch.matrix_exp, backend="hlo", fullgraph=True)(a)
    torch.testing.assert_close(found, torch.matrix_exp(a.float()).bfloat16())


def test_exponentials_of_matrices_of_very_different_sizes():
    a = matrices(4, 3, 3) * torch.tensor([1e-3, 1.0, 8.0, 20.0])[:, None, None]
    close(*both(torch.matrix_exp, a))
    turned = torch.tensor([[0.0, 100.0], [-100.0, 0.0]], dtype=torch.float64)
    close(*both(torch.matrix_exp, turned))
    broken = torch.stack([torch.full((2, 2), torch.nan), torch.full((2, 2), torch.inf), torch.eye(2)])
    found, _ = both(lambda a: torch.matrix_exp(a.detach()), broken)
    assert found[0][0].isnan().all() and not found[0][1].isfinite().any()
    torch.testing.assert_close(found[0][2], torch.eye(2) * torch.e)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", [(4, 4), (2, 5, 3)])
def test_products_of_reflections(sizes, dtype):
    a, scales = torch.geqrf(matrices(*sizes, dtype=dtype))
    close(*both(lambda a, t: torch.linalg.householder_product(a, t), a, scales), dtype)


@pytest.mark.parametrize("name, mode", [("eigvalsh", "N"), ("svdvals", "N"), ("eigh", "V"), ("svd", "S")])
def test_vectors_that_nothing_reads_are_not_computed(name, mode, monkeypatch):
    texts = []
    compile_ = hlo.compile
    monkeypatch.setattr(hlo, "compile", lambda text, **named: (texts.append(text), compile_(text, **named))[1])
    x = torch.randn(3, 6, 6, dtype=torch.float64)
    x = x @ x.mT
    first = lambda found: found if isinstance(found, torch.Tensor) else found[-2] if name == "svd" else found[0]
    function = lambda x: getattr(linalg, name)(x, **({"full_matrices": False} if name == "svd" else {}))
    with torch.no_grad():
        found = torch.compile(function, backend="hlo")(x)
    torch.testing.assert_close(first(found), first(function(x)))
    assert f"mode = {ord(mode)} " in texts[0]
