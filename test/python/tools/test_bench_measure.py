"""What a timed call has to keep: its arguments, and the results that it had the first time."""

from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from multiprocessing import get_context

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from bench.contenders import Iree
from bench.iree_worker import Worker
from bench.measure import Row, prepare, problem_of, take_turns
from bench.programs.program import Program

ADD_ROWS = Program(
    "add rows",
    lambda table, rows, where: table.at[where].add(rows),
    lambda: (np.ones((50, 7), np.float32), np.ones((3, 7), np.float32), np.array([4, 4, 9], np.int32)),
)


class Overwriting:
    """Adds to its argument in place."""

    name = "overwriting"

    def prepare(self, problem):
        self.array = np.zeros(3, np.float32)
        return 0.0

    def outputs(self):
        self.array += 1
        return [self.array.copy()]

    def turn(self, duration):
        self.array += 1
        return 0.001


def test_later_calls_with_other_results_have_no_time():
    row = Row("add rows")
    assert prepare(row, ADD_ROWS, problem_of(ADD_ROWS), [Overwriting()]) == {}
    assert "later calls have other results" in row.notes["overwriting"]


class Slow(Overwriting):
    name = "slow"

    def turn(self, duration):
        raise TimeoutError("turn: more than 30 s")

    def temporaries(self):
        return None


class Quick(Slow):
    name = "quick"

    def turn(self, duration):
        return 0.5


def test_who_fails_in_a_turn_has_no_time_and_others_have():
    row = Row("add rows")
    take_turns(row, [Slow(), Quick()], 3, 0.001)
    assert row.turns == {"quick": [0.5] * 3} and row.seconds == {"quick": 0.5}
    assert row.notes == {"slow": "TimeoutError: turn: more than 30 s"}


class Hopeless(Quick):
    name = "hopeless"

    def turn(self, duration):
        return 51.0


def test_who_is_a_hundred_times_slower_takes_one_turn():
    row = Row("add rows")
    take_turns(row, [Hopeless(), Quick()], 3, 0.001)
    assert row.turns == {"hopeless": [51.0], "quick": [0.5] * 3}


@pytest.mark.skipif(find_spec("iree") is None, reason="IREE is not installed")
def test_arguments_that_iree_overwrites_are_filled_again():
    contender = Iree(1)
    try:
        problem = problem_of(ADD_ROWS)
        contender.prepare(problem)
        expected = np.asarray(jax.jit(ADD_ROWS.function)(*problem.inputs))
        for _ in range(2):
            contender.turn(0.001)
            np.testing.assert_array_equal(contender.outputs()[0], expected)
    finally:
        contender.close()


def in_iree(text: str, inputs: list[np.ndarray]) -> tuple[list[int], list[np.ndarray]]:
    worker = Worker(1)
    worker.prepare(text, inputs)
    return worker.returned, [np.array(a) for a in worker.outputs()]


@pytest.mark.skipif(find_spec("iree") is None, reason="IREE is not installed")
def test_arguments_that_iree_hands_back_are_copied():
    """In a process of its own: IREE's bindings cannot be loaded beside MLIR's."""
    x, y = np.ones((40, 30), np.float32), np.full(5, 2, np.float32)
    text = jax.jit(lambda x, y: (jnp.pad(x, 0), y + 1)).lower(x, y).as_text()
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        returned, outputs = pool.submit(in_iree, text, [x, y]).result()
    assert returned == [0]
    np.testing.assert_array_equal(outputs[0], x)
    np.testing.assert_array_equal(outputs[1], y + 1)
