"""The 100 examples of the specification's ops, as they stand in the document, give what its comments say.

The document is not part of the project: docs/testing.md says how the test finds it."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from specification_document import document
from specification_examples import EVERY, Example, array, arrays, examples

import hlo
from hlo.runtime import custom_calls
from hlo.runtime.custom_calls import streams

CORRECTIONS = {
    "collective_permute": (
        "tensor<2x2xi64>",
        "tensor<1x2xi64>",
        "one pair of processes is written, the type is of two",
    ),
    "reshape": ("[4, 5, 6]]]", "[4, 5, 6]]", "a bracket too many"),
    "divide": (
        "[17.1, -17.1, 17.1, -17.1]",
        "[17.0, -17.0, 17.0, -17.0]",
        "the results are those of 17.0: 17.1 / 3 is 5.7",
    ),
    "log_plus_one": ("[-nan, 0.0,", "[-nan, -0.0,", "IEEE-754's logp1 of -0 is -0"),
    "power": ("xf64>", "xf32>", "0.333333343 is 1/3 in f32, and 10000 to the power of 10 is infinite in f32 only"),
}
"""By op: what is replaced in the document's text, by what, and why."""

SAMPLES = {"rng": "random numbers"}
"""Ops whose results in the document are one possibility."""

OWN_VALUES = {"after_all", "custom_call", "infeed", "outfeed", "partition_id", "recv", "replica_id", "send"}
"""Examples without values: the hosts below give and take them."""

TARGETS = ("cpu", "reference")
TOKEN = "!stablehlo.token"


@functools.cache
def found() -> list[Example]:
    return examples(document("HLO_SPECIFICATION", "002_*"), CORRECTIONS)


def test_the_document_has_100_examples_and_they_are_read_whole():
    assert len(found()) == 100
    for example in found():
        if example.op not in OWN_VALUES:
            named = {name for name, _ in example.expected}
            assert named == set(example.results), f"{example.op}: no values of {set(example.results) - named}"


def program(example: Example) -> str:
    """The statement in a function whose arguments are its values; tokens are made."""
    given = {name: t for name, t in example.types.items() if t != TOKEN}
    tokens = [f"  {name} = stablehlo.create_token : {TOKEN}" for name, t in example.types.items() if t == TOKEN]
    results = [(name, t) for name, t in zip(example.results, example.result_types) if t != TOKEN]
    names, types = (", ".join(part) for part in zip(*results)) if results else ("", "")
    returned = f"  return {names} : {types}" if results else "  return"
    head = f"func.func @main({', '.join(f'{n}: {t}' for n, t in given.items())}) -> ({types}) {{"
    helper = "func.func private @foo(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }"
    return "\n".join([head, *tokens, example.statement, returned, "}", helper if "@foo" in example.statement else ""])


def values(example: Example, process=EVERY) -> list[np.ndarray]:
    inputs = {name: v for (name, p), v in example.inputs.items() if p in (EVERY, process)}
    return [a for name, t in example.types.items() if name in inputs for a in arrays(inputs[name], t)]


def expected(example: Example, process=EVERY) -> list[np.ndarray]:
    wanted = {name: v for (name, p), v in example.expected.items() if p in (EVERY, process)}
    pairs = zip(example.results, example.result_types)
    return [a for name, t in pairs if name in wanted for a in arrays(wanted[name], t)]


def compare(results, wanted, example: Example):
    assert len(results) == len(wanted)
    for result, one in zip(results, wanted):
        assert (result.shape, result.dtype) == (one.shape, one.dtype)
        if example.op in SAMPLES:
            assert ((result >= 0) & (result < 2)).all()
        elif one.dtype.kind in "fc":
            np.testing.assert_allclose(result, one, rtol=1e-6, atol=1e-6)
            zeros = (one == 0) & (result == 0)
            assert (np.signbit(result.real) == np.signbit(one.real))[zeros].all()
        else:
            np.testing.assert_array_equal(result, one)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("number", range(100))
def test_example(number, target):
    example = found()[number]
    if example.op in OWN_VALUES:
        HOSTS[example.op](example, target)
    elif example.replicas > 1:
        run_grid(example, target)
    else:
        compare(hlo.compile(program(example), target)(*values(example)), expected(example), example)


def run_grid(example: Example, target: str):
    processes = [(replica, 0) for replica in range(example.replicas)]
    exe = hlo.compile(program(example), target, num_replicas=example.replicas, num_partitions=1)
    found_ = exe.run_grid([values(example, process) for process in processes])
    for process, results in zip(processes, found_):
        compare(results, expected(example, process), example)


# Examples without values

CUBE = np.arange(27, dtype=np.int32).reshape(3, 3, 3)
MATRIX = np.arange(12, dtype=np.int32).reshape(3, 4)


def _after_all(example, target):
    assert hlo.compile(program(example), target)() == []


def _position(example, target):
    (found_,) = hlo.compile(program(example), target)()
    assert found_ == 0 and found_.dtype == np.uint32


def _custom_call(example, target):
    seen = []

    @custom_calls.register("foo")
    def foo(x, *, backend_config):
        seen.append(backend_config)
        return x + 1

    assert hlo.compile(program(example), target)(np.float32(2)) == [3]
    assert seen == ["bar"]
    del custom_calls.TARGETS["foo"]


def _infeed(example, target):
    streams.feed(CUBE)
    np.testing.assert_array_equal(hlo.compile(program(example), target)()[0], CUBE)


def _outfeed(example, target):
    hlo.compile(program(example), target)(CUBE)
    np.testing.assert_array_equal(streams.outfeed()[0], CUBE)


def _recv(example, target):
    streams.send(5, MATRIX)
    np.testing.assert_array_equal(hlo.compile(program(example), target)()[0], MATRIX)


def _send(example, target):
    hlo.compile(program(example), target)(MATRIX)
    np.testing.assert_array_equal(streams.receive(5)[0], MATRIX)


HOSTS = {
    "after_all": _after_all,
    "custom_call": _custom_call,
    "infeed": _infeed,
    "outfeed": _outfeed,
    "partition_id": _position,
    "recv": _recv,
    "replica_id": _position,
    "send": _send,
}


@pytest.mark.parametrize("target", TARGETS)
def test_the_program_of_the_section_programs(target):
    text = document("HLO_SPECIFICATION", "002_*")
    start = text.index("stablehlo.func @main")
    program_ = text[start : text.index("```", start)]
    rng = np.random.default_rng(3)
    image, weights, bias = (rng.standard_normal(s).astype(np.float32) for s in ((28, 28), (784, 10), (1, 10)))
    (found_,) = hlo.compile(program_, target)(image, weights, bias)
    np.testing.assert_allclose(found_, np.maximum(image.reshape(1, 784) @ weights + bias, 0), rtol=1e-4, atol=1e-4)


def test_values_are_checked_against_their_types():
    with pytest.raises(AssertionError, match="is no tensor"):
        array([[1, 2], [3, 4]], "tensor<4xi32>")
