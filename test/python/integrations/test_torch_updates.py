"""Arguments that a compiled graph changes: they hold eager mode's values, in their own memory, and autograd knows of the change."""

import logging

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here; `make test-torch` installs it")

from hlo.torch import partition, programs  # noqa: E402


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    torch.manual_seed(0)


@pytest.fixture
def made(monkeypatch):
    """The programs that are compiled."""
    found = []
    monkeypatch.setattr(partition, "Program", lambda *a: found.append(programs.Program(*a)) or found[-1])
    return found


def updates(made):
    """For each argument that the programs change whether its new value is made in it."""
    versions = [v for p in made for v in p._versions.values()]
    misplaced = {(v, number) for v in versions for number, _ in v.misplaced}
    results = [(v, v.count + i) for v in versions for i in range(len(v.updates))]
    return [n in v.in_argument and (v, n) not in misplaced for v, n in results]


def check(function, *arguments, **options):
    """Results and arguments are those of eager mode after a call; arguments stay where they are, and their versions rise."""
    ours = [a.detach().clone(memory_format=torch.preserve_format) for a in arguments]
    theirs = [a.detach().clone(memory_format=torch.preserve_format) for a in arguments]
    places, versions = [a.data_ptr() for a in ours], [a._version for a in ours]
    found = torch.compile(function, backend="hlo", fullgraph=True, **options)(*ours)
    expected = function(*theirs)
    torch.testing.assert_close(found, expected, equal_nan=True)
    torch.testing.assert_close(ours, theirs, equal_nan=True)
    assert [a.data_ptr() for a in ours] == places
    for tensor, version, other in zip(ours, versions, theirs):
        assert (tensor._version > version) == (other._version > 0)


def test_new_values_are_made_in_the_arguments(made):
    def function(x, y):
        x.add_(y).sin_()
        y.mul_(2)
        return x + 1

    check(function, torch.randn(5, 7), torch.randn(5, 7))
    assert updates(made) == [True, True]


@pytest.mark.parametrize("dtype", [torch.bool, torch.int8, torch.int64, torch.bfloat16, torch.float64, torch.complex64])
@pytest.mark.parametrize("sizes", [(), (1,), (0, 3), (4, 1, 5)])
def test_types_and_sizes(dtype, sizes):
    x = torch.testing.make_tensor(sizes, dtype=dtype, device="cpu")
    check(lambda x, y: x.logical_or_(y) if x.dtype == torch.bool else x.mul_(y), x, x.clone())


def test_an_argument_in_another_order_of_dimensions(made):
    def function(x, y):
        x.mul_(y)
        return x.sum(0)

    check(function, torch.randn(7, 5).t(), torch.randn(5, 7))
    check(function, torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last), torch.randn(2, 3, 4, 5))
    assert updates(made) == [True, True]


def test_a_part_of_a_tensor():
    def function(x):
        x.mul_(3)
        return x + 1

    whole, other = torch.arange(12.0).reshape(3, 4), torch.arange(12.0).reshape(3, 4)
    torch.testing.assert_close(torch.compile(function, backend="hlo")(whole[:, 1:3]), function(other[:, 1:3]))
    torch.testing.assert_close(whole, other)


def test_arguments_that_overlap():
    def function(x, y):
        x[0] = 1
        y.add_(x.sum())
        return x * y

    whole = torch.randn(6, 6)
    other = whole.clone()
    found = torch.compile(function, backend="hlo")(whole[:3], whole[2:5])
    torch.testing.assert_close(found, function(other[:3], other[2:5]))
    torch.testing.assert_close(whole, other)


def test_new_values_that_are_made_in_each_others_memory(made):
    def function(x, y, z):
        a, b = z @ z, x.sum() + y.sum()
        first, second = (a + b) @ z, (a - b) @ z
        x.copy_(second + 1)
        y.copy_(first)
        return first @ second

    check(function, *(torch.randn(6, 6) for _ in range(3)))
    assert updates(made) == [False, False] and [v.misplaced for p in made for v in p._versions.values()] != [[]]


def test_a_conjugated_argument():
    def function(x):
        y = x * 2j
        x.mul_(3j)
        return y

    ours = torch.randn(4, dtype=torch.complex64)
    theirs = ours.clone()
    found, expected = torch.compile(function, backend="hlo")(ours.conj()), function(theirs.conj())
    torch.testing.assert_close([found, ours], [expected, theirs])


def test_values_that_were_other_arguments():
    def function(x, y):
        old = x.clone()
        x.copy_(y)
        y.copy_(old)

    check(function, torch.randn(4, 3), torch.randn(4, 3))


