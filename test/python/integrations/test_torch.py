"""torch.compile(backend="hlo") against eager mode: where PyTorch is installed (`make test-torch`)."""

import logging
import subprocess
import sys

import pytest
from walkthrough import BLOCK, ROOT

torch = pytest.importorskip("torch", reason="PyTorch is not installed here; `make test-torch` installs it")

import hlo.torch  # noqa: E402
from hlo.errors import ArgumentError, HloError  # noqa: E402
from hlo.torch import partition, programs  # noqa: E402
from hlo.torch.decompositions import decompositions, qualified  # noqa: E402
from hlo.torch.programs import Program  # noqa: E402
from hlo.torch.registry import EAGER, RULES  # noqa: E402
from hlo.torch.sizes import SCALAR_FUNCTIONS  # noqa: E402
from hlo.torch.versions import check_version  # noqa: E402

nn = torch.nn


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    torch.manual_seed(0)


def both(function, *arguments, **options):
    """Results of a function in eager mode and compiled, from the same seed."""
    torch.manual_seed(1)
    expected = function(*arguments)
    torch.manual_seed(1)
    return torch.compile(function, backend="hlo", fullgraph=True, **options)(*arguments), expected


def aten_ops():
    """All ops of PyTorch's library, whether something has used them or not."""
    names = (n.removeprefix("aten::") for n in torch._C._dispatch_get_all_op_names() if n.startswith("aten::"))
    for name in sorted(names):
        packet, _, overload = name.partition(".")
        yield getattr(getattr(torch.ops.aten, packet), overload or "default")


def is_composite(op):
    """Whether PyTorch itself always replaces an op by what it consists of."""
    return op.has_kernel_for_dispatch_key(torch._C.DispatchKey.CompositeImplicitAutograd)


def test_every_core_op_has_a_rule_a_decomposition_or_a_reason():
    core = [op for op in aten_ops() if torch.Tag.core in op.tags]
    known = {f"aten.{name}" for name in (*RULES, *EAGER)} | {str(op) for op in (*decompositions(), *SCALAR_FUNCTIONS)}
    assert len(core) > 150
    missing = [str(op) for op in core if str(op) not in known and not is_composite(op)]
    assert missing == []


def test_names_of_rules_are_ops_of_pytorch():
    for name in RULES.keys() - {"scaled_by_mask"}:
        namespace, packet, overload = qualified(name).split(".")
        assert hasattr(getattr(getattr(torch.ops, namespace), packet), overload), name


def test_a_perceptron_and_its_gradient():
    model = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 5))
    x, y = torch.randn(8, 16), torch.randint(0, 5, (8,))
    compiled = torch.compile(model, backend="hlo")
    gradients = []
    for run in (model, compiled):
        model.zero_grad()
        nn.functional.cross_entropy(run(x), y).backward()
        gradients.append([p.grad.clone() for p in model.parameters()])
    torch.testing.assert_close(*gradients)


def test_dropout_draws_eager_modes_numbers():
    x = torch.randn(64, 64, requires_grad=True)
    found, expected = both(lambda x: nn.functional.dropout(x, 0.3) * 2 + torch.rand(64) + torch.randn_like(x), x)
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize(
    "draw",
    [
        lambda x: torch.randn_like(x, dtype=torch.float64) + torch.rand_like(x, dtype=torch.float32),
        lambda x: torch.randint_like(x, 2, 10, dtype=torch.int64),
        lambda x: torch.empty_like(x).cauchy_(1.0, 0.5),
        lambda x: torch.empty_like(x).geometric_(0.3),
        lambda x: torch.empty_like(x).log_normal_(0.5, 0.25),
        lambda x: torch.empty_like(x).exponential_(2.0),
    ],
)
def test_draws_are_eager_modes(draw):
    found, expected = both(lambda x: draw(x) * 2, torch.zeros(40, 3))
    torch.testing.assert_close(found, expected)


def test_dropout_of_a_transposed_tensor_draws_in_the_order_of_its_memory():
    x = torch.randn(8, 16, 4, requires_grad=True)
    found, expected = both(lambda x: nn.functional.dropout(x.permute(2, 0, 1), 0.4), x)
    torch.testing.assert_close(found, expected)


