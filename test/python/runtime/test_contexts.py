"""Contexts that serve one program after another."""

import threading

import numpy as np
import pytest

import hlo
from hlo.dialect import contexts
from hlo.errors import HloError

ADD = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = stablehlo.add %x, %c : tensor<4xf32>
  return %0 : tensor<4xf32>
}"""
VALUES = np.array([1, 2, 3, 4], np.float32)
DOUBLE = ADD.replace("add %x, %c", "multiply %x, %c")

TWICE = """func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.add %x, %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}"""


@pytest.fixture(autouse=True)
def none_idle(monkeypatch):
    monkeypatch.setattr(contexts, "_idle", {True: [], False: []})


def compiled(text, **options):
    return hlo.compile(text, cache=False, **options)


def test_programs_after_each_other_share_a_context_and_both_run():
    first = compiled(ADD)
    (borrowed,) = contexts._idle[True]
    second = compiled(DOUBLE)
    assert contexts._idle[True] == [borrowed]
    assert borrowed.uses == 2
    x = np.arange(4, dtype=np.float32)
    np.testing.assert_array_equal(first(x)[0], x + VALUES)
    np.testing.assert_array_equal(second(x)[0], x * VALUES)


@pytest.mark.parametrize(
    "text", ["func.func @main( {", ADD.replace("tensor<4xf32>\n  return", "tensor<5xf32>\n  return")]
)
def test_context_of_a_program_that_fails_is_dropped(text):
    compiled(ADD)
    with pytest.raises(HloError):
        compiled(text)
    assert contexts._idle[True] == []


def test_context_is_dropped_where_the_module_lives_on():
    exe = compiled(TWICE)
    assert contexts._idle[True] == []
    np.testing.assert_array_equal(exe(np.ones(3, np.float32))[0], np.full(3, 2))
    compiled(ADD, target="reference")
    assert contexts._idle[True] == []


@pytest.mark.parametrize(("limit", "value"), [("USES", 2), ("BYTES", 2 * len(ADD))])
def test_context_is_retired(monkeypatch, limit, value):
    monkeypatch.setattr(contexts, limit, value)
    compiled(ADD)
    assert len(contexts._idle[True]) == 1
    compiled(ADD)
    assert contexts._idle[True] == []


def test_threads_have_contexts_of_their_own():
    x, failures = np.arange(4, dtype=np.float32), []

    def work():
        for _ in range(5):
            if not np.array_equal(compiled(ADD)(x)[0], x + VALUES):
                failures.append("wrong")

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(contexts._idle[True]) <= contexts.IDLE


def test_a_module_of_the_users_keeps_its_context():
    module = hlo.parse(ADD)
    compiled(module)
    assert contexts._idle[True] == []
    assert module.operation.verify()
