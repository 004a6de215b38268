"""Arguments of the public API that are of no kind it takes: an HloError says what was found and what is allowed."""

import numpy as np
import pytest

import hlo

ADD = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { %0 = stablehlo.add %x, %x : tensor<4xf32> return %0 : tensor<4xf32> }"
X = np.ones(4, np.float32)


def kind(value):
    return type(value).__name__


class Liar(np.ndarray):
    """An array that says it has another shape."""

    @property
    def shape(self):
        return (4,)


@pytest.fixture(scope="module")
def executables():
    return {
        "cpu": hlo.compile(ADD),
        "reference": hlo.compile(ADD, target="reference"),
        "dynamic": hlo.compile(ADD.replace("<4x", "<?x")),
    }


LIAR = np.zeros(1, np.float32).view(Liar)


@pytest.mark.parametrize("out", [5, "abcd", {1}, [None], [5], [LIAR], [X, X], [np.ones(4)]], ids=kind)
@pytest.mark.parametrize("name", ["cpu", "reference", "dynamic"])
def test_out(executables, name, out):
    with pytest.raises(hlo.ArgumentError, match="out"):
        executables[name](X, out=out)


def test_a_subclass_is_written_as_what_it_is(executables):
    out = np.zeros(4, np.float32).view(Liar)
    (found,) = executables["cpu"](X, out=[out])
    assert found is out
    np.testing.assert_array_equal(np.asarray(out), X + X)


@pytest.mark.parametrize("shapes", [[5], [["a"]], [None], [], [[1.5]]], ids=kind)
def test_shapes(executables, shapes):
    with pytest.raises(hlo.ArgumentError):
        executables["dynamic"].specialize(*shapes)


@pytest.mark.parametrize("value", [None, object(), "abcd", [[1], [2, 3]]], ids=kind)
@pytest.mark.parametrize("name", ["cpu", "reference", "dynamic"])
def test_arguments(executables, name, value):
    with pytest.raises(hlo.ArgumentError):
        executables[name](value)


@pytest.mark.parametrize("path", [None, 5, "a\0b", [], "/tmp", b"x"], ids=kind)
@pytest.mark.parametrize("function", [hlo.load, hlo.load_executable])
def test_paths(function, path):
    with pytest.raises(hlo.ArgumentError):
        function(path)


@pytest.mark.parametrize("path", [None, 5, "a\0b", [], "/tmp", "/no/such/folder/x"], ids=kind)
def test_paths_to_save(executables, path):
    with pytest.raises(hlo.ArgumentError):
        executables["cpu"].save(path)


@pytest.mark.parametrize("program", [None, 5, [ADD], "a\0b", memoryview(b"x")], ids=kind)
def test_programs(program):
    with pytest.raises(hlo.ArgumentError):
        hlo.compile(program)


@pytest.mark.parametrize(
    "options",
    [
        {"entry": 5}, {"entry": None}, {"entry": ["main"]}, {"target": 5}, {"target": None}, {"target": ["cpu"]},
        {"engine": 5}, {"engine": ["llvm"]}, {"cpu": 5}, {"cpu": ["avx2"]}, {"donate": 5}, {"donate": "a"},
        {"donate": [True]}, {"pipeline": 5}, {"pipeline": ["cse"]}, {"threads": "a"}, {"threads": True},
        {"num_replicas": "a"}, {"num_replicas": [1]}, {"target": "gpu", "arch": 5}, {"target": "gpu", "arch": ["sm_80"]},
        {"target": "gpu", "device": 5}, {"target": "gpu", "device": ["model"]},
    ],
    ids=str,
)  # fmt: skip
def test_options(options):
    with pytest.raises(hlo.HloError):
        hlo.compile(ADD, **options)


@pytest.mark.parametrize(
    "call",
    [
        lambda: hlo.parse(5), lambda: hlo.parse(ADD, 5), lambda: hlo.print_module(5), lambda: hlo.Builder(5),
        lambda: hlo.pipelines.run(5, hlo.pipelines.cpu()), lambda: hlo.pipelines.run(hlo.parse(ADD), 5),
        lambda: hlo.pipelines.run_pass(5, "cse"), lambda: hlo.pipelines.run_pass(hlo.parse(ADD), 5),
        lambda: hlo.parse(ADD + "\ud800"),
    ],
)  # fmt: skip
def test_other_functions(call):
    with pytest.raises(hlo.HloError):
        call()


def test_a_value_given_where_a_list_is_expected():
    builder = hlo.Builder()
    x = builder.parameter("2147483647xf32")
    for call in (lambda: builder.transpose(x, x), lambda: builder.reshape(x, x), lambda: list(x)):
        with pytest.raises((hlo.HloError, TypeError), match="is no list"):
            call()