def test_an_op_without_a_rule_is_run_by_pytorch_and_named(caplog):
    x = torch.randn(6, 6)
    with caplog.at_level(logging.WARNING, "hlo.torch"):
        found, expected = both(lambda x: torch.special.bessel_j0(x * 2).abs() + 1, x)
    torch.testing.assert_close(found, expected)
    assert any("bessel_j0" in message and "run by PyTorch" in message for message in caplog.messages), caplog.messages


def test_gradients_with_ops_of_pytorch_give_no_warnings_of_pytorchs(recwarn):
    indices, weight = torch.tensor([[0, 1], [2, 2]]), torch.randn(4, 3, requires_grad=True)
    bags = lambda w: nn.functional.embedding_bag(indices, w * 2, mode="sum", scale_grad_by_freq=True)
    torch.compile(bags, backend="hlo")(weight).sum().backward()
    assert not [str(w.message) for w in recwarn if "boxed" in str(w.message)]


def test_results_whose_size_depends_on_content():
    x = torch.tensor([1.0, 0.0, 3.0, 0.0, 5.0])
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        found, expected = both(lambda x: (x + 1)[(x > 0).nonzero()[:, 0]] * 2, x)
    torch.testing.assert_close(found, expected)


def test_graph_breaks():
    def function(x):
        x = x * 2
        if x.sum().item() > 0:
            return x + 1
        return x - 1

    for x in (torch.ones(4), -torch.ones(4)):
        torch.testing.assert_close(torch.compile(function, backend="hlo")(x), function(x))


def test_dynamic_shapes_are_specialised_at_the_call():
    compiled = torch.compile(lambda x: torch.softmax(x @ x.T, -1).sum(0), backend="hlo", dynamic=True)
    for size in (3, 5, 9):
        x = torch.randn(size, 4)
        torch.testing.assert_close(compiled(x), torch.softmax(x @ x.T, -1).sum(0))


def test_the_number_of_versions_is_bounded(monkeypatch):
    made = []
    monkeypatch.setattr(programs, "MOST_VERSIONS", 2)
    monkeypatch.setattr(partition, "Program", lambda *a: made.append(programs.Program(*a)) or made[-1])
    compiled = torch.compile(lambda x: x * 2, backend="hlo", dynamic=True)
    for size in (3, 4, 5, 3):
        assert compiled(torch.ones(size)).tolist() == [2] * size
    assert [len(p._versions) for p in made] == [2]


def test_masked_assignments_are_compiled(caplog):
    def function(x):
        y = x.clone()
        y[x > 0] = 7
        y[:, x[0] < 0] = -1
        return y

    with caplog.at_level(logging.WARNING, "hlo.torch"):
        found, expected = both(function, torch.randn(5, 6))
    torch.testing.assert_close(found, expected)
    assert not caplog.messages


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64, torch.int8, torch.complex64])
def test_element_types(dtype):
    x = (torch.randn(5, 7) * 8).to(dtype)
    found, expected = both(lambda x: (x * x + x, x.T), x)
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.randn(2, 3, 8, 8).to(memory_format=torch.channels_last),
        lambda: torch.randn(2, 3, 8, 8).permute(3, 0, 2, 1),
        lambda: torch.randn(2, 6, 8, 16)[:, ::2, :, 1::2],
        lambda: torch.randn(1, 3, 8, 1).expand(2, 3, 8, 8),
    ],
)
def test_strides_of_arguments_and_results(make):
    x = make()
    found, expected = both(lambda x: torch.relu(x) + 1, x)
    torch.testing.assert_close(found, expected)
    assert found.stride() == expected.stride()


def test_tensors_that_are_zero_without_memory():
    """Forward-mode derivatives make them; as an argument, and in a graph."""
    x, zero = torch.randn(3, 4), torch._efficientzerotensor((3, 4))
    torch.testing.assert_close(*both(lambda x, y: x * 2 + y, x, zero))
    torch.testing.assert_close(*both(lambda x: x * 2 + torch._efficientzerotensor((3, 4)), x))


def test_derivatives_of_derivatives_under_a_map():
    """An equation's residual in a network's second derivatives, and its gradient."""
    network = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1)).double()
    parameters, x = list(network.parameters())[:3], torch.randn(6, 2, dtype=torch.float64)

    def residual(x):
        value = lambda point: network(point).sum()
        slopes = torch.func.vmap(torch.func.grad(value))(x)
        curvatures = torch.func.vmap(torch.func.hessian(value))(x)
        return (slopes[:, 0] - 0.1 * curvatures[:, 1, 1]).square().mean()

    found, expected = (torch.autograd.grad(loss, parameters) for loss in both(residual, x))
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_elements_put_at_strided_places(order, caplog):
    def function(x, source):
        return torch.as_strided_scatter(x.permute(order) * 2, source, (2, 2), (5, 2), 1)

    torch.testing.assert_close(*both(function, torch.randn(4, 4), torch.randn(2, 2)))
    assert "not compiled" not in caplog.text