def test_an_argument_that_is_read_after_its_new_value_is_made(made):
    def function(x, y):
        made = x * 2
        result = made @ x + x.t()
        x.copy_(y + 1)
        return result, x

    check(function, torch.randn(6, 6), torch.randn(6, 6))
    assert len(updates(made)) == 1


def test_rows_put_into_a_cache(made):
    def function(cache, rows, place):
        cache.index_copy_(1, place, rows)
        return (cache * 2).sum(1)

    with torch.inference_mode():
        given = torch.randn(2, 16, 4), torch.randn(2, 1, 4), torch.tensor([5])
        ours, theirs = ([a.clone() for a in given] for _ in range(2))
        torch.testing.assert_close(torch.compile(function, backend="hlo")(*ours), function(*theirs))
    torch.testing.assert_close(ours, theirs)
    assert updates(made) == [True]


def test_an_op_that_pytorch_runs_beside_updates(caplog):
    def function(x):
        places = x.nonzero()
        x.mul_(2)
        return places * 2

    with (
        caplog.at_level(logging.WARNING, "hlo.torch"),
        torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True),
    ):
        check(function, torch.tensor([0.0, 3.0, 4.0]))
    assert "nonzero" in caplog.text and "copy_" not in caplog.text


def test_sizes_that_change(made):
    compiled = torch.compile(lambda x: x.cumsum_(0), backend="hlo", dynamic=True)
    for size in (3, 5, 9):
        x = torch.ones(size)
        compiled(x)
        assert x.tolist() == list(range(1, size + 1))
    assert len(updates(made)) == 3


def test_running_statistics(made):
    ours = torch.nn.BatchNorm2d(3)
    theirs = torch.nn.BatchNorm2d(3)
    compiled = torch.compile(ours, backend="hlo", fullgraph=True)
    for _ in range(3):
        x = torch.randn(4, 3, 5, 5)
        torch.testing.assert_close(compiled(x), theirs(x))
        (compiled(x) ** 2).sum().backward(), (theirs(x) ** 2).sum().backward()
    torch.testing.assert_close(dict(ours.named_buffers()), dict(theirs.named_buffers()))
    torch.testing.assert_close([p.grad for p in ours.parameters()], [p.grad for p in theirs.parameters()])
    assert updates(made)


@pytest.mark.parametrize("kind", ["SGD", "AdamW", "RMSprop"])
def test_optimizers_change_weights_and_state_in_place(made, kind):
    options = {"SGD": {"momentum": 0.9, "lr": 0.1}, "AdamW": {"lr": 0.01}, "RMSprop": {"lr": 0.01}}[kind]
    sides = []
    for compiled in (True, False):
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Linear(6, 9), torch.nn.Tanh(), torch.nn.Linear(9, 1))
        optimizer = getattr(torch.optim, kind)(model.parameters(), **options)
        step = torch.compile(optimizer.step, backend="hlo") if compiled else optimizer.step
        x = torch.randn(8, 6)
        for _ in range(4):
            optimizer.zero_grad()
            (model(x) ** 2).mean().backward()
            step()
        state = [v for s in optimizer.state.values() for v in s.values() if isinstance(v, torch.Tensor)]
        sides.append([*model.parameters(), *state])
    torch.testing.assert_close(*sides)
    assert updates(made) and all(updates(made))


def test_autograd_sees_that_a_saved_tensor_was_changed():
    compiled = torch.compile(lambda x: x.add_(1), backend="hlo")
    weight, saved = torch.randn(3, requires_grad=True), torch.randn(3)
    product = weight * saved
    compiled(saved)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()


def test_ops_on_lists_of_tensors(caplog):
    """Clipping by the norm of all gradients, and an optimizer with `foreach=True`."""

    def clipped(*gradients):
        norms = torch._foreach_norm(gradients)
        return (
            norms,
            torch._foreach_mul(gradients, norms[0].clamp(max=0.5)),
            torch._foreach_lerp(gradients, gradients, 0.3),
        )

    given = torch.randn(3, 4), torch.randn(5)
    torch.testing.assert_close(torch.compile(clipped, backend="hlo", fullgraph=True)(*given), clipped(*given))
    weights = [[t.clone().requires_grad_() for t in given] for _ in range(2)]
    for backend, own in zip(("eager", "hlo"), weights):
        optimizer = torch.optim.AdamW(own, lr=0.1, foreach=True)
        step = torch.compile(optimizer.step, backend=backend)
        for _ in range(3):
            for weight in own:
                weight.grad = weight.detach().sin()
            step()
    torch.testing.assert_close(*weights, rtol=1e-5, atol=1e-6)
    assert "not compiled" not in caplog.text
