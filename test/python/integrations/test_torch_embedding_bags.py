"""Sums, means and maxima of bags of a table's rows, and the gradients, against eager mode."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here; `make test-torch` installs it")

from torch.nn import functional as F  # noqa: E402
from torch_programs.eager import both  # noqa: E402

DTYPES = [torch.float32, torch.float64, torch.bfloat16]
INDICES = torch.tensor([1, 4, 4, 0, 2, 5, 4, 1])
OFFSETS = {
    "bags": torch.tensor([0, 3, 5]),
    "empty_bags": torch.tensor([0, 0, 3, 3, 8]),
    "one": torch.tensor([0]),
}


def table(dtype=torch.float32, width=3):
    """Numbers of which many are equal, so that maxima stand in more than one row, and whose sums bf16 holds."""
    return ((torch.arange(6 * width).reshape(6, width) * 5) % 7 / 4 - 1).to(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("offsets", OFFSETS)
def test_bags(mode, offsets, dtype):
    where = OFFSETS[offsets]
    torch.testing.assert_close(*both(lambda w: F.embedding_bag(INDICES, w, where, mode=mode), table(dtype)))


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("padding", [4, -1])
def test_rows_that_do_not_count(mode, padding):
    where = OFFSETS["empty_bags"]
    torch.testing.assert_close(
        *both(lambda w: F.embedding_bag(INDICES, w, where, mode=mode, padding_idx=padding), table())
    )


def test_a_bag_of_nothing_but_padding():
    indices = torch.tensor([[4, 4], [4, 1]])
    for mode in ("sum", "mean", "max"):
        torch.testing.assert_close(*both(lambda w, m=mode: F.embedding_bag(indices, w, mode=m, padding_idx=4), table()))


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("kind", [torch.int32, torch.int64])
def test_bags_of_one_size_and_the_end_as_last_offset(mode, kind):
    torch.testing.assert_close(
        *both(lambda w: F.embedding_bag(INDICES.to(kind).view(2, 4), w, mode=mode), table(torch.float64))
    )
    where = torch.tensor([0, 3, 8], dtype=kind)
    torch.testing.assert_close(
        *both(lambda w: F.embedding_bag(INDICES.to(kind), w, where, mode=mode, include_last_offset=True), table())
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("padding", [None, 1])
def test_weighted_rows(dtype, padding):
    factors, where = (torch.arange(8) / 4 - 1).to(dtype), OFFSETS["empty_bags"]
    torch.testing.assert_close(
        *both(
            lambda w, f: F.embedding_bag(INDICES, w, where, mode="sum", per_sample_weights=f, padding_idx=padding),
            table(dtype),
            factors,
        )
    )


@pytest.mark.parametrize("named", [{"scale_grad_by_freq": True}, {"sparse": True}])
def test_gradients_that_pytorch_makes(named, caplog):
    """Of PyTorch's kernel: by frequencies it divides by those of other rows."""
    weights = [table().requires_grad_() for _ in range(2)]
    function = lambda w: F.embedding_bag(INDICES, w, OFFSETS["bags"], mode="sum", **named)
    for w, run in zip(weights, (function, torch.compile(function, backend="hlo"))):
        run(w).sum().backward()
    torch.testing.assert_close(weights[1].grad.to_dense(), weights[0].grad.to_dense())
    assert "_embedding_bag_backward" in caplog.text


def test_indices_that_are_arguments():
    model = torch.nn.EmbeddingBag(6, 3, mode="max")
    compiled = torch.compile(model, backend="hlo", fullgraph=True)
    torch.testing.assert_close(compiled(INDICES, OFFSETS["bags"]), model(INDICES, OFFSETS["bags"]))
    with torch.no_grad():
        torch.testing.assert_close(compiled(INDICES, OFFSETS["bags"]), model(INDICES, OFFSETS["bags"]))