@pytest.mark.parametrize("dim", [0, 2])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_gradients_of_a_weights_direction_and_length(dim, dtype, caplog):
    layer = nn.Conv1d(3, 4, 5, dtype=dtype)
    layer = nn.utils.parametrizations.weight_norm(layer, dim=dim)
    x = torch.randn(2, 3, 9, dtype=dtype)
    found, expected = (
        torch.autograd.grad(result.sin().sum(), list(layer.parameters())) for result in both(lambda x: layer(x), x)
    )
    torch.testing.assert_close(found, expected)
    assert "not compiled" not in caplog.text


def test_products_of_small_integers(caplog):
    """Sums go beyond the 8 bits of the operands."""
    x, y = torch.randint(-128, 128, (17, 32), dtype=torch.int8), torch.randint(-128, 128, (32, 16), dtype=torch.int8)
    found, expected = both(torch._int_mm, x, y)
    assert found.dtype == torch.int32
    assert torch.equal(found, expected)
    assert torch.equal(found, (x.double() @ y.double()).int())
    assert "not compiled" not in caplog.text


def test_assertions_are_no_seam_in_a_program(caplog):
    """Nothing but an error follows from them: all else is one program, and arguments are not changed where they fail."""

    def function(x, total):
        y = x.sin()
        torch._assert_async((y > -0.5).all(), "too little")
        total.add_(y)
        return y * 2

    total = torch.zeros(4)
    compiled = torch.compile(function, backend="hlo", fullgraph=True)
    x = torch.rand(4)
    torch.testing.assert_close([compiled(x, total), total], [x.sin() * 2, x.sin()])
    with pytest.raises(RuntimeError, match="too little"):
        compiled(torch.full((4,), -1.0), total)
    torch.testing.assert_close(total, x.sin())
    assert "not compiled" not in caplog.text


def test_results_that_alias_arguments():
    x = torch.randn(4, 4)
    found, expected = both(lambda x: (x.view(16), x[1], x + 1), x)
    torch.testing.assert_close(found, expected)
    assert found[0].data_ptr() == x.data_ptr()


def test_weights_for_the_backward_graph_are_not_copied():
    """The forward program returns what it computes; arguments that the backward graph reads, too, are passed as they are."""
    from hlo.torch.programs import Version

    layer = lambda x, w: torch.tanh(torch.nn.functional.linear(x, w))
    seen, call = [], Version.__call__

    def watched(self, arguments):
        results = call(self, arguments)
        seen.append([r is a for r in results for a in arguments if isinstance(a, torch.Tensor)])
        assert len(self.new) + sum(seen[-1]) == len(results)
        return results

    x, w = torch.randn(5, 8, requires_grad=True), torch.randn(3, 8, requires_grad=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Version, "__call__", watched)
        torch.compile(layer, backend="hlo")(x, w).sum().backward()
    assert any(seen[0])
    found = x.grad.clone(), w.grad.clone()
    x.grad = w.grad = None
    layer(x, w).sum().backward()
    torch.testing.assert_close(found, (x.grad, w.grad))


def test_changes_in_place():
    def function(x):
        x.add_(1)
        x[0] = 7
        return x.sum()

    x, y = torch.zeros(3, 3), torch.zeros(3, 3)
    total = torch.compile(function, backend="hlo")(x)
    torch.testing.assert_close((total, x), (function(y), y))


def test_no_copies():
    """A contiguous argument is read where it lies, and so is one of transposed dimensions."""
    from hlo.torch.programs import Version

    seen = []
    call = Version.__call__

    def watched(self, arguments):
        run = self.executable.run_addresses
        addresses = [a.data_ptr() for a in arguments if isinstance(a, torch.Tensor)]
        self.executable.run_addresses = lambda given, made: (
            seen.append(set(given) == set(addresses)),
            run(given, made),
        )
        return call(self, arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Version, "__call__", watched)
        torch.compile(lambda x, y: x @ y, backend="hlo")(
            torch.randn(64, 64).bfloat16(), torch.randn(64, 64).T.bfloat16()
        )
    assert seen == [True]


