"""Models through torch.compile(backend="hlo"), forward and gradient, against eager mode; and PyTorch's operator database in a sample."""

import copy
import importlib.util

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here; `make test-torch` installs it")

from torch_programs import models  # noqa: E402

HAS_TRANSFORMERS = importlib.util.find_spec("transformers") is not None
needs_transformers = pytest.mark.skipif(not HAS_TRANSFORMERS, reason="transformers is not installed here")

MODELS = {
    "resnet18": lambda: (models.ResNet18(8, 10), torch.randn(4, 3, 32, 32)),
    "vit": lambda: (models.ViTBlock(48, 4), torch.randn(2, 17, 48)),
    "unet": lambda: (models.UNetBlock(16, 32), torch.randn(2, 16, 8, 8)),
    "lstm": lambda: (models.LSTM(8, 16), torch.randn(3, 7, 8)),
    "bert": lambda: (models.bert_layer(32, 4), torch.randn(2, 9, 32)),
    "llama": lambda: (models.llama_model(32, 4), torch.randint(0, 512, (2, 11))),
}


IN_F32 = {
    "lstm",  # PyTorch's kernel has no f64
    "llama",  # its positions are in f32
}


def _run(model, call, x, train):
    """The result; in training also the gradients, and the buffers afterwards."""
    model.train(train)
    torch.manual_seed(1)
    if not train:
        with torch.no_grad():
            return [call(x)]
    result = call(x)
    (result * torch.linspace(0, 1, result.numel(), dtype=result.dtype).view(result.shape)).sum().backward()
    return [result.detach(), *(p.grad for p in model.parameters() if p.grad is not None), *model.buffers()]


@pytest.mark.parametrize("train", [False, True], ids=["inference", "training"])
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=needs_transformers) if n in ("bert", "llama") else n for n in MODELS]
)
def test_model(name, train):
    """In f64, so that the order of sums does not matter, where all of a model can be."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    model, x = MODELS[name]()
    if name not in IN_F32:
        model, x = model.double(), x.double() if x.is_floating_point() else x
    other = copy.deepcopy(model)
    with torch._dynamo.config.patch(allow_rnn=True):
        found = _run(other, torch.compile(other, backend="hlo"), x, train)
    tolerance = {"rtol": 1e-4, "atol": 1e-5} if name in IN_F32 else {}
    torch.testing.assert_close(found, _run(model, model, x, train), **tolerance)


@pytest.mark.parametrize("heads", [1, 2, 4])
@pytest.mark.parametrize("masking", ["none", "causal", "booleans", "numbers"])
def test_heads_that_share_keys_and_values(heads, masking):
    """Forward and gradient, with as many queries as keys and with fewer; a query whose keys are all masked gets zeros."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    queries = 6 if masking == "causal" else 4
    query = torch.randn(2, 4, queries, 8, dtype=torch.float64)
    key, value = torch.randn(2, 2, heads, 6, 8, dtype=torch.float64)
    masks = {"booleans": torch.rand(2, 1, queries, 6) < 0.8, "numbers": torch.randn(queries, 6, dtype=torch.float64)}
    masks["booleans"][:, :, 1], masks["numbers"][2] = False, -torch.inf
    options = {"attn_mask": masks.get(masking), "is_causal": masking == "causal", "enable_gqa": True}

    def function(*tensors):
        return torch.nn.functional.scaled_dot_product_attention(*tensors, **options)

    def with_gradients(call):
        given = [t.clone().requires_grad_() for t in (query, key, value)]
        result = call(*given)
        return [result.detach(), *torch.autograd.grad(result.sin().sum(), given)]

    torch.testing.assert_close(with_gradients(torch.compile(function, backend="hlo")), with_gradients(function))


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("steps", [1, 5])
def test_gradients_of_an_lstm_in_both_directions(bias, steps):
    """Also those of its first state, from its outputs and its last state."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    model = torch.nn.LSTM(6, 8, num_layers=2, bidirectional=True, bias=bias)
    given = [torch.randn(steps, 3, 6), torch.randn(4, 3, 8), torch.randn(4, 3, 8)]

    def gradients(call):
        x, h, c = (t.clone().requires_grad_() for t in given)
        made, (last_h, last_c) = call(x, (h, c))
        (made.square().sum() + last_h.sin().sum() + last_c.exp().sum()).backward()
        found = [made.detach(), x.grad, h.grad, c.grad, *(p.grad.clone() for p in model.parameters())]
        model.zero_grad()
        return found

    with torch._dynamo.config.patch(allow_rnn=True):
        found = gradients(torch.compile(model, backend="hlo"))
    torch.testing.assert_close(found, gradients(model), rtol=1e-4, atol=1e-5)


def test_fifty_steps_of_training_a_language_model():
    torch._dynamo.reset()
    torch.manual_seed(0)
    model = models.GPT(64, 16, 32, 2, 2)
    tokens = torch.randint(0, 64, (50, 4, 17))
    losses = []
    for is_compiled in (False, True):
        own = copy.deepcopy(model)
        optimizer = torch.optim.AdamW(own.parameters(), lr=3e-3)
        call = torch.compile(own, backend="hlo", fullgraph=True) if is_compiled else own
        update = torch.compile(optimizer.step, backend="hlo") if is_compiled else optimizer.step
        losses.append([_train(call, update, optimizer, batch) for batch in tokens])
    torch.testing.assert_close(losses[1], losses[0], rtol=1e-4, atol=1e-4)
    assert losses[1][-1] < losses[1][0]


def _train(call, update, optimizer, batch):
    optimizer.zero_grad()
    loss = call(batch[:, :-1], batch[:, 1:])
    loss.backward()
    update()
    return loss.item()


SAMPLED = [
    "add",
    "nn.functional.conv2d",
    "index_put",
    "scatter_reduce",
    "sort",
    "nn.functional.max_pool2d",
    "var",
    "fft.rfft",
]


@pytest.mark.parametrize("name", SAMPLED)
def test_samples_of_the_operator_database(name):
    pytest.importorskip("expecttest", reason="what PyTorch's own tests need is not installed here")
    from torch_programs import op_database

    for info in op_database.infos():
        if info.name == name:
            for dtype in {torch.float32, torch.int64} & info.supported_dtypes("cpu"):
                assert op_database.check(info, dtype, 2).wrong == []