def test_memory_of_results_is_used_again_only_when_nothing_refers_to_it():
    compiled = torch.compile(lambda x: x + 1, backend="hlo")
    x = torch.zeros(100_000)
    keep = [lambda t: t[5:9], lambda t: t.numpy(), lambda t: t.untyped_storage(), torch.utils.dlpack.to_dlpack]
    kept, addresses = [], set()
    for part in keep:
        result = compiled(x)
        kept.append(part(result))
        addresses.add(result.data_ptr())
    free = compiled(x).data_ptr()
    del result
    later = [compiled(x) for _ in range(20)]
    assert not addresses & {t.data_ptr() for t in later}
    assert free in {t.data_ptr() for t in later}


def test_export_names_parameters_and_places():
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU())
    x = torch.randn(2, 3)
    text = hlo.torch.export(model, (x,))
    assert ("p_0_weight" in text and "test_torch.py" in text) or "linear.py" in text
    weights = [p.detach().numpy() for p in model.parameters()]
    (found,) = hlo.compile(text)(*weights, x.numpy())
    torch.testing.assert_close(torch.from_numpy(found), model(x).detach())


def test_export_takes_conversions_and_fourier_transforms():
    """PyTorch's exporting makes checks and ops of its own of these."""

    class Model(torch.nn.Module):
        def forward(self, x):
            half = torch.fft.rfft(x, norm="ortho")
            return (
                torch.fft.irfft(half * 2, 5),
                torch.fft.fft2(x).abs(),
                torch.fft.ifft(half).real,
                (x > 0).to(torch.int8),
            )

    x = torch.randn(4, 6)
    results = hlo.compile(hlo.torch.export(Model(), (x,)))(x.numpy())
    for found, expected in zip(results, Model()(x), strict=True):
        torch.testing.assert_close(torch.from_numpy(found), expected)


def test_export_names_what_is_not_built():
    class Model(nn.Module):
        def forward(self, x):
            return torch.special.bessel_j0(x)

    with pytest.raises(HloError, match=r"bessel_j0.*no rule"):
        hlo.torch.export(Model(), (torch.randn(3, 3),))


def test_other_devices_are_refused():
    with pytest.raises(ArgumentError, match=r"argument 0 is on meta.*\.cpu\(\)"):
        Program(torch.fx.symbolic_trace(lambda x: x + 1))([torch.empty(2, device="meta")])


def test_sparse_tensors_are_refused():
    with pytest.raises(ArgumentError, match="to_dense"):
        Program(torch.fx.symbolic_trace(lambda x: x + 1))([torch.eye(3).to_sparse()])


@pytest.mark.parametrize("version", ["1.13.1", "2.8.0", "2.15.0", "3.0", "nonsense"])
def test_versions_out_of_range_are_refused(version):
    with pytest.raises(HloError, match=r"pip install 'torch>=2\.9,<2\.15'"):
        check_version(version)


def test_accepted_versions():
    check_version("2.13.0+cpu")
    check_version(torch.__version__)


def test_export_takes_a_module():
    with pytest.raises(ArgumentError, match=r"torch\.nn\.Module"):
        hlo.torch.export(len, ())


def test_the_tutorials_program(tmp_path):
    (program,) = (
        text for _, title, text in BLOCK.findall((ROOT / "docs" / "tutorial.md").read_text()) if title == "network.py"
    )
    (tmp_path / "network.py").write_text(program)
    done = subprocess.run([sys.executable, "network.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "gradients of 49 numbers\n", done.stderr


def test_memory_of_large_results_is_used_again():
    """When nothing refers to it any more, and not before: a view keeps it."""
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: x + 1, backend="hlo")
    x = torch.zeros(300, 1000)
    first = compiled(x)
    row = first[7]
    second = compiled(x)
    assert first.untyped_storage().nbytes() == first.nbytes
    addresses = {first.data_ptr(), second.data_ptr()}
    assert len(addresses) == 2
    del first, second
    third, fourth = compiled(x + 1), compiled(x + 2)
    assert len(addresses & {third.data_ptr(), fourth.data_ptr()}) == 1
    torch.testing.assert_close([row, third, fourth], [torch.ones(1000), x + 2, x + 3])
